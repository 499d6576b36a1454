"""Convolutions and pooling of exported programs, as plain loops: small and right rather than fast on large images."""

from math import prod
from typing import Any

from flambeau_compile.exporting.forms import FLOATS, flat_place, form, nest
from flambeau_compile.exporting.language import c_type
from flambeau_compile.graph import Window


def _each(value: Any, n: int) -> tuple[int, ...]:
    """A number for each dimension of an image."""
    if isinstance(value, int):
        return (value,) * n
    return tuple(value) * (n if len(value) == 1 and n > 1 else 1)


class _Sliding:
    """A window that slides over images: loops over outputs and over the window, and the place in the image."""

    def __init__(self, image: tuple[int, ...], out: tuple[int, ...], window: tuple[int, ...], stride: Any, padding: Any,
                 dilation: Any) -> None:  # fmt: skip
        n = len(image)
        stride, padding, dilation = (_each(v, n) for v in (stride, padding, dilation))
        self.outer, self.o = nest(*out, first="o")
        self.inner, self.k = nest(*window, first="k")
        places = [
            f"{o} * {s} + {k} * {d} - {p}"
            for o, k, s, d, p in zip(self.o, self.k, stride, dilation, padding, strict=True)
        ]
        self.declared = " ".join(f"const ptrdiff_t y{d} = {place};" for d, place in enumerate(places))
        self.inside = " && ".join(f"y{d} >= 0 && y{d} < {size}" for d, size in enumerate(image))
        self.at = flat_place([f"y{d}" for d in range(n)], image)
        self.at_out, self.at_window = flat_place(self.o, out), flat_place(self.k, window)


def _taken(x: Window, args: Any, first: int) -> Any:
    stride, padding, dilation, transposed, _, groups = args[first : first + 6]
    if transposed or x.dtype not in FLOATS or isinstance(padding, str):
        return None
    return stride, padding, dilation, groups


@form("torch.convolution")
def convolution(b: Any, args: Any, out: Window) -> Any:
    x, w, bias = args[:3]
    found = _taken(x, args, 3)
    if found is None:
        return NotImplemented
    stride, padding, dilation, groups = found
    s = _Sliding(x.sizes[2:], out.sizes[2:], w.sizes[2:], stride, padding, dilation)
    batch, channels = x.sizes[:2]
    filters, each = w.sizes[:2]
    image, result, window = prod(x.sizes[2:]), prod(out.sizes[2:]), prod(w.sizes[2:])
    begin = "0" if bias is None else "$3$[f]"
    kind = c_type(x.dtype)
    b.loops(
        f"for (ptrdiff_t n = 0; n < {batch}; n++) for (ptrdiff_t f = 0; f < {filters}; f++) {s.outer} {{ "
        f"{kind} sum = {begin}; for (ptrdiff_t c = 0; c < {each}; c++) {s.inner} {{ {s.declared} if ({s.inside}) "
        f"sum += $1$[(n * {channels} + f / {filters // groups} * {each} + c) * {image} + {s.at}] * "
        f"$2$[(f * {each} + c) * {window} + {s.at_window}]; }} "
        f"$0$[(n * {filters} + f) * {result} + {s.at_out}] = sum; }}",
        [], [x, w, *([] if bias is None else [bias])], out,
    )  # fmt: skip
    return None


@form("torch._C._nn.convolution_backward")
def convolution_backward(b: Any, args: Any, out: Any) -> Any:
    g, x, w = args[:3]
    found = _taken(x, args, 4)
    if found is None:
        return NotImplemented
    stride, padding, dilation, groups = found
    s = _Sliding(x.sizes[2:], g.sizes[2:], w.sizes[2:], stride, padding, dilation)
    batch, channels = x.sizes[:2]
    filters, each = w.sizes[:2]
    image, result, window = prod(x.sizes[2:]), prod(g.sizes[2:]), prod(w.sizes[2:])
    at_x = f"(n * {channels} + f / {filters // groups} * {each} + c) * {image} + {s.at}"
    at_w = f"(f * {each} + c) * {window} + {s.at_window}"
    at_g = f"(n * {filters} + f) * {result} + {s.at_out}"
    heads = f"for (ptrdiff_t n = 0; n < {batch}; n++) for (ptrdiff_t f = 0; f < {filters}; f++) {s.outer} " \
            f"for (ptrdiff_t c = 0; c < {each}; c++) {s.inner}"  # fmt: skip
    for target, size, sum_of in ((out[0], x.numel, (at_x, f"$2$[{at_w}]")), (out[1], w.numel, (at_w, f"$2$[{at_x}]"))):
        if target is None:
            continue
        other = w if target is out[0] else x
        b.loops(f"for (ptrdiff_t i = 0; i < {size}; i++) $0$[i] = 0; {heads} {{ {s.declared} if ({s.inside}) "
                f"$0$[{sum_of[0]}] += $1$[{at_g}] * {sum_of[1]}; }}", [], [g, other], target)  # fmt: skip
    if out[2] is not None:
        b.reduce("sum", g, (0, *range(2, len(g.sizes))), out[2])
    return None


