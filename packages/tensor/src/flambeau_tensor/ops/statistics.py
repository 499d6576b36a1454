"""Statistics of several variables: covariances, correlations, histograms."""

import math
import warnings

from flambeau_tensor._core.call.operator import Operator
from flambeau_tensor._core.elementwise.dtype import c_type_name, type_name
from flambeau_tensor._core.memory.tensor import Tensor
from flambeau_tensor._core.schema.declaring import FUNCTION
from flambeau_tensor._core.schema.registry import find_operator
from flambeau_tensor._kernels import histograms
from flambeau_tensor.ops.matmul import matmul

# --- covariances ----------------------------------------------------------------------------------------------------


def _check_dims(name, input):
    if input.ndim > 2:
        raise RuntimeError(
            f"{name}(): expected input to have two or fewer dimensions but got an input with {input.ndim} dimensions"
        )


def _check_weights(name, weights, observations, fits, kind):
    if weights.ndim > 1:
        raise RuntimeError(
            f"cov(): expected {name} to have one or fewer dimensions but got {name} with {weights.ndim} dimensions"
        )
    if not fits(weights.dtype):
        raise RuntimeError(
            f"cov(): expected {name} to have {kind} dtype but got {name} with {type_name(weights.dtype)} dtype"
        )
    if weights.numel() != observations:
        raise RuntimeError(
            f"cov(): expected {name} to have the same numel as there are observations in the input but "
            f"got {weights.numel()} != {observations}"
        )
    if observations and bool(weights.min() < 0):
        raise RuntimeError(f"cov(): {name} cannot be negative")


def _whole(dtype):
    return not (dtype.is_floating_point or dtype.is_complex or dtype.name == "bool")


def _cov(input, correction, fweights, aweights):
    _check_dims("cov", input)
    if input.dtype.name == "bool":
        raise RuntimeError("cov(): bool dtype is not supported for input")
    x = input if input.ndim == 2 else input.reshape((1, -1))
    observations = x.shape[1]
    weights = None
    if fweights is not None:
        _check_weights("fweights", fweights, observations, _whole, "integral")
        weights = fweights
    if aweights is not None:
        _check_weights("aweights", aweights, observations, lambda dtype: dtype.is_floating_point, "floating point")
        weights = aweights if weights is None else weights * aweights
    total = observations if weights is None else weights.sum()
    if weights is not None and observations and bool(total == 0):
        raise RuntimeError("cov(): weights sum to zero, can't be normalized")
    mean = (x if weights is None else x * weights).sum(1) / total
    if weights is None or correction == 0:
        freedom = total - correction
    elif aweights is None:
        freedom = total - correction
    else:
        freedom = total - correction * (weights * aweights).sum() / total
    if bool(freedom <= 0):
        warnings.warn(
            "cov(): degrees of freedom is <= 0. Correction should be strictly less than the number of observations.",
            stacklevel=1,  # a compiled function has no frame
        )
        freedom = 0 if not isinstance(freedom, Tensor) else freedom * 0
    deviations = x - mean.unsqueeze(1)
    right = deviations if weights is None else deviations * weights
    return (matmul(deviations, right.mH) / freedom).squeeze()


cov = Operator(
    "cov(Tensor self, *, int correction=1, Tensor? fweights=None, Tensor? aweights=None) -> Tensor",
    _cov,
    composite=True,
    doc="""
The covariance matrix of variables. Rows are variables and columns are observations.

Args:
    input: a matrix, or the observations of one variable; of any dtype but bool. Integers give the default floating
        dtype.
    correction: the number that is subtracted from the number of observations in the divisor.
    fweights: the frequency of each observation, an integer vector.
    aweights: the weight of each observation, a floating-point vector.

Returns:
    A matrix with a row and a column for each variable, or the variance of a single one, without dimensions.

Raises:
    RuntimeError: more dimensions than two, truth values, weights that are negative, sum to zero, or do not fit.

>>> import flambeau_tensor as ft
>>> ft.cov(ft.tensor([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]]))
tensor([[ 1., -1.],
        [-1.,  1.]])
""",
)


def _corrcoef(input):
    _check_dims("corrcoef", input)
    c = cov(input)
    if c.ndim == 0:
        return c / c
    spread = c.diagonal()
    spread = (spread.real if c.is_complex() else spread).sqrt()
    c = c / spread.unsqueeze(1) / spread.unsqueeze(0)
    if c.is_complex():
        return find_operator("torch.complex")(c.real.clip(-1, 1), c.imag.clip(-1, 1))
    return c.clip(-1, 1)


