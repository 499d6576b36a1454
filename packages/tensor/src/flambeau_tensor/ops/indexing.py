"""Indexing: brackets, index tensors, masks, and indices of nonzero elements."""

from flambeau_tensor._core.call.operator import Operator
from flambeau_tensor._core.schema.declaring import FUNCTION, INPLACE, INPLACE_FUNCTION, METHOD
from flambeau_tensor._kernels import indexing as kernels
from flambeau_tensor._kernels import masking as masks

getitem = Operator(
    "__getitem__(Tensor(a) self, Index? index) -> Tensor(a)",
    kernels.getitem,
    variants=METHOD,
    syntax={"getitem"},
    composite=True,
    doc="`self[index]`: a view for integers, slices, None and the ellipsis; a copy for index tensors, lists, arrays "
    "and masks.",
)
setitem = Operator(
    "__setitem__(Tensor(a!) self, Index? index, Data? value) -> ()",
    kernels.setitem,
    variants=METHOD,
    syntax={"setitem"},
    composite=True,
    doc="Assigns a number or a tensor, broadcast, to `self[index]`.",
)


def _count_unknown(input, indices, *rest):
    """Raise for masks on device 'meta', which do not determine the number of selected elements."""
    for t in indices:
        if t is not None and t.is_meta and t.dtype.name in ("bool", "uint8"):
            nonzero(t)  # raises
    return NotImplemented


index = Operator(
    "index(Tensor self, Tensor?[] indices) -> Tensor",
    kernels.index,
    namespace="torch._ops",
    variants=FUNCTION,
    meta=_count_unknown,
    doc="The elements at index tensors and masks (None: a whole dimension).",
)
index_put = Operator(
    "index_put(Tensor self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor",
    kernels.index_put,
    variants=FUNCTION | METHOD | INPLACE_FUNCTION,
    doc="The tensor with `values`, broadcast, written (or added) at `indices`.",
)

# --- masks ----------------------------------------------------------------------------------------------------------

nonzero = Operator(
    "nonzero(Tensor self, *, bool as_tuple=False, Tensor(a!)? out=None) -> Tensor",
    masks.nonzero,
    differentiable=False,
    meta=False,
    aten="nonzero(Tensor self, *, Tensor(a!)? out=None) -> Tensor",
    doc="The indices of nonzero elements, one per row; with `as_tuple`, one vector per dimension.",
)
argwhere = Operator(
    "argwhere(Tensor self) -> Tensor",
    lambda input: nonzero(input),
    differentiable=False,
    meta=False,
    doc="The indices of nonzero elements, one per row.",
)
masked_select = Operator(
    "masked_select(Tensor self, Tensor mask, *, Tensor(a!)? out=None) -> Tensor",
    masks.masked_select,
    meta=False,
    doc="A vector of the elements where a mask, broadcast with `input`, is True.",
)
masked_scatter = Operator(
    "masked_scatter(Tensor self, Tensor mask, Tensor source) -> Tensor",
    masks.masked_scatter,
    variants=FUNCTION | METHOD | INPLACE,
    doc="Replaces elements where `mask` is True with those of `source`, in order.",
)


masked_fill = Operator(
    "masked_fill(Tensor self, Tensor mask, Tensor value) -> Tensor",
    masks.masked_fill,
    variants=FUNCTION | METHOD | INPLACE,
    numbers={"value"},
    doc="One value where `mask` is True, and `input` elsewhere.",
)
