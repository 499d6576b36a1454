"""Gradients of views, which write a part into zeros."""

from typing import Any

from flambeau_compile.formulas import formula
from flambeau_compile.graph import Window


@formula("torch._ops.select_backward")
def select_backward(b: Any, args: Any, out: Window) -> None:
    grad, _, dim, index = args
    dim += len(out.sizes) if dim < 0 else 0
    index += out.sizes[dim] if index < 0 else 0
    b.copy(0, out)
    b.copy(grad, out.select(dim, index))


@formula("torch._ops.slice_backward")
def slice_backward(b: Any, args: Any, out: Window) -> None:
    grad, _, dim, start, end, step = args
    dim += len(out.sizes) if dim < 0 else 0
    start, end, step = slice(start, end, step).indices(out.sizes[dim])
    b.copy(0, out)
    b.copy(grad, out.narrow(dim, start, grad.sizes[dim], step))