corrcoef = Operator(
    "corrcoef(Tensor self) -> Tensor",
    _corrcoef,
    composite=True,
    doc="""
Pearson's correlation coefficients of variables. Rows are variables and columns are observations.

Args:
    input: a matrix, or the observations of one variable; of any dtype but bool. Integers give the default floating
        dtype.

Returns:
    A matrix with a row and a column for each variable, of numbers from -1 to 1; NaN for a variable that is constant.

Raises:
    RuntimeError: more dimensions than two, or truth values.

>>> import flambeau_tensor as ft
>>> ft.corrcoef(ft.tensor([[0.0, 1.0, 2.0], [4.0, 2.0, 0.0]]))
tensor([[ 1., -1.],
        [-1.,  1.]])
""",
)


# --- histograms -----------------------------------------------------------------------------------------------------


_HALVES = "float16", "bfloat16"


def _check_histogram(input, weight, count):
    if input.ndim < 2:
        raise RuntimeError("torch.histogramdd: input tensor should have at least 2 dimensions")
    if count != input.shape[-1]:
        raise RuntimeError("histogramdd: The size of bins must be equal to the innermost dimension of the input.")
    if weight is not None and weight.dtype is not input.dtype:
        raise RuntimeError(
            "torch.histogramdd: if weight tensor is provided, input tensor and weight tensor should "
            f"have the same dtype, but got input({c_type_name(input.dtype.id)}), and "
            f"weight({c_type_name(weight.dtype.id)})"
        )
    if weight is not None and weight.shape != input.shape[:-1]:
        raise RuntimeError(
            "torch.histogramdd: if weight tensor is provided it should have the same shape as the input "
            f"tensor excluding its innermost dimension, but got input with shape {list(input.shape)} "
            f"and weight with shape {list(weight.shape)}"
        )
    if input.dtype.name not in ("float32", "float64", *_HALVES):
        raise NotImplementedError(f"\"histogramdd\" not implemented for '{type_name(input.dtype)}'")


def _even_edges(points, bins, range):
    """Return edges of bins of equal width for each column: over `range`, or over the column's values."""
    n = points.shape[1]
    for d, count in enumerate(bins):
        if count <= 0:
            raise RuntimeError(f"torch.histogram(): bins must be > 0, but got {count} for dimension {d}")
    if range is not None and len(range) != 2 * n:
        raise RuntimeError(
            f"torch.histogramdd: for a {n}-dimensional histogram range should have {2 * n} elements, "
            f"but got {len(range)}"
        )
    if range is not None:
        ends = zip(range[::2], range[1::2], strict=True)
    elif points.numel():
        ends = zip(points.amin(0).tolist(), points.amax(0).tolist(), strict=True)
    else:
        ends = ((0.0, 1.0),) * n
    edges = []
    for d, (count, (low, high)) in enumerate(zip(bins, ends, strict=True)):
        if not (math.isfinite(low) and math.isfinite(high)):
            raise RuntimeError(f"torch.histogramdd: dimension {d}'s range [{low:g}, {high:g}] is not finite")
        if low > high:
            raise RuntimeError(
                f"torch.histogramdd: min should not exceed max, but got min {low:g} max {high:g} for dimension {d}"
            )
        if low == high:
            low, high = low - 0.5, high + 0.5
        edges.append(find_operator("torch.linspace")(low, high, count + 1, dtype=points.dtype))
    return tuple(edges)


even_edges = Operator(
    "histogram_edges(Tensor self, int[] bins, float[]? range) -> Tensor[]",
    _even_edges,
    namespace="torch._ops",
    variants=FUNCTION,
    differentiable=False,
    doc=_even_edges.__doc__,
)


def _given_edges(input, bins):
    for d, edges in enumerate(bins):
        if edges.dtype is not input.dtype:
            raise RuntimeError(
                "torch.histogramdd: input tensor and bins tensors should have the same dtype, but got "
                f"input with dtype {c_type_name(input.dtype.id)} and bins for dimension {d} with dtype "
                f"{c_type_name(edges.dtype.id)}"
            )
        if edges.ndim != 1:
            raise RuntimeError(
                "torch.histogramdd: bins tensor should have one dimension, but got "
                f"{edges.ndim} dimensions in the bins tensor for dimension {d}"
            )
        if edges.numel() < 2:
            raise RuntimeError(
                f"torch.histogram(): bins must be > 0, but got {max(edges.numel() - 1, 0)} for dimension {d}"
            )
    return tuple(edges.detach().clone() if hasattr(edges, "detach") else edges.clone() for edges in bins)


