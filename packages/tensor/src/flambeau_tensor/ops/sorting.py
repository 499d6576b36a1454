"""Order: sorting, order statistics, medians, quantiles, unique values, searchsorted and histograms."""

from flambeau_tensor._core.call.forwarding import Forward
from flambeau_tensor._core.call.operator import Operator
from flambeau_tensor._core.memory.tensor import Tensor, hides_values
from flambeau_tensor._core.schema.declaring import FUNCTION
from flambeau_tensor._core.schema.registry import find_operator
from flambeau_tensor._kernels import histograms, lookup
from flambeau_tensor._kernels import sorting as kernels
from flambeau_tensor._kernels import unique as unique_kernels
from flambeau_tensor.packing import apply, apply_functional

_PAIR = "Tensor(a!)[]? out=None) -> (Tensor values, Tensor indices)"


# --- sorting --------------------------------------------------------------------------------------------------------

_SORTED = """
The elements sorted along `dim` in ascending or descending order, and their indices. NaN counts as largest. Sorting is
always stable.
"""
sort = Operator("sort(Tensor self, int dim=-1, bool descending=False, *, " + _PAIR, kernels.sort, doc=_SORTED)
Operator(
    "sort.stable(Tensor self, *, bool? stable, int dim=-1, bool descending=False, Tensor(a!)[]? out=None) -> "
    "(Tensor values, Tensor indices)",
    Forward(sort),
    composite=True,
    doc=_SORTED,
)
_ORDER = "The indices that sort the elements along `dim`, in a stable order."
argsort = Operator(
    "argsort(Tensor self, int dim=-1, bool descending=False) -> Tensor",
    kernels.argsort,
    differentiable=False,
    doc=_ORDER,
)
Operator(
    "argsort.stable(Tensor self, *, bool stable, int dim=-1, bool descending=False) -> Tensor",
    Forward(argsort),
    composite=True,
    doc=_ORDER,
)
topk = Operator(
    "topk(Tensor self, int k, int dim=-1, bool largest=True, bool sorted=True, *, " + _PAIR,
    kernels.topk,
    doc="The `k` largest (or smallest) elements along `dim`, in order, and their indices.",
)
kthvalue = Operator(
    "kthvalue(Tensor self, int k, int dim=-1, bool keepdim=False, *, " + _PAIR,
    kernels.kthvalue,
    doc="The `k`-th smallest element along `dim`, counted from 1, and its index.",
)
mode = Operator(
    "mode(Tensor self, int dim=-1, bool keepdim=False, *, " + _PAIR,
    kernels.mode,
    doc="""
The most frequent element along `dim` (the smallest of several), and its last index.
""",
)


def _msort(input, out):
    return sort(input, 0).values if input.dim() else input.clone()


msort = Operator(
    "msort(Tensor self, *, Tensor(a!)? out=None) -> Tensor",
    _msort,
    composite=True,
    doc="The elements in ascending order along the first dimension.",
)


# --- medians and quantiles ------------------------------------------------------------------------------------------


def _median(name, kernel, doc):
    def whole(input, out):
        if input.numel() == 0:
            return input.new_full((), float("nan")) if input.is_floating_point() else input.new_zeros(())
        return along(input.reshape(-1), 0)[0]

    Operator(f"{name}(Tensor self, *, Tensor(a!)? out=None) -> Tensor", whole, doc=doc)
    along = Operator(
        f"{name}.dim(Tensor self, int dim, bool keepdim=False, *, " + _PAIR,
        kernel,
        doc=f"{doc} Along `dim`, with the indices.",
    )
    return along


median_dim = _median("median", kernels.median, "The median, the lower one of two middle elements; NaN propagates.")
nanmedian_dim = _median("nanmedian", kernels.nanmedian, "The median of the elements that are not NaN.")

_INTERPOLATIONS = ("linear", "lower", "higher", "midpoint", "nearest")


