"""Loops in a trace: one iteration between marks becomes a While."""

from typing import Any

from flambeau_compile.graph import ITEMSIZE, Call, Check, Step, Uncompilable, Update, While, Window, flat
from flambeau_tensor.extend import window

_OF_SCAN = ("carried", "taken", "sources", "following", "results")
MARKS = ("while", "while_test", "while_turn", "while_end", "scan", "scan_end", "unrolled")


class Loops:
    """The loops of a program in the making, innermost last.

    A mark is met when it is recorded, and lowered when all steps before it are there.
    """

    def __init__(self, b: Any) -> None:
        self.b = b
        self.met: list[list[Window]] = []  # what the loops carry whose end has not been met
        self.open: list[dict[str, Any]] = []  # the loops whose end has not been lowered
        self.count = 0  # scans

    def mark(self, kind: str, what: Any) -> None:
        """Process a mark at once."""
        self.lower(kind, self.meet(kind, what))

    def meet(self, kind: str, what: Any) -> Any:
        """Return a mark with windows in place of tensors; name the memory of a loop's results."""
        b = self.b
        found: Any = None
        if kind in ("while", "while_turn"):
            found = [b.window(window(t)) for t in what]
        elif kind == "while_test":
            found = b.window(window(what))
        elif kind == "scan_end":
            found = {name: [b.window(window(t)) for t in what[name]] for name in _OF_SCAN}
            n = len(what["order"])
            found["targets"] = [b.temporary(w.dtype, (n, *w.sizes)) for w in found["results"]]
            found["order"] = what["order"]
            for t, w in zip([*what["last"], *what["stacked"]], [*found["carried"], *found["targets"]], strict=True):
                b.name_memory(window(t), w.buffer)
        if kind in ("while", "scan"):
            self.met.append(found or [])
        elif kind in ("while_end", "scan_end", "unrolled"):
            carried = self.met.pop()
            for t, w in zip(what if kind == "while_end" else (), carried if kind == "while_end" else (), strict=True):
                b.name_memory(window(t), w.buffer)
        return found

    def lower(self, kind: str, what: Any) -> None:
        """Make the steps of a mark that was met."""
        b = self.b
        if kind == "while":
            self.open.append({"carried": what, "start": len(b.program.steps)})
        elif kind == "while_test":
            loop = self.open[-1]
            flag = b.temporary("bool", ())
            b.copy(what._replace(sizes=(), strides=()), flag)
            loop.update(flag=flag, tested=len(b.program.steps))
        elif kind == "while_turn":
            self._turn(what)
        elif kind == "scan":
            self.open.append({"start": len(b.program.steps)})
        elif kind in ("unrolled", "while_end"):
            self.open.pop()
        elif kind == "scan_end":
            self._scan(**what)

    def _taken(self, start: int) -> tuple[Step, ...]:
        steps = tuple(self.b.program.steps[start:])
        del self.b.program.steps[start:]
        for step in flat(steps):
            if isinstance(step, (Check, Update)):
                raise Uncompilable("a loop reads numbers out of tensors, or steps an optimizer")
            if any(w.buffer.tensor is not None for w in step.written()):
                raise Uncompilable("a loop writes to memory that existed before it")
        return steps

    def _turn(self, results: list[Window]) -> None:
        b, loop = self.b, self.open[-1]
        carried: list[Window] = loop["carried"]
        if len(results) != len(carried):
            raise Uncompilable("the body of a loop returns another number of values than it takes")
        fresh = []
        for w, place in zip(results, carried, strict=True):
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

    def _scan(self, carried: list[Window], taken: list[Window], sources: list[Window], following: list[Window],
              results: list[Window], targets: list[Window], order: range) -> None:  # fmt: skip
        """Lower a loop along a dimension: it reads a slice of each source and writes a slice of each target."""
        b = self.b
        if any(w.sizes != p.sizes or w.dtype != p.dtype for w, p in zip(following, carried, strict=True)):
            raise Uncompilable("the function of a scan changes the shape or dtype of what it carries")
        start = self.open.pop()["start"]
        body = self._taken(start)
        self.count += 1
        index = f"turn{self.count}"
        at = index if order.step > 0 else f"({len(order) - 1} - {index})"
        for part, source in zip(taken, sources, strict=True):
            self._slice(source, part, at, put=False)
        b.program.steps.extend(body)
        for result, target in zip(results, targets, strict=True):
            self._slice(target, b.dense(result), at, put=True)
        copies = [b.copy(w, b.temporary(w.dtype, w.sizes)) for w in following]  # one may be another's place
        for w, place in zip(copies, carried, strict=True):
            b.copy(w, place)
        whole = tuple(b.program.steps[start:])
        del b.program.steps[start:]
        b.emit(While((), None, whole, tuple(carried), len(order), index))

    def _slice(self, whole: Window, part: Window, at: str, *, put: bool) -> None:
        """Copy one slice of a dense window from it, or to it."""
        n = part.numel * ITEMSIZE[part.dtype]
        written, read = ("[{at} * {n} + q]", "[q]") if put else ("[q]", "[{at} * {n} + q]")
        text = f"((char *)$0$){written} = ((const char *)$1$){read};".format(at=at, n=n)
        text = f"for (long q = 0; q < {n}; q++) {text}"
        self.b.emit(Call(text, (), (part,), (whole,)) if put else Call(text, (), (whole,), (part,)))
