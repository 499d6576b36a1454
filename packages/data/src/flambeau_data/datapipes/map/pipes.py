"""The pipes of items by key."""

import copy
import warnings
from collections.abc import Callable, Iterator
from typing import Any

from flambeau_data.datapipes._decorator import functional_datapipe
from flambeau_data.datapipes._shared import Batching, check_function, check_several
from flambeau_data.datapipes.datapipe import IterDataPipe, MapDataPipe
from flambeau_data.datapipes.iter.combinatorics import Shuffling

__all__ = [
    "BatcherMapDataPipe", "ConcaterMapDataPipe", "MapperMapDataPipe", "SequenceWrapperMapDataPipe",
    "ShufflerIterDataPipe", "ZipperMapDataPipe",
]  # fmt: skip


class SequenceWrapperMapDataPipe(MapDataPipe[Any]):
    """The items of a sequence or a dict.

    Args:
        sequence: anything with ``[key]``.
        deepcopy: use a copy, so that the original is not modified. If copying fails, a warning is issued and the
            original is used.

    >>> SequenceWrapperMapDataPipe({"a": 1})["a"]
    1
    """

    def __init__(self, sequence: Any, deepcopy: bool = True) -> None:
        if deepcopy:
            try:
                sequence = copy.deepcopy(sequence)
            except TypeError:
                warnings.warn(
                    "The input sequence can not be deepcopied, please be aware of in-place modification would affect "
                    "source data",
                    stacklevel=2,
                )
        self.sequence = sequence

    def __getitem__(self, index: Any) -> Any:
        return self.sequence[index]

    def __len__(self) -> int:
        return len(self.sequence)


def default_fn(data: Any) -> Any:
    """The item itself."""
    return data


@functional_datapipe("map")
class MapperMapDataPipe(MapDataPipe[Any]):
    """``fn(item)`` of each item.

    >>> MapperMapDataPipe(SequenceWrapperMapDataPipe(range(3)), lambda x: -x)[2]
    -2
    """

    def __init__(self, datapipe: Any, fn: Callable[[Any], Any] = default_fn) -> None:
        check_function(fn)
        self.datapipe = datapipe
        self.fn = fn

    def __getitem__(self, index: Any) -> Any:
        return self.fn(self.datapipe[index])

    def __len__(self) -> int:
        return len(self.datapipe)


class _Several(MapDataPipe[Any]):
    def __init__(self, *datapipes: Any) -> None:
        check_several(datapipes, MapDataPipe)
        self.datapipes = datapipes


@functional_datapipe("concat")
class ConcaterMapDataPipe(_Several):
    """The items of one pipe after those of the other, by numbers from 0.

    Raises:
        ValueError: no pipe is given.
        TypeError: one is not a :class:`MapDataPipe`.

    >>> SequenceWrapperMapDataPipe(range(2)).concat(SequenceWrapperMapDataPipe("ab"))[2]
    'a'
    """

    def __getitem__(self, index: int) -> Any:
        place = index
        for pipe in self.datapipes:
            if place < len(pipe):
                return pipe[place]
            place -= len(pipe)
        raise IndexError(f"Index {index} is out of range.")

    def __len__(self) -> int:
        return sum(len(pipe) for pipe in self.datapipes)


@functional_datapipe("zip")
class ZipperMapDataPipe(_Several):
    """Tuples of the pipes' items.

    Raises:
        ValueError: no pipe is given.
        TypeError: one is not a :class:`MapDataPipe`.

    >>> SequenceWrapperMapDataPipe(range(2)).zip(SequenceWrapperMapDataPipe("ab"))[1]
    (1, 'b')
    """

    def __getitem__(self, index: Any) -> tuple[Any, ...]:
        return tuple([pipe[index] for pipe in self.datapipes])

    def __len__(self) -> int:
        return min(len(pipe) for pipe in self.datapipes)


@functional_datapipe("batch")
class BatcherMapDataPipe(Batching, MapDataPipe[Any]):
    """Group items into lists of `batch_size`, with indices from 0.

    Args:
        datapipe: the input pipe.
        batch_size: the number of items per list.
        drop_last: whether to drop the last list if it is not full.
        wrapper_class: converts a list to a batch.

    Raises:
        AssertionError: `batch_size` is not positive.

    >>> SequenceWrapperMapDataPipe(range(5)).batch(2)[1]
    [2, 3]
    """

    def __getitem__(self, index: int) -> Any:
        if not 0 <= index < len(self):
            raise IndexError(f"Index {index} is out of bound.")
        first = index * self.batch_size
        last = min(first + self.batch_size, len(self.datapipe))
        return self.wrapper_class([self.datapipe[i] for i in range(first, last)])


class ShufflerIterDataPipe(Shuffling, IterDataPipe[Any]):
    """A stream of the items in random order.

    Args:
        datapipe: the input pipe.
        indices: their keys; by default the numbers from 0.

    >>> sorted(SequenceWrapperMapDataPipe("abc").shuffle().set_seed(0))
    ['a', 'b', 'c']
    """

    def __init__(self, datapipe: Any, *, indices: "list[Any] | None" = None) -> None:
        super().__init__()
        self.datapipe = datapipe
        self.indices = list(range(len(datapipe))) if indices is None else indices
        self._left: list[Any] = []

    def reset(self) -> None:
        """Take the seed of the pass that begins, and draw the order."""
        super().reset()
        self._left = self._rng.sample(self.indices, len(self.indices)) if self._enabled else self.indices[::-1]

    def __iter__(self) -> Iterator[Any]:
        while self._left:
            yield self.datapipe[self._left.pop()]

    def __len__(self) -> int:
        return len(self.datapipe)


MapDataPipe.register_datapipe_as_function("shuffle", ShufflerIterDataPipe)