def _quantile(name, ignore_nan):
    def quantile(input, q, dim, keepdim, interpolation, out):
        if input.dtype.name not in ("float32", "float64"):
            raise RuntimeError(f"{name}() input tensor must be either float or double dtype")
        if interpolation not in _INTERPOLATIONS:
            raise RuntimeError(
                f"{name}() interpolation must be one of linear, lower, higher, midpoint or nearest, but "
                f"got {interpolation}"
            )
        if input.numel() == 0:
            raise RuntimeError(f"{name}() input tensor must be non-empty")
        if isinstance(q, Tensor):
            if q.dim() > 1:
                raise RuntimeError(f"{name}() q must be a scalar or 1D tensor")
            if q.dtype != input.dtype:
                raise RuntimeError(f"{name}() q tensor must be same dtype as the input tensor")
            if not hides_values(q) and not ((q >= 0) & (q <= 1)).all():
                raise RuntimeError(f"{name}() q values must be in the range [0, 1]")
        else:
            if not 0 <= q <= 1:
                raise RuntimeError(f"{name}() q must be in the range [0, 1] but got {q}")
            q = input.new_full((), q)
        rows = input.reshape(-1) if dim is None or input.dim() == 0 else input.movedim(dim, -1)
        rows = sort(rows, -1)[0]  # NaN last
        missing, last = find_operator("torch.isnan")(rows), rows.shape[-1] - 1
        if ignore_nan:
            ranks = q.reshape(-1) * (last - missing.sum(-1, True)).clamp_min(0).to(rows.dtype)
        else:  # a single NaN makes the result NaN
            ranks = find_operator("torch.where")(missing.any(-1, True), last, q.reshape(-1) * last)
        take = find_operator("torch.gather")
        if interpolation in ("lower", "higher", "nearest"):
            rounded = {"lower": "floor", "higher": "ceil", "nearest": "round"}[interpolation]
            result = take(rows, -1, find_operator(f"torch.{rounded}")(ranks).long())
        else:
            below = ranks.floor()
            weight = ranks - below if interpolation == "linear" else find_operator("torch.full_like")(below, 0.5)
            low, high = take(rows, -1, below.long()), take(rows, -1, ranks.ceil().long())
            result = find_operator("torch.lerp")(low, high, weight)
        result = result.movedim(-1, 0)
        if keepdim:
            result = (
                result.reshape([-1] + [1] * input.dim())
                if dim is None or input.dim() == 0
                else result.unsqueeze(dim % input.dim() + 1)
            )
        return result if q.ndim else result.squeeze(0)

    return quantile


_QUANTILE = "int? dim=None, bool keepdim=False, *, str interpolation='linear', Tensor(a!)? out=None) -> Tensor"
_OF_ALL = (
    "The `q`-th quantiles (a number or a 1-D tensor of them, from 0 to 1) along `dim`, interpolated between neighbors."
)
for _name, _ignores, _what in (
    ("quantile", False, _OF_ALL),
    ("nanquantile", True, "The quantiles of the elements that are not NaN."),
):
    for _schema in ("(Tensor self, Tensor q, ", ".scalar(Tensor self, float q, "):
        Operator(_name + _schema + _QUANTILE, _quantile(_name, _ignores), composite=True, doc=_what)


# --- unique values --------------------------------------------------------------------------------------------------


unique = Operator(
    "unique(Tensor self, bool sorted=True, bool return_inverse=False, bool return_counts=False, "
    "int? dim=None) -> Tensor",
    unique_kernels.unique,
    meta=False,
    doc="""
The distinct elements (or slices along `dim`) in ascending order; optionally also the index of each element of `input`
among them, and their counts. Every NaN is distinct.
""",
)
unique_consecutive = Operator(
    "unique_consecutive(Tensor self, bool return_inverse=False, bool return_counts=False, int? dim=None) -> Tensor",
    unique_kernels.unique_consecutive,
    meta=False,
    doc="The elements without consecutive duplicates.",
)


def _three(results, return_inverse, return_counts):
    """Return values, inverse and counts; those that were not requested are empty."""
    values, *rest = results if isinstance(results, tuple) else (results,)
    nothing = find_operator("torch.empty")((0,), dtype=find_operator("torch.arange")(0).dtype)
    return values, rest.pop(0) if return_inverse else nothing, rest.pop(0) if return_counts else nothing


