"""``torch._C._functorch``: what programs ask of the tensors of transforms. Here these are no wrappers."""

from typing import Any


def is_batchedtensor(tensor: Any) -> bool:
    """False: under ``vmap``, a tensor is one with a further dimension."""
    return False


is_legacy_batchedtensor = is_gradtrackingtensor = is_functorch_wrapped_tensor = is_batchedtensor


def maybe_get_bdim(tensor: Any) -> int:
    """-1: no dimension is hidden."""
    return -1


def get_unwrapped(tensor: Any) -> Any:
    """The tensor."""
    return tensor


def __getattr__(name: str) -> Any:
    from flambeau_tensor.not_built import left_out

    raise left_out("torch._C._functorch", name)
