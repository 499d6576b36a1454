"""Indexing, sets, sorting and differences."""

from typing import NamedTuple

import flambeau_tensor as torch
from flambeau_tensor import Tensor
from flambeau_tensor.array_api.elementwise import Operand, operands
from flambeau_tensor.array_api.manipulation import Axes, axes_of, concat

# --- indices --------------------------------------------------------------------------------------------------------


def take(x: Tensor, indices: Tensor, /, *, axis: int | None = None) -> Tensor:
    """Return slices at some indices of a dimension; negative indices count from the end.

    >>> take(torch.arange(3), torch.tensor([2, 0]))
    tensor([2, 0])
    """
    if axis is None:
        if x.ndim != 1:
            raise ValueError("take() needs axis for a tensor that has not one dimension")
        axis = 0
    (axis,) = axes_of(x, axis)
    return x[(slice(None),) * axis + (indices,)]


def take_along_axis(x: Tensor, indices: Tensor, /, *, axis: int = -1) -> Tensor:
    """Return elements along a dimension at the positions in `indices`.

    >>> take_along_axis(torch.tensor([[3, 1]]), torch.tensor([[1]]))
    tensor([[1]])
    """
    (axis,) = axes_of(x, axis)
    indices = indices.to(torch.int64)
    return torch.take_along_dim(x, torch.where(indices < 0, indices + x.shape[axis], indices), axis)


def argmax(x: Tensor, /, *, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """Return the index of the largest element.

    >>> argmax(torch.tensor([1, 3, 2]))
    tensor(1)
    """
    return _place(torch.argmax, x, axis, keepdims)


def argmin(x: Tensor, /, *, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """Return the index of the smallest element.

    >>> argmin(torch.tensor([1, 3, 2]))
    tensor(0)
    """
    return _place(torch.argmin, x, axis, keepdims)


def _place(function, x, axis, keepdims):
    if axis is None:
        found = function(x.reshape(-1), 0)
        return found.reshape((1,) * x.ndim) if keepdims else found
    return function(x, axis, keepdims)


def count_nonzero(x: Tensor, /, *, axis: Axes | None = None, keepdims: bool = False) -> Tensor:
    """Return the number of elements that are not zero.

    >>> count_nonzero(torch.tensor([0, 3]))
    tensor(1)
    """
    return torch.sum(x != 0, axes_of(x, axis), keepdims) if axis != () else (x != 0).to(torch.int64)


def nonzero(x: Tensor, /) -> tuple[Tensor, ...]:
    """Return the indices of nonzero elements, a tensor for each dimension.

    >>> nonzero(torch.tensor([0, 3]))
    (tensor([1]),)
    """
    if x.ndim == 0:
        raise ValueError("nonzero() needs a tensor with dimensions")
    return tuple(torch.nonzero(x, as_tuple=True))


def searchsorted(x1: Tensor, x2: Tensor, /, *, side: str = "left", sorter: Tensor | None = None) -> Tensor:
    """Return the indices at which elements would be inserted into a sorted tensor.

    >>> searchsorted(torch.tensor([1, 3]), torch.tensor([2]))
    tensor([1])
    """
    x1, x2 = operands(x1, x2)
    return torch.searchsorted(x1, x2, side=side, sorter=None if sorter is None else sorter.to(torch.int64))


def where(condition: Tensor, x1: Operand, x2: Operand, /) -> Tensor:
    """Select elements from one tensor or the other.

    >>> where(torch.tensor([True, False]), 1, torch.tensor([2, 3]))
    tensor([1, 3])
    """
    return torch.where(condition, *operands(x1, x2))


# --- sets -----------------------------------------------------------------------------------------------------------


class UniqueAll(NamedTuple):
    """The result of `unique_all`."""

    values: Tensor
    indices: Tensor
    inverse_indices: Tensor
    counts: Tensor


class UniqueCounts(NamedTuple):
    """The result of `unique_counts`."""

    values: Tensor
    counts: Tensor


class UniqueInverse(NamedTuple):
    """The result of `unique_inverse`."""

    values: Tensor
    inverse_indices: Tensor


def unique_all(x: Tensor, /) -> UniqueAll:
    """Return the unique elements, their first indices, the inverse indices, and the counts.

    >>> unique_all(torch.tensor([3, 1, 3])).indices
    tensor([1, 0])
    """
    values, inverse, counts = _unique(x, return_inverse=True, return_counts=True)
    places = torch.arange(inverse.numel(), device=x.device)
    first = torch.full_like(counts, inverse.numel()).scatter_reduce(0, inverse.reshape(-1), places, "amin")
    return UniqueAll(values, first, inverse.reshape(x.shape), counts)


def unique_counts(x: Tensor, /) -> UniqueCounts:
    """Return the unique elements and their counts.

    >>> unique_counts(torch.tensor([3, 1, 3])).counts
    tensor([1, 2])
    """
    return UniqueCounts(*_unique(x, return_counts=True))


def unique_inverse(x: Tensor, /) -> UniqueInverse:
    """Return the unique elements and the inverse indices.

    >>> unique_inverse(torch.tensor([3, 1, 3])).inverse_indices
    tensor([1, 0, 1])
    """
    values, inverse = _unique(x, return_inverse=True)
    return UniqueInverse(values, inverse.reshape(x.shape))


def unique_values(x: Tensor, /) -> Tensor:
    """Return the unique elements.

    >>> unique_values(torch.tensor([3, 1, 3]))
    tensor([1, 3])
    """
    return _unique(x)


def _unique(x, **options):
    if not x.is_complex():
        return torch.unique(x, **options)
    found = torch.unique(torch.view_as_real(x.reshape(-1)), dim=0, **options)
    if not options:
        return torch.view_as_complex(found)
    return torch.view_as_complex(found[0]), *found[1:]


# --- order ----------------------------------------------------------------------------------------------------------


def argsort(x: Tensor, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Tensor:
    """Return the indices that sort the elements.

    >>> argsort(torch.tensor([3, 1]))
    tensor([1, 0])
    """
    return torch.sort(x, stable=stable, dim=axis, descending=descending)[1]


def sort(x: Tensor, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Tensor:
    """Return the sorted elements.

    >>> sort(torch.tensor([3, 1]))
    tensor([1, 3])
    """
    return torch.sort(x, stable=stable, dim=axis, descending=descending)[0]


def diff(
    x: Tensor, /, *, axis: int = -1, n: int = 1, prepend: Tensor | None = None, append: Tensor | None = None
) -> Tensor:
    """Return the differences of neighboring elements, `n` times.

    >>> diff(torch.tensor([1, 4, 9]))
    tensor([3, 5])
    """
    parts = [part for part in (prepend, x, append) if part is not None]
    return torch.diff(concat(parts, axis=axis) if len(parts) > 1 else x, n, axis)
