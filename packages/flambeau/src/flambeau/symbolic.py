"""``torch.SymInt`` and related classes: symbols for unknown sizes. Here all sizes are known, so there are no instances.

>>> import flambeau as torch
>>> isinstance(torch.ones(2).shape[0], torch.SymInt)
False
"""

from typing import Any

from flambeau_overrides import overridable


class _Symbol:
    def __init__(self, *args, **kwargs):
        from flambeau_tensor.not_built import not_built

        raise not_built(f"torch.{type(self).__name__}")


class SymInt(_Symbol):
    """A whole number that is not known yet.

    Raises:
        NotBuiltError: it is called: sizes are numbers.

    >>> isinstance(3, torch.SymInt)
    False
    """


class SymFloat(_Symbol):
    """A number that is not known yet.

    Raises:
        NotBuiltError: it is called: sizes are numbers.

    >>> isinstance(3.0, torch.SymFloat)
    False
    """


class SymBool(_Symbol):
    """A truth value that is not known yet.

    Raises:
        NotBuiltError: it is called: sizes are numbers.

    >>> isinstance(True, torch.SymBool)
    False
    """


# --- functions on numbers that may be symbols -------------------------------------------------------------------------


@overridable(namespace="torch")
def sym_int(a: Any) -> Any:
    """A number cut to a whole one, toward zero.

    Raises:
        ValueError: the argument is not a number.

    >>> sym_int(-3.7)
    -3
    """
    return int(a)


@overridable(namespace="torch")
def sym_float(a: Any) -> Any:
    """A number as a float.

    Raises:
        ValueError: the argument is not a number.

    >>> sym_float(3)
    3.0
    """
    return float(a)


@overridable(namespace="torch")
def sym_not(a: Any) -> Any:
    """Return True if it is false.

    >>> sym_not(True)
    False
    """
    return not a


@overridable(namespace="torch")
def sym_max(a: Any, b: Any) -> Any:
    """The larger of two numbers; a float if one of them is.

    Raises:
        TypeError: the arguments cannot be compared.

    >>> sym_max(3, 2.0)
    3.0
    """
    return _as_both(max(a, b), a, b)


@overridable(namespace="torch")
def sym_min(a: Any, b: Any) -> Any:
    """The smaller of two numbers; a float if one of them is.

    Raises:
        TypeError: the arguments cannot be compared.

    >>> sym_min(1, 2.0)
    1.0
    """
    return _as_both(min(a, b), a, b)


def _as_both(value, a, b):
    return float(value) if isinstance(a, float) or isinstance(b, float) else value


@overridable(namespace="torch")
def sym_sum(args: Any) -> Any:
    """The sum of numbers.

    Raises:
        TypeError: the argument cannot be iterated over.

    >>> sym_sum([1, 2, 3])
    6
    """
    return sum(args)


@overridable(namespace="torch")
def sym_sqrt(a: Any) -> Any:
    """The square root of a number.

    Raises:
        ValueError: the number is negative.
        TypeError: the argument is not a number.

    >>> sym_sqrt(4)
    2.0
    """
    import math

    return math.sqrt(a)


def sym_fresh_size(expr: Any) -> Any:
    """Return the number, which is a valid size.

    >>> sym_fresh_size(3)
    3
    """
    return expr


@overridable(namespace="torch")
def sym_ite(b: Any, t: Any, f: Any) -> Any:
    """`t` if `b` is True, else `f`, which is of the same type.

    Raises:
        AssertionError: `b` is not a bool, or `t` and `f` differ in type.

    >>> sym_ite(False, 1, 2)
    2
    """
    if not isinstance(b, bool):
        raise AssertionError(f"expected SymBool or bool, got {type(b)}")
    if type(t) is not type(f):
        raise AssertionError(f"type mismatch: {type(t)} vs {type(f)}")
    return t if b else f


def _shape_as_tensor(input):
    """The sizes of a tensor, as a tensor."""
    import flambeau as torch

    return torch.tensor(input.shape, dtype=torch.int64)