def _pooled(x: Window, out: Window, size: Any, stride: Any, padding: Any, dilation: Any) -> tuple[_Sliding, int, int]:
    n = len(x.sizes) - (len(x.sizes) - len(_each(size, 2)) if not isinstance(size, int) else len(x.sizes) - 2)
    window = _each(size, n)
    s = _Sliding(x.sizes[-n:], out.sizes[-n:], window, window if stride in (None, ()) else stride, padding, dilation)
    return s, prod(x.sizes[:-n]), n


@form("torch.nn.functional.max_pool2d_with_indices")
def max_pool2d(b: Any, args: Any, out: Any) -> Any:
    x, size, stride, padding, dilation = args[:5]
    values, places = out
    s, lead, n = _pooled(x, values, size, stride, padding, dilation)
    image, result = prod(x.sizes[-n:]), prod(values.sizes[-n:])
    kind = c_type(x.dtype)
    b.loops(
        f"for (ptrdiff_t n = 0; n < {lead}; n++) {s.outer} {{ {kind} best = 0; ptrdiff_t where = -1; {s.inner} {{ "
        f"{s.declared} if ({s.inside}) {{ const {kind} v = $2$[n * {image} + {s.at}]; "
        f"if (where < 0 || v > best || v != v) {{ best = v; where = {s.at}; }} }} }} "
        f"$0$[n * {result} + {s.at_out}] = best; $1$[n * {result} + {s.at_out}] = where; }}",
        [], [x], values, places,
    )  # fmt: skip


@form("torch._C._nn.max_pool_backward")
def max_pool_backward(b: Any, args: Any, out: Window) -> Any:
    g, places, sizes, n = args[:4]
    image, result = prod(sizes[-n:]), prod(g.sizes[-n:])
    lead = prod(sizes[:-n])
    b.loops(f"for (ptrdiff_t i = 0; i < {out.numel}; i++) $0$[i] = 0; for (ptrdiff_t n = 0; n < {lead}; n++) "
            f"for (ptrdiff_t i = 0; i < {result}; i++) $0$[n * {image} + $2$[n * {result} + i]] += "
            f"$1$[n * {result} + i];",
            [], [g, places], out)  # fmt: skip


@form("torch.nn.functional.avg_pool2d")
def avg_pool2d(b: Any, args: Any, out: Window) -> Any:
    x, size, stride, padding, ceil, _, divisor = args[:7]
    if ceil or (padding not in (0, (0, 0)) and not args[5]):
        return NotImplemented
    s, lead, n = _pooled(x, out, size, stride, padding, 1)
    image, result = prod(x.sizes[-n:]), prod(out.sizes[-n:])
    count = divisor or prod(_each(size, n))
    kind = c_type(x.dtype)
    b.loops(f"for (ptrdiff_t n = 0; n < {lead}; n++) {s.outer} {{ {kind} sum = 0; {s.inner} {{ {s.declared} "
            f"if ({s.inside}) sum += $1$[n * {image} + {s.at}]; }} $0$[n * {result} + {s.at_out}] = sum / {count}; }}",
            [], [x], out)  # fmt: skip
    return None


@form("torch.nn.functional.adaptive_avg_pool2d")
def adaptive_avg_pool2d(b: Any, args: Any, out: Window) -> Any:
    x = args[0]
    if x.sizes[-2] % out.sizes[-2] or x.sizes[-1] % out.sizes[-1]:
        return NotImplemented
    size = x.sizes[-2] // out.sizes[-2], x.sizes[-1] // out.sizes[-1]
    return avg_pool2d(b, (x, size, size, 0, False, True, None), out)
