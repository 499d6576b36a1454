"""Losses and their gradients."""

from typing import Any

from flambeau_compile.exporting.forms import FLOATS, form
from flambeau_compile.exporting.forms.dimensions import lowered
from flambeau_compile.exporting.language import c_type
from flambeau_compile.graph import Window


def _total(b: Any, x: Window, reduction: str, out: Window) -> None:
    if reduction == "none":
        b.apply("copy", x, out=out)
    else:
        b.reduce("sum", x, tuple(range(len(x.sizes))), out, float(x.numel) if reduction == "mean" else None)


def _share(b: Any, g: Window, x: Window, reduction: str) -> Window:
    """The gradient of each element's loss."""
    return b.apply("div", g, float(x.numel)) if reduction == "mean" else g


@form("torch._C._nn.binary_cross_entropy_with_logits")
def binary_cross_entropy_with_logits(b: Any, args: Any, out: Window) -> Any:
    x, y, reduction = args[:3]
    low = b.apply("sub", b.apply("mul", x, b.apply("rsub", y, 1.0)), b.apply("logsigmoid", x))
    _total(b, low, reduction, out)


@form("torch._C._nn.binary_cross_entropy_with_logits_backward")
def binary_cross_entropy_with_logits_backward(b: Any, args: Any, out: Window) -> Any:
    g, x, y, reduction = args[:4]
    b.apply("mul", b.apply("sub", b.apply("sigmoid", x), y), _share(b, g, x, reduction), out=out)


@form("torch._C._nn.huber_loss")
def huber_loss(b: Any, args: Any, out: Window) -> None:
    x, y, reduction, delta = args[:4]
    away = b.apply("abs", b.apply("sub", x, y))
    small = b.apply("clamp_max", away, delta)  # half its square, and a line from there on
    inside = b.apply("mul", b.apply("mul", small, small), 0.5)
    _total(b, b.apply("add", inside, b.apply("mul", b.apply("sub", away, small), delta)), reduction, out)


@form("torch._C._nn.huber_loss_backward")
def huber_loss_backward(b: Any, args: Any, out: Window) -> None:
    g, x, y, reduction, delta = args[:5]
    slope = b.apply("clamp_both", b.apply("sub", x, y), -float(delta), float(delta))
    b.apply("mul", slope, _share(b, g, x, reduction), out=out)


@form("torch._C._nn.l1_loss_backward")
def l1_loss_backward(b: Any, args: Any, out: Window) -> None:
    g, x, y, reduction = args[:4]
    b.apply("mul", b.apply("sign", b.apply("sub", x, y)), _share(b, g, x, reduction), out=out)


@form("torch._C._nn.smooth_l1_loss")
def smooth_l1_loss(b: Any, args: Any, out: Window) -> Any:
    x, y, reduction, beta = args[:4]
    if beta <= 0:
        return NotImplemented
    away = b.apply("abs", b.apply("sub", x, y))
    inside = b.apply("mul", b.apply("mul", away, away), 0.5 / beta)
    small = b.map("lt", away, beta, reads=(x.dtype, x.dtype), writes="bool")
    chosen = b.map("where", small, inside, b.apply("sub", away, 0.5 * beta), reads=("bool", x.dtype, x.dtype),
                   writes=x.dtype, dtype=x.dtype)  # fmt: skip
    _total(b, chosen, reduction, out)
    return None


@form("torch._C._nn.smooth_l1_loss_backward")
def smooth_l1_loss_backward(b: Any, args: Any, out: Window) -> Any:
    g, x, y, reduction, beta = args[:5]
    if beta <= 0:
        return NotImplemented
    slope = b.apply("clamp_both", b.apply("div", b.apply("sub", x, y), beta), -1.0, 1.0)
    b.apply("mul", slope, _share(b, g, x, reduction), out=out)
    return None


def _classes(args: Any, first: int) -> Any:
    """(scores, classes, reduction) of a cross entropy with one class for each row, or None."""
    x, y, weight, ignored, reduction, smoothing = args[first : first + 6]
    plain = weight is None and smoothing == 0 and y.dtype == "int64" and len(x.sizes) in (1, 2)
    return (x, y, reduction, ignored) if plain and x.dtype in FLOATS and x.numel else None


