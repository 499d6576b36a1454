"""Batching rules of factory functions that take their sizes from a tensor: each element of the batch gets its own."""

from flambeau_autograd.batching.table import batch_first, batched, call, in_dim_0, plain, shifted
from flambeau_autograd.strided import extent

batched(plain, "torch.empty_like", "torch.zeros_like", "torch.ones_like", "torch.full_like")


def _sizes(given):
    return (given,) if isinstance(given, int) else given


def _of_data(level, op, args, dims):
    """The tensor argument only determines the dtype."""
    return call(op, batch_first(args[0], dims[0]), *args[1:]), None


def _new_strided(level, op, args, dims):
    size, stride = map(_sizes, args[1:3])
    t = batch_first(args[0], dims[0])
    return in_dim_0(call(op, t, (level.size, *size), (extent(size, stride), *stride), *args[3:]))


batched(shifted, "torch.Tensor.new_empty", "torch.Tensor.new_zeros", "torch.Tensor.new_ones", "torch.Tensor.new_full")
batched(_new_strided, "torch.Tensor.new_empty_strided")
batched(_of_data, "torch.Tensor.new_tensor")
