"""Normalization, attention, and linear layers of rows that do not lie together."""

from math import prod
from typing import Any

from flambeau_compile.exporting.forms import FLOATS, form, kept
from flambeau_compile.exporting.forms.dimensions import deviations, lowered
from flambeau_compile.exporting.language import number
from flambeau_compile.formulas import matmul
from flambeau_compile.graph import C_TYPES, Window


@form("torch.nn.functional.layer_norm")
def layer_norm(b: Any, args: Any, out: Window) -> Any:
    x, shape, weight, bias, eps = args[:5]
    count = len(shape) if isinstance(shape, tuple) else 1
    if x.dtype not in FLOATS or x.numel == 0:
        return NotImplemented
    dims = tuple(range(len(x.sizes) - count, len(x.sizes)))
    variance, away = deviations(b, x, dims, 0)
    rate = kept(b.apply("rsqrt", b.apply("add", variance, eps)), dims)
    result = b.apply("mul", away, rate)
    if weight is not None:
        result = b.apply("mul", result, weight)
    b.apply("copy" if bias is None else "add", result, *([] if bias is None else [bias]), out=out)
    return None


@form("torch._C._nn.channel_scale")
def channel_scale(b: Any, args: Any, out: Window) -> Any:
    x, mean, spread, weight, bias, eps = args[:6]
    if x.dtype not in FLOATS or mean.dtype != x.dtype:
        return NotImplemented

    def per_channel(w: Window) -> Window:
        return kept(w, (1,) * (len(x.sizes) - 2))

    scale = b.apply("rsqrt", b.apply("add", spread, eps))
    if weight is not None:
        scale = b.apply("mul", scale, weight)
    result = b.apply("mul", b.apply("sub", x, per_channel(mean)), per_channel(scale))
    b.apply("copy" if bias is None else "add", result, *([] if bias is None else [per_channel(bias)]), out=out)
    return None


@form("torch._C._nn.layer_norm_backward")
def layer_norm_backward(b: Any, args: Any, out: Any) -> Any:
    g, x, shape, weight, bias, eps = args[:6]
    count = len(shape) if isinstance(shape, tuple) else 1
    if x.dtype not in FLOATS or x.numel == 0:
        return NotImplemented
    dims = tuple(range(len(x.sizes) - count, len(x.sizes)))
    rows = tuple(range(len(x.sizes) - count))
    n = float(prod(x.sizes[d] for d in dims))

    variance, away = deviations(b, x, dims, 0)
    rate = kept(b.apply("rsqrt", b.apply("add", variance, eps)), dims)
    normal = b.apply("mul", away, rate)
    scaled = g if weight is None else b.apply("mul", g, weight)
    mean = kept(b.reduce("sum", scaled, dims, None, n), dims)
    along = kept(b.reduce("sum", b.apply("mul", scaled, normal), dims, None, n), dims)
    if out[0] is not None:
        inner = b.apply("sub", b.apply("sub", scaled, mean), b.apply("mul", normal, along))
        b.apply("mul", inner, rate, out=out[0])
    if out[1] is not None:
        b.reduce("sum", b.apply("mul", g, normal), rows, out[1])
    if out[2] is not None:
        b.reduce("sum", g, rows, out[2])
    return None


@form("torch.nn.functional.linear")
def linear(b: Any, args: Any, out: Window) -> Any:
    """Rows that do not lie one after the other are copied first."""
    x, *more = args
    return matmul.linear(b, (b.dense(x), *more), out)


@form("torch._C._nn.attention")
def attention(b: Any, args: Any, out: Any) -> Any:
    q, k, v, mask, causal, scale = args[:6]
    if mask is not None or q.dtype not in FLOATS or len({len(w.sizes) for w in (q, k, v)}) > 1:
        return NotImplemented
    scores = b.apply("mul", b.product(q, k.t()), scale)
    if causal:
        scores = b.dense(scores)
        lead, (n, m) = prod(scores.sizes[:-2]), scores.sizes[-2:]
        masked = b.temporary(scores.dtype, scores.sizes)
        least = number(C_TYPES[scores.dtype], float("-inf"))
        b.loops(f"for (ptrdiff_t i = 0; i < {lead}; i++) for (ptrdiff_t j = 0; j < {n}; j++) for (ptrdiff_t p = 0; "
                f"p < {m}; p++) $0$[(i * {n} + j) * {m} + p] = p > j ? {least} : $1$[(i * {n} + j) * {m} + p];",
                [], [scores], masked)  # fmt: skip
        scores = masked
    low, total = lowered(b, scores, -1)
    b.product(b.apply("div", b.apply("exp", low), total), v, out[0])
    return None
