"""Batching of gathering and scattering along a dimension, flips and triangles."""

from flambeau_autograd.batching.table import at_front, batched, call, front, looped, plain, shifted
from flambeau_tensor.ops import factories


def _aligned(level, op, args, dims):
    """All tensors have the rank of the first, so all of them get the examples in front."""
    return (looped if op.schema.returns[0].write or args[0].ndim - (dims[0] is not None) == 0 else
            shifted)(level, op, args, dims)


def _index_select(level, op, args, dims):
    t, dim, index = args[:3]
    rank = t.ndim - (dims[0] is not None)
    if dims[2] is not None or rank == 0:
        return looped(level, op, args, dims)
    return at_front(call(op, front(t, dims[0]), dim % rank + 1, *args[2:]))


def _embedding(level, op, args, dims):
    index, weight = args[:2]
    if dims[1] is None:
        return at_front(call(op, front(index, dims[0]), *args[1:]))
    if dims[0] is None:
        return at_front(front(weight, dims[1]).index_select(1, index.reshape(-1)).reshape(
            (level.size, *index.shape, weight.shape[2 if dims[1] < 2 else 1])))
    count = weight.shape[1 if dims[1] == 0 else 0]
    index, weight = front(index, dims[0]), front(weight, dims[1])
    offsets = factories.arange(level.size).reshape((-1,) + (1,) * (index.ndim - 1)) * count
    return at_front(call(op, index + offsets, weight.reshape((-1, weight.shape[-1])), *args[2:]))


batched(_aligned, "torch.gather", "torch.scatter", "torch.scatter_add", "torch.scatter_reduce")
batched(_index_select, "torch.index_select")
batched(shifted, "torch.flip")
batched(plain, "torch.tril", "torch.triu")
batched(_embedding, "torch.nn.functional.embedding")
