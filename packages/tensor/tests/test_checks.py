"""The assertions of a program's own."""
import pytest

import flambeau_tensor as ft


@pytest.mark.parametrize(("name", "error"), [
    ("_check", RuntimeError), ("_check_index", IndexError), ("_check_not_implemented", NotImplementedError),
    ("_check_type", TypeError), ("_check_value", ValueError),
])
def test_errors_and_their_texts(name, error):
    check = getattr(ft, name)
    assert check(True) is None
    assert check(1 < 2, lambda: pytest.fail("nobody asks for it")) is None
    with pytest.raises(error, match=r"^Expected cond to be True, but got False\.$"):
        check(False)
    with pytest.raises(error, match="^3 is odd$"):
        check(False, lambda: f"{3} is odd")
    with pytest.raises(TypeError, match=rf"{name}\(\): argument 'cond' \(position 1\) must be bool, not int"):
        check(1)
    with pytest.raises(TypeError, match=r"not a Tensor; use cond.all\(\).item\(\)"):
        check(ft.tensor(True))
    with pytest.raises(TypeError, match=r"argument 'message' \(position 2\) must be callable, not str"):
        check(False, "text")
