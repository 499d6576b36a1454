"""Splitting a pipe into several that are read in parallel."""

import copy
import warnings
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

from flambeau_data.datapipes._decorator import functional_datapipe
from flambeau_data.datapipes._shared import check_function
from flambeau_data.datapipes.datapipe import IterDataPipe

__all__ = ["DemultiplexerIterDataPipe", "ForkerIterDataPipe"]


class _Split(IterDataPipe[Any]):
    """The state shared by the branches: one pass over the source, and the items that branches have not read yet.

    A branch that starts again starts another pass, which invalidates the active passes of the other branches.
    """

    def __init__(self, datapipe: Any, num_instances: int, buffer_size: int) -> None:
        self.main_datapipe = datapipe
        self.num_instances = num_instances
        self.buffer_size = buffer_size
        if buffer_size < 0:
            warnings.warn(
                "Unlimited buffer size is set, please be aware of OUT OF MEMORY by a large buffer.", stacklevel=5
            )
        self.begun: list[int] = [0] * num_instances  # the pass that each branch is in
        self.pass_number = 0
        self.begin()

    def begin(self) -> None:
        self.pass_number += 1
        self.source: Any = None
        self.ended = False
        self.waiting: list[deque[Any]] = [deque() for _ in range(self.num_instances)]

    def __getstate__(self) -> dict[str, Any]:
        """Drop the active pass, which is not pickled."""
        empty: dict[str, Any] = {"source": None, "waiting": [deque() for _ in range(self.num_instances)]}
        return {**self.__dict__, **empty}

    def join(self, branch: int) -> int:
        """Begin a pass of a branch; its number."""
        if self.begun[branch] == self.pass_number:
            if not self.ended or any(self.waiting):
                warnings.warn(
                    "Some child DataPipes are not exhausted when __iter__ is called. We are resetting the buffer and "
                    "each child DataPipe will read from the start again.",
                    stacklevel=4,
                )
            self.begin()
        self.begun[branch] = self.pass_number
        return self.pass_number

    def next(self, branch: int) -> Any:
        """The next item of a branch, or StopIteration."""
        while not self.waiting[branch]:
            if self.source is None:
                self.source = iter(self.main_datapipe)
            try:
                item = next(self.source)
            except StopIteration:
                self.ended = True
                raise
            self.hand_out(item, branch)
        return self.waiting[branch].popleft()

    def hand_out(self, item: Any, branch: int) -> None:
        """Append an item to the branches that receive it; `branch` is the one that requested an item."""
        raise NotImplementedError

    def overflow(self, name: str) -> BufferError:
        return BufferError(f"{name} buffer overflow, buffer size {self.buffer_size} is insufficient.")

    def branches(self) -> "list[_Branch]":
        return [_Branch(self, number) for number in range(self.num_instances)]


class _Branch(IterDataPipe[Any]):
    def __init__(self, main: _Split, number: int) -> None:
        self.main_datapipe = main
        self.instance_id = number

    def __iter__(self) -> Iterator[Any]:
        main = self.main_datapipe
        number = main.join(self.instance_id)
        return self._items(main, number)

    def _items(self, main: _Split, number: int) -> Iterator[Any]:
        while True:
            if main.pass_number != number:
                raise RuntimeError(
                    "This iterator has been invalidated, because a new iterator has been created from one of the "
                    f"ChildDataPipes of {main!r}."
                )
            try:
                item = main.next(self.instance_id)
            except StopIteration:
                return
            yield item

    def __len__(self) -> int:
        return len(self.main_datapipe)


class _Forked(_Split):
    def __init__(self, datapipe: Any, num_instances: int, buffer_size: int, copied: "str | None") -> None:
        super().__init__(datapipe, num_instances, buffer_size)
        self.copied: Callable[[Any], Any] = copy.copy if copied == "shallow" else copy.deepcopy
        self.copies = copied is not None

    def hand_out(self, item: Any, branch: int) -> None:
        for number, queue in enumerate(self.waiting):
            if number != branch and 0 <= self.buffer_size <= len(queue):
                raise self.overflow("ForkerIterDataPipe")
            queue.append(self.copied(item) if self.copies else item)

    def __len__(self) -> int:
        return len(self.main_datapipe)


class _Sorted(_Split):
    def __init__(
        self, datapipe: Any, num_instances: int, classifier_fn: Callable[[Any], Any], drop_none: bool, buffer_size: int
    ) -> None:
        super().__init__(datapipe, num_instances, buffer_size)
        check_function(classifier_fn)
        self.classifier_fn = classifier_fn
        self.drop_none = drop_none

    def hand_out(self, item: Any, branch: int) -> None:
        number = self.classifier_fn(item)
        if number is None and self.drop_none:
            return
        if number is None or not 0 <= number < self.num_instances:
            raise ValueError(
                f"Output of the classification fn should be between 0 and {self.num_instances - 1}. "
                f"{number} is returned."
            )
        if number != branch and 0 <= self.buffer_size <= sum(map(len, self.waiting)):
            raise self.overflow("DemultiplexerIterDataPipe")
        self.waiting[number].append(item)


def _checked(num_instances: int) -> None:
    if num_instances < 1:
        raise ValueError(f"Expected `num_instances` larger than 0, but {num_instances} is found")


@functional_datapipe("fork")
class ForkerIterDataPipe(IterDataPipe[Any]):
    """A list of pipes that each return all items, read side by side; if `num_instances` is 1, the pipe itself.

    Args:
        datapipe: the input pipe.
        num_instances: the number of pipes.
        buffer_size: the number of items by which one pipe may be ahead of another; negative for no limit, with a
            warning.
        copy: "shallow" or "deep": each pipe returns copies of the items.

    Raises:
        ValueError: an argument is out of range.
        BufferError: while iterating, one pipe is too far ahead.

    >>> from flambeau_data.datapipes.iter import IterableWrapper
    >>> a, b = IterableWrapper(range(3)).fork(2)
    >>> list(a), list(b)
    ([0, 1, 2], [0, 1, 2])
    """

    def __new__(cls, datapipe: Any, num_instances: int, buffer_size: int = 1000, copy: "str | None" = None) -> Any:
        _checked(num_instances)
        if copy not in (None, "shallow", "deep"):
            raise ValueError(f"Unknown copy method `{copy}` for `fork`, expected one of 'shallow', 'deep'")
        if num_instances == 1:
            return datapipe
        return _Forked(datapipe, num_instances, buffer_size, copy).branches()


@functional_datapipe("demux")
class DemultiplexerIterDataPipe(IterDataPipe[Any]):
    """A list of pipes, among which a function distributes the items.

    Args:
        datapipe: the input pipe.
        num_instances: the number of pipes.
        classifier_fn: a function that returns the index of the pipe for an item.
        drop_none: whether to drop items for which it returns None, which is an error otherwise.
        buffer_size: the size of the buffer; negative for no limit, with a warning.

    Raises:
        ValueError: an argument is out of range, or, while iterating, the index is.
        BufferError: while iterating, too many items are buffered.

    >>> from flambeau_data.datapipes.iter import IterableWrapper
    >>> even, odd = IterableWrapper(range(5)).demux(2, lambda x: x % 2)
    >>> list(even), list(odd)
    ([0, 2, 4], [1, 3])
    """

    def __new__(
        cls,
        datapipe: Any,
        num_instances: int,
        classifier_fn: Callable[[Any], Any],
        drop_none: bool = False,
        buffer_size: int = 1000,
    ) -> Any:
        _checked(num_instances)
        return _Sorted(datapipe, num_instances, classifier_fn, drop_none, buffer_size).branches()
