"""Pipes that filter items."""

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from flambeau_data.datapipes._decorator import functional_datapipe
from flambeau_data.datapipes._shared import check_columns, check_function
from flambeau_data.datapipes.datapipe import IterDataPipe
from flambeau_tensor import Tensor

__all__ = ["FilterIterDataPipe"]

_T = TypeVar("_T")


@functional_datapipe("filter")
class FilterIterDataPipe(IterDataPipe[_T]):
    """Select the items for which a function returns True.

    Args:
        datapipe: the input pipe.
        filter_fn: the function; it returns a bool.
        input_col: the index or key of its argument in the item, or a list of these; None: the whole item.

    Raises:
        ValueError: the function does not take as many arguments as there are columns, or returned something else.

    >>> from flambeau_data.datapipes.iter import IterableWrapper
    >>> list(IterableWrapper(range(5)).filter(lambda x: x % 2 == 0))
    [0, 2, 4]
    """

    def __init__(self, datapipe: Any, filter_fn: Callable[..., bool], input_col: Any = None) -> None:
        check_function(filter_fn)
        check_columns(filter_fn, input_col)
        self.datapipe = datapipe
        self.filter_fn = filter_fn
        self.input_col = input_col

    def _kept(self, item: Any) -> bool:
        if self.input_col is None:
            kept = self.filter_fn(item)
        elif isinstance(self.input_col, (list, tuple)):
            kept = self.filter_fn(*[item[column] for column in self.input_col])
        else:
            kept = self.filter_fn(item[self.input_col])
        if not isinstance(kept, bool) and not (isinstance(kept, Tensor) and kept.numel() == 1):
            raise ValueError(f"Boolean output is required for `filter_fn` of FilterIterDataPipe, got {type(kept)}")
        return bool(kept)

    def __iter__(self) -> Iterator[_T]:
        for item in self.datapipe:
            if self._kept(item):
                yield item
