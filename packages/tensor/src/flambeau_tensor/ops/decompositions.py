"""Operators that PyTorch's decompositions use: parts of other operations, called by programs of its compiler."""

from flambeau_tensor._core.call.operator import Operator
from flambeau_tensor._core.elementwise.dtype import type_name
from flambeau_tensor._core.elementwise.operands import wrapped_dim
from flambeau_tensor._core.schema.declaring import FUNCTION
from flambeau_tensor._core.schema.registry import find_operator
from flambeau_tensor._kernels import rearranging as kernels
from flambeau_tensor.ops.indexing import index_put
from flambeau_tensor.ops.joining import cat
from flambeau_tensor.ops.softmax import softmax


def _function(schema, kernel, doc, **options):
    return Operator(schema, kernel, composite=True, variants=FUNCTION, doc=doc, **options)


def _safe_softmax(input, dim, dtype):
    missing = (input == float("-inf")).all(dim, True)
    filled = find_operator("torch.masked_fill")(input, missing, 0)  # so that the gradient of such a row is 0
    return find_operator("torch.where")(missing, 0.0, softmax(filled, dim, dtype=dtype))


_function(
    "_safe_softmax(Tensor self, int dim, ScalarType? dtype=None) -> Tensor",
    _safe_softmax,
    "`softmax`, with zeros for rows that contain only -inf.",
)


def _softmax_gradient(grad_output, output, dim, input_dtype, out):
    product = grad_output * output
    return (product - output * product.sum(dim, True)).to(input_dtype)


_function(
    "_softmax_backward_data(Tensor grad_output, Tensor output, int dim, ScalarType input_dtype, *, "
    "Tensor(a!)? out=None) -> Tensor",
    _softmax_gradient,
    "The gradient of `softmax`, from its result.",
)


constant_pad_nd = Operator(
    "constant_pad_nd(Tensor self, int[] pad, Scalar value=0, *, Tensor(a!)? out=None) -> Tensor",
    kernels.constant_pad,
    variants=FUNCTION,
    doc="The tensor padded with one value: the padding lists the counts before and after the last dimension, then "
    "the one before it, and so on; negative counts crop.",
)


def _chunk_cat(tensors, dim, num_chunks, out):
    if num_chunks < 1:
        raise RuntimeError("_chunk_cat expects positive num_chunks")
    if not tensors:
        raise RuntimeError("_chunk_cat expects a non-empty input tensor list")
    parts = []
    for t in tensors:
        d = wrapped_dim(dim, t.ndim)
        missing = -t.shape[d] % num_chunks
        t = constant_pad_nd(t, (0, 0) * (t.ndim - 1 - d) + (0, missing)) if missing else t
        parts.append(t.reshape((*t.shape[:d], num_chunks, -1)))
    return cat(tuple(parts), parts[0].ndim - 1)


_function(
    "_chunk_cat(Tensor[] tensors, int dim, int num_chunks, *, Tensor(a!)? out=None) -> Tensor",
    _chunk_cat,
    "Tensors cut into as many pieces along a dimension, filled up with zeros, and the first, second, … of all "
    "pieces laid side by side.",
)


def _within(input, indices):
    return tuple(None if i is None else i.clamp(-n, n - 1) for i, n in zip(indices, input.shape, strict=False))


def _masked_index(input, mask, indices, fill):
    found = find_operator("torch._ops.index")(input, _within(input, indices))
    return found.masked_fill(mask.logical_not(), fill)


def _masked_put(input, mask, indices, values):
    return index_put(input, _within(input, indices), values.masked_fill(mask.logical_not(), 0), True)


_function(
    "_unsafe_masked_index(Tensor self, Tensor mask, Tensor?[] indices, Scalar fill) -> Tensor",
    _masked_index,
    "The elements at index tensors, with one value where a mask is False; indices there may be out of range.",
)
_function(
    "_unsafe_masked_index_put_accumulate(Tensor self, Tensor mask, Tensor?[] indices, Tensor values) -> Tensor",
    _masked_put,
    "The tensor with values added at index tensors, where a mask is True.",
)


def _addmm_activation(input, mat1, mat2, beta, alpha, use_gelu, out):
    total = find_operator("torch.addmm")(input, mat1, mat2, beta=beta, alpha=alpha)
    if use_gelu:
        if not total.is_floating_point():
            raise NotImplementedError(f"\"GeluKernelImpl\" not implemented for '{type_name(total.dtype)}'")
        return total * (find_operator("torch.erf")(total * 2**-0.5) + 1) / 2
    return find_operator("torch.relu")(total)


_function(
    "_addmm_activation(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1, "
    "bool use_gelu=False, Tensor(a!)? out=None) -> Tensor",
    _addmm_activation,
    "`relu` of `addmm` or, with `use_gelu`, its `gelu`.",
)


def _linear_combination(input, coefficients):
    if coefficients.ndim != 2:
        raise RuntimeError(f"_compute_linear_combination(): coefficients must be a matrix, got {coefficients.ndim}-D")
    return find_operator("torch.tensordot")(coefficients, input, 1)


_function(
    "_compute_linear_combination(Tensor input, Tensor coefficients) -> Tensor",
    _linear_combination,
    "Sums of the slices of the first dimension, one for each row of coefficients.",
)
