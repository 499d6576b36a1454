"""Tensors end to end in one vector, and small questions that programs ask ``torch._utils``."""

from collections.abc import Iterable, Sequence
from typing import Any

import flambeau_tensor as torch


def _flatten_dense_tensors(tensors: Iterable[torch.Tensor]) -> torch.Tensor:
    """The elements of tensors, end to end, in one vector."""
    return torch.cat([tensor.reshape(-1) for tensor in tensors])


def _unflatten_dense_tensors(flat: torch.Tensor, tensors: Sequence[torch.Tensor]) -> tuple[torch.Tensor, ...]:
    """Views of a vector that have the shapes of tensors, one behind the other."""
    pieces = flat.split([tensor.numel() for tensor in tensors])
    return tuple(piece.view(tensor.shape) for piece, tensor in zip(pieces, tensors, strict=True))


def _element_size(dtype: torch.dtype) -> int:
    """How many bytes an element takes."""
    if not isinstance(dtype, torch.dtype):
        raise RuntimeError(f"expected torch.dtype, but got {type(dtype)}")
    return dtype.itemsize


def _get_device_index(device: Any, optional: bool = False, allow_cpu: bool = False) -> int | None:
    """The number of a device; -1 for the CPU, where that is allowed."""
    if isinstance(device, str):
        device = torch.device(device)
    if isinstance(device, torch.device):
        if device.type == "cpu":
            if not allow_cpu:
                raise ValueError(f"Expected a non cpu device, but got: {device}")
            return -1
        if device.index is not None:
            return device.index
    if isinstance(device, int):
        return device
    if optional:
        return None
    raise ValueError(f"Expected a torch.device with a specified index or an integer, but got:{device}")
