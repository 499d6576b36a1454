"""Cumulative sums, products, extremes and log-sum-exps along a dimension, and differences of neighbors."""

import numpy as np

from flambeau_tensor._core.call.operator import Operator
from flambeau_tensor._core.schema.declaring import FLOATS, FUNCTION, INPLACE, METHOD, REALS
from flambeau_tensor._core.schema.registry import find_operator
from flambeau_tensor._kernels.cumulative import Cumulative
from flambeau_tensor._kernels.interop import from_numpy

_ALL_FORMS = FUNCTION | METHOD | INPLACE
_FOLD = "(Tensor self, int dim, *, ScalarType? dtype=None, Tensor(a!)? out=None) -> Tensor"
_PLACES = "(Tensor self, int dim, *, Tensor(a!)[]? out=None) -> (Tensor values, Tensor indices)"

cumsum = Operator(
    "cumsum" + _FOLD,
    Cumulative("cumsum_out_cpu", "sum"),
    variants=_ALL_FORMS,
    doc="""
The cumulative sum along `dim`. Integers become int64; with `dtype` the elements are converted first.
""",
)
cumprod = Operator(
    "cumprod" + _FOLD,
    Cumulative("cumprod_out_cpu", "prod", start=1),
    variants=_ALL_FORMS,
    doc="""
The cumulative product along `dim`. Integers become int64; with `dtype` the elements are converted first.
""",
)
cummax = Operator(
    "cummax" + _PLACES,
    Cumulative("cummax_cpu", "max", places=True, dtypes=REALS),
    doc="The cumulative maximum along `dim`, and its index (the last of equals). NaN propagates.",
)
cummin = Operator(
    "cummin" + _PLACES,
    Cumulative("cummin_cpu", "min", places=True, dtypes=REALS),
    doc="The cumulative minimum along `dim`, and its index (the last of equals). NaN propagates.",
)


def _complex_logcumsumexp(input, dim):
    a = input.numpy(force=True)
    out = np.moveaxis(a.copy(), dim, 0) if input.dim() else a.reshape(1).copy()
    for k in range(1, len(out)):
        before, now = out[k - 1], out[k]
        high, low = np.where(np.real(before) > np.real(now), (before, now), (now, before))
        with np.errstate(invalid="ignore"):  # infinity minus infinity, which is not used
            out[k] = np.where(np.isneginf(low.real), high, high + np.log1p(np.exp(low - high)))
    return from_numpy(np.moveaxis(out, 0, dim).copy() if input.dim() else out.reshape(()))


logcumsumexp = Operator(
    "logcumsumexp(Tensor self, int dim, *, Tensor(a!)? out=None) -> Tensor",
    Cumulative("logcumsumexp_out_cpu", "logsumexp", start=-1, dtypes=FLOATS, fallback=_complex_logcumsumexp),
    doc="The logarithm of the cumulative sum of exponentials along `dim`, computed without overflow.",
)


def _shares(self, exponents, sums, dim, behind):
    if self.dim() == 0:
        return self.clone()
    minus, flip = find_operator("torch.neg")(sums), find_operator("torch.flip")

    def weighted(part):  # in logarithms, so that no exponential overflows
        logs = part.log() + (minus if behind else exponents)
        total = flip(logcumsumexp(flip(logs, (dim,)), dim), (dim,)) if behind else logcumsumexp(logs, dim)
        return (total + (exponents if behind else minus)).exp()

    if self.is_complex():
        return weighted(self)
    return weighted(self.clamp(min=0)) - weighted((-self).clamp(min=0))


shares = Operator(
    "logcumsumexp_shares(Tensor self, Tensor exponents, Tensor sums, int dim, bool behind) -> Tensor",
    _shares,
    namespace="torch._ops",
    variants=FUNCTION,
    doc="""
Sums of `self`, weighted by the share that element i has in the sum for j, exp(exponents[i] - sums[j]) where i <= j:
over all j for each i if `behind`, else over all i for each j. The derivatives of `logcumsumexp` consist of these.
""",
)


def _diff(input, n, dim, prepend, append, out):
    if input.dim() == 0:
        raise RuntimeError("diff expects input to be at least one-dimensional")
    if n < 0:
        raise RuntimeError(f"order must be non-negative but got {n}")
    if n == 0:
        return input.clone()
    parts = tuple(t for t in (prepend, input, append) if t is not None)
    if any(t.dim() != input.dim() for t in parts):
        raise RuntimeError("diff expects prepend or append to be the same dimension as input")
    for t in parts:
        for d, (size, other) in enumerate(zip(input.shape, t.shape, strict=True)):
            if other != size and d != dim % input.dim():
                raise RuntimeError(
                    "diff expects the shape of tensor to prepend or append to match that of input except along the "
                    f"differencing dimension; input.size({d}) = {size}, but got tensor.size({d}) = {other}"
                )
    if len(parts) > 1:
        input = find_operator("torch.cat")(parts, dim)
    minus = find_operator("torch.logical_xor" if input.dtype.name == "bool" else "torch.sub")
    for _ in range(min(n, input.shape[dim])):
        length = max(input.shape[dim] - 1, 0)
        input = minus(input.narrow(dim, input.shape[dim] - length, length), input.narrow(dim, 0, length))
    return input


diff = Operator(
    "diff(Tensor self, int n=1, int dim=-1, Tensor? prepend=None, Tensor? append=None, *, "
    "Tensor(a!)? out=None) -> Tensor",
    _diff,
    composite=True,
    doc="The differences of neighbours along `dim`, taken `n` times; of truth values, whether they differ.",
)
