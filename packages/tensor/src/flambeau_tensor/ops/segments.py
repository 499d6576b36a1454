"""Reduction of segments of a dimension to one element each."""

from math import prod

from flambeau_tensor._core.call.operator import Operator
from flambeau_tensor._core.memory.tensor import hides_values
from flambeau_tensor._core.schema.declaring import FUNCTION
from flambeau_tensor._core.schema.registry import find_operator
from flambeau_tensor._kernels import segments as kernels
from flambeau_tensor.ops.gathering import scatter_reduce
from flambeau_tensor.ops.joining import cat

_REDUCTIONS = {
    "sum": ("sum", 0),
    "mean": ("sum", 0),
    "prod": ("prod", 1),
    "max": ("amax", float("-inf")),
    "amax": ("amax", float("-inf")),
    "min": ("amin", float("inf")),
    "amin": ("amin", float("inf")),
}


def _composed(data, reduce, given, as_offsets, axis, unsafe, initial):
    how, neutral = _REDUCTIONS[reduce]
    outer, n, rest = tuple(data.shape[:axis]), data.shape[axis], tuple(data.shape[axis + 1 :])
    rows = prod(outer)
    given = given.long().reshape((rows, given.shape[-1]))
    if not as_offsets:
        unsafe = unsafe or hides_values(given)
        if not unsafe and bool((given < 0).any()):
            raise RuntimeError("lengths contains negative value!")
        if not unsafe and bool((given.sum(-1) != n).any()):
            raise RuntimeError(
                "segment_reduce(): Expected all rows of lengths along axis to sum to "
                "data.size(lengths.dim()-1) when !unsafe."
            )
        given = cat((given.new_zeros((rows, 1)), given.cumsum(-1)), -1)
    count = max(given.shape[1] - 1, 0)
    where, places = (
        find_operator("torch.where"),
        find_operator("torch.arange")(n, device=given.device).expand((rows, n)),
    )
    number = find_operator("torch.searchsorted")(given.narrow(1, 1, count).contiguous(), places, right=True)
    number = where(places < given.narrow(1, 0, 1), count, number)  # the last slot is for elements in no segment
    data = data.reshape((rows, n, *rest))
    out = data.new_full((rows, count + 1, *rest), neutral if initial is None else initial)
    number = number.reshape((rows, n) + (1,) * len(rest)).expand((rows, n, *rest))
    extreme = how in ("amax", "amin")  # gradients go to elements, and not to an initial value that equals them
    out = scatter_reduce(out, 1, number, data, how, include_self=not extreme).narrow(1, 0, count)
    if extreme and initial is not None:
        out = where(~(out >= initial if how == "amax" else out <= initial) & (out == out), initial, out)
    if reduce == "mean":
        sizes = (given.narrow(1, 1, count) - given.narrow(1, 0, count)).reshape((rows, count) + (1,) * len(rest))
        out = out / (sizes if initial is None else sizes.clamp_min(1)).to(out.dtype)
    return out.reshape((*outer, count, *rest)).contiguous()


kernels.compose_by(_composed)
segment_reduce = Operator(
    "segment_reduce(Tensor data, str reduce, *, Tensor? lengths=None, Tensor? indices=None, Tensor? offsets=None, "
    "int axis=0, bool unsafe=False, Scalar? initial=None) -> Tensor",
    kernels.segment_reduce,
    composite=True,
    variants=FUNCTION,
    doc="""
The sum, mean, product, maximum or minimum of each segment of a dimension.

Args:
    data: of a floating point dtype.
    reduce: 'sum', 'mean', 'prod', 'max' or 'min'.
    lengths: the lengths of the segments, int64 or int32; one row for each index of the dimensions before `axis`.
    offsets: the start of each segment and the end of the last; an alternative to `lengths`.
    axis: the segmented dimension, which must be the last one of `lengths`.
    unsafe: whether to skip the check that `lengths` are not negative and add up to the dimension.
    initial: the initial value of every segment; by default, empty segments give 0, NaN, 1, -inf and inf.

Raises:
    RuntimeError: there are neither `lengths` nor `offsets`, or they do not fit.

>>> import flambeau_tensor as ft
>>> ft.segment_reduce(ft.tensor([1.0, 2.0, 3.0, 4.0]), "sum", lengths=ft.tensor([1, 3]))
tensor([1., 9.])
""",
)
Operator(
    segment_reduce.schema.text.replace("segment_reduce(", "_segment_reduce(", 1),
    kernels.segment_reduce,
    composite=True,
    variants=FUNCTION,
    doc="`segment_reduce`.",
)
