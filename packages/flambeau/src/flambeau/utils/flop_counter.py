"""Counting floating point operations, after ``torch.utils.flop_counter``: products and convolutions, by operator and by
module.

>>> import flambeau as torch
>>> with FlopCounterMode(display=False) as counter:
...     y = torch.ones(2, 3) @ torch.ones(3, 4)
>>> counter.get_total_flops()
48
"""

from collections import defaultdict
from math import prod
from typing import Any, Self

from flambeau_cext import ops
from flambeau_cext.dispatch.python_dispatch import TorchDispatchMode
from flambeau_tensor import Tensor

__all__ = ["FlopCounterMode", "flop_registry", "register_flop_formula"]

aten = ops.aten
# Packet of operators -> the function of its arguments, tensors by their sizes, and `out_val` that counts.
flop_registry: dict[Any, Any] = {}


def register_flop_formula(targets: Any, get_raw: bool = False) -> Any:
    """Register a function that computes the number of operations of an operator.

    Args:
        targets: the operator, as `torch.ops.namespace.name`, or a list of them.
        get_raw: whether to pass tensors instead of their sizes. The result is passed as `out_val` or, as sizes,
            `out_shape`.

    >>> import flambeau as torch
    >>> @register_flop_formula(torch.ops.aten.mv)
    ... def products(matrix, vector, *, out_shape, **options):
    ...     return 2 * matrix[0] * matrix[1]
    >>> with FlopCounterMode(display=False) as counter:
    ...     y = torch.ones(3, 4) @ torch.ones(4)
    >>> counter.get_total_flops()
    24
    """

    def register(formula: Any) -> Any:
        def count(*args: Any, out_val: Any = None, **kwargs: Any) -> int:
            if get_raw:
                return int(formula(*args, out_val=out_val, **kwargs))
            sizes = [_size(a) for a in args]
            return int(formula(*sizes, out_shape=_size(out_val), **{k: _size(v) for k, v in kwargs.items()}))

        for target in targets if isinstance(targets, (list, tuple)) else [targets]:
            flop_registry[target] = count
        return formula

    return register


def _size(value: Any) -> Any:
    if isinstance(value, Tensor):
        return value.shape
    if isinstance(value, tuple):
        return tuple(_size(v) for v in value)
    return value


@register_flop_formula(aten.mm)
def _mm(a: Any, b: Any, *rest: Any, **options: Any) -> int:
    return 2 * int(a[0]) * int(a[1]) * int(b[1])


@register_flop_formula(aten.addmm)
def _addmm(start: Any, a: Any, b: Any, **options: Any) -> int:
    return _mm(a, b)


@register_flop_formula(aten.bmm)
def _bmm(a: Any, b: Any, **options: Any) -> int:
    return 2 * int(a[0]) * int(a[1]) * int(a[2]) * int(b[2])


@register_flop_formula(aten.baddbmm)
def _baddbmm(start: Any, a: Any, b: Any, **options: Any) -> int:
    return _bmm(a, b)


def _products(x: Any, w: Any, out: Any, transposed: bool) -> int:
    """Return the operations of a convolution: a filter product per output (or, if transposed, input) position."""
    places = prod((x if transposed else out)[2:])
    return 2 * int(x[0]) * places * prod(w)


@register_flop_formula(aten.convolution)
def _convolution(
    x: Any,
    w: Any,
    bias: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    transposed: bool,
    *rest: Any,
    out_shape: Any,
    **options: Any,
) -> int:
    return _products(x, w, out_shape, transposed)


@register_flop_formula(aten.convolution_backward)
def _convolution_backward(
    grad: Any,
    x: Any,
    w: Any,
    bias: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    transposed: bool,
    *rest: Any,
    out_shape: Any,
    **options: Any,
) -> int:
    done = 0
    for wanted in rest[-1][:2]:
        done += _products(x, w, grad, transposed) if wanted else 0
    return done


class FlopCounterMode(TorchDispatchMode):
    """Counts the floating-point operations of products and convolutions inside its block.

    Args:
        mods: has no effect, for compatibility.
        depth: the depth of modules in `get_table`.
        display: whether to print the table at the end.
        custom_mapping: additional formulas, a dict from operator packets to functions.

    >>> import flambeau as torch
    >>> model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 1))
    >>> with FlopCounterMode(display=False) as counter:
    ...     model(torch.ones(4, 8)).sum().backward()
    >>> counter.get_total_flops()
    2432
    """

    def __init__(
        self, mods: Any = None, depth: int = 2, display: bool = True, custom_mapping: dict[Any, Any] | None = None
    ):
        super().__init__()
        self.depth, self.display = depth, display
        self.flop_counts: dict[str, dict[Any, int]] = defaultdict(lambda: defaultdict(int))
        self.flop_registry = {**flop_registry, **(custom_mapping or {})}
        self._parents = ["Global"]
        self._hooks: list[Any] = []

    def get_total_flops(self) -> int:
        """All operations together."""
        return sum(self.flop_counts["Global"].values())

    def get_flop_counts(self) -> dict[str, dict[Any, int]]:
        """Module (by its class, and the names on the way to it) -> packet of operators -> operations."""
        return {name: dict(counts) for name, counts in self.flop_counts.items()}

    def get_table(self, depth: int | None = None) -> str:
        """The counts as text, a line for each module and operator."""
        depth = self.depth if depth is None else depth
        total = self.get_total_flops() or 1
        lines = [f"{'Module':<30}{'FLOP':>14}{'% Total':>10}"]
        for name, counts in self.flop_counts.items():
            level = 0 if name == "Global" else name.count(".") + 1
            if level <= depth:
                done = sum(counts.values())
                lines.append(f"{' ' * level + name:<30}{done:>14}{100 * done / total:>9.2f}%")
                lines += [
                    f"{' ' * level + ' - ' + str(op):<30}{n:>14}{100 * n / total:>9.2f}%" for op, n in counts.items()
                ]
        return "\n".join(lines)

    def __enter__(self) -> Self:
        from flambeau_nn.modules import module

        self.flop_counts.clear()
        self._hooks = [
            module.register_module_forward_pre_hook(self._enter_module),
            module.register_module_forward_hook(self._leave_module, always_call=True),
        ]
        return super().__enter__()

    def __exit__(self, *error: object) -> None:
        super().__exit__(*error)
        for hook in self._hooks:
            hook.remove()
        if self.display:
            print(self.get_table(self.depth))

    def _enter_module(self, module: Any, args: Any) -> None:
        outer = self._parents[-1]
        if outer == "Global":
            name = type(module).__name__
            self._names = {id(m): f"{name}.{path}" if path else name for path, m in module.named_modules()}
        self._parents.append(self._names.get(id(module), f"{outer}.{type(module).__name__}"))

    def _leave_module(self, module: Any, args: Any, output: Any) -> None:
        self._parents.pop()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Run the operator, and count."""
        out = func(*args, **(kwargs or {}))
        count = self.flop_registry.get(func.overloadpacket)
        if count is not None:
            done = count(*args, **(kwargs or {}), out_val=out)
            for parent in set(self._parents):
                self.flop_counts[parent][func.overloadpacket] += done
        return out
