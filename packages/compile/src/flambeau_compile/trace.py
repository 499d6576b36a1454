"""A trace: the calls that a Tracer recorded, which become steps only if there is no plan from an earlier run."""

import marshal
from typing import Any

from flambeau_compile.graph import Update, Window
from flambeau_compile.looping import Loops
from flambeau_compile.lowering import Builder
from flambeau_compile.updates import updates_of


class Trace:
    """Calls in order, with their memory known as buffers.

    Calls and marks of loops are lowered when `lower` is called.

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
        # calls by their numbers, steps of optimizers, copies, marks of loops; None: `divide`
        self._waiting: list[int | Update | tuple[Any, Any] | None] = []

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
        met = self.loops.meet(kind, what)
        self.b.storages.note(kind, repr(met))
        self._waiting.append((kind, met))

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
            elif isinstance(each[0], str):
                self.loops.lower(*each)
            else:
                self.b.copy(*each)

    def words(self) -> bytes | None:
        """Return all data that determine the steps, if processes with the same program have the same, or else None."""
        if not self.b.storages.portable:
            return None
        buffers = [(x.nbytes, x.tensor is not None, x.lasts) for x in self.b.program.buffers]
        return marshal.dumps((self.b.storages.words, buffers), 2)
