"""Fresh tensors for formulas, with the dtype and device of another tensor."""

from typing import Any

from flambeau_tensor.extend import is_meta
from flambeau_tensor.ops import factories


def zeros(like: Any, shape: Any) -> Any:
    """Zeros of a shape, with the dtype and device of another tensor."""
    return factories.zeros(shape, dtype=like.dtype, device=where(like))


def where(like: Any) -> str | None:
    """The device of another tensor for a factory call; None, which costs nothing, means the CPU."""
    return "meta" if is_meta(like) else None
