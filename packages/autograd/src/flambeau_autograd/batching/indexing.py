"""Batching of indexing.

If indices are batched, an additional index enumerates the batch. It comes first, so the indexed dimensions are permuted
to the front, and the result is permuted back. A batched mask selects a different number of elements for each example,
so it can only select where to write.
"""

from typing import NamedTuple

import flambeau_tensor as torch
from flambeau_autograd.batching.table import batch_first, batched, call, elementwise, flat, looped, out_of_place
from flambeau_tensor.ops import factories, pointwise
from flambeau_tensor.ops import indexing as ops

_MASKS = ("bool", "uint8")


class _Permuted(NamedTuple):
    """A tensor with its indexed dimensions in front, after the batch dimension, if it has one."""

    tensor: object
    order: tuple  # the permutation that produced ``tensor``
    indices: tuple  # including the one that enumerates the batch
    result: tuple  # the permutation that restores the order of the result's dimensions


def _is_mask(index):
    return index is not None and index.dtype.name in _MASKS


def _without_masks(indices, dims):
    """Replace masks by indices: return (indices, their dimensions), or None if a mask is batched."""
    out, places = [], []
    for index, dim in zip(indices, dims, strict=True):
        if not _is_mask(index):
            out.append(index)
            places.append(dim)
        elif dim is not None or index.ndim == 0:
            return None
        else:
            out += torch.nonzero(index.bool()).unbind(1)
            places += [None] * index.ndim
    return out, places


def _aligned(index, dim, rank):
    if dim is None:
        return index
    index = batch_first(index, dim)
    return index.reshape((index.shape[0],) + (1,) * (rank - index.ndim + 1) + tuple(index.shape[1:]))


def _permuted(level, t, dim, indices, dims):
    found = _without_masks(indices, dims if isinstance(dims, tuple) else (None,) * len(indices))
    rank = t.ndim - (dim is not None)
    if found is None or len(found[0]) > rank:
        return None
    indices, dims = found
    where = [n for n, i in enumerate(indices) if i is not None]
    if not where:
        return None
    width = max(indices[n].ndim - (dims[n] is not None) for n in where)
    chosen = [_aligned(indices[n], dims[n], width) for n in where]
    rest = [n for n in range(rank) if n not in where]
    before = where[0] if where[-1] - where[0] == len(where) - 1 else 0  # separated indices put their dimensions first
    result = (
        *range(1 + width, 1 + width + before),
        *range(1, 1 + width),
        *range(1 + width + before, 1 + width + len(rest)),
    )
    differ = any(dims[n] is not None for n in where)
    if dim is None:
        order = (*where, *rest)
        t = t.permute(order)
    else:
        order = (0, *(n + 1 for n in where), *(n + 1 for n in rest))
        t = batch_first(t, dim).permute(order)
        chosen.insert(
            0, factories.arange(level.size, device=t.device).reshape((-1,) + (1,) * width) if differ else None
        )
    return _Permuted(t, order, tuple(chosen), (0, *result))


def _index(level, op, args, dims):
    permuted = _permuted(level, args[0], dims[0], *(args[1], dims[1]))
    if permuted is None:
        return looped(level, op, args, dims)
    return call(op, permuted.tensor, permuted.indices).permute(permuted.result), 0


def _index_put(level, op, args, dims):
    t, indices, values, accumulate = args
    if isinstance(dims[1], tuple) and any(_is_mask(i) and d is not None for i, d in zip(indices, dims[1], strict=True)):
        return _put_where(level, op, args, dims)
    writes = op.functional is not None
    t = t if writes else batch_first(t, dims[0], level.size)
    permuted = _permuted(level, t, dims[0] if writes else 0, indices, dims[1])
    if permuted is None or values.ndim - (dims[2] is not None) > len(permuted.result) - 1:
        return looped(level, op, args, dims)
    if dims[2] is not None:
        values = _aligned(values, dims[2], len(permuted.result) - 1)
    else:
        values = values.reshape((1,) * (len(permuted.result) - values.ndim) + tuple(values.shape))
    values = values.permute(_inverse(permuted.result))
    out = call(op, permuted.tensor, permuted.indices, values, accumulate)
    return (args[0], dims[0]) if writes else (out.permute(_inverse(permuted.order)), 0)


