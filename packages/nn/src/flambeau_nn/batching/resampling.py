"""Batching of resampling and of windows as columns: examples are more samples."""

from flambeau_autograd.batching.table import all_batch_first, batched, call, looped
from flambeau_nn.ops import resampling as ops


def _samples(rank, *sizes):
    """`rank`: dimensions of a tensor with samples; one without gets examples for them. `sizes`: positions of arguments
    that are a tensor's size."""

    def rule(level, op, args, dims):
        args = all_batch_first(level, args, dims)
        wanted = rank or args[0].ndim - 1
        if level.size == 0 or args[0].ndim not in (wanted, wanted + 1):
            return looped(level, op, args, [0, *dims[1:]])
        if args[0].ndim == wanted:  # the examples are the samples
            return call(op, *args), 0
        n = args[0].shape[1]
        args[0] = args[0].reshape((level.size * n, *args[0].shape[2:]))
        for i in sizes:
            args[i] = (level.size * n, *args[i][1:])
        result = call(op, *args)
        return result.reshape((level.size, n, *result.shape[1:])), 0

    return rule


batched(_samples(None), ops.resample)
batched(_samples(None, 1), ops.resample_backward)
batched(_samples(4), ops.im2col)
batched(_samples(3), ops.col2im)
