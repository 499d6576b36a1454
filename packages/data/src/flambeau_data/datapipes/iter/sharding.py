"""Sharding of streams among processes."""

from collections.abc import Iterator
from enum import IntEnum
from typing import Any

from flambeau_data.datapipes._decorator import functional_datapipe
from flambeau_data.datapipes.datapipe import IterDataPipe

__all__ = ["SHARDING_PRIORITIES", "ShardingFilterIterDataPipe"]


class SHARDING_PRIORITIES(IntEnum):
    """The groups among which items are distributed: one default group, or machines and workers within them."""

    DEFAULT = 1
    DISTRIBUTED = 2
    MULTIPROCESSING = 3


@functional_datapipe("sharding_filter")
class ShardingFilterIterDataPipe(IterDataPipe[Any]):
    """Select every n-th item, as `apply_sharding` determines; before that call, select all.

    A :class:`DataLoader` calls it for its workers.

    Args:
        source_datapipe: the input pipe.
        sharding_group_filter: the only group to consider; None: all.

    >>> from flambeau_data.datapipes.iter import IterableWrapper
    >>> pipe = IterableWrapper(range(5)).sharding_filter()
    >>> pipe.apply_sharding(2, 1)
    >>> list(pipe)
    [1, 3]
    """

    def __init__(self, source_datapipe: Any, sharding_group_filter: Any = None) -> None:
        self.source_datapipe = source_datapipe
        self.sharding_group_filter = sharding_group_filter
        self.groups: dict[int, tuple[int, int]] = {}
        self.num_of_instances, self.instance_id = 1, 0

    def apply_sharding(
        self, num_of_instances: int, instance_id: int, sharding_group: int = SHARDING_PRIORITIES.DEFAULT
    ) -> None:
        """Say that this process is number `instance_id` of `num_of_instances`.

        Raises:
            ValueError: the number is out of range.
            RuntimeError: the default group and others were both given.
        """
        if instance_id >= num_of_instances:
            raise ValueError(f"instance_id({instance_id}) should be smaller than num_of_instances({num_of_instances})")
        default = SHARDING_PRIORITIES.DEFAULT
        if any((group == default) != (sharding_group == default) for group in self.groups):
            raise RuntimeError("ShardingFilter cannot mix DEFAULT and non DEFAULT groups")
        self.groups[sharding_group] = (num_of_instances, instance_id)
        self.num_of_instances, self.instance_id = 1, 0
        for group, (instances, number) in sorted(self.groups.items(), reverse=True):
            if self.sharding_group_filter in (None, group):
                self.instance_id += self.num_of_instances * number
                self.num_of_instances *= instances

    def __iter__(self) -> Iterator[Any]:
        for number, item in enumerate(self.source_datapipe):
            if number % self.num_of_instances == self.instance_id:
                yield item

    def __len__(self) -> int:
        return len(range(self.instance_id, len(self.source_datapipe), self.num_of_instances))
