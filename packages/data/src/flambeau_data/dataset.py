"""Datasets: map-style datasets, iterable datasets, and combinations of them."""

import itertools
import math
import warnings
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Generic, TypeVar

from flambeau_tensor import Generator, Tensor, default_generator, randperm

__all__ = [
    "ChainDataset",
    "ConcatDataset",
    "Dataset",
    "IterableDataset",
    "StackDataset",
    "Subset",
    "TensorDataset",
    "random_split",
]

_T = TypeVar("_T")
_T_co = TypeVar("_T_co", covariant=True)


class Dataset(Generic[_T_co]):
    """Base of datasets: ``dataset[i]`` is an item, and ``len(dataset)`` is the number of items.

    A subclass may define ``__getitems__(indices)``, which returns the list of these items; the
    :class:`DataLoader` then calls it once a batch.

    Raises:
        NotImplementedError: a subclass has no ``__getitem__``.

    >>> class Squares(Dataset):
    ...     def __len__(self):
    ...         return 5
    ...     def __getitem__(self, i):
    ...         return i * i
    >>> Squares()[3]
    9
    """

    def __getitem__(self, index: Any) -> _T_co:
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")

    def __add__(self, other: "Dataset[_T_co]") -> "ConcatDataset[_T_co]":
        return ConcatDataset([self, other])


class IterableDataset(Dataset[_T_co], Iterable[_T_co]):
    """Base class of iterable datasets: a subclass defines ``__iter__``.

    Each worker of a :class:`DataLoader` iterates over its own copy; :func:`get_worker_info` identifies the worker.

    Raises:
        TypeError: a subclass has no ``__iter__``.

    >>> class Count(IterableDataset):
    ...     def __iter__(self):
    ...         return iter(range(5))
    >>> [batch.tolist() for batch in torch.utils.data.DataLoader(Count(), batch_size=2)]
    [[0, 1], [2, 3], [4]]
    """

    def __add__(self, other: Dataset[_T_co]) -> "ChainDataset":  # type: ignore[override]
        return ChainDataset([self, other])


class TensorDataset(Dataset[tuple[Tensor, ...]]):
    """Rows of tensors: item i is the tuple of the tensors' rows i.

    A :class:`DataLoader` gathers a batch by one index operation for each tensor.

    Args:
        tensors: tensors of the same size in dimension 0.

    Raises:
        AssertionError: the sizes differ.

    >>> import flambeau_tensor as ft
    >>> TensorDataset(ft.tensor([[1, 2], [3, 4]]), ft.tensor([5, 6]))[1]
    (tensor([3, 4]), tensor(6))
    """

    tensors: tuple[Tensor, ...]

    def __init__(self, *tensors: Tensor) -> None:
        if any(tensors[0].size(0) != t.size(0) for t in tensors):
            raise AssertionError("Size mismatch between tensors")
        self.tensors = tensors

    def __getitem__(self, index: Any) -> tuple[Tensor, ...]:
        return tuple([t[index] for t in self.tensors])

    def __len__(self) -> int:
        return self.tensors[0].shape[0]


class StackDataset(Dataset[Any]):
    """Combines datasets: item i is the tuple, or the dict, of their items i.

    Args:
        args: datasets of one length, for tuples.
        kwargs: the same by name, for dicts.

    Raises:
        ValueError: the lengths differ, no dataset is given, or both kinds are.

    >>> StackDataset(range(3), "abc")[1], StackDataset(number=range(3), letter="abc")[1]
    ((1, 'b'), {'number': 1, 'letter': 'b'})
    """

    datasets: "tuple[Any, ...] | dict[str, Any]"

    def __init__(self, *args: Dataset[Any], **kwargs: Dataset[Any]) -> None:
        if args and kwargs:
            raise ValueError(
                "Supported either ``tuple``- (via ``args``) or ``dict``- (via ``kwargs``) like "
                "input/output, but both types are given."
            )
        if not args and not kwargs:
            raise ValueError("At least one dataset should be passed")
        sizes = [len(d) for d in (args or kwargs.values())]  # type: ignore[arg-type]
        if len(set(sizes)) > 1:
            raise ValueError("Size mismatch between datasets")
        self._length = sizes[0]
        self.datasets = args or kwargs

    def __getitem__(self, index: Any) -> Any:
        if isinstance(self.datasets, dict):
            return {name: d[index] for name, d in self.datasets.items()}
        return tuple([d[index] for d in self.datasets])

    def __getitems__(self, indices: list[Any]) -> list[Any]:
        names = isinstance(self.datasets, dict)
        columns = [_items(d, indices) for d in (self.datasets.values() if names else self.datasets)]  # type: ignore
        for column in columns:
            if len(column) != len(indices):
                raise ValueError(f"Nested dataset's output size mismatch. Expected {len(indices)}, got {len(column)}")
        rows = list(zip(*columns, strict=True))
        return [dict(zip(self.datasets, row, strict=True)) for row in rows] if names else rows

    def __len__(self) -> int:
        return self._length


def _items(dataset: Any, indices: list[Any]) -> list[Any]:
    """Return several items, by one call if the dataset supports that."""
    if callable(getattr(dataset, "__getitems__", None)):
        return dataset.__getitems__(indices)
    return [dataset[i] for i in indices]


