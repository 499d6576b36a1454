"""Memory that is made or written as a whole: zeros, copies, conversions."""

from typing import Any

from flambeau_compile.formulas import formula
from flambeau_compile.graph import Window


@formula("torch.empty", "torch.empty_like", "torch.empty_strided", "torch.Tensor.new_empty")
def empty(b: Any, args: Any, out: Window) -> None:
    """Nothing is written."""


@formula("torch.zeros", "torch.zeros_like", "torch.Tensor.new_zeros")
def zeros(b: Any, args: Any, out: Window) -> None:
    b.copy(0, out)


@formula("torch.ones", "torch.ones_like", "torch.Tensor.new_ones")
def ones(b: Any, args: Any, out: Window) -> None:
    b.copy(1, out)


@formula("torch.full", "torch.full_like", "torch.Tensor.new_full")
def full(b: Any, args: Any, out: Window) -> Any:
    if isinstance(args[1 if not isinstance(args[0], Window) else 1], complex):
        return NotImplemented
    value = args[2] if isinstance(args[0], Window) and isinstance(args[1], tuple) else args[1]
    b.copy(value, out)


@formula("torch.scalar_tensor")
def scalar_tensor(b: Any, args: Any, out: Window) -> None:
    b.copy(args[0], out)


@formula("torch.fill_")
def fill(b: Any, args: Any, out: Window) -> None:
    b.copy(args[1], args[0])


@formula("torch.zero_")
def zero(b: Any, args: Any, out: Window) -> None:
    b.copy(0, args[0])


@formula("torch.Tensor.copy_")
def copy(b: Any, args: Any, out: Window) -> None:
    b.copy(args[1], args[0])


@formula("torch.clone", "torch.Tensor.contiguous", "torch.reshape")
def clone(b: Any, args: Any, out: Window) -> Any:
    if args[0].numel != out.numel:
        return NotImplemented
    source = args[0]
    if source.sizes != out.sizes:  # a `reshape` that cannot be a view
        flat = b.temporary(source.dtype, source.sizes)
        b.copy(source, flat)
        source = Window(flat.buffer, flat.dtype, 0, out.sizes, tuple(out.strides))
        if not out.contiguous:
            return NotImplemented
    b.copy(source, out)
