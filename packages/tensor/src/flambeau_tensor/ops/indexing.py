"""Indexing: brackets, index tensors, masks, and finding where elements are not zero."""
from flambeau_tensor._core.operator import Operator
from flambeau_tensor._core.registry import find_operator
from flambeau_tensor._core.tensor import Tensor
from flambeau_tensor._kernels import indexing as kernels
from flambeau_tensor._kernels import masking as masks

METHOD = "method"

getitem = Operator("__getitem__(Tensor(a) self, Any? index) -> Tensor(a)", kernels.getitem, variants=METHOD,
                   syntax="getitem", composite=True,
                   doc="`self[index]`: a view for integers, slices, None and the ellipsis; a copy of what index "
                       "tensors, lists, arrays and masks select.")
setitem = Operator("__setitem__(Tensor(a!) self, Any? index, Any? value) -> Any", kernels.setitem, variants=METHOD,
                   syntax="setitem", composite=True, doc="Writes a number or a tensor, broadcast, to `self[index]`.")
index = Operator("index(Tensor self, Tensor?[] indices) -> Tensor", kernels.index, namespace="torch._ops",
                 variants="function", doc="What index tensors and masks (None: a whole dimension) select.")
index_put = Operator("index_put(Tensor self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor",
                     kernels.index_put, variants="function method inplace_function",
                     doc="`values`, broadcast, written (or added) to the places that `indices` select.")

# --- masks ----------------------------------------------------------------------------------------------------------

nonzero = Operator("nonzero(Tensor self, *, bool as_tuple=False, Tensor(a!)? out=None) -> Tensor", masks.nonzero,
                   differentiable=False,
                   doc="The coordinates of elements that are not zero, one a row; with `as_tuple`, a vector for each "
                       "dimension, which index the elements.")
argwhere = Operator("argwhere(Tensor self) -> Tensor", lambda input: nonzero(input), differentiable=False,
                    doc="The coordinates of elements that are not zero, one a row.")
masked_select = Operator("masked_select(Tensor self, Tensor mask, *, Tensor(a!)? out=None) -> Tensor",
                         masks.masked_select, doc="The elements where a mask, broadcast with `input`, holds; a "
                                                    "vector.")
masked_scatter = Operator("masked_scatter(Tensor self, Tensor mask, Tensor source) -> Tensor", masks.masked_scatter,
                          variants="function method inplace",
                          doc="Replaces elements where `mask` holds by those of `source`, in order.")


def _masked_fill(input, mask, value):
    if mask.dtype.name != "bool":
        raise RuntimeError(f"masked_fill_ only supports boolean masks, but got mask with dtype {mask.dtype.name}")
    if isinstance(value, Tensor):
        if value.ndim:
            raise RuntimeError("masked_fill_ only supports a 0-dimensional value tensor, but got tensor with "
                               f"{value.ndim} dimension(s).")
        if value.dtype.is_complex and not input.dtype.is_complex:
            raise RuntimeError(f"value cannot be converted to type {input.dtype.name} without overflow")
        value = find_operator("torch._ops.to_copy")(value, input.dtype)
    else:
        value = kernels.value_tensor(input, value)
    return find_operator("torch.where")(mask, value, input)


masked_fill = Operator("masked_fill(Tensor self, Tensor mask, Tensor value) -> Tensor", _masked_fill,
                       variants="function method inplace", numbers="value",
                       doc="One value where `mask` holds, and `input` elsewhere.")