cell_counts = Operator(
    "histogram_counts(Tensor self, Tensor[] edges, Tensor? weight, bool density, bool even) -> Tensor",
    histograms.cell_counts,
    namespace="torch._ops",
    variants=FUNCTION,
    doc="How many rows of a matrix, or which sum of their weights, fall into each cell.",
)


def _histogramdd(input, bins, range, weight, density):
    bins = (bins,) * input.size(-1) if isinstance(bins, int) else bins
    even = not bins or isinstance(bins[0], int)
    _check_histogram(input, weight, len(bins))
    points = input.reshape((math.prod(input.shape[:-1]), input.shape[-1]))
    edges = even_edges(points, bins, range) if even else _given_edges(input, bins)
    if input.dtype.name in _HALVES:
        wide = None if weight is None else weight.float()
        return cell_counts(points.float(), [e.float() for e in edges], wide, density, even).to(input.dtype), edges
    return cell_counts(points, edges, weight, density, even), edges


def _histogram(input, bins, weight, density, range=None):
    counts, edges = _histogramdd(
        input.reshape((-1, 1)), (bins,), range, None if weight is None else weight.reshape((-1,)), density
    )
    return counts, edges[0]


_BINS = """
    range: the lower end of the first bin and the upper end of the last{}; by default the smallest and the largest
    element. weight: what each {} counts, of the shape of `input`{} and of its dtype. density: whether to divide by the
    sum of the counts and by the sizes of the bins, so that the integral is 1.
"""
_HISTOGRAM = f"""
The number of elements in each of several bins. A bin includes its lower edge, and the last bin also its upper edge.

Args:
    input: float32 or float64, of any shape.
    bins: the number of bins of equal width, or a vector of edges in ascending order, of the dtype of `input`.
{_BINS.format("", "element", "").strip(chr(10))}

Returns:
    The counts, of the dtype of `input`, and the edges, one more.

Raises:
    RuntimeError: no bins, edges or weights that do not fit, an infinite range, or other dtypes.

>>> import flambeau_tensor as ft
>>> ft.histogram(ft.tensor([1.0, 2.0, 1.0]), bins=2, range=(0.0, 4.0)).hist
tensor([2., 1.])
"""
_PAIR = "Tensor(a!)[]? out=None) -> (Tensor hist, Tensor bin_edges)"
Operator(
    f"histogram.bins_tensor(Tensor self, Tensor bins, *, Tensor? weight=None, bool density=False, {_PAIR}",
    lambda input, bins, weight, density, out: _histogram(input, bins, weight, density),
    composite=True,
    doc=_HISTOGRAM,
)
Operator(
    "histogram.bin_ct(Tensor self, int bins=100, *, float[]? range=None, Tensor? weight=None, bool density=False, "
    f"{_PAIR}",
    lambda input, bins, range, weight, density, out: _histogram(input, bins, weight, density, range),
    composite=True,
    doc=_HISTOGRAM,
)

_HISTOGRAMDD = f"""
The number of points in each cell of a multidimensional grid.

Args:
    input: float32 or float64, of shape (..., N): points of N coordinates.
    bins: the number of bins of equal width, for each coordinate or for all of them, or a vector of edges in ascending
    order for each coordinate.
{_BINS.format(", for one coordinate after the other", "point", " without its last dimension").strip(chr(10))}

Returns:
    The counts, of N dimensions and the dtype of `input`, and the edges, a vector for each coordinate.

Raises:
    RuntimeError: no bins, edges or weights that do not fit, an infinite range, or other dtypes.

>>> import flambeau_tensor as ft
>>> ft.histogramdd(ft.tensor([[0.0, 1.0], [1.0, 0.0], [2.0, 2.0]]), bins=[2, 2]).hist
tensor([[0., 1.],
        [1., 1.]])
"""
_REST = "float[]? range=None, Tensor? weight=None, bool density=False) -> (Tensor hist, Tensor[] bin_edges)"
for _overload, _type in ("", "int[] bins"), (".int_bins", "int bins"), (".TensorList_bins", "Tensor[] bins"):
    Operator(
        f"histogramdd{_overload}(Tensor self, {_type}, {_REST}",
        _histogramdd,
        variants=FUNCTION,
        composite=True,
        doc=_HISTOGRAMDD,
    )
