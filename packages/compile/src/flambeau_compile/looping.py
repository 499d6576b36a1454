"""Loops in a trace: one iteration between marks becomes a While."""

from typing import Any

from flambeau_compile.graph import ITEMSIZE, Call, Check, Step, Uncompilable, Update, While, Window, flat
from flambeau_tensor.extend import window

MARKS = ("while", "while_test", "while_turn", "while_end", "scan", "scan_end", "unrolled")


class Loops:
    """The loops of a program in the making, innermost last."""

    def __init__(self, b: Any) -> None:
        self.b = b
        self.open: list[dict[str, Any]] = []
        self.count = 0  # scans

    def mark(self, kind: str, what: Any) -> None:
        """Process a mark."""
        b = self.b
        if kind == "while":
            self.open.append({"carried": [b.window(window(t)) for t in what], "start": len(b.program.steps)})
        elif kind == "while_test":
            loop = self.open[-1]
            flag = b.temporary("bool", ())
            truth = b.window(window(what))
            b.copy(truth._replace(sizes=(), strides=()), flag)
            loop.update(flag=flag, tested=len(b.program.steps))
        elif kind == "while_turn":
            self._turn(what)
        elif kind == "scan":
            self.open.append({"start": len(b.program.steps)})
        elif kind == "unrolled":
            self.open.pop()
        elif kind == "scan_end":
            self._scan(**what)
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
                raise Uncompilable("a loop writes to memory that existed before it")
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
                copy = b.temporary(w.dtype, w.sizes)  # before another value overwrites it
                b.copy(w, copy)
                w = copy
            fresh.append(w)
        for w, place in zip(fresh, carried, strict=True):
            b.copy(w, place)
        body = self._taken(loop["tested"])
        test = self._taken(loop["start"])
        b.emit(While(test, loop["flag"], body, tuple(carried)))

    def _scan(self, carried: Any, taken: Any, sources: Any, following: Any, results: Any, last: Any, stacked: Any,
              order: range) -> None:  # fmt: skip
        """Lower a loop along a dimension: it reads a slice of each source and writes a slice of each result."""
        b = self.b
        places = [b.window(window(t)) for t in carried]
        fresh = [b.window(window(t)) for t in following]
        if any(w.sizes != p.sizes or w.dtype != p.dtype for w, p in zip(fresh, places, strict=True)):
            raise Uncompilable("the function of a scan changes the shape or dtype of what it carries")
        start = self.open.pop()["start"]
        body = self._taken(start)
        self.count += 1
        index = f"turn{self.count}"
        at = index if order.step > 0 else f"({len(order) - 1} - {index})"
        for t, source in zip(taken, sources, strict=True):
            self._slice(b.window(window(source)), b.window(window(t)), at, put=False)
        b.program.steps.extend(body)
        targets = []
        for t in results:
            w = b.dense(b.window(window(t)))
            targets.append(b.temporary(w.dtype, (len(order), *w.sizes)))
            self._slice(targets[-1], w, at, put=True)
        copies = [b.copy(w, b.temporary(w.dtype, w.sizes)) for w in fresh]  # one may be another's place
        for w, place in zip(copies, places, strict=True):
            b.copy(w, place)
        whole = tuple(b.program.steps[start:])
        del b.program.steps[start:]
        b.emit(While((), None, whole, tuple(places), len(order), index))
        for t, w in zip([*last, *stacked], [*places, *targets], strict=True):
            b.name_memory(window(t), w.buffer)

    def _slice(self, whole: Window, part: Window, at: str, *, put: bool) -> None:
        """Copy one slice of a dense window from it, or to it."""
        n = part.numel * ITEMSIZE[part.dtype]
        written, read = ("[{at} * {n} + q]", "[q]") if put else ("[q]", "[{at} * {n} + q]")
        text = f"((char *)$0$){written} = ((const char *)$1$){read};".format(at=at, n=n)
        text = f"for (long q = 0; q < {n}; q++) {text}"
        self.b.emit(Call(text, (), (part,), (whole,)) if put else Call(text, (), (whole,), (part,)))
