"""Reductions: sums, products, means, deviations, extremes and their indices, norms, counts."""

from builtins import all as _all

import numpy as np

from flambeau_tensor._core.call.forwarding import Forward, overloads
from flambeau_tensor._core.call.operator import Operator
from flambeau_tensor._core.elementwise.dtype import _dtype_by_name, type_name
from flambeau_tensor._core.elementwise.operands import wrapped_dim
from flambeau_tensor._core.schema.declaring import (
    COMPLEX,
    EVERY,
    FLOATS,
    FUNCTION,
    INPLACE,
    INTS,
    METHOD,
    REALS,
    UNSIGNED,
    USUAL,
    WIDE,
)
from flambeau_tensor._core.schema.registry import find_operator
from flambeau_tensor._kernels import norms
from flambeau_tensor._kernels.deviations import Deviation
from flambeau_tensor._kernels.interop import from_numpy
from flambeau_tensor._kernels.reductions import Reduction
from flambeau_tensor.ops.pointwise import isnan, maximum, minimum

_BOOL, _INT64 = _dtype_by_name("bool"), _dtype_by_name("int64")
_DIMS = "(Tensor self, int[1]? dim=None, bool keepdim=False, *, "
_OUT = "Tensor(a!)? out=None) -> Tensor"
_PAIR = "Tensor(a!)[]? out=None) -> (Tensor values, Tensor indices)"
_SUM = _DIMS + "ScalarType? dtype=None, " + _OUT
_INNER = {"namespace": "torch._ops", "variants": FUNCTION}  # operators of which others are composed
_NOTHING_LIKE_IT = "An error where nothing is left to reduce."


def _with_and_without_dim(op, by_dim, overload):
    """Declare PyTorch's signatures of a reduction: without `dim` and with it."""
    dtype = "ScalarType? dtype=None, " if "dtype" in op.schema.text else ""
    overloads(
        op,
        f"{op.name}(Tensor self, *, {dtype}{_OUT}",
        f"{op.name}.{overload}(Tensor self, {by_dim}, bool keepdim=False, *, {dtype}{_OUT}",
    )


# --- sums and means -------------------------------------------------------------------------------------------------

sum = Operator(
    "sum" + _SUM,
    Reduction("sum", "sum", result=WIDE, empty=0, dtypes=USUAL | UNSIGNED),
    **_INNER,
    doc="""
The sum of the elements over `dim`, or over all dimensions. Integers are summed in int64 and floats in double precision;
with `dtype` the elements are converted first.
""",
)
_with_and_without_dim(sum, "int[1]? dim", "dim_IntList")
nansum = Operator(
    "nansum" + _SUM,
    Reduction(
        "nansum",
        "nansum",
        result=WIDE,
        empty=0,
        dtypes=REALS | UNSIGNED,
        refusal="nansum on CPU does not support complex inputs",
        skips_nan=True,
    ),
    doc="The sum, with NaN treated as zero.",
)
prod = Operator(
    "prod(Tensor self, int? dim=None, bool keepdim=False, *, ScalarType? dtype=None, " + _OUT,
    Reduction("prod", "prod", result=WIDE, empty=1, dtypes=USUAL | UNSIGNED),
    **_INNER,
    doc="The product of the elements over one dimension or all.",
)
_with_and_without_dim(prod, "int dim", "dim_int")
mean = Operator(
    "mean" + _SUM,
    Reduction(
        "mean",
        "sum",
        finish="mean",
        empty=float("nan"),
        dtypes=FLOATS | COMPLEX,
        refusal="mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. "
        "Got: {}",
    ),
    **_INNER,
    doc="The arithmetic mean over `dim`, or over all dimensions; NaN if there are no elements.",
)
_with_and_without_dim(mean, "int[1]? dim", "dim")


def _nanmean(input, dim, keepdim, dtype, out):
    if not (input.is_floating_point() or input.is_complex()):
        raise RuntimeError(
            "nanmean(): expected input to have floating point or complex dtype but got " + type_name(input.dtype)
        )
    return nansum(input, dim, keepdim, dtype=dtype) / sum(isnan(input).logical_not(), dim, keepdim)


nanmean = Operator("nanmean" + _SUM, _nanmean, composite=True, doc="The mean of the elements that are not NaN.")


