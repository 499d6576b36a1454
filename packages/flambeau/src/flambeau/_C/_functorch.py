"""``torch._C._functorch``: functions on the tensors of transforms. Here these are not wrappers."""

from typing import Any

from flambeau_tensor.lazy_attributes import attach as _attach


def is_batchedtensor(tensor: Any) -> bool:
    """False: under ``vmap``, a tensor is one with a further dimension."""
    return False


is_legacy_batchedtensor = is_gradtrackingtensor = is_functorch_wrapped_tensor = is_batchedtensor


def maybe_get_bdim(tensor: Any) -> int:
    """Return -1: no dimension is hidden."""
    return -1


def get_unwrapped(tensor: Any) -> Any:
    """The tensor."""
    return tensor


def _add_batch_dim(tensor: Any, in_dim: int, level: Any) -> Any:
    """Return a batched tensor with batch dimension ``in_dim``; `level` is the value that the ``vmap`` returned."""
    return level.wrap(tensor, in_dim)


def _remove_batch_dim(tensor: Any, level: Any, batch_size: int, out_dim: int) -> Any:
    """Return the value of a batched tensor with its batch dimension moved to ``out_dim``."""
    from flambeau_autograd.func.vectorize import _maybe_remove_batch_dim

    return _maybe_remove_batch_dim("a function", tensor, level, batch_size, out_dim)


__getattr__, __dir__ = _attach(__name__, "torch._C._functorch", unlisted=True)
