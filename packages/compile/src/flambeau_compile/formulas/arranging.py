"""Rearrangements of elements, and values that depend only on a shape: eye, flips, triangles, padding, ranges."""

from typing import Any

from flambeau_compile.formulas import formula
from flambeau_compile.formulas.reductions import dims_of
from flambeau_compile.graph import C_TYPES, COMPUTED, Window

FEW = 16  # rows or elements with one step each, which the printer for tiny programs simplifies


def _diagonal(w: Window, offset: int, first: int, second: int) -> Window:
    """Return the elements with equal indices in two dimensions, as a new last dimension."""
    dims = [d for d in range(len(w.sizes)) if d not in (first, second)]
    row, column = (0, offset) if offset >= 0 else (-offset, 0)
    n = max(min(w.sizes[first] - row, w.sizes[second] - column), 0)
    start = w.offset + row * w.strides[first] + column * w.strides[second] if n else w.offset
    sizes, strides = tuple(w.sizes[d] for d in dims), tuple(w.strides[d] for d in dims)
    return w._replace(offset=start, sizes=(*sizes, n), strides=(*strides, w.strides[first] + w.strides[second]))


@formula("torch._ops.eye")
def eye(b: Any, args: Any, out: Window) -> None:
    b.copy(0, out)
    b.copy(1, _diagonal(out, 0, 0, 1))


@formula("torch._ops.diagonal_backward")
def diagonal_backward(b: Any, args: Any, out: Window) -> Any:
    grad, _, offset, first, second = args
    n = len(out.sizes)
    target = _diagonal(out, offset, first % n, second % n)
    if target.sizes != grad.sizes:
        return NotImplemented
    b.copy(0, out)
    b.copy(grad, target)
    return None


@formula("torch.flip")
def flip(b: Any, args: Any, out: Window) -> Any:
    source, dims = args[0], args[1]
    for d in dims_of(dims, len(source.sizes)) if dims != () and source.numel and source.sizes else ():
        strides = list(source.strides)
        offset = source.offset + (source.sizes[d] - 1) * strides[d]
        strides[d] = -strides[d]
        source = source._replace(offset=offset, strides=tuple(strides))
    b.copy(source, out)
    return None


def _triangle(b: Any, x: Window, diagonal: int, out: Window, *, upper: bool) -> Any:
    rows, columns = x.sizes[-2:]
    if out.numel == 0 or out.buffer is x.buffer:
        return NotImplemented
    dims = len(x.sizes)
    if rows > FEW:
        kind, kept = C_TYPES[x.dtype], ">=" if upper else "<="
        b.loops(
            f"const {kind} *x = $1$; {kind} *y = $0$; for (fl_size r = 0; r < {out.numel // columns}; r++) "
            f"for (fl_size j = 0; j < {columns}; j++) "
            f"y[r * {columns} + j] = j {kept} r % {rows} + ({diagonal}) ? x[r * {columns} + j] : 0;",
            [], [x], out,
        )  # fmt: skip
        return None
    b.copy(0, out)
    for i in range(rows):
        edge = min(max(i + diagonal + (0 if upper else 1), 0), columns)
        start, n = (edge, columns - edge) if upper else (0, edge)
        if n:
            row = (w.narrow(dims - 2, i, 1).narrow(dims - 1, start, n) for w in (x, out))
            b.copy(*row)
    return None


@formula("torch.tril")
def tril(b: Any, args: Any, out: Window) -> Any:
    return _triangle(b, args[0], args[1], out, upper=False)


@formula("torch.triu")
def triu(b: Any, args: Any, out: Window) -> Any:
    return _triangle(b, args[0], args[1], out, upper=True)


@formula("torch._C._nn.constant_pad_nd")
def constant_pad_nd(b: Any, args: Any, out: Window) -> Any:
    source, pad, value = args[0], args[1], args[2]
    if isinstance(value, complex) or source.numel == 0:
        return NotImplemented
    target = out
    for i in range(len(pad) // 2):
        d = len(out.sizes) - 1 - i
        before, after = pad[2 * i], pad[2 * i + 1]
        if before < 0 or after < 0:
            return NotImplemented
        target = target.narrow(d, before, source.sizes[d])
    if target.sizes != source.sizes:
        return NotImplemented
    b.copy(value, out)
    b.copy(source, target)
    return None


@formula("torch._ops.arange")
def arange(b: Any, args: Any, out: Window) -> Any:
    start, step = args[1], args[2]
    n = out.numel
    if not all(type(number) is int for number in (start, step)) or out.dtype not in COMPUTED:
        return NotImplemented
    if max(abs(start), abs(start + n * step)) > 1 << 24:
        return NotImplemented
    if n <= FEW:
        for i in range(n):
            b.copy(start + i * step, out.select(0, i))
    else:
        kind = C_TYPES[out.dtype]
        fill = f"for (fl_size i = 0; i < {n}; i++) x[i] = ({kind})({start} + i * {step});"
        b.loops(f"{kind} *x = $0$; {fill}", [], [], out)
    return None


@formula("torch._ops.to_copy")
def to_copy(b: Any, args: Any, out: Window) -> Any:
    if args[0].dtype in ("float32", "float64") and out.dtype not in ("float32", "float64", "bool"):
        return NotImplemented  # the kernel handles invalid arguments
    b.copy(args[0], out)
    return None


@formula("torch.masked_fill", "torch.Tensor.masked_fill_")
def masked_fill(b: Any, args: Any, out: Window) -> Any:
    x, mask, value = args[:3]
    if not isinstance(value, Window):
        if x.dtype not in ("float32", "float64"):
            return NotImplemented
        value = b.copy(value, b.temporary(x.dtype, ()))
    if value.sizes or x.dtype != out.dtype or mask.dtype != "bool":
        return NotImplemented
    if x.sizes != out.sizes or len(mask.sizes) > len(x.sizes):
        return NotImplemented
    if value.dtype != x.dtype:
        if x.dtype not in ("float32", "float64"):
            return NotImplemented
        value = b.copy(value, b.temporary(x.dtype, ()))
    b.map("where", mask, value, x, out=out, reads=("bool", x.dtype, x.dtype), writes=x.dtype)
    return None
