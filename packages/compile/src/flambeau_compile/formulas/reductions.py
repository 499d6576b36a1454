"""Sums and their kin over dimensions."""

from typing import Any

from flambeau_compile.formulas import formula
from flambeau_compile.graph import Window

_SMALL = frozenset(("int8", "int16", "int32"))  # sums and products have no loops of their own for these


def dims_of(dim: Any, ndim: int) -> tuple[int, ...]:
    """The dimensions that an argument names; all for None and for an empty list."""
    if dim is None or dim == ():
        return tuple(range(ndim))
    dims = (dim,) if isinstance(dim, int) else dim
    return tuple(sorted(d + ndim if d < 0 else d for d in dims))


def _reduced(b: Any, kind: str, x: Window, dim: Any, out: Window, divisor: float | None = None) -> Any:
    if len(x.sizes) == 0 and dim not in (None, (), 0, -1, (0,), (-1,)):
        return NotImplemented
    dims = dims_of(dim, len(x.sizes)) if x.sizes else ()
    kept = tuple(size for d, size in enumerate(x.sizes) if d not in dims)
    squeezed = out
    if len(out.sizes) != len(kept):
        strides = tuple(out.strides[d] for d in range(len(x.sizes)) if d not in dims)
        squeezed = out._replace(sizes=kept, strides=strides)
    b.reduce(kind, x, dims, squeezed, divisor)
    return None


@formula("torch._ops.sum")
def sum(b: Any, args: Any, out: Window) -> Any:
    x, dim = args[0], args[1]
    if x.dtype != out.dtype and out.dtype != "int64":
        return NotImplemented
    if x.dtype in _SMALL:
        if out.dtype != "int64":
            return NotImplemented
        x = b.copy(x, b.temporary("int64", x.sizes))
    return _reduced(b, "sum", x, dim, out)


@formula("torch._ops.mean")
def mean(b: Any, args: Any, out: Window) -> Any:
    x, dim = args[0], args[1]
    if x.dtype not in ("float32", "float64") or x.dtype != out.dtype:
        return NotImplemented
    n = x.numel // max(out.numel, 1)
    return _reduced(b, "sum", x, dim, out, float(n))


@formula("torch.amax")
def amax(b: Any, args: Any, out: Window) -> Any:
    return _reduced(b, "max", args[0], args[1], out) if args[0].dtype == out.dtype else NotImplemented


@formula("torch.amin")
def amin(b: Any, args: Any, out: Window) -> Any:
    return _reduced(b, "min", args[0], args[1], out) if args[0].dtype == out.dtype else NotImplemented


@formula("torch.max.default")
def max_of_all(b: Any, args: Any, out: Window) -> Any:
    return _reduced(b, "max", args[0], None, out) if args[0].dtype == out.dtype else NotImplemented


@formula("torch.min.default")
def min_of_all(b: Any, args: Any, out: Window) -> Any:
    return _reduced(b, "min", args[0], None, out) if args[0].dtype == out.dtype else NotImplemented


@formula("torch._ops.any")
def any(b: Any, args: Any, out: Window) -> Any:
    return _reduced(b, "max", _truths(b, args[0]), args[1], out) if out.dtype == "bool" else NotImplemented


@formula("torch._ops.all")
def all(b: Any, args: Any, out: Window) -> Any:
    return _reduced(b, "min", _truths(b, args[0]), args[1], out) if out.dtype == "bool" else NotImplemented


def _truths(b: Any, x: Window) -> Window:
    return x if x.dtype == "bool" else b.copy(x, b.temporary("bool", x.sizes))


@formula("torch._ops.prod")
def prod(b: Any, args: Any, out: Window) -> Any:
    x, dim = args[0], args[1]
    if x.dtype == "bool" or x.dtype in _SMALL or x.dtype != out.dtype:
        return NotImplemented
    return _reduced(b, "prod", x, dim, out)


@formula("torch.linalg.vector_norm")
def vector_norm(b: Any, args: Any, out: Window) -> Any:
    """The root of the sum of squares, in float64 as eager has it."""
    x, order, dim = args[:3]
    if order != 2 or x.dtype not in ("float32", "float64") or x.dtype != out.dtype:
        return NotImplemented
    squares = b.temporary("float64", out.sizes)
    if _reduced(b, "square_sum", x, dim, squares) is NotImplemented:
        return NotImplemented
    b.map("sqrt", squares, out=out, reads=("float64",), writes="float64")
    return None