def _sum_to_size(input, size):
    size = (size,) if type(size) is int else size
    shape = tuple(input.shape)
    extra = len(shape) - len(size)
    if extra < 0 or not _all([n in (1, m) for n, m in zip(size, shape[extra:], strict=True)]):
        raise RuntimeError(f"size {{{list(size)}}} is not expandable to size {{{list(shape)}}}.")
    if not size:
        return sum(input)
    dims = tuple([d for d, n in enumerate(shape) if d < extra or (size[d - extra] == 1 and n != 1)])
    return sum(input, dims, True).reshape(size) if dims else input


sum_to_size = Operator(
    "sum_to_size(Tensor self, int[] size) -> Tensor",
    _sum_to_size,
    variants=METHOD,
    composite=True,
    doc="The sum over those dimensions that broadcasting from `size` would make or stretch.",
)


# --- extremes -------------------------------------------------------------------------------------------------------

amax = Operator(
    "amax(Tensor self, int[1]? dim=[], bool keepdim=False, *, " + _OUT,
    Reduction("amax", "max", dtypes=REALS),
    aten="amax(Tensor self, int[1] dim=[], bool keepdim=False, *, " + _OUT,
    doc=f"The maximum over `dim`, or over all dimensions; NaN propagates. {_NOTHING_LIKE_IT}",
)
amin = Operator(
    "amin(Tensor self, int[1]? dim=[], bool keepdim=False, *, " + _OUT,
    Reduction("amin", "min", dtypes=REALS),
    aten="amin(Tensor self, int[1] dim=[], bool keepdim=False, *, " + _OUT,
    doc=f"The minimum over `dim`, or over all dimensions; NaN propagates. {_NOTHING_LIKE_IT}",
)


def _extreme(name, word, both):
    all_ = Operator(
        f"{name}(Tensor self, *, {_OUT}",
        Reduction(name, name, dtypes=REALS),
        doc=f"The {word} element; NaN wins. {_NOTHING_LIKE_IT}",
    )
    Operator(
        f"{name}.other(Tensor self, Tensor other, *, {_OUT}",
        Forward(both),
        composite=True,
        doc=f"The {word} of two, element by element; NaN wins.",
    )
    along = Operator(
        f"{name}.dim(Tensor self, int dim, bool keepdim=False, *, {_PAIR}",
        Reduction(name, f"arg{name}", dtypes=REALS, indices=True, refusal=f"{name}(): does not support complex input"),
        doc=f"The {word} elements along one dimension and their indices, the first of equals; NaN propagates.",
    )
    places = Operator(
        f"arg{name}(Tensor self, int? dim=None, bool keepdim=False, *, Tensor(a!)? out=None) -> Tensor",
        Reduction(
            f"arg{name}",
            f"arg{name}",
            dtypes=INTS | FLOATS,
            values=False,
            indices=True,
            refusal=f"arg{name}(): does not support {{}} input",
        ),
        differentiable=False,
        doc=f"The index of the {word} element along `dim`, or in the flattened tensor; the first of equals.",
    )
    return all_, along, places


max, max_dim, argmax = _extreme("max", "largest", maximum)
min, min_dim, argmin = _extreme("min", "smallest", minimum)


def _aminmax(input, dim, keepdim, out):
    if dim is None:
        if input.numel() == 0:
            raise RuntimeError(
                "aminmax(): cannot compute aminmax over an empty dimension as the operation has no identity."
            )
        return amin(input, (), keepdim), amax(input, (), keepdim)
    return amin(input, dim, keepdim), amax(input, dim, keepdim)


aminmax = Operator(
    "aminmax(Tensor self, *, int? dim=None, bool keepdim=False, Tensor(a!)[]? out=None) -> (Tensor min, Tensor max)",
    _aminmax,
    composite=True,
    doc="The smallest and the largest element.",
)


# --- truth and counts -----------------------------------------------------------------------------------------------

all = Operator(
    "all" + _DIMS + _OUT,
    Reduction("all", "min", result=_BOOL, compute=_BOOL, empty=1, each=True, dtypes=EVERY),
    differentiable=False,
    doc="Whether every element is nonzero; True if there are no elements. uint8 stays uint8.",
    **_INNER,
)
any = Operator(
    "any" + _DIMS + _OUT,
    Reduction("any", "max", result=_BOOL, compute=_BOOL, empty=0, each=True, dtypes=EVERY),
    differentiable=False,
    doc="Whether any element is nonzero; False if there are no elements. uint8 stays uint8.",
    **_INNER,
)


def _of_truth(name, reduction):
    def over_all(self):
        if self.dtype is not _BOOL:
            raise RuntimeError(f"{name}(): expected a tensor of dtype torch.bool, but got {self.dtype}")
        return reduction(self)

    return over_all


