"""Operators as steps in C99: for programs with Python, eager's loops and kernels compute these operators.

A form has the signature of a formula (`flambeau_compile.formulas`) and takes precedence over it; each family has a
file.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any

from flambeau_compile.exporting.recorded import ExportError
from flambeau_compile.formulas import find
from flambeau_compile.graph import Window, draws
from flambeau_compile.lowering import Builder, _seen_leaves
from flambeau_tensor.extend import Window as Seen
from flambeau_tensor.extend import window

FAMILIES = ("dimensions", "images", "indices", "losses", "networks", "recurrent")
FLOATS = ("float32", "float64")
_FORMS: dict[str, Callable[..., Any]] = {}


class PortableBuilder(Builder):
    """A Builder of programs that do not call eager's code."""

    operator = ""

    def __init__(self) -> None:
        super().__init__()
        for family in FAMILIES:
            import_module(f"flambeau_compile.exporting.forms.{family}")

    def lower(self, op: Any, arguments: tuple[Any, ...], result: Any, known: list[bool]) -> None:
        self.operator = op.__torch_name__
        form = _FORMS.get((op.functional or op).__torch_name__)
        if form is not None:
            before = len(self.program.steps), len(self.program.buffers)
            if form(self, self._given(arguments), self._given(result)) is not NotImplemented:
                return
            del self.program.steps[before[0] :], self.program.buffers[before[1] :]
        if (
            isinstance(result, Seen)
            and find(op) is None
            and not draws(op)
            and next(_seen_leaves(arguments), None) is None
        ):
            constant = self.window(window(result.tensor.clone()))  # the same at each call: `arange`, `eye`, `tensor`
            self.copy(constant, self.window(result))
            return
        super().lower(op, arguments, result, known)

    def loops(self, text: str, functions: list[int], inputs: list[Window], *outs: Window) -> None:
        if functions:
            raise ExportError(f"{self.operator} has no form in C for these arguments")
        super().loops(text, functions, inputs, *outs)

    def apply(self, function: str, *inputs: Any, out: Window | None = None) -> Window:
        """`map` of a function that C99 has."""
        return self.map(function, *inputs, out=out, loop=1)


def form(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declare a function as the form of operators, by PyTorch's names."""

    def declare(function: Callable[..., Any]) -> Callable[..., Any]:
        _FORMS.update(dict.fromkeys(names, function))
        return function

    return declare


def wrapped(dim: int, sizes: tuple[int, ...]) -> int:
    return dim + len(sizes) if dim < 0 else dim


def kept(w: Window, dims: tuple[int, ...]) -> Window:
    """Return a reduced window with the reduced dimensions as dimensions of size 1."""
    for d in dims:
        w = w.unsqueeze(d)
    return w


def nest(*sizes: int, first: str = "i") -> tuple[str, list[str]]:
    """Heads of nested loops, and their variables."""
    names = [f"{first}{d}" for d in range(len(sizes))]
    return " ".join(
        f"for (ptrdiff_t {n} = 0; {n} < {size}; {n}++)" for n, size in zip(names, sizes, strict=True)
    ), names


def flat_place(names: list[str], sizes: tuple[int, ...]) -> str:
    """The place of an element in row-major order, by the names of its indices."""
    terms, n = [], 1
    for name, size in zip(reversed(names), reversed(sizes), strict=True):
        terms.append(f"{name} * {n}")
        n *= size
    return " + ".join(terms) or "0"
