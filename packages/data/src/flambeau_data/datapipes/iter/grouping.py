"""Pipes that group items into batches and flatten them again."""

import warnings
from collections.abc import Callable, Iterator
from typing import Any

from flambeau_data.datapipes._decorator import functional_datapipe
from flambeau_data.datapipes._shared import Batching, check_function
from flambeau_data.datapipes.datapipe import DataChunk, IterDataPipe
from flambeau_data.datapipes.iter import sharding
from flambeau_tensor.lazy_attributes import attach as _attach

__all__ = ["BatcherIterDataPipe", "GrouperIterDataPipe", "UnBatcherIterDataPipe"]


@functional_datapipe("batch")
class BatcherIterDataPipe(Batching, IterDataPipe[Any]):
    """Group items into lists of `batch_size`.

    Args:
        datapipe: the input pipe.
        batch_size: the number of items per list.
        drop_last: whether to drop the last list if it is not full.
        wrapper_class: converts a list to a batch; by default :class:`DataChunk`, which is a list.

    Raises:
        AssertionError: `batch_size` is not positive.

    >>> from flambeau_data.datapipes.iter import IterableWrapper
    >>> list(IterableWrapper(range(5)).batch(2))
    [[0, 1], [2, 3], [4]]
    """

    def __iter__(self) -> Iterator[Any]:
        batch: list[Any] = []
        for item in self.datapipe:
            batch.append(item)
            if len(batch) == self.batch_size:
                yield self.wrapper_class(batch)
                batch = []
        if batch and not self.drop_last:
            yield self.wrapper_class(batch)


@functional_datapipe("unbatch")
class UnBatcherIterDataPipe(IterDataPipe[Any]):
    """The items of lists.

    Args:
        datapipe: the pipe of lists.
        unbatch_level: how many levels of nested lists to flatten; -1: all.

    Raises:
        ValueError: the level is below -1.
        IndexError: the items have fewer levels.

    >>> from flambeau_data.datapipes.iter import IterableWrapper
    >>> list(IterableWrapper([[0, 1], [2]]).unbatch())
    [0, 1, 2]
    """

    def __init__(self, datapipe: Any, unbatch_level: int = 1) -> None:
        self.datapipe = datapipe
        self.unbatch_level = unbatch_level

    def _flat(self, item: Any, level: int) -> Iterator[Any]:
        if level == 0 or (level == -1 and not isinstance(item, list)):
            yield item
        elif not isinstance(item, list):
            raise IndexError(f"unbatch_level {self.unbatch_level} exceeds the depth of the DataPipe")
        else:
            for inner in item:
                yield from self._flat(inner, level if level == -1 else level - 1)

    def __iter__(self) -> Iterator[Any]:
        if self.unbatch_level < -1:
            raise ValueError("unbatch_level must be -1 or >= 0")
        for item in self.datapipe:
            yield from self._flat(item, self.unbatch_level)


@functional_datapipe("groupby")
class GrouperIterDataPipe(IterDataPipe[Any]):
    """Lists of items that have the same key.

    Items wait in a buffer; a group is returned when it has `group_size` items, the largest group when the buffer is
    full, and all others at the end.

    Args:
        datapipe: the input pipe.
        group_key_fn: returns the key of an item.
        keep_key: return pairs of the key and the group.
        buffer_size: the capacity of the buffer.
        group_size: the maximum size of a group.
        guaranteed_group_size: the minimum size of a group that is returned early because the buffer is full.
        drop_remaining: drop groups that are smaller than this minimum instead of raising an error.

    Raises:
        AssertionError: `0 < guaranteed_group_size <= group_size <= buffer_size` does not hold.
        RuntimeError: the buffer is full and its largest group is too small.

    >>> from flambeau_data.datapipes.iter import IterableWrapper
    >>> list(IterableWrapper(["ab", "c", "de", "f"]).groupby(len))
    [['ab', 'de'], ['c', 'f']]
    """

    def __init__(
        self,
        datapipe: Any,
        group_key_fn: Callable[[Any], Any],
        *,
        keep_key: bool = False,
        buffer_size: int = 10000,
        group_size: "int | None" = None,
        guaranteed_group_size: "int | None" = None,
        drop_remaining: bool = False,
    ) -> None:
        if group_size is not None and not 0 < group_size <= buffer_size:
            raise AssertionError("group_size must be > 0 and <= buffer_size")
        if guaranteed_group_size is None:
            guaranteed_group_size = group_size
        elif group_size is None or not 0 < guaranteed_group_size <= group_size:
            raise AssertionError("guaranteed_group_size must be > 0 and <= group_size and group_size must be set")
        self.datapipe = datapipe
        check_function(group_key_fn)
        self.group_key_fn = group_key_fn
        self.keep_key = keep_key
        self.max_buffer_size = buffer_size
        self.group_size = group_size
        self.guaranteed_group_size = guaranteed_group_size
        self.drop_remaining = drop_remaining
        self.wrapper_class = DataChunk

    def _group(self, key: Any, items: list[Any]) -> Any:
        return (key, self.wrapper_class(items)) if self.keep_key else self.wrapper_class(items)

    def __iter__(self) -> Iterator[Any]:
        groups: dict[Any, list[Any]] = {}
        waiting = 0
        least = self.guaranteed_group_size
        for item in self.datapipe:
            key = self.group_key_fn(item)
            groups.setdefault(key, []).append(item)
            waiting += 1
            if len(groups[key]) == self.group_size:
                waiting -= len(groups[key])
                yield self._group(key, groups.pop(key))
            if waiting == self.max_buffer_size:
                key = max(groups, key=lambda k: len(groups[k]))
                largest = groups.pop(key)
                waiting -= len(largest)
                if least is None or len(largest) >= least:
                    yield self._group(key, largest)
                elif not self.drop_remaining:
                    raise RuntimeError("Failed to group items", str(largest))
        for key in tuple(groups):
            yield self._group(key, groups.pop(key))


def _moved(name: str) -> Any:
    if name not in ("SHARDING_PRIORITIES", "ShardingFilterIterDataPipe"):
        return None
    warnings.warn(
        f"`{name}` from `torch.utils.data.datapipes.iter.grouping` is going to be removed. Please use `{name}` from "
        "the `torch.utils.data.datapipes.iter.sharding`",
        FutureWarning,
        stacklevel=3,
    )
    return getattr(sharding, name)


__getattr__, __dir__ = _attach(__name__, "torch.utils.data.datapipes.iter.grouping", find=_moved)
