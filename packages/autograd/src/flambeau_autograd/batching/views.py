"""Batching of views and reshaping."""

from functools import partial

import flambeau_tensor as torch
from flambeau_autograd.batching.table import (
    VmapUnsupportedError,
    batch_first,
    batched,
    call,
    in_dim_0,
    one_more,
    plain,
    shifted,
)
from flambeau_autograd.strided import extent
from flambeau_tensor.extend import wrapped_dim
from flambeau_tensor.ops import views as ops

batched(
    plain,
    ops.alias_,
    ops.real,
    ops.imag,
    ops.view_as_real,
    "torch.conj",
    "torch._neg_view",
    "torch._ops.to_copy",
    "torch._ops.to_meta",
    "torch.detach",
)
batched(
    shifted,
    ops.reshape,
    ops.transpose,
    ops.select,
    ops.slice_,
    ops.narrow,
    ops.diagonal,
    ops.unfold,
    ops.flatten,
    ops.slice_backward,
)
batched(one_more, ops.unsqueeze, ops.select_backward, ops.diagonal_backward)
batched(shifted, ops.diagonal_scatter, ops.select_scatter, ops.slice_scatter)
batched(partial(shifted, more=-1), ops.unfold_backward)


CHANNELS_LAST = {torch.channels_last: 4, torch.channels_last_3d: 5}  # the dimensions of an example


def _in_format(level, op, args, dims):
    """Channels last of each example: the format itself would ask for one dimension less."""
    t, memory_format = args
    if memory_format not in CHANNELS_LAST:
        return plain(level, op, args, dims)
    t, rank = batch_first(t, dims[0]), CHANNELS_LAST[memory_format]
    if t.ndim != rank + 1:
        raise RuntimeError(f"required rank {rank} tensor to use {str(memory_format).removeprefix('torch.')} format")
    return in_dim_0(call(op, t.movedim(2, -1), torch.contiguous_format).movedim(-1, 2))


batched(_in_format, "torch.clone", "torch.Tensor.contiguous")


def _view(level, op, args, dims):
    t, size = batch_first(args[0], dims[0]), args[1]
    if isinstance(size, torch.dtype):
        return in_dim_0(call(op, t, size))
    return in_dim_0(call(op, t, (level.size, *size)))


def _view_as_complex(level, op, args, dims):
    t = batch_first(args[0], dims[0])
    return in_dim_0(call(op, t if t.stride(-1) == 1 else t.contiguous()))


def _permute(level, op, args, dims):
    t, order = batch_first(args[0], dims[0]), args[1]
    rank = t.ndim - 1
    if len(order) != rank:
        raise RuntimeError(f"permute(): {len(order)} dimensions were given for a tensor of {rank}")
    return in_dim_0(call(op, t, (0, *(wrapped_dim(d, rank) + 1 for d in order))))


def _as_strided(level, op, args, dims):
    """A window on the memory that an example spans; with an example's strides, which it shows."""
    t, size, stride, offset = args
    t = batch_first(t, dims[0])
    own = t.storage_offset()
    offset = own if offset is None else offset
    if offset < own or offset + extent(size, stride) > own + extent(t.shape[1:], t.stride()[1:]):
        raise VmapUnsupportedError(
            f"vmap: as_strided(size={list(size)}, stride={list(stride)}, storage_offset={offset}) reaches beyond the "
            "memory of one example. Use other view operations, or call contiguous() first."
        )
    return in_dim_0(call(op, t, (level.size, *size), (t.stride(0), *stride), offset))


def _expand(level, op, args, dims):
    t, size = batch_first(args[0], dims[0]), args[1]
    missing = len(size) - (t.ndim - 1)
    if missing > 0:
        t = t.reshape((t.shape[0],) + (1,) * missing + tuple(t.shape[1:]))
    return in_dim_0(call(op, t, (level.size, *size), *args[2:]))


def _squeeze(level, op, args, dims):
    t, dim = batch_first(args[0], dims[0]), args[1]
    rank = t.ndim - 1
    which = range(rank) if dim is None else _distinct((dim,) if isinstance(dim, int) else dim, rank)
    which = tuple(d + 1 for d in which if d < rank and t.shape[d + 1] == 1)
    return in_dim_0(call(op, t, which) if which else torch.Tensor.view_as(t, t))


def _distinct(dims, rank):
    found = [wrapped_dim(d, rank) for d in dims]
    for d in found:
        if found.count(d) > 1:
            raise RuntimeError(f"dim {d} appears multiple times in the list of dims")
    return found


def _t(level, op, args, dims):
    t = batch_first(args[0], dims[0])
    if t.ndim > 3:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {t.ndim - 1}D")
    return in_dim_0(t.transpose(1, 2) if t.ndim == 3 else torch.Tensor.view_as(t, t))


def _reversed(level, op, args, dims):
    t = batch_first(args[0], dims[0])
    return in_dim_0(t.permute((0, *range(t.ndim - 1, 0, -1))))


batched(_view, "torch.Tensor.view")
batched(_view_as_complex, ops.view_as_complex)
batched(_permute, ops.permute)
batched(_as_strided, ops.as_strided)
batched(_expand, ops.expand)
batched(_squeeze, ops.squeeze)
batched(_t, ops.t)
batched(_reversed, ops.reversed_dims)
