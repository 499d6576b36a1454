"""Sums, extremes, softmax and similar operations along dimensions."""

from math import prod
from typing import Any

from flambeau_compile.exporting.forms import FLOATS, form, kept, nest, wrapped
from flambeau_compile.exporting.language import c_type
from flambeau_compile.formulas.reductions import dims_of
from flambeau_compile.graph import C_TYPES, Window


def lowered(b: Any, x: Window, dim: int) -> tuple[Window, Window]:
    """Return elements minus the maximum along a dimension, and the sums of their exponentials, with this dimension."""
    d = wrapped(dim, x.sizes)
    low = b.apply("sub", x, b.reduce("max", x, (d,)).unsqueeze(d))
    return low, b.reduce("sum", b.apply("exp", low), (d,)).unsqueeze(d)


@form("torch.softmax")
def softmax(b: Any, args: Any, out: Window) -> Any:
    x, dim = args[:2]
    if x.dtype not in FLOATS or x.dtype != out.dtype or not x.sizes or x.numel == 0:
        return NotImplemented
    low, total = lowered(b, x, dim)
    b.apply("div", b.apply("exp", low), total, out=out)
    return None


@form("torch.log_softmax")
def log_softmax(b: Any, args: Any, out: Window) -> Any:
    x, dim = args[:2]
    if x.dtype not in FLOATS or x.dtype != out.dtype or not x.sizes or x.numel == 0:
        return NotImplemented
    low, total = lowered(b, x, dim)
    b.apply("sub", low, b.apply("log", total), out=out)
    return None


def deviations(b: Any, x: Window, dims: tuple[int, ...], correction: float) -> tuple[Window, Window]:
    """The variance, and the deviations from the mean."""
    n = prod(x.sizes[d] for d in dims)
    away = b.apply("sub", x, kept(b.reduce("sum", x, dims, None, float(n)), dims))
    return b.reduce("sum", b.apply("mul", away, away), dims, None, n - correction), away


@form("torch._ops.var", "torch._ops.std")
def var(b: Any, args: Any, out: Window) -> Any:
    x, dim, correction = args[:3]
    dims = dims_of(dim, len(x.sizes))
    if (
        x.dtype not in FLOATS
        or not isinstance(correction, (int, float))
        or prod(x.sizes[d] for d in dims) <= correction
    ):
        return NotImplemented
    result, _ = deviations(b, x, dims, correction)
    result = result._replace(sizes=out.sizes, strides=out.strides) if len(out.sizes) != len(result.sizes) else result
    b.apply("sqrt" if b.operator.endswith("std") else "copy", result, out=out)
    return None


def _best(b: Any, x: Window, dim: Any, index: Window | None, value: Window | None, sign: str) -> Any:
    """Compute the first largest or smallest element along a dimension and its index; nan precedes all others."""
    if x.dtype not in C_TYPES or x.numel == 0:
        return NotImplemented
    flat = dim is None or not x.sizes
    d = 0 if flat else wrapped(dim, x.sizes)
    sizes = (x.numel,) if flat else x.sizes
    outer, n, inner = prod(sizes[:d]), sizes[d], prod(sizes[d + 1 :])
    kind = c_type(x.dtype)
    outs = [w for w in (index, value) if w is not None]
    places = [f"${i}$" for i in range(len(outs) + 1)]
    heads, (o, i) = nest(outer, inner, first="o")
    nan = (
        f" || (a[p * {inner}] != a[p * {inner}] && a[best * {inner}] == a[best * {inner}])" if x.dtype in FLOATS else ""
    )
    stores = ""
    if index is not None:
        stores += f"{places[0]}[{o} * {inner} + {i}] = best; "
    if value is not None:
        stores += f"{places[len(outs) - 1]}[{o} * {inner} + {i}] = a[best * {inner}]; "
    text = (
        f"{heads} {{ const {kind} *a = {places[-1]} + {o} * {n * inner} + {i}; ptrdiff_t best = 0; "
        f"for (ptrdiff_t p = 1; p < {n}; p++) if (a[p * {inner}] {sign} a[best * {inner}]{nan}) best = p; {stores}}}"
    )
    b.loops(text, [], [x], *outs)
    return None


@form("torch.tril", "torch.triu")
def triangle(b: Any, args: Any, out: Window) -> None:
    x, diagonal = args[:2]
    rows, columns = x.sizes[-2:]
    inside = "c - r <=" if b.operator.startswith("torch.tril") else "c - r >="
    at = f"(n * {rows} + r) * {columns} + c"
    b.loops(f"for (ptrdiff_t n = 0; n < {prod(x.sizes[:-2])}; n++) for (ptrdiff_t r = 0; r < {rows}; r++) "
            f"for (ptrdiff_t c = 0; c < {columns}; c++) $0$[{at}] = {inside} {diagonal} ? $1$[{at}] : 0;",
            [], [x], out)  # fmt: skip


@form("torch.argmax")
def argmax(b: Any, args: Any, out: Window) -> Any:
    return _best(b, args[0], args[1], out, None, ">")


@form("torch.argmin")
def argmin(b: Any, args: Any, out: Window) -> Any:
    return _best(b, args[0], args[1], out, None, "<")


@form("torch.max.dim")
def max_dim(b: Any, args: Any, out: Any) -> Any:
    return _best(b, args[0], args[1], out[1], out[0], ">")


@form("torch.min.dim")
def min_dim(b: Any, args: Any, out: Any) -> Any:
    return _best(b, args[0], args[1], out[1], out[0], "<")


@form("torch.cumsum")
def cumsum(b: Any, args: Any, out: Window) -> Any:
    x, d = args[0], wrapped(args[1], args[0].sizes)
    if x.dtype != out.dtype or not x.sizes or x.numel == 0:
        return NotImplemented
    outer, n, inner = prod(x.sizes[:d]), x.sizes[d], prod(x.sizes[d + 1 :])
    heads, (o, i) = nest(outer, inner, first="o")
    at = f"{o} * {n * inner} + p * {inner} + {i}"
    wide = "double" if x.dtype in FLOATS else "int64_t"
    b.loops(f"{heads} {{ {wide} s = 0; for (ptrdiff_t p = 0; p < {n}; p++) {{ s += $1$[{at}]; "
            f"$0$[{at}] = ({c_type(x.dtype)})s; }} }}", [], [x], out)  # fmt: skip
    return None
