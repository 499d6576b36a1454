"""Assertions of programs."""

import pytest

import flambeau_tensor as ft


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("_check", RuntimeError),
        ("_check_index", IndexError),
        ("_check_not_implemented", NotImplementedError),
        ("_check_type", TypeError),
        ("_check_value", ValueError),
    ],
)
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


def test_the_type_of_the_error_can_be_given():
    assert ft._check_with(KeyError, True, None) is None
    with pytest.raises(ZeroDivisionError, match="^by nothing$"):
        ft._check_with(ZeroDivisionError, False, lambda: "by nothing")
    with pytest.raises(TypeError, match=r"_check_with\(\): argument 'cond' \(position 2\) must be bool, not int"):
        ft._check_with(ValueError, 0, None)


def test_all_elements_have_to_be_true():
    assert ft._check_tensor_all(ft.tensor([True, True])) is None
    with pytest.raises(RuntimeError, match=r"^Expected cond to be True, but got False\.$"):
        ft._check_tensor_all(ft.tensor([True, False]))
    with pytest.raises(ValueError, match="^one is not$"):
        ft._check_tensor_all_with(ValueError, ft.tensor([True, False]), lambda: "one is not")
    with pytest.raises(TypeError, match=r"^cond tensor must have dtype torch.bool, but got torch.float32$"):
        ft._check_tensor_all(ft.ones(2))
    with pytest.raises(TypeError, match=r"^cond must be a tensor, but got <class 'bool'>$"):
        ft._check_tensor_all(True)


def test_assert():
    assert ft._assert(ft.tensor(True), "fine") is None
    with pytest.raises(AssertionError, match="^not so$"):
        ft._assert(False, "not so")
    with pytest.raises(RuntimeError, match="Boolean value of Tensor with more than one value is ambiguous"):
        ft._assert(ft.ones(2), "")

    class Seen:
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return func, args

    seen = Seen()
    assert ft._assert(seen, "text") == (ft._assert, (seen, "text"))


def test_layouts_that_no_tensor_has_can_be_asked_for():
    others = (ft.sparse_coo, ft.sparse_csr, ft.sparse_csc, ft.sparse_bsr, ft.sparse_bsc, ft.jagged)
    assert ft.ones(2).layout not in others
    assert repr(ft.sparse_csc) == "torch.sparse_csc" and isinstance(ft.sparse_coo, ft.layout)
    with pytest.raises(NotImplementedError, match="layout torch.sparse_coo is not built"):
        ft.ones(2, layout=ft.sparse_coo)
