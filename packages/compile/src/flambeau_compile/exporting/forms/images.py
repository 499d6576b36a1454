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


class _Filters(_Sliding):
    """Filters that slide over a batch of images: the places of an element of the image, the filter and the result."""

    def __init__(self, x: Window, w: Window, result: Window, options: Any) -> None:
        stride, padding, dilation, _, _, groups = options
        super().__init__(x.sizes[2:], result.sizes[2:], w.sizes[2:], stride, padding, dilation)
        batch, channels = x.sizes[:2]
        filters, self.each = w.sizes[:2]
        group = f"f / {filters // groups} * {self.each}"
        self.at_x = f"(n * {channels} + {group} + c) * {prod(x.sizes[2:])} + {self.at}"
        self.at_w = f"(f * {self.each} + c) * {prod(w.sizes[2:])} + {self.at_window}"
        self.at_result = f"(n * {filters} + f) * {prod(result.sizes[2:])} + {self.at_out}"
        self.outer = f"for (ptrdiff_t n = 0; n < {batch}; n++) for (ptrdiff_t f = 0; f < {filters}; f++) {self.outer}"
        self.inner = f"for (ptrdiff_t c = 0; c < {self.each}; c++) {self.inner}"


def _is_plain(x: Window, options: Any) -> bool:
    return not options[3] and x.dtype in FLOATS and not isinstance(options[1], str)


@form("torch.convolution")
def convolution(b: Any, args: Any, out: Window) -> Any:
    x, w, bias = args[:3]
    if not _is_plain(x, args[3:9]):
        return NotImplemented
    s = _Filters(x, w, out, args[3:9])
    b.loops(
        f"{s.outer} {{ {c_type(x.dtype)} sum = {'0' if bias is None else '$3$[f]'}; {s.inner} {{ {s.declared} "
        f"if ({s.inside}) sum += $1$[{s.at_x}] * $2$[{s.at_w}]; }} $0$[{s.at_result}] = sum; }}",
        [], [x, w, *([] if bias is None else [bias])], out,
    )  # fmt: skip
    return None


@form("torch._C._nn.convolution_backward")
def convolution_backward(b: Any, args: Any, out: Any) -> Any:
    g, x, w = args[:3]
    if not _is_plain(x, args[4:10]):
        return NotImplemented
    s = _Filters(x, w, g, args[4:10])
    for target, other, own, place in ((out[0], w, s.at_x, s.at_w), (out[1], x, s.at_w, s.at_x)):
        if target is not None:
            b.loops(f"for (ptrdiff_t i = 0; i < {target.numel}; i++) $0$[i] = 0; {s.outer} {s.inner} {{ {s.declared} "
                    f"if ({s.inside}) $0$[{own}] += $1$[{s.at_result}] * $2$[{place}]; }}",
                    [], [g, other], target)  # fmt: skip
    if out[2] is not None:
        b.reduce("sum", g, (0, *range(2, len(g.sizes))), out[2])
    return None


def _pooled(x: Window, out: Window, size: Any, stride: Any, padding: Any, dilation: Any) -> tuple[_Sliding, int]:
    """A window that slides over images of two dimensions, and how many images there are."""
    window = _each(size, 2)
    stride = window if stride in (None, ()) else stride
    return _Sliding(x.sizes[-2:], out.sizes[-2:], window, stride, padding, dilation), prod(x.sizes[:-2])


@form("torch.nn.functional.max_pool2d_with_indices")
def max_pool2d(b: Any, args: Any, out: Any) -> Any:
    x, size, stride, padding, dilation = args[:5]
    values, places = out
    s, lead = _pooled(x, values, size, stride, padding, dilation)
    image, result = prod(x.sizes[-2:]), prod(values.sizes[-2:])
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
    s, lead = _pooled(x, out, size, stride, padding, 1)
    image, result = prod(x.sizes[-2:]), prod(out.sizes[-2:])
    count = divisor or prod(_each(size, 2))
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
