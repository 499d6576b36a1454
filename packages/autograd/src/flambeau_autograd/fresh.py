"""Tensors that formulas start from: of the dtype of another one, and on its device."""

from typing import Any

from flambeau_tensor.extend import is_meta
from flambeau_tensor.ops import factories


def zeros(like: Any, shape: Any) -> Any:
    """Zeros of a shape beside another tensor."""
    return factories.zeros(shape, dtype=like.dtype, device=where(like))


def where(like: Any) -> str | None:
    """The device to make something on beside another tensor; None, which costs nothing, is the CPU."""
    return "meta" if is_meta(like) else None
