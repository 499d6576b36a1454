"""Concatenation of tensors."""

from typing import Any

from flambeau_compile.formulas import formula
from flambeau_compile.graph import Window


@formula("torch.stack")
def stack(b: Any, args: Any, out: Window) -> None:
    tensors, dim = args[0], args[1]
    dim += len(out.sizes) if dim < 0 else 0
    for i, t in enumerate(tensors):
        b.copy(t, out.select(dim, i))


@formula("torch.cat")
def cat(b: Any, args: Any, out: Window) -> None:
    tensors, dim = args[0], args[1]
    dim += len(out.sizes) if dim < 0 else 0
    at = 0
    for t in tensors:
        if t.sizes == (0,) and len(out.sizes) > 1:
            continue
        b.copy(t, out.narrow(dim, at, t.sizes[dim]))
        at += t.sizes[dim]
