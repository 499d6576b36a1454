"""Batching of sorting, medians, places in sorted sequences and histograms."""

import flambeau_tensor as torch
from flambeau_autograd.batching.reductions import total
from flambeau_autograd.batching.table import along, batch_first, batched, call, flat, in_dim_0, looped
from flambeau_tensor.ops import factories


def _searchsorted(level, op, args, dims):
    edges, values, int32, right, side, sorter = args[:6]
    if not isinstance(values, torch.Tensor):
        values = torch.tensor(values)
    rank = edges.ndim - (dims[0] is not None)
    if rank == 0:
        return looped(level, op, args, dims)  # raises
    if dims[0] is None and dims[5] is None and rank == 1:
        return in_dim_0(call(op, edges, batch_first(values, dims[1]), *args[2:]))
    edges, values = batch_first(edges, dims[0], level.size), batch_first(values, dims[1], level.size)
    if rank == 1:
        rows = flat(values)
    elif rank == values.ndim - 1:
        rows = values
    else:
        return looped(level, op, args, dims)
    sorter = None if sorter is None else batch_first(sorter, dims[5], level.size)
    return call(op, edges, rows, int32, right, side, sorter, None).reshape(tuple(values.shape)), 0


def _bucketize(level, op, args, dims):
    values, edges, int32, right = args[:4]
    if dims[1] is None:
        return in_dim_0(call(op, batch_first(values, dims[0]), *args[1:]))
    if edges.ndim != 2:
        return looped(level, op, args, dims)
    return _searchsorted(
        level,
        torch.searchsorted.Tensor,
        [edges, values, int32, right, None, None],
        [dims[1], dims[0], None, None, None, None],
    )


def _histc(level, op, args, dims):
    """Histogram over a range that all examples share: find each element's bin, then count."""
    t, bins, low, high = args[:4]
    if not low < high or bins <= 0 or not t.is_floating_point():
        return looped(level, op, args, dims)
    t = flat(batch_first(t, dims[0])).detach()
    edges = factories.linspace(low, high, bins + 1, dtype=torch.float64)
    place = (torch.bucketize(t.double(), edges, right=True) - 1).clamp(0, bins - 1)  # the last one has its upper end
    inside = ((t >= low) & (t <= high)).to(t.dtype)
    return t.new_zeros((level.size, bins)).scatter_add(1, place, inside), 0


batched(_searchsorted, "torch.searchsorted")
batched(_bucketize, "torch.bucketize")
batched(_histc, "torch.histc")
batched(
    along,
    "torch.sort",
    "torch.argsort",
    "torch.topk",
    "torch.kthvalue",
    "torch.mode",
    "torch.median.dim",
    "torch.nanmedian.dim",
)
batched(total, "torch.median.default", "torch.nanmedian.default")
