"""Batching of padding, which begins at the last dimension."""

from flambeau_autograd.batching.table import batched, looped, plain
from flambeau_nn.ops import padding as ops


def _pad(level, op, args, dims):
    fits = len(args[1]) <= 2 * (args[0].ndim - 1)  # otherwise the batch dimension would be padded, too
    return (plain if fits else looped)(level, op, args, dims)


def _pad_backward(level, op, args, dims):
    grad, sizes, pad, mode = args
    if len(pad) > 2 * len(sizes):
        return looped(level, op, args, dims)
    return plain(level, op, [grad, (level.size, *sizes), pad, mode], dims)


batched(_pad, ops.constant_pad_nd, ops.pad_by_copies)
batched(_pad_backward, ops.pad_by_copies_backward)
