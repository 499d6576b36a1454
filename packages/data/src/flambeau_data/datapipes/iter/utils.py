"""Sources of streams."""

import copy
import warnings
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

from flambeau_data.datapipes.datapipe import IterDataPipe

__all__ = ["IterableWrapperIterDataPipe"]

_T = TypeVar("_T")


class IterableWrapperIterDataPipe(IterDataPipe[_T]):
    """The items of an iterable.

    Args:
        iterable: anything to iterate over.
        deepcopy: iterate over a copy in each pass, so that later pipes modify only copies. If copying fails, a warning
            is issued and the original is used.

    >>> list(IterableWrapperIterDataPipe(range(3)))
    [0, 1, 2]
    """

    def __init__(self, iterable: Iterable[_T], deepcopy: bool = True) -> None:
        self.iterable = iterable
        self.deepcopy = deepcopy

    def __iter__(self) -> Iterator[_T]:
        items: Any = self.iterable
        if self.deepcopy:
            try:
                items = copy.deepcopy(items)
            except TypeError:
                warnings.warn(
                    "The input iterable can not be deepcopied, please be aware of in-place modification would affect "
                    "source data.",
                    stacklevel=2,
                )
        yield from items

    def __len__(self) -> int:
        return len(self.iterable)  # type: ignore[arg-type]
