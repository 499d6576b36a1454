"""Samplers, which choose the items of a dataset and their order."""

import itertools
from collections.abc import Iterable, Iterator, Sequence, Sized
from typing import Any, Generic, TypeVar

from flambeau_data._utils import seeds
from flambeau_tensor import Generator, Tensor, as_tensor, float64, int64, multinomial, randint, randperm

__all__ = [
    "BatchSampler",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
    "SubsetRandomSampler",
    "WeightedRandomSampler",
]

_T_co = TypeVar("_T_co", covariant=True)


class Sampler(Generic[_T_co]):
    """Base of samplers: ``__iter__`` yields indices, or lists of them. With ``__len__`` loaders have a length.

    Raises:
        NotImplementedError: a subclass has no ``__iter__``.

    >>> class Backwards(Sampler):
    ...     def __init__(self, data):
    ...         self.data = data
    ...     def __iter__(self):
    ...         return iter(range(len(self.data) - 1, -1, -1))
    >>> list(torch.utils.data.DataLoader([10, 20, 30], sampler=Backwards(range(3)), batch_size=None))
    [30, 20, 10]
    """

    def __iter__(self) -> Iterator[_T_co]:
        raise NotImplementedError


def _positive(name: str, value: Any, *, but: Any = ()) -> None:
    if not isinstance(value, int) or isinstance(value, but) or value <= 0:
        raise ValueError(f"{name} should be a positive integer value, but got {name}={value}")


class SequentialSampler(Sampler[int]):
    """All items in order.

    Raises:
        TypeError: while iterating: the data have no length.

    >>> list(SequentialSampler("abc"))
    [0, 1, 2]
    """

    data_source: Sized

    def __init__(self, data_source: Sized) -> None:
        self.data_source = data_source

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self.data_source)))

    def __len__(self) -> int:
        return len(self.data_source)


class RandomSampler(Sampler[int]):
    """Items in random order.

    Args:
        data_source: an object with a length.
        replacement: whether to draw with replacement; otherwise the sampler draws permutations.
        num_samples: the number of items to draw; by default all.
        generator: the source of random numbers; by default a new generator, seeded by the default one.

    Raises:
        TypeError: `replacement` is not a bool.
        ValueError: `num_samples` is not a positive int.

    >>> sorted(RandomSampler(range(4))), len(list(RandomSampler(range(4), num_samples=6)))
    ([0, 1, 2, 3], 6)
    """

    data_source: Sized
    replacement: bool

    def __init__(
        self,
        data_source: Sized,
        replacement: bool = False,
        num_samples: "int | None" = None,
        generator: "Generator | None" = None,
    ) -> None:
        self.data_source = data_source
        self.replacement = replacement
        self._num_samples = num_samples
        self.generator = generator
        if not isinstance(replacement, bool):
            raise TypeError(f"replacement should be a boolean value, but got replacement={replacement}")
        _positive("num_samples", self.num_samples)

    @property
    def num_samples(self) -> int:
        """The number of items per pass."""
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self) -> Iterator[int]:
        return itertools.chain.from_iterable(self._drawn())  # without a step in Python for each index

    def _drawn(self) -> Iterator[list[int]]:
        n = len(self.data_source)
        generator = self.generator
        if generator is None:
            generator = Generator()
            generator.manual_seed(seeds.draw())
        if self.replacement:  # PyTorch draws 32 at a time, and a last handful that may be empty
            for left in range(self.num_samples, -1, -32):
                yield randint(n, (min(left, 32),), dtype=int64, generator=generator).tolist()
        else:  # and one permutation more than it needs
            for left in range(self.num_samples, -1, -n):
                yield randperm(n, generator=generator).tolist()[:left]

    def __len__(self) -> int:
        return self.num_samples


class SubsetRandomSampler(Sampler[int]):
    """Sample from given indices in random order.

    Raises:
        AttributeError: the indices are not a sequence; raised by iteration.

    >>> sorted(SubsetRandomSampler([2, 5, 7]))
    [2, 5, 7]
    """

    indices: Sequence[int]

    def __init__(self, indices: Sequence[int], generator: "Generator | None" = None) -> None:
        self.indices = indices
        self.generator = generator

    def __iter__(self) -> Iterator[int]:
        yield from map(self.indices.__getitem__, randperm(len(self.indices), generator=self.generator).tolist())

    def __len__(self) -> int:
        return len(self.indices)


class WeightedRandomSampler(Sampler[int]):
    """Indices below ``len(weights)``, drawn with probabilities in proportion to the weights.

    Raises:
        ValueError: `num_samples` is not a positive int, `replacement` not a bool, or `weights` not one-dimensional.

    >>> set(WeightedRandomSampler([0.0, 1.0, 0.0], 5))
    {1}
    """

    weights: Tensor
    num_samples: int
    replacement: bool

    def __init__(
        self, weights: Sequence[float], num_samples: int, replacement: bool = True, generator: "Generator | None" = None
    ) -> None:
        _positive("num_samples", num_samples, but=bool)
        if not isinstance(replacement, bool):
            raise ValueError(f"replacement should be a boolean value, but got replacement={replacement}")
        self.weights = as_tensor(weights, dtype=float64)
        if self.weights.dim() != 1:
            raise ValueError(
                f"weights should be a 1d sequence but given weights have shape {tuple(self.weights.shape)}"
            )
        self.num_samples = num_samples
        self.replacement = replacement
        self.generator = generator

    def __iter__(self) -> Iterator[int]:
        yield from multinomial(self.weights, self.num_samples, self.replacement, generator=self.generator).tolist()

    def __len__(self) -> int:
        return self.num_samples


class BatchSampler(Sampler[list[int]]):
    """Lists of `batch_size` indices of another sampler; the last may be shorter, or is dropped with `drop_last`.

    Raises:
        ValueError: `batch_size` is not a positive int, or `drop_last` not a bool.

    >>> list(BatchSampler(SequentialSampler(range(5)), batch_size=2, drop_last=False))
    [[0, 1], [2, 3], [4]]
    """

    def __init__(self, sampler: "Sampler[int] | Iterable[int]", batch_size: int, drop_last: bool) -> None:
        _positive("batch_size", batch_size, but=bool)
        if not isinstance(drop_last, bool):
            raise ValueError(f"drop_last should be a boolean value, but got drop_last={drop_last}")
        self.sampler = sampler
        self.batch_size = batch_size
        self.drop_last = drop_last

    def __iter__(self) -> Iterator[list[int]]:
        indices = iter(self.sampler)
        while batch := list(itertools.islice(indices, self.batch_size)):
            if len(batch) == self.batch_size or not self.drop_last:
                yield batch

    def __len__(self) -> int:
        whole, rest = divmod(len(self.sampler), self.batch_size)  # type: ignore[arg-type]
        return whole + (rest > 0 and not self.drop_last)