for _name, _reduction, _which in (("_is_all_true", all, "every"), ("_is_any_true", any, "some")):
    Operator(
        f"{_name}(Tensor self) -> Tensor",
        _of_truth(_name, _reduction),
        differentiable=False,
        variants=FUNCTION,
        doc=f"Whether {_which} element of a tensor of truth values is True; of all examples under `vmap`, so that "
        "programs may ask.",
    )
for _op in all, any:
    overloads(
        _op,
        *(
            f"{_op.name}{_schema}, *, {_OUT}"
            for _schema in (
                "(Tensor self",
                ".dim(Tensor self, int dim, bool keepdim=False",
                ".dims(Tensor self, int[]? dim=None, bool keepdim=False",
            )
        ),
    )
count_nonzero = Operator(
    "count_nonzero(Tensor self, int[1]? dim=None) -> Tensor",
    Reduction("count_nonzero", "sum", result=_INT64, compute=_BOOL, empty=0, dtypes=EVERY),
    differentiable=False,
    doc="The number of nonzero elements.",
    **_INNER,
)
overloads(
    count_nonzero,
    "count_nonzero(Tensor self, int? dim=None) -> Tensor",
    "count_nonzero.dim_IntList(Tensor self, int[] dim) -> Tensor",
)


# --- deviations -----------------------------------------------------------------------------------------------------

_DEVIATION = "(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> Tensor"
_ONLY_FLOATS = "std and var only support floating point and complex dtypes"


# PyTorch's three signatures for one operator.
_BY_CORRECTION = "correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False"
_UNBIASED = "(Tensor self, bool unbiased=True"
_BY_DIM = "dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False"


def _signatures(name, result, out, doc, kernels, **how):
    """Declare PyTorch's three signatures, each with a kernel."""
    settings = how | {"composite": True, "doc": doc}

    def with_out(schema):
        if not out:
            return schema
        return f"{schema}{'' if '*' in schema else ', *'}, {out}"

    schemas = f".{_BY_CORRECTION}", _UNBIASED, f".{_BY_DIM}"
    return tuple(
        Operator(f"{name}{with_out(schema)}) -> {result}", kernel, **settings)
        for schema, kernel in zip(schemas, kernels, strict=True)
    )


def _spread(name, finish, word):
    inner = Operator(
        f"{name}{_DEVIATION}",
        Reduction(name, "moments", finish=finish, empty=float("nan"), dtypes=FLOATS, refusal=_ONLY_FLOATS),
        **_INNER,
        doc=f"The {word} over `dim`.",
    )

    def of_complex(input, dim, correction, keepdim):
        parts = [inner(x, dim, correction=correction, keepdim=keepdim) for x in (input.real, input.imag)]
        return parts[0] + parts[1] if name == "var" else find_operator("torch.complex")(*parts).abs()

    return (
        inner,
        _signatures(
            name,
            "Tensor",
            "Tensor(a!)? out=None",
            f"""
The {word} over `dim`, or over all dimensions: squared deviations from the mean are divided by their number less
`correction` (1, or what `unbiased` says). Means and deviations are kept in double precision.
""",
            [Deviation(inner, of_complex) for _ in range(3)],
        )[0],
    )


var_correction, var = _spread("var", "var", "variance")
std_correction, std = _spread("std", "std", "standard deviation")


def _with_mean(name, spread, word):
    def both(input, dim, correction, keepdim):
        if not (input.is_floating_point() or input.is_complex()):
            raise RuntimeError(f"{name}_mean only support floating point and complex dtypes")
        return spread(input, dim, correction=correction, keepdim=keepdim), mean(input, dim, keepdim)

    return _signatures(
        f"{name}_mean",
        "(Tensor, Tensor)",
        "",
        f"The {word} and the mean.",
        (
            both,
            lambda input, unbiased: both(input, None, int(unbiased), False),
            lambda input, dim, unbiased, keepdim: both(input, dim, int(unbiased), keepdim),
        ),
        variants=FUNCTION,
    )[0]


var_mean = _with_mean("var", var, "variance")
std_mean = _with_mean("std", std, "standard deviation")


# --- norms and exponentials -----------------------------------------------------------------------------------------


