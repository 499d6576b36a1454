"""Normalization, attention, and linear layers on rows that are not adjacent."""

from math import prod
from typing import Any

from flambeau_compile.exporting.forms import FLOATS, form, kept
from flambeau_compile.exporting.forms.dimensions import deviations, lowered
from flambeau_compile.exporting.language import number
from flambeau_compile.formulas import matmul
from flambeau_compile.graph import C_TYPES, Window

LARGEST = {"float32": 3.4028234663852886e38, "float64": 1.7976931348623157e308}  # finite numbers


def _last(x: Window, shape: Any) -> tuple[int, ...]:
    """The dimensions whose sizes are `normalized_shape`."""
    count = len(shape) if isinstance(shape, tuple) else 1
    return tuple(range(len(x.sizes) - count, len(x.sizes)))


@form("torch.nn.functional.layer_norm")
def layer_norm(b: Any, args: Any, out: Window) -> Any:
    x, shape, weight, bias, eps = args[:5]
    if x.dtype not in FLOATS or x.numel == 0:
        return NotImplemented
    dims = _last(x, shape)
    variance, away = deviations(b, x, dims, 0)
    rate = kept(b.apply("rsqrt", b.apply("add", variance, eps)), dims)
    result = b.apply("mul", away, rate)
    if weight is not None:
        result = b.apply("mul", result, weight)
    b.apply("copy" if bias is None else "add", result, *([] if bias is None else [bias]), out=out)
    return None


def _scaled_rows(b: Any, x: Window, dims: tuple[int, ...], eps: float) -> tuple[Window, Window]:
    """The rows divided by their root mean squares, and the factor."""
    n = float(prod(x.sizes[d] for d in dims))
    rate = kept(b.apply("rsqrt", b.apply("add", b.reduce("sum", b.apply("mul", x, x), dims, None, n), eps)), dims)
    return b.apply("mul", x, rate), rate


@form("torch._C._nn.rms_rows")
def rms_rows(b: Any, args: Any, out: Window) -> Any:
    x, shape, weight, eps = args[:4]
    if x.dtype not in FLOATS or x.numel == 0:
        return NotImplemented
    result, _ = _scaled_rows(b, x, _last(x, shape), eps)
    b.apply("copy" if weight is None else "mul", result, *([] if weight is None else [weight]), out=out)
    return None


@form("torch._C._nn.rms_rows_backward")
def rms_rows_backward(b: Any, args: Any, out: Any) -> Any:
    g, x, shape, weight, eps = args[:5]
    if x.dtype not in FLOATS or x.numel == 0:
        return NotImplemented
    dims = _last(x, shape)
    normal, rate = _scaled_rows(b, x, dims, eps)
    scaled = g if weight is None else b.apply("mul", g, weight)
    n = float(prod(x.sizes[d] for d in dims))
    along = kept(b.reduce("sum", b.apply("mul", scaled, normal), dims, None, n), dims)
    if out[0] is not None:
        b.apply("mul", b.apply("sub", scaled, b.apply("mul", normal, along)), rate, out=out[0])
    if out[1] is not None:
        b.reduce("sum", b.apply("mul", g, normal), tuple(range(dims[0])), out[1])
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
    if x.dtype not in FLOATS or x.numel == 0:
        return NotImplemented
    dims = _last(x, shape)
    rows = tuple(range(dims[0]))
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
    """Copy rows that are not adjacent first."""
    x, *more = args
    return matmul.linear(b, (b.dense(x), *more), out)


def _weights(b: Any, q: Window, k: Window, mask: Any, causal: bool, scale: float) -> Window:
    """Return the weights of the keys; zeros for queries that must not attend to any key."""
    scores = b.apply("mul", b.product(q, k.t()), scale)
    nothing = float("-inf")
    if causal:
        scores = b.dense(scores)
        lead, (n, m) = prod(scores.sizes[:-2]), scores.sizes[-2:]
        masked = b.temporary(scores.dtype, scores.sizes)
        least = number(C_TYPES[scores.dtype], nothing)
        b.loops(f"for (ptrdiff_t i = 0; i < {lead}; i++) for (ptrdiff_t j = 0; j < {n}; j++) for (ptrdiff_t p = 0; "
                f"p < {m}; p++) $0$[(i * {n} + j) * {m} + p] = p > j ? {least} : $1$[(i * {n} + j) * {m} + p];",
                [], [scores], masked)  # fmt: skip
        scores = masked
    if mask is not None and mask.dtype == "bool":
        reads = ("bool", scores.dtype, scores.dtype)
        scores = b.map("where", mask, scores, nothing, reads=reads, writes=scores.dtype, dtype=scores.dtype)
    elif mask is not None:
        scores = b.apply("add", scores, b.dense(mask, scores.dtype))
    if mask is None:
        low, total = lowered(b, scores, -1)
    else:  # of a row of infinities, exponentials are zeros, and others have a sum of 1 or more
        d = len(scores.sizes) - 1
        largest = b.apply("clamp_min", b.reduce("max", scores, (d,)), -LARGEST[scores.dtype])
        low = b.apply("sub", scores, largest.unsqueeze(d))
        total = b.apply("clamp_min", b.reduce("sum", b.apply("exp", low), (d,)), 1.0).unsqueeze(d)
    return b.apply("div", b.apply("exp", low), total)


def _fits(*operands: Window) -> bool:
    """Whether attention has a form for these operands."""
    return operands[0].dtype in FLOATS and len({len(w.sizes) for w in operands}) == 1


@form("torch._C._nn.attention")
def attention(b: Any, args: Any, out: Any) -> Any:
    q, k, v, mask, causal, scale = args[:6]
    if not _fits(q, k, v):
        return NotImplemented
    b.product(_weights(b, q, k, mask, causal, scale), v, out[0])
    return None


@form("torch._C._nn.attention_backward")
def attention_backward(b: Any, args: Any, out: Any) -> Any:
    g, _, q, k, v, mask, causal, scale = args[:8]
    if not _fits(q, k, v) or len({w.sizes[:-2] for w in (q, k, v, g)}) > 1:
        return NotImplemented
    weights = _weights(b, q, k, mask, causal, scale)
    of_weights = b.product(g, v.t())
    d = len(weights.sizes) - 1
    mean = b.reduce("sum", b.apply("mul", of_weights, weights), (d,)).unsqueeze(d)
    of_scores = b.apply("mul", b.apply("mul", weights, b.apply("sub", of_weights, mean)), scale)
    for w, left, right in ((out[0], of_scores, k), (out[1], of_scores.t(), q), (out[2], weights.t(), g)):
        if w is not None:
            b.product(left, right, w)
    return None
