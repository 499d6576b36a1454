"""``torch._check`` and related functions: assertions of a program, for functions registered with ``register_fake``."""

from collections.abc import Callable, Sequence
from typing import Any

from flambeau_overrides import overridable
from flambeau_tensor._core.elementwise.dtype import DType, type_name
from flambeau_tensor._core.memory.tensor import Tensor


@overridable(namespace="torch")
def _assert(condition: object, message: str) -> None:
    """Raise AssertionError with ``message`` unless ``condition`` holds. Unlike an ``assert``, tracers can record it."""
    if not condition:
        raise AssertionError(message)


def _assert_tensor_metadata(
    a: Tensor,
    size: Sequence[int] | None = None,
    stride: Sequence[int] | None = None,
    dtype: DType | None = None,
    *,
    device: Any = None,
    layout: Any = None,
) -> None:
    """Raise RuntimeError unless a tensor has the given size, strides, dtype, device and layout; None is not checked."""
    expected = {
        "sizes": (size, lambda: list(a.shape), list),
        "strides": (stride, lambda: list(a.stride()), list),
        "dtype": (dtype, lambda: a.dtype, type_name),
        "device": (device, lambda: a.device, str),
        "layout": (
            layout,
            lambda: a.layout,
            lambda given: str(given).removeprefix("torch.").removesuffix("_coo").capitalize(),
        ),
    }
    for what, (wanted, read, shown) in expected.items():
        if wanted is None:
            continue
        found = read()
        if what == "device":
            wanted = type(found)(wanted)
        if (list(wanted) if isinstance(found, list) else wanted) != found:
            raise RuntimeError(f"Tensor {what} mismatch! Expected: {shown(wanted)}, Got: {shown(found)}")


def _check_with(error_type: type[Exception], cond: bool, message: Callable[[], object] | None) -> None:
    """Raise an error of the given type unless the bool ``cond`` is true; ``message()`` returns the text."""
    _raise_unless(cond, message, error_type, "_check_with", 2)


def _check_tensor_all(cond: Tensor, message: Callable[[], object] | None = None) -> None:
    """Raise RuntimeError unless all elements of the bool tensor ``cond`` are true."""
    _check_tensor_all_with(RuntimeError, cond, message)


def _check_tensor_all_with(
    error_type: type[Exception], cond: Tensor, message: Callable[[], object] | None = None
) -> None:
    """Raise an error of the given type unless all elements of the bool tensor ``cond`` are true."""
    if not isinstance(cond, Tensor):
        raise TypeError(f"cond must be a tensor, but got {type(cond)}")
    if cond.dtype.name != "bool":
        raise TypeError(f"cond tensor must have dtype torch.bool, but got {cond.dtype}")
    _raise_unless(cond.all().item(), message, error_type, "_check_tensor_all_with", 2)


def _raise_unless(cond, message, error, name, position):
    if cond is True:
        return
    if type(cond) is not bool:
        what = "a Tensor; use cond.all().item()" if isinstance(cond, Tensor) else type(cond).__name__
        raise TypeError(f"{name}(): argument 'cond' (position {position}) must be bool, not {what}")
    if message is not None and not callable(message):
        raise TypeError(
            f"{name}(): argument 'message' (position {position + 1}) must be callable, not {type(message).__name__}"
        )
    raise error(str(message()) if message is not None else "Expected cond to be True, but got False.")


def _checks(name: str, error: type[Exception]) -> Callable:
    def check(cond: bool, message: Callable[[], object] | None = None) -> None:
        _raise_unless(cond, message, error, name, 1)

    check.__name__ = check.__qualname__ = name
    check.__doc__ = f"""Raise {error.__name__} unless ``cond``, a bool, is true.

    ``message`` is called for the text, and only then.
    """
    return check


_check = _checks("_check", RuntimeError)
_check_index = _checks("_check_index", IndexError)
_check_not_implemented = _checks("_check_not_implemented", NotImplementedError)
_check_type = _checks("_check_type", TypeError)
_check_value = _checks("_check_value", ValueError)
