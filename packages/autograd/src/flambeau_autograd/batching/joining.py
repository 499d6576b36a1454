"""Batching of joining."""

from flambeau_autograd.batching.table import batched, looped, one_more, shifted
from flambeau_tensor.ops import joining as ops


def _cat(level, op, args, dims):
    ranks = {t.ndim - (d is not None) for t, d in zip(args[0], dims[0], strict=True)}
    return (looped if len(ranks) > 1 else shifted)(level, op, args, dims)  # empty ones of another rank are passed over


batched(_cat, ops.cat)
batched(one_more, ops.stack)
