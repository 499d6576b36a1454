"""Loops that a Tracer heard of: one turn between marks becomes a While."""

from typing import Any

from flambeau_compile.graph import Check, Step, Uncompilable, Update, While, Window, flat
from flambeau_tensor.extend import window

MARKS = ("while", "while_test", "while_turn", "while_end")


class Loops:
    """The loops of a program in the making, innermost last."""

    def __init__(self, b: Any) -> None:
        self.b = b
        self.open: list[dict[str, Any]] = []

    def mark(self, kind: str, what: Any) -> None:
        """Take one of the marks."""
        b = self.b
        if kind == "while":
            self.open.append({"carried": [b.window(window(t)) for t in what], "start": len(b.program.steps)})
        elif kind == "while_test":
            loop = self.open[-1]
            flag = b.temporary("bool", ())
            truth = b.window(window(what))
            b.copy(truth._replace(sizes=(), strides=()), flag)
            loop.update(flag=flag, test=self._taken(loop["start"]))
        elif kind == "while_turn":
            self._turn(what)
        else:
            for t, carried in zip(what, self.open.pop()["carried"], strict=True):
                b.name_memory(window(t), carried.buffer)

    def _taken(self, start: int) -> tuple[Step, ...]:
        steps = tuple(self.b.program.steps[start:])
        del self.b.program.steps[start:]
        for step in flat(steps):
            if isinstance(step, (Check, Update)):
                raise Uncompilable("a loop reads numbers out of tensors, or steps an optimizer")
            if any(w.buffer.tensor is not None for w in step.written()):
                raise Uncompilable("a loop writes to memory that was there before")
        return steps

    def _turn(self, results: Any) -> None:
        b, loop = self.b, self.open[-1]
        carried: list[Window] = loop["carried"]
        if len(results) != len(carried):
            raise Uncompilable("the body of a loop returns another number of values than it takes")
        fresh = []
        for t, place in zip(results, carried, strict=True):
            w = b.window(window(t))
            if w.sizes != place.sizes or w.dtype != place.dtype:
                raise Uncompilable("the body of a loop changes the shape or dtype of a value")
            if w.buffer.index in {c.buffer.index for c in carried}:
                copy = b.temporary(w.dtype, w.sizes)  # before another value takes its place
                b.copy(w, copy)
                w = copy
            fresh.append(w)
        for w, place in zip(fresh, carried, strict=True):
            b.copy(w, place)
        body = self._taken(loop["start"])
        b.emit(While(loop["test"], loop["flag"], body, tuple(carried)))