@form("torch._C._nn.nll")
def nll(b: Any, args: Any, out: Any) -> Any:
    x, y, weight, ignored, reduction = args[:5]
    if weight is not None or len(x.sizes) not in (1, 2) or y.dtype != "int64":
        return NotImplemented
    _picked(b, x, y, ignored, reduction, out)
    return None


@form("torch._C._nn.binary_cross_entropy")
def binary_cross_entropy(b: Any, args: Any, out: Window) -> Any:
    x, y, reduction = args[0], args[1], next(a for a in args if isinstance(a, str))
    if any(isinstance(a, Window) for a in args[2:]):
        return NotImplemented
    yes = b.apply("mul", y, b.apply("clamp_min", b.apply("log", x), -100.0))
    no = b.apply("mul", b.apply("rsub", y, 1.0), b.apply("clamp_min", b.apply("log1p", b.apply("neg", x)), -100.0))
    _total(b, b.apply("neg", b.apply("add", yes, no)), reduction, out)
    return None


@form("torch._C._nn.binary_cross_entropy_backward")
def binary_cross_entropy_backward(b: Any, args: Any, out: Window) -> Any:
    g, x, y = args[:3]
    reduction = next(a for a in args if isinstance(a, str))
    if any(isinstance(a, Window) for a in args[3:]):
        return NotImplemented
    spread = b.apply("clamp_min", b.apply("mul", x, b.apply("rsub", x, 1.0)), 1e-12)
    b.apply("mul", b.apply("div", b.apply("sub", x, y), spread), _share(b, g, x, reduction), out=out)
    return None


def _picked(b: Any, logs: Window, y: Window, ignored: int, reduction: str, out: Window) -> None:
    """The losses of rows, each the negative of the element that its class names."""
    n = logs.sizes[-1]
    rows = logs.numel // n
    store = "$0$[i] = " if reduction == "none" else "s += "
    divided = " / (seen ? seen : NAN)" if reduction == "mean" else ""
    end = "" if reduction == "none" else f"*$0$ = ({c_type(logs.dtype)})(s{divided});"
    b.loops(f"double s = 0; double seen = 0; for (ptrdiff_t i = 0; i < {rows}; i++) {{ const int taken = $2$[i] != "
            f"{ignored}; seen += taken; {store}taken ? -$1$[i * {n} + $2$[i]] : 0; }} (void)s; (void)seen; {end}",
            [], [logs, y], out)  # fmt: skip


@form("torch._C._nn.cross_entropy")
def cross_entropy(b: Any, args: Any, out: Window) -> Any:
    found = _classes(args, 0)
    if found is None:
        return NotImplemented
    x, y, reduction, ignored = found
    low, total = lowered(b, x, -1)
    _picked(b, b.apply("sub", low, b.apply("log", total)), y, ignored, reduction, out)
    return None


@form("torch._C._nn.cross_entropy_backward")
def cross_entropy_backward(b: Any, args: Any, out: Window) -> Any:
    found = _classes(args, 1)
    if found is None:
        return NotImplemented
    g = args[0]
    x, y, reduction, ignored = found
    n = x.sizes[-1]
    rows = x.numel // n
    kind = c_type(x.dtype)
    low, total = lowered(b, x, -1)
    chances = b.apply("div", b.apply("exp", low), total)
    share = "$2$[i]" if reduction == "none" else "*$2$ / seen" if reduction == "mean" else "*$2$"
    b.loops(f"{kind} seen = 0; for (ptrdiff_t i = 0; i < {rows}; i++) seen += $3$[i] != {ignored}; (void)seen; "
            f"for (ptrdiff_t i = 0; i < {rows}; i++) for (ptrdiff_t j = 0; j < {n}; j++) $0$[i * {n} + j] = "
            f"$3$[i] == {ignored} ? 0 : ($1$[i * {n} + j] - (j == $3$[i])) * ({share});",
            [], [chances, g, y], out)  # fmt: skip
    return None
