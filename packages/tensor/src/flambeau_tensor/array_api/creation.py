"""Creation of tensors."""

from collections.abc import Sequence

import flambeau_tensor as torch
from flambeau_tensor import Tensor
from flambeau_tensor._core.elementwise.dtype import DType

Shape = int | Sequence[int]


def _sizes(shape: Shape) -> tuple[int, ...]:
    return (shape,) if isinstance(shape, int) else tuple(shape)


def arange(
    start: float,
    /,
    stop: float | None = None,
    step: float = 1,
    *,
    dtype: DType | None = None,
    device: object = None,
) -> Tensor:
    """Return numbers from `start` up to `stop`, which is excluded; none if `step` leads away from it.

    >>> arange(3, 0)
    tensor([], dtype=torch.int64)
    """
    start, stop = (0, start) if stop is None else (start, stop)
    if (stop - start) * step < 0:
        whole = all(isinstance(x, int) for x in (start, stop, step))
        return torch.empty(0, dtype=dtype or (torch.int64 if whole else torch.get_default_dtype()), device=device)
    return torch.arange(start, stop, step, dtype=dtype, device=device)


def asarray(obj: object, /, *, dtype: DType | None = None, device: object = None, copy: bool | None = None) -> Tensor:
    """Convert numbers, sequences, buffers and arrays to a tensor.

    >>> asarray([1, 2])
    tensor([1, 2])
    """
    return torch.asarray(obj, dtype=dtype, device=device, copy=copy)


def empty(shape: Shape, *, dtype: DType | None = None, device: object = None) -> Tensor:
    """Return a tensor of uninitialized memory.

    >>> empty((2, 3)).shape
    torch.Size([2, 3])
    """
    return torch.empty(_sizes(shape), dtype=dtype, device=device)


def empty_like(x: Tensor, /, *, dtype: DType | None = None, device: object = None) -> Tensor:
    """Return an uninitialized tensor with the shape of another tensor.

    >>> empty_like(torch.ones(2)).shape
    torch.Size([2])
    """
    return torch.empty_like(x, dtype=dtype, device=device)


def eye(
    n_rows: int, n_cols: int | None = None, /, *, k: int = 0, dtype: DType | None = None, device: object = None
) -> Tensor:
    """Return a matrix with ones on the `k`-th diagonal.

    >>> eye(2, k=1)
    tensor([[0., 1.],
            [0., 0.]])
    """
    out = torch.zeros((n_rows, n_rows if n_cols is None else n_cols), dtype=dtype, device=device)
    if -out.shape[0] < k < out.shape[1]:
        out.diagonal(k).fill_(1)
    return out


def from_dlpack(x: object, /, *, device: object = None, copy: bool | None = None) -> Tensor:
    """Return a tensor on the memory of another library's array.

    >>> import numpy as np
    >>> from_dlpack(np.arange(2))
    tensor([0, 1])
    """
    return torch.from_dlpack(x, device=device, copy=copy)


def full(shape: Shape, fill_value: complex, *, dtype: DType | None = None, device: object = None) -> Tensor:
    """Return a tensor filled with a number.

    >>> full(2, 3)
    tensor([3, 3])
    """
    return torch.full(_sizes(shape), fill_value, dtype=dtype, device=device)


def full_like(x: Tensor, /, fill_value: complex, *, dtype: DType | None = None, device: object = None) -> Tensor:
    """Return a tensor filled with a number, with the shape of another tensor.

    >>> full_like(torch.ones(2), 3)
    tensor([3., 3.])
    """
    return torch.full_like(x, fill_value, dtype=dtype, device=device)


def linspace(
    start: complex,
    stop: complex,
    /,
    num: int,
    *,
    dtype: DType | None = None,
    device: object = None,
    endpoint: bool = True,
) -> Tensor:
    """Return evenly spaced numbers, with or without the last one.

    >>> linspace(0, 1, 2, endpoint=False)
    tensor([0.0000, 0.5000])
    """
    if endpoint:
        return torch.linspace(start, stop, num, dtype=dtype, device=device)
    return torch.linspace(start, stop, num + 1, dtype=dtype, device=device)[:num]


def meshgrid(*arrays: Tensor, indexing: str = "xy") -> list[Tensor]:
    """Return the coordinates of a grid.

    >>> meshgrid(torch.arange(2), torch.arange(1))
    [tensor([[0, 1]]), tensor([[0, 0]])]
    """
    return list(torch.meshgrid(*arrays, indexing=indexing))


def ones(shape: Shape, *, dtype: DType | None = None, device: object = None) -> Tensor:
    """Return a tensor of ones.

    >>> ones(2)
    tensor([1., 1.])
    """
    return torch.ones(_sizes(shape), dtype=dtype, device=device)


def ones_like(x: Tensor, /, *, dtype: DType | None = None, device: object = None) -> Tensor:
    """Return a tensor of ones with the shape of another tensor.

    >>> ones_like(torch.zeros(2))
    tensor([1., 1.])
    """
    return torch.ones_like(x, dtype=dtype, device=device)


def tril(x: Tensor, /, *, k: int = 0) -> Tensor:
    """Return the elements on and below the `k`-th diagonal; the others are zero.

    >>> tril(torch.ones(2, 2))
    tensor([[1., 0.],
            [1., 1.]])
    """
    return torch.tril(x, k)


def triu(x: Tensor, /, *, k: int = 0) -> Tensor:
    """Return the elements on and above the `k`-th diagonal; the others are zero.

    >>> triu(torch.ones(2, 2))
    tensor([[1., 1.],
            [0., 1.]])
    """
    return torch.triu(x, k)


def zeros(shape: Shape, *, dtype: DType | None = None, device: object = None) -> Tensor:
    """Return a tensor of zeros.

    >>> zeros(2)
    tensor([0., 0.])
    """
    return torch.zeros(_sizes(shape), dtype=dtype, device=device)


def zeros_like(x: Tensor, /, *, dtype: DType | None = None, device: object = None) -> Tensor:
    """Return a tensor of zeros with the shape of another tensor.

    >>> zeros_like(torch.ones(2))
    tensor([0., 0.])
    """
    return torch.zeros_like(x, dtype=dtype, device=device)
