"""Pipes with several inputs."""

from collections.abc import Iterator
from typing import Any

from flambeau_data.datapipes._decorator import functional_datapipe
from flambeau_data.datapipes._shared import check_several, length
from flambeau_data.datapipes.datapipe import IterDataPipe

__all__ = ["ConcaterIterDataPipe", "MultiplexerIterDataPipe", "ZipperIterDataPipe"]


class _Several(IterDataPipe[Any]):
    def __init__(self, *datapipes: Any) -> None:
        check_several(datapipes, IterDataPipe)
        self.datapipes = datapipes

    def _lengths(self) -> list[int]:
        return [length(self, pipe) for pipe in self.datapipes]


@functional_datapipe("concat")
class ConcaterIterDataPipe(_Several):
    """The items of one pipe after those of the other.

    Raises:
        ValueError: no pipe is given.
        TypeError: one is not an :class:`IterDataPipe`.

    >>> from flambeau_data.datapipes.iter import IterableWrapper
    >>> list(IterableWrapper(range(2)).concat(IterableWrapper("ab")))
    [0, 1, 'a', 'b']
    """

    def __iter__(self) -> Iterator[Any]:
        for pipe in self.datapipes:
            yield from pipe

    def __len__(self) -> int:
        return sum(self._lengths())


@functional_datapipe("zip")
class ZipperIterDataPipe(_Several):
    """Tuples of the pipes' items, until one is at its end.

    Raises:
        ValueError: no pipe is given.
        TypeError: one is not an :class:`IterDataPipe`.

    >>> from flambeau_data.datapipes.iter import IterableWrapper
    >>> list(IterableWrapper(range(2)).zip(IterableWrapper("ab")))
    [(0, 'a'), (1, 'b')]
    """

    def __iter__(self) -> Iterator[Any]:
        yield from zip(*self.datapipes, strict=False)

    def __len__(self) -> int:
        return min(self._lengths())


@functional_datapipe("mux")
class MultiplexerIterDataPipe(_Several):
    """Items of all pipes in turn, until one pipe ends.

    Raises:
        ValueError: no pipe is given.
        TypeError: an input is not an :class:`IterDataPipe`.

    >>> from flambeau_data.datapipes.iter import IterableWrapper
    >>> list(IterableWrapper(range(3)).mux(IterableWrapper("ab")))
    [0, 'a', 1, 'b']
    """

    def __iter__(self) -> Iterator[Any]:
        for items in zip(*self.datapipes, strict=False):
            yield from items

    def __len__(self) -> int:
        return min(self._lengths()) * len(self.datapipes)
