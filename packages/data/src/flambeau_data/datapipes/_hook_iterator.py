"""Passes over iterable pipes: only the latest one is valid, and a pass may continue an earlier one."""

from collections.abc import Callable, Iterator
from enum import Enum
from functools import wraps
from typing import Any


class _SnapshotState(Enum):
    """Whether the next pass begins anew; if a pipe is restored, it continues."""

    NotStarted = 0
    Restored = 1
    Iterating = 2


class Pass:
    """An iterator over a pipe that ends when another one starts, because both would read the same source."""

    def __init__(self, pipe: Any, iterator: Iterator[Any]) -> None:
        self.pipe, self.iterator = pipe, iterator
        self.number = pipe._valid_iterator_id

    def __iter__(self) -> "Pass":
        return self

    def __next__(self) -> Any:
        pipe = self.pipe
        if pipe._valid_iterator_id != self.number:
            raise RuntimeError(
                "This iterator has been invalidated because another iterator has been created from the same "
                f"IterDataPipe: {pipe!r}\nThis may be caused multiple references to the same IterDataPipe. We "
                "recommend using `.fork()` if that is necessary."
            )
        item = next(self.iterator)
        if self.iterator is not pipe:  # whose __next__ counts
            pipe._number_of_samples_yielded += 1
        return item


def single(begin: Callable[[Any], Iterator[Any]]) -> Callable[[Any], Iterator[Any]]:
    """Decorate ``__iter__``: a call resets the pipe, unless it is restored, and ends the pass before."""

    @wraps(begin)
    def __iter__(self: Any) -> Iterator[Any]:
        if type(self).__iter__ is not __iter__:  # that of a base class, called by the class's own method
            return begin(self)
        self._valid_iterator_id += 1
        if self._snapshot_state is not _SnapshotState.Restored:
            self._number_of_samples_yielded = 0
            self._fast_forward_iterator = None
            self.reset()
        self._snapshot_state = _SnapshotState.Iterating
        iterator, self._fast_forward_iterator = self._fast_forward_iterator, None
        return Pass(self, begin(self) if iterator is None else iterator)

    return __iter__


def counted(advance: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Decorate ``__next__``: count the items."""

    @wraps(advance)
    def __next__(self: Any) -> Any:
        item = advance(self)
        if type(self).__next__ is __next__:
            self._number_of_samples_yielded += 1
        return item

    return __next__
