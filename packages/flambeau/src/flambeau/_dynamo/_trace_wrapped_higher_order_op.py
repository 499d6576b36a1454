"""A context that PyTorch's ``vmap`` needs where a batched index picks an element (``x[i]``). Here it does without."""

from contextlib import nullcontext


class TransformGetItemToIndex(nullcontext):
    """Changes nothing."""
