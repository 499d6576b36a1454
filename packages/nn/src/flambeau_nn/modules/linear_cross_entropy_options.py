"""The options of ``linear_cross_entropy``, in a separate file as in PyTorch, since pickled modules refer to it."""

from __future__ import annotations

import dataclasses

from flambeau_tensor import dtype

__all__ = ["LinearCrossEntropyOptions"]


@dataclasses.dataclass(frozen=True, slots=True)
class LinearCrossEntropyOptions:
    """PyTorch's options for saving memory in `linear_cross_entropy`. They have no effect.

    Shape:
        none

    >>> LinearCrossEntropyOptions().chunking_method
    'auto'
    """

    allow_retain_graph: bool = False
    batch_chunk_size: int | None = None
    chunking_method: str | None = "auto"
    acc_policy: str = "auto"
    acc_dtype: dtype | None = None
