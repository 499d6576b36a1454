"""Losses, in the order in which the kernels compute them."""

from typing import Any

from flambeau_compile.formulas import formula
from flambeau_compile.graph import Window

_FLOATS = ("float32", "float64")
_ALL_DOUBLE = {"reads": ("float64", "float64"), "writes": "float64"}


@formula("torch._C._nn.mse_loss")
def mse_loss(b: Any, args: Any, out: Window) -> Any:
    x, y, reduction = args[:3]
    if x.dtype not in _FLOATS or x.dtype != y.dtype or x.sizes != y.sizes:
        return NotImplemented
    difference = b.map("sub", x, y)
    if reduction == "none":
        b.map("mul", difference, difference, out=out)
        return None
    squares = b.map("mul", difference, difference)
    dims = tuple(range(len(x.sizes)))
    b.reduce("losses", squares, dims, out, float(x.numel) if reduction == "mean" else None)
    return None


@formula("torch._C._nn.mse_loss_backward")
def mse_loss_backward(b: Any, args: Any, out: Window) -> Any:
    grad, x, y, reduction = args[:4]
    if x.dtype not in _FLOATS or not x.dtype == y.dtype == grad.dtype or x.sizes != y.sizes or x.numel == 0:
        return NotImplemented
    doubled = b.map("mul", 2, b.map("sub", x, y), dtype=x.dtype)
    if reduction != "none":
        factor = b.temporary(x.dtype, ())
        scale = 1.0 / x.numel if reduction == "mean" else 1.0
        b.map("mul", grad._replace(sizes=(), strides=()), scale, out=factor, **_ALL_DOUBLE)
        grad = factor
    b.map("mul", doubled, grad, out=out)
    return None


@formula("torch._C._nn.l1_loss")
def l1_loss(b: Any, args: Any, out: Window) -> Any:
    x, y, reduction = args[:3]
    if x.dtype not in _FLOATS or x.dtype != y.dtype or x.sizes != y.sizes:
        return NotImplemented
    difference = b.map("sub", x, y)
    if reduction == "none":
        b.map("abs", difference, out=out)
        return None
    b.reduce("losses", b.map("abs", difference), tuple(range(len(x.sizes))), out,
             float(x.numel) if reduction == "mean" else None)  # fmt: skip
    return None
