"""Batching of views and reshaping."""

import flambeau_autograd.batching.rule_kinds as kinds
import flambeau_tensor as torch
from flambeau_autograd.batching.table import (
    VmapUnsupportedError,
    batch_first,
    batched,
    call,
    in_dim_0,
    one_less,
    one_more,
    plain,
    reordered,
    shifted,
)
from flambeau_autograd.strided import extent
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
    ops.view_dtype,
)
batched(
    shifted,
    ops.reshape,
    ops.view,
    ops.transpose,
    ops.select,
    ops.slice_,
    ops.narrow,
    ops.unsafe_narrow,
    ops.diagonal,
    ops.unfold,
    ops.flatten,
    ops.slice_backward,
)
batched(one_more, ops.unsqueeze, ops.select_backward, ops.diagonal_backward)
batched(shifted, ops.diagonal_scatter, ops.select_scatter, ops.slice_scatter)
batched(one_less, ops.unfold_backward)


CHANNELS_LAST = {torch.channels_last: 4, torch.channels_last_3d: 5}  # the dimensions of an example


def _in_format(level, op, args, dims):
    """Make each batch element channels-last; the format itself expects one dimension fewer."""
    t, memory_format = args
    t, rank = batch_first(t, dims[0]), CHANNELS_LAST[memory_format]
    if t.ndim != rank + 1:
        raise RuntimeError(f"required rank {rank} tensor to use {str(memory_format).removeprefix('torch.')} format")
    return in_dim_0(call(op, t.movedim(2, -1), torch.contiguous_format).movedim(-1, 2))


batched(kinds.Formatted(CHANNELS_LAST, _in_format), "torch.clone", "torch.Tensor.contiguous")


def _view_as_complex(level, op, args, dims):
    t = batch_first(args[0], dims[0])
    return in_dim_0(call(op, t if t.stride(-1) == 1 else t.contiguous()))


def _as_strided(level, op, args, dims):
    """A window on the memory that an example spans; with an example's strides, which it shows."""
    t, size, stride, offset = args
    t = batch_first(t, dims[0])
    own = t.storage_offset()
    offset = own if offset is None else offset
    if offset < own or offset + extent(size, stride) > own + extent(t.shape[1:], t.stride()[1:]):
        raise VmapUnsupportedError(
            f"vmap: result = tensor.as_strided({list(size)}, {list(stride)}, {offset}) can access memory outside of "
            "`tensor`, one example. Use other view operations, or call contiguous() first."
        )
    return in_dim_0(call(op, t, (level.size, *size), (t.stride(0), *stride), offset))


batched(_view_as_complex, ops.view_as_complex)
batched(reordered, ops.permute)
batched(_as_strided, ops.as_strided)
batched(kinds.Expanded(), ops.expand)
batched(kinds.Squeezed(ops.alias_), ops.squeeze)
batched(kinds.Rearranged(ops.permute, ops.alias_, matrices=True), ops.t)
batched(kinds.Rearranged(ops.permute, ops.alias_), ops.reversed_dims)