# Always with three results, as in C and C++.
_FLAGS = "bool return_inverse=False, bool return_counts=False"
_THREE = "-> (Tensor, Tensor, Tensor)"
for _original, _sorted, _what, _aten in (
    (
        unique,
        "bool sorted=True, ",
        "The distinct elements.",
        (
            f"_unique2(Tensor self, bool sorted=True, {_FLAGS}) {_THREE}",
            f"unique_dim(Tensor self, int dim, bool sorted=True, {_FLAGS}) {_THREE}",
        ),
    ),
    (
        unique_consecutive,
        "",
        "The elements without consecutive duplicates.",
        f"unique_consecutive(Tensor self, {_FLAGS}, int? dim=None) {_THREE}",
    ),
):
    Operator(
        f"{_original.name}(Tensor self, {_sorted}{_FLAGS}, int? dim=None) {_THREE}",
        lambda self, *args, f=_original: _three(f(self, *args), *args[-3:-1]),
        namespace="torch._ops",
        variants=FUNCTION,
        composite=True,
        doc=_what,
        aten=_aten,
    )


Operator(
    "_unique(Tensor self, bool sorted=True, bool return_inverse=False) -> (Tensor, Tensor)",
    lambda self, sorted, return_inverse: _three(unique(self, sorted, return_inverse), return_inverse, False)[:2],
    variants=FUNCTION,
    composite=True,
    doc="The distinct elements and the index of each element among them, which is empty unless it is requested.",
)
Operator(
    f"_unique2(Tensor self, bool sorted=True, {_FLAGS}) {_THREE}",
    lambda self, sorted, *requested: _three(unique(self, sorted, *requested), *requested),
    variants=FUNCTION,
    composite=True,
    doc="The distinct elements, the index of each element among them and their counts; what is not requested is empty.",
)


# --- positions ------------------------------------------------------------------------------------------------------


for _overload, _type in ("Tensor", "Tensor"), ("Scalar", "Scalar"):
    Operator(
        f"searchsorted.{_overload}(Tensor sorted_sequence, {_type} self, *, bool out_int32=False, "
        "bool right=False, str? side=None, Tensor? sorter=None, Tensor(a!)? out=None) -> Tensor",
        lookup.searchsorted,
        variants=FUNCTION,
        differentiable=False,
        doc="""
The indices at which values would be inserted into a sorted sequence (row by row if it has several dimensions): before
equal elements, or behind them with `right`.
""",
    )
    Operator(
        f"bucketize.{_overload}({_type} self, Tensor boundaries, *, bool out_int32=False, bool right=False, "
        "Tensor(a!)? out=None) -> Tensor",
        lookup.bucketize,
        variants=FUNCTION,
        differentiable=False,
        doc="The index of the interval between sorted boundaries that contains each value.",
    )


# --- histograms -----------------------------------------------------------------------------------------------------


histc = Operator(
    "histc(Tensor self, int bins=100, Scalar min=0, Scalar max=0, *, Tensor(a!)? out=None) -> Tensor",
    histograms.histc,
    differentiable=False,
    doc="""
The number of elements in each of `bins` equal intervals from `min` to `max` (those of the data if both are equal).
""",
)
bincount = Operator(
    "bincount(Tensor self, Tensor? weights=None, int minlength=0) -> Tensor",
    histograms.bincount,
    meta=False,
    doc="The count of each integer from 0 on, or the sum of its weights.",
)
_HOW = "sorted=True return_inverse=False return_counts=False dim=None"
_HOW_CONSECUTIVE = "return_inverse=False return_counts=False dim=None"
apply_functional({"unique": f"input! * {_HOW}", "unique_consecutive": f"input! * {_HOW_CONSECUTIVE}"})
apply("torch.Tensor", {"unique": f"self! * {_HOW}", "unique_consecutive": f"self! * {_HOW_CONSECUTIVE}"})
