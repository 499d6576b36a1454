"""Optimizers' updates: their loops have the same C code as eager's, and so the same results to the last bit."""

from typing import Any

from flambeau_compile.graph import Uncompilable, Update
from flambeau_compile.printing import Source
from flambeau_tensor.extend import window

COEFFICIENTS = 11  # coefficients for the loop of each parameter


def updates_of(b: Any, step: Any, position: int) -> tuple[list[Update], int]:
    """Return the updates of an optimizer's step, and the number of coefficients including them."""
    found = []
    for group, (begin, end) in enumerate(step.bounds):
        for p, gradient, states, _, _, dense in step.parameters[begin:end]:
            dtype = str(p.dtype).removeprefix("torch.")
            if not dense or dtype not in ("float32", "float64"):
                raise Uncompilable("an optimizer updates parameters that are not dense, or of another dtype than float")
            windows = tuple(None if t is None else b.window(window(t)) for t in (p, gradient, *states))
            name, text = step.c_source(dtype, group)
            found.append(Update(step, position, name, text, windows))
            position += COEFFICIENTS
    return found, position


def add_step(b: Any, step: Any, position: int) -> int:
    """Add an optimizer's step to a program; return the new number of coefficients."""
    found, position = updates_of(b, step, position)
    for update in found:
        b.emit(update)
    return position


def function(source: Source, step: Update) -> str:
    """Return the name of the function that updates a parameter, and add its code to the source."""
    if step.variant not in source.prelude:
        source.prelude.append(step.variant)
    return step.key
