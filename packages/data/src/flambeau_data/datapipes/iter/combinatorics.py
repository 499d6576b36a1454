"""Pipes that change the order of items."""

import random
from collections.abc import Iterator, Sized
from typing import Any

from flambeau_data._utils import seeds
from flambeau_data.datapipes._decorator import functional_datapipe
from flambeau_data.datapipes._shared import length
from flambeau_data.datapipes.datapipe import IterDataPipe
from flambeau_data.sampler import Sampler, SequentialSampler

__all__ = ["SamplerIterDataPipe", "ShufflerIterDataPipe"]


class Shuffling:
    """The base of shuffling pipes: a seed for the next pass, by default drawn from the default generator."""

    def __init__(self) -> None:
        self._enabled = True
        self._seed: int | None = None
        self._rng = random.Random()

    def set_shuffle(self, shuffle: bool = True) -> Any:
        """Return True if the order is changed at all."""
        self._enabled = shuffle
        return self

    def set_seed(self, seed: int) -> Any:
        """Set the seed of the next pass's order."""
        self._seed = seed
        return self

    def reset(self) -> None:
        """Take the seed of the pass that begins."""
        if self._enabled:
            if self._seed is None:
                self._seed = seeds.draw()
            self._rng.seed(self._seed)
            self._seed = None


@functional_datapipe("shuffle")
class ShufflerIterDataPipe(Shuffling, IterDataPipe[Any]):
    """The items in random order, as far as a buffer reaches.

    Args:
        datapipe: the input pipe.
        buffer_size: the size of the buffer from which the next item is drawn.
        unbatch_level: how many levels of nested lists to flatten first; -1: all.

    Raises:
        AssertionError: `buffer_size` is not positive.

    >>> from flambeau_data.datapipes.iter import IterableWrapper
    >>> sorted(IterableWrapper(range(5)).shuffle().set_seed(0))
    [0, 1, 2, 3, 4]
    """

    def __init__(self, datapipe: Any, *, buffer_size: int = 10000, unbatch_level: int = 0) -> None:
        super().__init__()
        if buffer_size <= 0:
            raise AssertionError("buffer_size should be larger than 0")
        self.datapipe = datapipe if unbatch_level == 0 else datapipe.unbatch(unbatch_level=unbatch_level)
        self.buffer_size = buffer_size
        self._buffer: list[Any] = []

    def reset(self) -> None:
        """Take the seed of the pass that begins, and empty the buffer."""
        super().reset()
        self._buffer = []

    def __iter__(self) -> Iterator[Any]:
        if not self._enabled:
            yield from self.datapipe
            return
        waiting = self._buffer
        for item in self.datapipe:
            if len(waiting) < self.buffer_size:
                waiting.append(item)
                continue
            place = self._rng.randint(0, len(waiting) - 1)
            drawn, waiting[place] = waiting[place], item
            yield drawn
        while waiting:
            yield waiting.pop(self._rng.randint(0, len(waiting) - 1))

    def __len__(self) -> int:
        return length(self, self.datapipe)


class SamplerIterDataPipe(IterDataPipe[Any]):
    """Yields the samples of a sampler over a pipe.

    Args:
        datapipe: the data, with a length.
        sampler: a class of samplers.
        sampler_args: its other arguments.
        sampler_kwargs: those by name.

    Raises:
        AssertionError: the data has no length.

    >>> from flambeau_data.datapipes.iter import IterableWrapper
    >>> list(SamplerIterDataPipe(IterableWrapper("abc")))
    [0, 1, 2]
    """

    def __init__(
        self,
        datapipe: Any,
        sampler: type[Sampler[Any]] = SequentialSampler,
        sampler_args: "tuple[Any, ...] | None" = None,
        sampler_kwargs: "dict[str, Any] | None" = None,
    ) -> None:
        if not isinstance(datapipe, Sized):
            raise AssertionError("Sampler class requires input datapipe implemented `__len__`")
        self.datapipe = datapipe
        made: Any = sampler
        self.sampler = made(*(sampler_args or ()), data_source=datapipe, **(sampler_kwargs or {}))

    def __iter__(self) -> Iterator[Any]:
        return iter(self.sampler)

    def __len__(self) -> int:
        return len(self.sampler)
