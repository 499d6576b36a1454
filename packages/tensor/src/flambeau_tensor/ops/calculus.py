"""Functions given by samples: integrals by the trapezoidal rule, and derivatives by differences."""

from flambeau_tensor._core.call.operator import Operator
from flambeau_tensor._core.elementwise.operands import wrapped_dim
from flambeau_tensor._core.memory.tensor import Tensor
from flambeau_tensor._core.schema.declaring import FUNCTION
from flambeau_tensor._core.schema.registry import find_operator
from flambeau_tensor.ops.joining import cat


def _function(schema, kernel, doc):
    return Operator(schema, kernel, composite=True, variants=FUNCTION, doc=doc)


# --- integrals ------------------------------------------------------------------------------------------------------


def _check_no_bool(name, what, *tensors):
    if any(t.dtype.name == "bool" for t in tensors):
        raise RuntimeError(f"{name}: received a bool input for {what}, but bool is not supported")


def _neighbours(t, dim):
    """Return all elements but the last along `dim`, and all but the first."""
    n = max(t.shape[dim] - 1, 0)
    return t.narrow(dim, 0, n), t.narrow(dim, t.shape[dim] - n, n)


def _widths(name, y, x, dim):
    """Return the distances between sample points, with the dimensions of `y`."""
    _check_no_bool(name, "`x` or `y`", x, y)
    if x.ndim == 1:
        if x.shape[0] != y.shape[dim]:
            raise RuntimeError(f"{name}: There must be one `x` value for each sample point")
        x = x.reshape(tuple(x.shape[0] if d == dim else 1 for d in range(y.ndim)))
    elif x.ndim < y.ndim:
        x = x.reshape((1,) * (y.ndim - x.ndim) + tuple(x.shape))
    left, right = _neighbours(x, dim)
    return right - left


def _check_width(name, y, dx):
    _check_no_bool(name, "`y`", y)
    if isinstance(dx, (bool, complex)):
        raise RuntimeError(f"{name}: Currently, we only support dx as a real number.")


def _empty_integral(y, dim):
    return y.new_zeros(tuple(n for d, n in enumerate(y.shape) if d != dim))


def _trapezoid(y, x, dim):
    dim = wrapped_dim(dim, y.ndim, False)
    if y.shape[dim] == 0:
        _check_no_bool("trapezoid", "`x` or `y`", x, y)
        return _empty_integral(y, dim)
    dx = _widths("trapezoid", y, x, dim)
    left, right = _neighbours(y, dim)
    return ((left + right) * dx).sum(dim) / 2.0


def _even_trapezoid(y, dx, dim):
    _check_width("trapezoid", y, dx)
    dim = wrapped_dim(dim, y.ndim, False)
    if y.shape[dim] == 0:
        return _empty_integral(y, dim)
    return (y.sum(dim) - (y.select(dim, 0) + y.select(dim, -1)) * 0.5) * dx


def _cumulative(y, x, dim):
    dim = wrapped_dim(dim, y.ndim, False)
    dx = _widths("cumulative_trapezoid", y, x, dim)
    left, right = _neighbours(y, dim)
    return ((left + right) * dx).cumsum(dim) / 2.0


def _even_cumulative(y, dx, dim):
    _check_width("cumulative_trapezoid", y, dx)
    dim = wrapped_dim(dim, y.ndim, False)
    left, right = _neighbours(y, dim)
    return ((left + right) * (dx / 2.0)).cumsum(dim)


_INTEGRAL = """
{}: each interval contributes the mean of its ends times its width.

Args:
    y: the samples, of any shape and any dtype but bool; integers give the default floating dtype.
    x: the sample points, a vector for all rows or a tensor that broadcasts with `y`; by default they are `dx` apart.
    dim: the dimension of the samples{}.

Raises:
    RuntimeError: `x` is a vector of another length than that of `dim`, truth values were given, or `dx` is complex.

>>> import flambeau_tensor as ft
>>> {}
"""
_WHOLE = _INTEGRAL.format(
    "The integral of samples along a dimension by the trapezoidal rule",
    ", which the result has not",
    "ft.trapezoid(ft.tensor([1.0, 5.0, 10.0]), ft.tensor([0.0, 1.0, 3.0]))\ntensor(18.)",
)
_RUNNING = _INTEGRAL.format(
    "The integral from the first sample up to each of the others by the trapezoidal rule",
    "; the result is one shorter there",
    "ft.cumulative_trapezoid(ft.tensor([1.0, 5.0, 10.0]))\ntensor([ 3.0000, 10.5000])",
)
for _name, _type in ("trapezoid", "Scalar"), ("trapz", "float"):
    _function(f"{_name}.x(Tensor y, Tensor x, *, int dim=-1) -> Tensor", _trapezoid, _WHOLE)
    _function(f"{_name}.dx(Tensor y, *, {_type} dx=1, int dim=-1) -> Tensor", _even_trapezoid, _WHOLE)
_function("cumulative_trapezoid.x(Tensor y, Tensor x, *, int dim=-1) -> Tensor", _cumulative, _RUNNING)
_function("cumulative_trapezoid.dx(Tensor y, *, Scalar dx=1, int dim=-1) -> Tensor", _even_cumulative, _RUNNING)


# --- derivatives ----------------------------------------------------------------------------------------------------


def _listed(value):
    return tuple(value) if isinstance(value, (tuple, list)) else (value,)