class ConcatDataset(Dataset[_T_co]):
    """The concatenation of datasets.

    Args:
        datasets: at least one, none of them an :class:`IterableDataset`.

    Raises:
        AssertionError: no dataset is given, or one is an :class:`IterableDataset`.

    >>> both = ConcatDataset([range(3), range(10, 12)])
    >>> len(both), both[3], both[-1]
    (5, 10, 11)
    """

    datasets: list[Any]
    cumulative_sizes: list[int]

    @staticmethod
    def cumsum(sequence: Iterable[Any]) -> list[int]:
        """The cumulative lengths of the datasets."""
        return list(itertools.accumulate(len(d) for d in sequence))

    def __init__(self, datasets: Iterable[Dataset[Any]]) -> None:
        self.datasets = list(datasets)
        if not self.datasets:
            raise AssertionError("datasets should not be an empty iterable")
        if any(isinstance(d, IterableDataset) for d in self.datasets):
            raise AssertionError("ConcatDataset does not support IterableDataset")
        self.cumulative_sizes = self.cumsum(self.datasets)

    def __len__(self) -> int:
        return self.cumulative_sizes[-1]

    def __getitem__(self, idx: int) -> _T_co:
        if idx < 0:
            if -idx > len(self):
                raise ValueError("absolute value of index should not exceed dataset length")
            idx += len(self)
        which = bisect_right(self.cumulative_sizes, idx)
        begin = self.cumulative_sizes[which - 1] if which else 0
        return self.datasets[which][idx - begin]

    @property
    def cummulative_sizes(self) -> list[int]:
        """The former spelling of ``cumulative_sizes``."""
        warnings.warn("`cummulative_sizes` attribute is renamed to `cumulative_sizes`", FutureWarning, stacklevel=2)
        return self.cumulative_sizes


class ChainDataset(IterableDataset[Any]):
    """The concatenation of iterable datasets.

    Args:
        datasets: instances of :class:`IterableDataset`; others raise an AssertionError when the iteration reaches them.

    Raises:
        AssertionError: a dataset is not an iterable one.

    >>> class Count(torch.utils.data.IterableDataset):
    ...     def __init__(self, n):
    ...         self.n = n
    ...     def __iter__(self):
    ...         return iter(range(self.n))
    >>> list(ChainDataset([Count(2), Count(3)]))
    [0, 1, 0, 1, 2]
    """

    def __init__(self, datasets: Iterable[Dataset[Any]]) -> None:
        self.datasets = datasets

    def _streams(self) -> Iterator[Any]:
        for d in self.datasets:
            if not isinstance(d, IterableDataset):
                raise AssertionError("ChainDataset only supports IterableDataset")
            yield d

    def __iter__(self) -> Iterator[Any]:
        for d in self._streams():
            yield from d

    def __len__(self) -> int:
        return sum(len(d) for d in self._streams())


class Subset(Dataset[_T_co]):
    """The items of a dataset at some indices.

    Args:
        dataset: the dataset.
        indices: the indices of the subset's items.

    Raises:
        NotImplementedError: a subclass defines ``__getitem__`` and not ``__getitems__``, which the
            :class:`DataLoader` calls.

    >>> list(Subset("abcdef", [0, 2, 4]))
    ['a', 'c', 'e']
    """

    dataset: Dataset[_T_co]
    indices: Sequence[int]

    def __init__(self, dataset: Dataset[_T_co], indices: Sequence[int]) -> None:
        self.dataset = dataset
        self.indices = indices
        kind = type(self)
        if kind.__getitem__ is not Subset.__getitem__ and kind.__getitems__ is Subset.__getitems__:
            raise NotImplementedError(
                f"{kind.__name__} overrides __getitem__ but not __getitems__. When subclassing Subset and overriding "
                "__getitem__, you must also override __getitems__ to ensure DataLoader works correctly with your "
                "custom logic. A simple implementation:\n\n"
                "def __getitems__(self, indices):\n    return [self.__getitem__(idx) for idx in indices]"
            )

    def __getitem__(self, idx: Any) -> _T_co:
        if isinstance(idx, list):
            return self.dataset[[self.indices[i] for i in idx]]
        return self.dataset[self.indices[idx]]

    def __getitems__(self, indices: list[int]) -> list[_T_co]:
        return _items(self.dataset, [self.indices[i] for i in indices])

    def __len__(self) -> int:
        return len(self.indices)


def random_split(
    dataset: Dataset[_T], lengths: "Sequence[int | float]", generator: "Generator | None" = default_generator
) -> list[Subset[_T]]:
    """Split a dataset at random into subsets of the given lengths, or fractions that sum to 1.

    With fractions, lengths are rounded down, and the remaining items are distributed one by one, starting with the
    first subset.

    Raises:
        ValueError: the lengths do not sum to the dataset's length, or a fraction is not between 0 and 1.

    >>> import flambeau_tensor as ft
    >>> [len(part) for part in random_split(range(10), [0.75, 0.25], ft.Generator().manual_seed(0))]
    [8, 2]
    """
    size = len(dataset)  # type: ignore[arg-type]
    if math.isclose(sum(lengths), 1) and sum(lengths) <= 1:
        for i, part in enumerate(lengths):
            if part < 0 or part > 1:
                raise ValueError(f"Fraction at index {i} is not between 0 and 1")
        sizes = [math.floor(size * part) for part in lengths]
        for i in range(size - sum(sizes)):
            sizes[i % len(sizes)] += 1
        for i, n in enumerate(sizes):
            if n == 0:
                warnings.warn(
                    f"Length of split at index {i} is 0. This might result in an empty dataset.", stacklevel=2
                )
        lengths = sizes
    if sum(lengths) != size:
        raise ValueError("Sum of input lengths does not equal the length of the input dataset!")
    order = randperm(size, generator=generator).tolist()
    ends = itertools.accumulate(lengths)
    return [Subset(dataset, order[end - n : end]) for end, n in zip(ends, lengths, strict=True)]
