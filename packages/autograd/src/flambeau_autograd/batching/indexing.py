"""Batching of indexing."""

from flambeau_autograd.batching.table import at_front, batched, call, elementwise, front, looped
from flambeau_tensor.ops import factories, pointwise
from flambeau_tensor.ops import indexing as ops


def _index(level, op, args, dims):
    """One more index in front, over the examples, where indices differ between them."""
    t, indices = args
    inner = dims[1] if isinstance(dims[1], tuple) else (None,) * len(indices)
    if all(d is None for d in inner):
        if _leads(indices):
            return at_front(call(op, front(t, dims[0]), (None, *indices)))
        return looped(level, op, args, dims)
    if any(i is not None and not _is_integer(i) for i in indices) or not _leads(indices):
        return looped(level, op, args, dims)
    rank = max(i.ndim - (d is not None) for i, d in zip(indices, inner, strict=True) if i is not None)
    moved = tuple(None if i is None else _aligned(i, d, rank) for i, d in zip(indices, inner, strict=True))
    if dims[0] is None:
        # Indices in front of the result's dimensions, or the one run of them in its middle: where they stood first.
        first = next(n for n, i in enumerate(indices) if i is not None)
        return call(op, t, moved), first
    examples = factories.arange(level.size).reshape((-1,) + (1,) * rank)
    if indices[0] is None:
        return looped(level, op, args, dims)
    return at_front(call(op, front(t, dims[0]), (examples, *moved)))


def _leads(indices):
    """Whether the dimensions of the indices stand together, so that the result's order is theirs."""
    where = [n for n, i in enumerate(indices) if i is not None]
    return bool(where) and where[-1] - where[0] == len(where) - 1


def _is_integer(index):
    return not index.is_floating_point() and str(index.dtype) not in ("torch.bool", "torch.uint8")


def _aligned(index, dim, rank):
    if dim is None:
        return index
    index = front(index, dim)
    return index.reshape((index.shape[0],) + (1,) * (rank - index.ndim + 1) + tuple(index.shape[1:]))


def _masked_fill(level, op, args, dims):
    """A number for each example is a tensor with dimensions, which only ``where`` takes."""
    if dims[2] is None:
        return elementwise(level, op, args, dims)
    t, mask, value = args
    new, at = elementwise(level, pointwise.where, [mask, value.to(t.dtype), t, None], [dims[1], dims[2], dims[0], None])
    if op.schema.returns[0].write:
        front(t, dims[0]).copy_(new)
        return t, dims[0]
    return new, at


batched(_index, ops.index)
batched(_masked_fill, ops.masked_fill)
batched(elementwise, "torch.complex", "torch.Tensor.copy_", "torch.fill_", "torch.zero_")
