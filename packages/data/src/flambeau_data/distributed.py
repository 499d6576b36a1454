"""A sampler that assigns each of several processes its part of a dataset."""

import math
from collections.abc import Iterator
from typing import Any

from flambeau_data.dataset import Dataset
from flambeau_data.sampler import Sampler
from flambeau_tensor import Generator, process_groups, randperm

__all__ = ["DistributedSampler"]


class DistributedSampler(Sampler[int]):
    """Distribute the indices of a dataset among processes.

    Each process gets every ``num_replicas``-th index, from ``rank`` on, of a permutation that is the same in all
    processes.

    Call ``set_epoch`` before each pass, so that the permutations differ.

    Args:
        dataset: an object with a length.
        num_replicas: the number of processes; by default that of the default group of ``torch.distributed``.
        rank: the index of this process; by default its rank in the default group.
        shuffle: whether to permute the indices.
        seed: the seed, which must be the same in all processes.
        drop_last: whether to drop indices that do not fill all processes; otherwise indices from the beginning are
            repeated.

    Raises:
        ValueError: `rank` is out of range, or is not given and there is no default group.

    >>> [list(DistributedSampler(range(5), 2, rank, shuffle=False)) for rank in (0, 1)]
    [[0, 2, 4], [1, 3, 0]]
    """

    def __init__(
        self,
        dataset: Dataset[Any],
        num_replicas: "int | None" = None,
        rank: "int | None" = None,
        shuffle: bool = True,
        seed: int = 0,
        drop_last: bool = False,
    ) -> None:
        if num_replicas is None or rank is None:
            group = process_groups.default()
            if group is None:
                raise ValueError(
                    "Default process group has not been initialized, please make sure to call init_process_group."
                )
            num_replicas = group.size() if num_replicas is None else num_replicas
            rank = group.rank() if rank is None else rank
        if rank >= num_replicas or rank < 0:
            raise ValueError(f"Invalid rank {rank}, rank should be in the interval [0, {num_replicas - 1}]")
        self.dataset = dataset
        self.num_replicas = num_replicas
        self.rank = rank
        self.epoch = 0
        self.drop_last = drop_last
        size: int = len(dataset)  # type: ignore[arg-type]
        self.num_samples = size // num_replicas if drop_last else math.ceil(size / num_replicas)
        self.total_size = self.num_samples * num_replicas
        self.shuffle = shuffle
        self.seed = seed

    def __iter__(self) -> Iterator[int]:
        size: int = len(self.dataset)  # type: ignore[arg-type]
        if self.shuffle:
            generator = Generator()
            generator.manual_seed(self.seed + self.epoch)
            indices = randperm(size, generator=generator).tolist()
        else:
            indices = list(range(size))
        if self.total_size > size:
            indices *= math.ceil(self.total_size / size)
        return iter(indices[self.rank : self.total_size : self.num_replicas])

    def __len__(self) -> int:
        return self.num_samples

    def set_epoch(self, epoch: int) -> None:
        """Set the number of the next pass, which is added to the seed."""
        self.epoch = epoch
