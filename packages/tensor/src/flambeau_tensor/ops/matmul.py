"""Matrix and vector products."""

from flambeau_tensor._core.call.binding import accept_deprecated
from flambeau_tensor._core.call.operator import Operator
from flambeau_tensor._core.elementwise.dtype import _dtype_by_name
from flambeau_tensor._core.elementwise.operands import wrapped_dim
from flambeau_tensor._core.schema.declaring import FUNCTION, INPLACE, INPLACE_FUNCTION, METHOD
from flambeau_tensor._core.schema.registry import alias, find_operator
from flambeau_tensor._kernels import matmul as kernels

FUNCTIONAL = "torch.nn.functional"
_BOOL = _dtype_by_name("bool")

mm = Operator(
    "mm(Tensor self, Tensor mat2, *, Tensor(a!)? out=None) -> Tensor",
    kernels.mm,
    doc="The product of two matrices, (n, m) and (m, p).",
)
bmm = Operator(
    "bmm(Tensor self, Tensor mat2, *, Tensor(a!)? out=None) -> Tensor",
    kernels.bmm,
    doc="The products of two batches of matrices, (b, n, m) and (b, m, p).",
)
mv = Operator(
    "mv(Tensor self, Tensor vec, *, Tensor(a!)? out=None) -> Tensor",
    kernels.mv,
    doc="The product of a matrix (n, m) and a vector (m).",
)
dot = Operator(
    "dot(Tensor self, Tensor tensor, *, Tensor(a!)? out=None) -> Tensor",
    kernels.dot,
    doc="The dot product of two vectors.",
)
vdot = Operator(
    "vdot(Tensor self, Tensor other, *, Tensor(a!)? out=None) -> Tensor",
    kernels.vdot,
    doc="The dot product of two vectors, the first conjugated.",
)
matmul = Operator(
    "matmul(Tensor self, Tensor other, *, Tensor(a!)? out=None) -> Tensor",
    kernels.matmul,
    composite=True,
    syntax={"matmul"},
    doc="The matrix product; vectors count as a row (left) or a column (right), and dimensions before "
    "the last two are batches that broadcast.",
)
Operator(
    "__rmatmul__(Tensor self, Tensor other) -> Tensor",
    lambda input, other: matmul(other, input),
    composite=True,
    variants=METHOD,
    doc="`matmul` with swapped operands.",
)
addmm = Operator(
    "addmm(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1, Tensor(a!)? out=None) -> Tensor",
    kernels.addmm,
    variants=FUNCTION | METHOD | INPLACE,
    doc="`beta * input + alpha * (mat1 @ mat2)`; with `beta` 0 `input` is not read.",
)
addmv = Operator(
    "addmv(Tensor self, Tensor mat, Tensor vec, *, Scalar beta=1, Scalar alpha=1, Tensor(a!)? out=None) -> Tensor",
    kernels.addmv,
    variants=FUNCTION | METHOD | INPLACE_FUNCTION,
    doc="`beta * input + alpha * (mat @ vec)`; with `beta` 0 `input` is not read.",
)
baddbmm = Operator(
    "baddbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1, "
    "Tensor(a!)? out=None) -> Tensor",
    kernels.baddbmm,
    variants=FUNCTION | METHOD | INPLACE,
    doc="`beta * input + alpha * (batch1 @ batch2)`; with `beta` 0 `input` is not read.",
)
linear = Operator(
    "linear(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor",
    kernels.linear,
    aten="linear(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor",
    namespace=FUNCTIONAL,
    variants=FUNCTION,
    doc="`input @ weight.T + bias`: `input` (*, in), `weight` (out, in) or (in), `bias` (out).",
)


def _addbmm(input, batch1, batch2, beta, alpha, out):
    for t in (batch1, batch2):
        if t.ndim < 3:
            wrapped_dim(2, t.ndim, False)
    if batch1.ndim != 3:
        raise RuntimeError("batch1 must be a 3D tensor")
    if batch2.ndim != 3:
        raise RuntimeError("batch2 must be a 3D tensor")
    (b, n, m), (b2, m2, p) = batch1.shape, batch2.shape
    if b != b2:
        raise RuntimeError(f"batch1 and batch2 must have same number of batches, got {b} and {b2}")
    if m != m2:
        raise RuntimeError(f"Incompatible matrix sizes for bmm ({n}x{m} and {m2}x{p})")
    return addmm(input, batch1.transpose(0, 1).reshape((n, b * m)), batch2.reshape((b * m, p)), beta=beta, alpha=alpha)


addbmm = Operator(
    "addbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1, "
    "Tensor(a!)? out=None) -> Tensor",
    _addbmm,
    composite=True,
    variants=FUNCTION | METHOD | INPLACE,
    doc="`beta * input` plus `alpha` times the sum of the products of two batches of matrices.",
)


def _outer(input, vec2, out):
    if input.ndim != 1:
        raise RuntimeError(f"outer: Expected 1-D argument self, but got {input.ndim}-D")
    if vec2.ndim != 1:
        raise RuntimeError(f"outer: Expected 1-D argument vec2, but got {vec2.ndim}-D")
    return find_operator("torch.mul")(input.unsqueeze(1), vec2)


outer = Operator(
    "outer(Tensor self, Tensor vec2, *, Tensor(a!)? out=None) -> Tensor",
    _outer,
    composite=True,
    doc="The outer product of two vectors: rows correspond to the first, columns to the second.",
)
alias("ger", outer)


def _scaled(x, factor, name):
    """Multiply `x` by a number, which must fit its dtype."""
    if x.dtype.name == "bool":
        factor = factor if isinstance(factor, float) else bool(factor)
    elif isinstance(factor, bool):
        raise RuntimeError(f"Boolean {name} only supported for Boolean results.")
    if isinstance(factor, float) and not (x.dtype.is_floating_point or x.dtype.is_complex):
        raise RuntimeError(f"For integral input tensors, argument {name} must not be a floating point number.")
    return x if factor == 1 else find_operator("torch.mul")(x, factor)


def _addr(input, vec1, vec2, beta, alpha, out):
    for name, vec in (("vec1", vec1), ("vec2", vec2)):
        if vec.ndim != 1:
            raise RuntimeError(f"addr: Expected 1-D argument {name}, but got {vec.ndim}-D")
    input = input.expand((vec1.shape[0], vec2.shape[0]))
    if not input.dtype is vec1.dtype is vec2.dtype:
        dtype = find_operator("torch.result_type")(input, _outer(vec1[:0], vec2[:0], None))
        input, vec1, vec2 = input.to(dtype), vec1.to(dtype), vec2.to(dtype)
    start = _scaled(input, beta, "beta")
    product = _scaled(_outer(vec1, vec2, None), alpha, "alpha")
    if beta == 0:  # the gradient of `input` is zero
        return find_operator("torch.where")(product.new_ones((), dtype=_BOOL), product, start)
    return find_operator("torch.add")(start, product)


addr = Operator(
    "addr(Tensor self, Tensor vec1, Tensor vec2, *, Scalar beta=1, Scalar alpha=1, Tensor(a!)? out=None) -> Tensor",
    _addr,
    composite=True,
    variants=FUNCTION | METHOD | INPLACE,
    doc="`beta * input + alpha * outer(vec1, vec2)`; with `beta` 0 `input` is not read.",
)
for _op in addmm, addmv, baddbmm, addbmm, addr:
    _first, _second = (argument.name for argument in _op.schema.arguments[1:3])
    accept_deprecated(_op, f"beta self alpha {_first} {_second}", f"beta self {_first} {_second}")
