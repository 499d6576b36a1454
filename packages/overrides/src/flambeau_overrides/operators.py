"""Python's operators for types with `__torch_function__` that are not tensors."""

from __future__ import annotations

from flambeau_overrides.registry import resolve_function

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing is slow to import
    from collections.abc import Callable
    from typing import Any

_BINARY = {
    "add": "add",
    "sub": "sub",
    "mul": "mul",
    "truediv": "true_divide",
    "floordiv": "floor_divide",
    "mod": "remainder",
    "pow": "pow",
    "matmul": "matmul",
    "and": "bitwise_and",
    "or": "bitwise_or",
    "xor": "bitwise_xor",
    "lshift": "bitwise_left_shift",
    "rshift": "bitwise_right_shift",
}
_COMPARING = ("lt", "le", "eq", "ne", "gt", "ge")
_UNARY = {"neg": "neg", "pos": "positive", "abs": "abs", "invert": "bitwise_not"}


class OperatorsMixin:
    """Gives a type with `__torch_function__` Python's operators, as NumPy's `NDArrayOperatorsMixin` does for arrays.

    `a + b` calls `torch.add(a, b)` and `2 - a` calls `torch.sub(2, a)`, so the type's `__torch_function__` handles the
    function and the operator alike. Comparisons, `@`, the unary `-`, `+` and `~`, and `abs` work the same way. `a += b`
    creates a new object, as for numbers. The type keeps the hash of `object`, although it defines `__eq__`.

    Raises:
        TypeError: the type's `__torch_function__` returns NotImplemented, or the function does not accept the type of
            the other operand.
        NotImplementedError: no imported library has a function of this name.

    >>> import flambeau as torch
    >>> class Metres(OperatorsMixin):
    ...     def __init__(self, value):
    ...         self.value = value
    ...
    ...     @classmethod
    ...     def __torch_function__(cls, func, types, args=(), kwargs=None):
    ...         if func not in (torch.add, torch.sub):
    ...             return NotImplemented
    ...         return cls(func(*(torch.tensor(a.value) for a in args)).item())
    >>> (Metres(3) + Metres(4)).value, (Metres(3) - Metres(4)).value
    (7, -1)
    """

    __slots__ = ()
    __hash__ = object.__hash__

    if TYPE_CHECKING:  # the methods that the loops below define

        def __add__(self, other: Any) -> Any: ...
        def __radd__(self, other: Any) -> Any: ...
        def __sub__(self, other: Any) -> Any: ...
        def __rsub__(self, other: Any) -> Any: ...
        def __mul__(self, other: Any) -> Any: ...
        def __rmul__(self, other: Any) -> Any: ...
        def __truediv__(self, other: Any) -> Any: ...
        def __rtruediv__(self, other: Any) -> Any: ...
        def __floordiv__(self, other: Any) -> Any: ...
        def __rfloordiv__(self, other: Any) -> Any: ...
        def __mod__(self, other: Any) -> Any: ...
        def __rmod__(self, other: Any) -> Any: ...
        def __pow__(self, other: Any) -> Any: ...
        def __rpow__(self, other: Any) -> Any: ...
        def __matmul__(self, other: Any) -> Any: ...
        def __rmatmul__(self, other: Any) -> Any: ...
        def __and__(self, other: Any) -> Any: ...
        def __rand__(self, other: Any) -> Any: ...
        def __or__(self, other: Any) -> Any: ...
        def __ror__(self, other: Any) -> Any: ...
        def __xor__(self, other: Any) -> Any: ...
        def __rxor__(self, other: Any) -> Any: ...
        def __lshift__(self, other: Any) -> Any: ...
        def __rlshift__(self, other: Any) -> Any: ...
        def __rshift__(self, other: Any) -> Any: ...
        def __rrshift__(self, other: Any) -> Any: ...
        def __lt__(self, other: Any) -> Any: ...
        def __le__(self, other: Any) -> Any: ...
        def __gt__(self, other: Any) -> Any: ...
        def __ge__(self, other: Any) -> Any: ...
        def __eq__(self, other: object) -> Any: ...
        def __ne__(self, other: object) -> Any: ...
        def __neg__(self) -> Any: ...
        def __pos__(self) -> Any: ...
        def __abs__(self) -> Any: ...
        def __invert__(self) -> Any: ...


def _function(name: str) -> Callable[..., Any]:
    return resolve_function("torch", name)


def _binary(name: str, reflected: bool) -> Callable[[Any, Any], Any]:
    if reflected:
        return lambda self, other: _function(name)(other, self)
    return lambda self, other: _function(name)(self, other)


def _unary(name: str) -> Callable[[Any], Any]:
    return lambda self: _function(name)(self)


def _define(word: str, method: Callable[..., Any]) -> None:
    method.__name__ = f"__{word}__"
    method.__qualname__ = f"OperatorsMixin.__{word}__"
    setattr(OperatorsMixin, method.__name__, method)


for _word, _name in _BINARY.items():
    _define(_word, _binary(_name, reflected=False))
    _define(f"r{_word}", _binary(_name, reflected=True))
for _word in _COMPARING:
    _define(_word, _binary(_word, reflected=False))
for _word, _name in _UNARY.items():
    _define(_word, _unary(_name))
