"""Batching of gathering and scattering along a dimension, and of one-hot vectors.

An index that is not batched is used as it is. Batched vectors of indices are expanded to one index per element, as
``gather`` and the ``scatter`` operators expect, which also check their range.
"""

import flambeau_tensor as torch
from flambeau_autograd.batching.table import (
    along,
    batch_first,
    batched,
    call,
    flat,
    in_dim_0,
    looped,
    out_of_place,
)


def _rank(t, dim):
    return t.ndim - (dim is not None)


def _slices(level, args, dims):
    """Return (tensor with its batch dimension in front, its dimension, batch of index vectors) of ``index_...``."""
    t = batch_first(args[0], dims[0], level.size)
    if t.ndim == 1:
        t = t.unsqueeze(1)
    return t, args[1] % (t.ndim - 1) + 1, flat(batch_first(args[2], dims[2]).long())


def _for_each_element(index, t, dim):
    """A vector of indices for each example as indices of all elements of the slices of ``t`` that they name."""
    shape = [1] * t.ndim
    shape[0], shape[dim] = index.shape
    return index.reshape(tuple(shape)).expand((*t.shape[:dim], index.shape[1], *t.shape[dim + 1 :]))


def _in_range(args, dims):
    rank = max(_rank(args[0], dims[0]), 1)
    return -rank <= args[1] < rank


def _index_select(level, op, args, dims):
    t, dim, index = args[:3]
    rank = _rank(t, dims[0])
    if not _in_range(args, dims):
        return looped(level, op, args, dims)
    if dims[2] is None and rank:
        return in_dim_0(call(op, batch_first(t, dims[0]), dim % rank + 1, *args[2:]))
    t, dim, index = (
        _slices(level, args, dims)
        if dims[2] is not None
        else (batch_first(t, dims[0]).unsqueeze(1), 1, index.long().reshape((1, -1)).expand((level.size, -1)))
    )
    out = t.gather(dim, _for_each_element(index, t, dim))
    return out if rank else out.reshape((level.size,)), 0


@out_of_place
def _index_write(level, op, args, dims):
    """``index_add``, ``index_copy``, ``index_fill``"""
    rank, source = _rank(args[0], dims[0]), args[3]
    fills = op.name == "index_fill"
    number = not isinstance(source, torch.Tensor)
    if not _in_range(args, dims) or not fills and _rank(source, dims[3]) != rank:
        return looped(level, op, args, dims)
    if rank and dims[2] is None and (number or not fills or dims[3] is None):
        return in_dim_0(
            call(
                op,
                batch_first(args[0], dims[0], level.size),
                args[1] % rank + 1,
                args[2],
                source if fills else batch_first(source, dims[3], level.size),
                *args[4:],
            )
        )
    args, dims = list(args), list(dims)
    if dims[2] is None:
        args[2], dims[2] = args[2].expand((level.size, *args[2].shape)), 0
    t, dim, index = _slices(level, args, dims)
    each = _for_each_element(index, t, dim)
    if fills:
        written = t.new_zeros(t.shape, dtype=torch.bool).scatter(dim, _from_front(each, t, dim), value=True)
        if not number:
            source = batch_first(source, dims[3], level.size).to(t.dtype).reshape((-1,) + (1,) * (t.ndim - 1))
        out = torch.where(written, source, t)
    else:
        source = batch_first(source, dims[3], level.size)
        source = source.unsqueeze(1) if source.ndim < t.ndim else source
        if source.shape != each.shape or source.dtype is not t.dtype:
            return looped(level, op, args, dims)
        if op.name == "index_add":
            out = t.scatter_add(dim, each, source if args[4] == 1 else source * args[4])
        else:
            out = t.scatter(dim, each, source)
    return out if rank else out.reshape((level.size,)), 0


def _from_front(index, t, dim):
    """Indices that count from the end as such that count from the front."""
    return torch.where(index < 0, index + t.shape[dim], index)


def _vectors(level, args, dims, n):
    return [flat(batch_first(a, d, level.size)) for a, d in zip(args[:n], dims[:n], strict=True)]


def _take(level, op, args, dims):
    t, index = _vectors(level, args, dims, 2)
    shape = batch_first(args[1], dims[1], level.size).shape
    return t.gather(1, _from_front(index.long(), t, 1)).reshape(tuple(shape)), 0


@out_of_place
def _put(level, op, args, dims):
    t, index, source = _vectors(level, args, dims, 3)
    if index.shape != source.shape:
        return looped(level, op, args, dims)
    write = torch.scatter_add if args[3] else torch.scatter
    out = write(t, 1, _from_front(index.long(), t, 1), source)
    return out.reshape(tuple(batch_first(args[0], dims[0], level.size).shape)), 0


def _embedding(level, op, args, dims):
    index, weight = args[:2]
    if dims[1] is None:
        return in_dim_0(call(op, batch_first(index, dims[0]), *args[1:]))
    weight = batch_first(weight, dims[1])
    size, count, width = weight.shape
    if dims[0] is None and args[3] is None:  # one matrix with the rows of all examples next to each other
        wide = weight.movedim(0, 1).reshape((count, size * width))
        return call(op, index, wide, *args[2:]).reshape((*index.shape, size, width)), index.ndim
    if args[2] is not None or args[3] is not None:
        return looped(level, op, args, dims)
    index = batch_first(index, dims[0])
    rows = flat(index.long())
    return weight.gather(1, _for_each_element(rows, weight, 1)).reshape((*index.shape, width)), 0


def _one_hot(level, op, args, dims):
    if args[1] < 0:
        # the number of classes depends on the largest index of an example: all must agree
        return looped(level, op, args, dims)
    return in_dim_0(call(op, batch_first(args[0], dims[0]), args[1]))


batched(along, "torch.gather", "torch.scatter", "torch.scatter_add", "torch.scatter_reduce")
batched(_index_select, "torch.index_select")
batched(_index_write, "torch.index_add", "torch.index_copy", "torch.index_fill")
batched(_take, "torch.take")
batched(_put, "torch.put")
batched(_one_hot, "torch.nn.functional.one_hot")
batched(_embedding, "torch.nn.functional.embedding")
