"""OperatorsMixin: Python's operators for types that are not tensors."""

import operator
import subprocess
import sys

import pytest

from flambeau_overrides import OperatorsMixin

torch = pytest.importorskip("flambeau_tensor")


class Logged(OperatorsMixin):
    """Returns the name of the function and its arguments."""

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return func.__name__, *("x" if isinstance(a, cls) else a for a in args)


class Silent(OperatorsMixin):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return NotImplemented


BINARY = {
    "add": "add",
    "sub": "sub",
    "mul": "mul",
    "truediv": "true_divide",
    "floordiv": "floor_divide",
    "mod": "remainder",
    "pow": "pow",
    "and_": "bitwise_and",
    "or_": "bitwise_or",
    "xor": "bitwise_xor",
    "lshift": "bitwise_left_shift",
    "rshift": "bitwise_right_shift",
}


@pytest.mark.parametrize("word", BINARY)
def test_binary(word):
    call, x = getattr(operator, word), Logged()
    assert call(x, 2) == (BINARY[word], "x", 2) and call(2, x) == (BINARY[word], 2, "x")
    assert call(x, x) == (BINARY[word], "x", "x")


def test_matmul_with_a_tensor():
    x, t = Logged(), torch.ones(2)
    assert x @ x == ("matmul", "x", "x")
    name, left, right = x @ t
    assert (name, left) == ("matmul", "x") and right is t


def test_comparing():
    x = Logged()
    assert (x < 2, x <= 2, x > 2, x >= 2) == (("lt", "x", 2), ("le", "x", 2), ("gt", "x", 2), ("ge", "x", 2))
    assert (x == 2) == ("eq", "x", 2) and (x != 2) == ("ne", "x", 2) and (2 < x) == ("gt", "x", 2)
    assert {x: 1}[x] == 1


def test_unary():
    x = Logged()
    assert (-x, +x, ~x, abs(x)) == (("neg", "x"), ("positive", "x"), ("bitwise_not", "x"), ("abs", "x"))


def test_without_an_answer():
    with pytest.raises(TypeError, match=r"torch\.add"):
        Silent() + 1


def test_without_a_library_of_functions():
    code = "from flambeau_overrides import OperatorsMixin\nOperatorsMixin() + 1"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "NotImplementedError: torch.add is not here" in done.stderr