def _complex_logsumexp(input, dim, keepdim):
    a = input.numpy(force=True)
    axis = (dim if type(dim) is tuple else (dim,)) if a.ndim and dim != () else None
    top = a.real.max(axis, keepdims=True, initial=-np.inf)
    top = np.where(np.isfinite(top), top, 0)
    total = np.log(np.exp(a - top).sum(axis, keepdims=True)) + top
    return from_numpy(np.asarray(total if keepdim else total.squeeze(axis)).astype(a.dtype))


logsumexp = Operator(
    "logsumexp(Tensor self, int[1] dim, bool keepdim=False, *, " + _OUT,
    Reduction(
        "logsumexp",
        "logsumexp",
        finish="logsumexp",
        default_float=True,
        empty=float("-inf"),
        dtypes=REALS,
        fallback=_complex_logsumexp,
    ),
    doc="The logarithm of the sum of exponentials, computed without overflow.",
)
vector_norm = Operator(
    "vector_norm(Tensor self, Scalar ord=2, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None, " + _OUT,
    norms.vector_norm,
    namespace="torch.linalg",
    variants=FUNCTION,
    doc="""
The vector norm: (Σ |x|^ord)^(1/ord); the largest or smallest |x| for ±inf, the number of nonzeros for 0.
""",
)


def _norm(input, p, dim, keepdim, dtype, out):
    if p == "fro":
        p = 2
    if type(p) is str:
        matrix_norm = find_operator("torch.linalg.matrix_norm")
        return matrix_norm(input, p, (-2, -1) if dim is None else dim, keepdim, dtype=dtype)
    return vector_norm(input, 2 if p is None else p, dim, keepdim, dtype=dtype)


_NORM = "int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None, " + _OUT
_ITS_DOC = """
The p-norm of the elements over `dim`; `"fro"` is 2, `"nuc"` the sum of a matrix's singular values.
"""
norm = Operator(
    "norm(Tensor self, Scalar? p=2, " + _NORM,
    _norm,
    composite=True,
    doc=_ITS_DOC,
    aten=(
        "norm.Scalar(Tensor self, Scalar p=2) -> Tensor",
        "norm.ScalarOpt_dim(Tensor self, Scalar? p, int[1] dim, bool keepdim=False) -> Tensor",
        "norm.ScalarOpt_dim_dtype(Tensor self, Scalar? p, int[1] dim, bool keepdim, *, ScalarType dtype) -> Tensor",
    ),
)
Operator("norm.name(Tensor self, str p, " + _NORM, _norm, composite=True, doc=_ITS_DOC)


def _dist(input, other, p):
    return vector_norm(input - other, p)


dist = Operator(
    "dist(Tensor self, Tensor other, Scalar p=2) -> Tensor", _dist, composite=True, doc="The p-norm of `input - other`."
)


def _renorm(input, p, dim, maxnorm, out):
    if isinstance(p, complex):
        raise RuntimeError("renorm: p must be real-valued")
    if p <= 0:
        raise RuntimeError("renorm: non-positive-norm not supported")
    if isinstance(maxnorm, complex):
        raise RuntimeError("renorm: maxnorm must be real-valued")
    if maxnorm < 0:
        raise RuntimeError(f"renorm: expected maxnorm to be >= 0 but got {maxnorm:g}")
    if input.ndim < 2:
        raise RuntimeError(f"renorm: input needs at least 2 dimensions, got {input.ndim} dimensions")
    dim = wrapped_dim(dim, input.ndim)
    wide = input.float() if input.itemsize == 2 and input.is_floating_point() else input
    norms = vector_norm(wide, p, tuple(d for d in range(input.ndim) if d != dim), True)
    scale = find_operator("torch.where")(norms > maxnorm, maxnorm / (norms + 1e-7), 1.0)
    return input * scale.to(input.dtype)


renorm = Operator(
    "renorm(Tensor self, Scalar p, int dim, Scalar maxnorm, *, Tensor(a!)? out=None) -> Tensor",
    _renorm,
    composite=True,
    variants=FUNCTION | METHOD | INPLACE,
    doc="""
The slices along one dimension, scaled down if their p-norm is larger than `maxnorm`.

Args:
    input: of a floating point or complex dtype and at least two dimensions.
    p: the order of the norm, more than 0.
    dim: the dimension of the slices.
    maxnorm: the norm that no slice of the result exceeds.

Raises:
    RuntimeError: other dtypes, fewer dimensions, or negative numbers.

>>> import flambeau_tensor as ft
>>> ft.renorm(ft.tensor([[3.0, 4.0], [0.3, 0.4]]), 2, 0, 1)
tensor([[0.6000, 0.8000],
        [0.3000, 0.4000]])
""",
)
