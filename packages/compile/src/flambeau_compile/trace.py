"""A trace: the calls that a Tracer recorded, which become steps only if there is no plan from an earlier run."""

import marshal
from typing import Any

from flambeau_compile.graph import Update, Window
from flambeau_compile.looping import Loops
from flambeau_compile.lowering import Builder
from flambeau_compile.updates import updates_of


class Trace:
    """Calls in order, with their memory known as buffers.

    Calls are lowered when `lower` is called; marks of loops at once, since they include the steps before them.

    Attributes:
        b: the Builder of the steps.
        calls: (operator, arguments, result, whether each tensor of the result was known before) of each call.
        updates: the steps of optimizers.
        coefficients: the number of coefficients that the optimizers' steps fill in.
        first: the number of the first step of the second part, once all is lowered.
    """

    def __init__(self) -> None:
        self.b = Builder()
        self.loops = Loops(self.b)
        self.calls: list[Any] = []
        self.updates: list[Update] = []  # of optimizers
        self.coefficients = self.first = 0
        self._waiting: list[int | Update | tuple[Window, Window] | None] = []  # calls by their numbers; None: `divide`

    def call(self, op: Any, arguments: tuple[Any, ...], result: Any) -> None:
        known = self.b.storages.meet(op, arguments, result)
        self._waiting.append(len(self.calls))
        self.calls.append((op, arguments, result, known))

    def copy(self, source: Window, out: Window) -> Window:
        """``out[...] = source``"""
        self.b.storages.note("copy", source, out)
        self._waiting.append((source, out))
        return out

    def update(self, step: Any) -> None:
        """An optimizer's step."""
        found, self.coefficients = updates_of(self.b, step, self.coefficients)
        for update in found:
            self.b.storages.note("update", update.position, update.key, update.variant, update.arrays)
        self.updates.extend(found)
        self._waiting.extend(found)

    def mark(self, kind: str, what: Any) -> None:
        """A mark of a loop."""
        self.b.storages.portable = False
        self.lower()
        self.loops.mark(kind, what)

    def divide(self) -> None:
        """Start the second part: `first` is the index of its first step."""
        self.b.storages.note("second part")
        self._waiting.append(None)

    def lower(self) -> None:
        """Make steps of all that waits."""
        waiting, self._waiting = self._waiting, []
        for each in waiting:
            if isinstance(each, int):
                self.b.call_number = each
                self.b.lower(*self.calls[each])
            elif isinstance(each, Update):
                self.b.emit(each)
            elif each is None:
                self.first = self.b.program.start = len(self.b.program.steps)
            else:
                self.b.copy(*each)

    def words(self) -> bytes | None:
        """Return all data that determine the steps, if processes with the same program have the same, or else None."""
        if not self.b.storages.portable:
            return None
        buffers = [(x.nbytes, x.tensor is not None, x.lasts) for x in self.b.program.buffers]
        return marshal.dumps((self.b.storages.words, buffers), 2)
