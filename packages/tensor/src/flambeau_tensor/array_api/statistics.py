"""Reductions and cumulative operations."""

import flambeau_tensor as torch
from flambeau_tensor import Tensor
from flambeau_tensor._core.elementwise.dtype import DType
from flambeau_tensor.array_api.manipulation import Axes, axes_of


def _reduced(function, x, axis, keepdims):
    """Reduce several dimensions; without any, reduces each element alone."""
    axes = axes_of(x, axis)
    if not axes:
        return function(x.unsqueeze(-1), (x.ndim,), False)
    return function(x, axes, keepdims)


def max(x: Tensor, /, *, axis: Axes | None = None, keepdims: bool = False) -> Tensor:
    """Return the largest element.

    >>> max(torch.tensor([1, 3]))
    tensor(3)
    """
    return _reduced(torch.amax, x, axis, keepdims)


def min(x: Tensor, /, *, axis: Axes | None = None, keepdims: bool = False) -> Tensor:
    """Return the smallest element.

    >>> min(torch.tensor([1, 3]))
    tensor(1)
    """
    return _reduced(torch.amin, x, axis, keepdims)


def mean(x: Tensor, /, *, axis: Axes | None = None, keepdims: bool = False) -> Tensor:
    """Return the mean.

    >>> mean(torch.tensor([1.0, 3.0]))
    tensor(2.)
    """
    return _reduced(torch.mean, x, axis, keepdims)


def std(x: Tensor, /, *, axis: Axes | None = None, correction: float = 0.0, keepdims: bool = False) -> Tensor:
    """Return the standard deviation.

    >>> std(torch.tensor([1.0, 3.0]))
    tensor(1.)
    """
    return _reduced(lambda x, a, k: torch.std(x, a, correction=correction, keepdim=k), x, axis, keepdims)


def var(x: Tensor, /, *, axis: Axes | None = None, correction: float = 0.0, keepdims: bool = False) -> Tensor:
    """Return the variance.

    >>> var(torch.tensor([1.0, 3.0]))
    tensor(1.)
    """
    return _reduced(lambda x, a, k: torch.var(x, a, correction=correction, keepdim=k), x, axis, keepdims)


def sum(x: Tensor, /, *, axis: Axes | None = None, dtype: DType | None = None, keepdims: bool = False) -> Tensor:
    """Return the sum. Small integer dtypes become int64.

    >>> sum(torch.tensor([1, 3], dtype=torch.int8))
    tensor(4)
    """
    return _reduced(lambda x, a, k: torch.sum(x, a, k, dtype=dtype), x, axis, keepdims)


def prod(x: Tensor, /, *, axis: Axes | None = None, dtype: DType | None = None, keepdims: bool = False) -> Tensor:
    """Return the product. Small integer dtypes become int64.

    >>> prod(torch.tensor([2, 3]))
    tensor(6)
    """

    def reduce(x, axes, keepdims):
        for i in sorted(axes, reverse=True):
            x = torch.prod(x, i, keepdims, dtype=dtype)
        return x

    return _reduced(reduce, x, axis, keepdims)


def cumulative_sum(
    x: Tensor, /, *, axis: int | None = None, dtype: DType | None = None, include_initial: bool = False
) -> Tensor:
    """Return the cumulative sum, after a zero if `include_initial`.

    >>> cumulative_sum(torch.tensor([1, 3]), include_initial=True)
    tensor([0, 1, 4])
    """
    return _running(torch.cumsum, x, axis, dtype, 0 if include_initial else None)


def cumulative_prod(
    x: Tensor, /, *, axis: int | None = None, dtype: DType | None = None, include_initial: bool = False
) -> Tensor:
    """Return the cumulative product, after a one if `include_initial`.

    >>> cumulative_prod(torch.tensor([2, 3]))
    tensor([2, 6])
    """
    return _running(torch.cumprod, x, axis, dtype, 1 if include_initial else None)


def _running(function, x, axis, dtype, initial):
    if axis is None:
        if x.ndim != 1:
            raise ValueError("running totals need axis for a tensor that has not one dimension")
        axis = 0
    (axis,) = axes_of(x, axis)
    out = function(x, axis, dtype=dtype)
    if initial is None:
        return out
    shape = (*x.shape[:axis], 1, *x.shape[axis + 1 :])
    return torch.cat([torch.full(shape, initial, dtype=out.dtype, device=x.device), out], axis)


def all(x: Tensor, /, *, axis: Axes | None = None, keepdims: bool = False) -> Tensor:
    """Return True if all elements are true.

    >>> all(torch.tensor([True, False]))
    tensor(False)
    """
    return _reduced(lambda x, a, k: torch.all(x != 0, a, k), x, axis, keepdims)


def any(x: Tensor, /, *, axis: Axes | None = None, keepdims: bool = False) -> Tensor:
    """Return True if an element is true.

    >>> any(torch.tensor([True, False]))
    tensor(True)
    """
    return _reduced(lambda x, a, k: torch.any(x != 0, a, k), x, axis, keepdims)