def _inverse(order):
    return tuple(order.index(n) for n in range(len(order)))


@out_of_place
def _put_where(level, op, args, dims):
    """By masks that differ: the same values for every place that a mask selects."""
    t, (mask, *more), values, accumulate = args
    rank, masked = t.ndim - (dims[0] is not None), mask is not None and mask.ndim - (dims[1][0] is not None)
    behind = values.ndim - (dims[2] is not None) - (rank - masked)
    values, at = batch_first(values, dims[2]), None if dims[2] is None else 0
    one = behind == 1 and values.shape[0 if at is None else 1] == 1
    if any(i is not None for i in more) or not _is_mask(mask) or behind > 0 and not one or values.dtype is not t.dtype:
        return looped(level, op, args, dims)
    if one:
        values = values.squeeze(0 if at is None else 1)
    mask = batch_first(mask, dims[1][0])
    mask = mask.bool().reshape(tuple(mask.shape) + (1,) * (rank - masked))
    if not accumulate:
        return elementwise(level, pointwise.where, [mask, values, t, None], [0, at, dims[0], None])
    added, where = elementwise(level, pointwise.where, [mask, values, 0, None], [0, at, None, None])
    return elementwise(level, pointwise.add, [t, added, 1, None], [dims[0], where, None, None])


def _masked_fill(level, op, args, dims):
    """Use ``where`` for batched values, which ``masked_fill`` does not support since they have dimensions."""
    if dims[2] is None:
        return elementwise(level, op, args, dims)
    t, mask, value = args
    return elementwise(level, pointwise.where, [mask, value.to(t.dtype), t, None], [dims[1], dims[2], dims[0], None])


def _fill(level, op, args, dims):
    if dims[1] is None:
        return elementwise(level, op, args, dims)
    t = batch_first(args[0], dims[0])
    t.copy_(args[1].reshape((-1,) + (1,) * (t.ndim - 1)))
    return args[0], dims[0]


def _masked_select(level, op, args, dims):
    if dims[1] is not None:
        return looped(level, op, args, dims)  # batched masks must select equally many elements
    t, mask = batch_first(args[0], dims[0]), args[1]
    shape = torch.broadcast_shapes(tuple(t.shape[1:]), tuple(mask.shape))
    t = t.reshape((t.shape[0],) + (1,) * (len(shape) - t.ndim + 1) + tuple(t.shape[1:])).expand((level.size, *shape))
    return flat(t).index_select(1, torch.nonzero(mask.expand(shape).reshape(-1)).reshape(-1)), 0


@out_of_place
def _masked_scatter(level, op, args, dims):
    t, mask = (batch_first(a, d, level.size) for a, d in zip(args[:2], dims[:2], strict=True))
    source = flat(batch_first(args[2], dims[2], level.size))
    if source.shape[1] == 0 or t.ndim < mask.ndim or source.dtype is not t.dtype:
        return looped(level, op, args, dims)
    mask = mask.reshape((level.size,) + (1,) * (t.ndim - mask.ndim) + tuple(mask.shape[1:])).expand(t.shape)
    rows = flat(mask)
    places = torch.where(rows, rows.long().cumsum(1) - 1, 0)  # the position of the next element of the source
    return torch.where(mask, source.gather(1, places).reshape(t.shape), t), 0


batched(_index, ops.index)
batched(_index_put, ops.index_put)
batched(out_of_place(_masked_fill), ops.masked_fill)
batched(_masked_select, ops.masked_select)
batched(_masked_scatter, ops.masked_scatter)
batched(elementwise, "torch.complex", "torch.Tensor.copy_", "torch.zero_")
batched(_fill, "torch.fill_")