def _gradients(input, spacing, dim, edge_order):
    """Return a derivative for each dimension; `spacing` is a number, or a number or vector for each of them."""
    dims = tuple(range(input.ndim)) if dim is None else _listed(dim)
    if isinstance(spacing, (tuple, list)) and len(spacing) != len(dims):
        raise RuntimeError(
            "torch.gradient expected spacing to be unspecified, a scalar, or a list of length equal to 'self.dim() = "
            f"{input.ndim}', since dim argument was not given, but got a list of length {len(spacing)}"
            if dim is None
            else "torch.gradient expected spacing to be unspecified, a scalar or it's spacing and dim arguments to "
            f"have the same length, but got a spacing argument of length {len(spacing)} and a dim argument of length "
            f"{len(dims)}."
        )
    if input.dtype.name == "uint8":
        raise RuntimeError("torch.gradient does not support uint8 input.")
    if edge_order not in (1, 2):
        raise RuntimeError("torch.gradient only supports edge_order=1 and edge_order=2.")
    dims = tuple(wrapped_dim(d, input.ndim) for d in dims)
    for i, d in enumerate(dims):
        if d in dims[:i]:
            raise RuntimeError(f"dim {d} appears multiple times in the list of dims")
        if input.shape[d] < edge_order + 1:
            raise RuntimeError("torch.gradient expected each dimension size to be at least edge_order+1")
    steps = tuple(spacing) if isinstance(spacing, (tuple, list)) else (spacing,) * len(dims)
    for step in steps:
        if isinstance(step, Tensor) and step.ndim != 1:
            raise RuntimeError(
                "torch.gradient expected each element of spacing to have one dimension, but got an "
                f"element with {step.ndim} dimensions!"
            )
    return tuple(
        (_uneven if isinstance(step, Tensor) else _even)(input, step, d, edge_order)
        for step, d in zip(steps, dims, strict=True)
    )


def _even(t, step, dim, order):
    """Return central differences, with one-sided differences of first or second order at the ends."""
    step = 1 if step is None else step

    def at(i):
        return t.narrow(dim, i % t.shape[dim], 1)

    n = t.shape[dim] - 2
    middle = (t.narrow(dim, 2, n) - t.narrow(dim, 0, n)) / (2.0 * step)
    if order == 1:
        return cat(((at(1) - at(0)) / step, middle, (at(-1) - at(-2)) / step), dim)
    first = (at(0) * -1.5 + at(1) * 2 - at(2) * 0.5) / step
    last = (at(-3) * 0.5 - at(-2) * 2 + at(-1) * 1.5) / step
    return cat((first, middle, last), dim)


def _uneven(t, places, dim, order):
    """Return differences of samples at given positions: exact for parabolas inside, and at the ends to `order`."""
    n = t.shape[dim]
    if places.shape[0] != n:
        raise RuntimeError(
            f"torch.gradient expected a place for each sample, but got {places.shape[0]} places for the {n} samples "
            f"along dimension {dim}"
        )
    widths = find_operator("torch.diff")(places)

    def along(v):
        return v.reshape(tuple(-1 if d == dim else 1 for d in range(t.ndim)))

    def at(i):
        return t.narrow(dim, i % n, 1)

    def weighted(h, k, pieces):
        """Return the derivative, at the first of three samples, of the parabola through them; the second is at
        distance h from the first, the third at distance k from the second."""
        a, b, c = pieces
        return a * (-(2.0 * h + k) / (h * (h + k))) + b * ((h + k) / (h * k)) - c * (h / (k * (h + k)))

    h, k = widths.narrow(0, 0, n - 2), widths.narrow(0, 1, n - 2)
    left, here, right = (t.narrow(dim, i, n - 2) for i in range(3))
    middle = left * along(-k / (h * (h + k))) + here * along((k - h) / (h * k)) + right * along(h / (k * (h + k)))
    if order == 1:
        first, last = (at(1) - at(0)) / widths[0], (at(-1) - at(-2)) / widths[-1]
    else:
        first = weighted(widths[0], widths[1], (at(0), at(1), at(2)))
        last = -weighted(widths[-1], widths[-2], (at(-1), at(-2), at(-3)))
    return cat((first, middle, last), dim)


_SLOPES = """
The gradient of a sampled function: one tensor of the size of `input` per dimension.

Args:
    spacing: the distance between samples, one for all dimensions or one for each; or, for each dimension, a vector of
    sample points. dim: the dimension or dimensions along which to differentiate; by default all. edge_order:
    1 or 2, the order of the one-sided differences at both ends. Inside, differences are central and of second order.

Raises:
    RuntimeError: a dimension has fewer than `edge_order` + 1 samples or is named twice, `spacing` does not have as many
        items as there are dimensions or a vector in it as many as there are samples, or the dtype is bool or uint8.

>>> import flambeau_tensor as ft
>>> ft.gradient(ft.tensor([1.0, 4.0, 9.0, 16.0]))
(tensor([3., 4., 6., 7.]),)
"""
for _overload, _spacing, _dims in (
    ("scalarint", "Scalar? spacing=None", "int? dim=None"),
    ("scalararray", "Scalar spacing", "int[] dim"),
    ("array", "", "int[] dim"),
    ("scalarrayint", "Scalar[] spacing", "int? dim=None"),
    ("scalarrayarray", "Scalar[] spacing", "int[] dim"),
    ("tensorarrayint", "Tensor[] spacing", "int? dim=None"),
    ("tensorarray", "Tensor[] spacing", "int[] dim"),
):
    _arguments = ", ".join(filter(None, (_spacing, _dims, "int edge_order=1")))
    _function(
        f"gradient.{_overload}(Tensor self, *, {_arguments}) -> Tensor[]",
        _gradients if _spacing else lambda input, dim, edge_order: _gradients(input, None, dim, edge_order),
        _SLOPES,
    )
