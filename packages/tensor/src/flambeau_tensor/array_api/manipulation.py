"""Functions that change shapes and rearrange elements."""

from collections.abc import Sequence

import flambeau_tensor as torch
from flambeau_tensor import Tensor
from flambeau_tensor.array_api.data_types import result_type

Axes = int | Sequence[int]


def axes_of(x: Tensor, axis: Axes | None) -> tuple[int, ...]:
    """Return the dimensions of `axis`, all of them for None.

    >>> axes_of(torch.ones(2, 3), -1)
    (1,)
    """
    if axis is None:
        return tuple(range(x.ndim))
    found = []
    for i in (axis,) if isinstance(axis, int) else tuple(axis):
        if not -x.ndim <= i < x.ndim:
            raise IndexError(f"axis {i} of a tensor with {x.ndim} dimensions")
        found.append(i % x.ndim)
    if len(set(found)) < len(found):
        raise ValueError(f"axes {axis} name a dimension twice")
    return tuple(found)


def broadcast_arrays(*arrays: Tensor) -> list[Tensor]:
    """Return the tensors, broadcast to their common shape.

    >>> broadcast_arrays(torch.ones(2), torch.zeros(()))
    [tensor([1., 1.]), tensor([0., 0.])]
    """
    return list(torch.broadcast_tensors(*arrays))


def broadcast_to(x: Tensor, /, shape: Sequence[int]) -> Tensor:
    """Return a view, broadcast to a shape.

    >>> broadcast_to(torch.ones(1), (2,))
    tensor([1., 1.])
    """
    return torch.broadcast_to(x, tuple(shape))


def concat(arrays: Sequence[Tensor], /, *, axis: int | None = 0) -> Tensor:
    """Concatenate tensors; for None, flattened.

    >>> concat([torch.ones(1), torch.zeros(1)])
    tensor([1., 0.])
    """
    dtype = result_type(*arrays)
    arrays = [x.to(dtype) for x in arrays]
    return torch.cat([x.reshape(-1) for x in arrays] if axis is None else arrays, 0 if axis is None else axis)


def expand_dims(x: Tensor, /, axis: int) -> Tensor:
    """Insert a dimension of size 1.

    >>> expand_dims(torch.ones(2), 0).shape
    torch.Size([1, 2])
    """
    return torch.unsqueeze(x, axis)


def flip(x: Tensor, /, *, axis: Axes | None = None) -> Tensor:
    """Reverse the order of elements.

    >>> flip(torch.arange(3))
    tensor([2, 1, 0])
    """
    return torch.flip(x, axes_of(x, axis))


def moveaxis(x: Tensor, source: Axes, destination: Axes, /) -> Tensor:
    """Move dimensions to other positions.

    >>> moveaxis(torch.ones(2, 3, 4), 0, -1).shape
    torch.Size([3, 4, 2])
    """
    return torch.moveaxis(x, source, destination)


def permute_dims(x: Tensor, /, axes: Sequence[int]) -> Tensor:
    """Permute the dimensions.

    >>> permute_dims(torch.ones(2, 3), (1, 0)).shape
    torch.Size([3, 2])
    """
    return torch.permute(x, tuple(axes))


def repeat(x: Tensor, repeats: int | Tensor, /, *, axis: int | None = None) -> Tensor:
    """Repeat each element.

    >>> repeat(torch.arange(2), 2)
    tensor([0, 0, 1, 1])
    """
    if isinstance(repeats, Tensor):
        repeats = repeats.to(torch.int64)
    return torch.repeat_interleave(x, repeats, axis)


def reshape(x: Tensor, /, shape: Sequence[int], *, copy: bool | None = None) -> Tensor:
    """Change the shape: a view if that is possible, or as `copy` requires.

    >>> reshape(torch.arange(4), (2, 2))
    tensor([[0, 1],
            [2, 3]])
    """
    if copy is False:
        try:
            return x.view(tuple(shape))
        except RuntimeError as error:
            raise ValueError(f"reshape(): {error}") from None
    return torch.reshape(x.clone() if copy else x, tuple(shape))


def roll(x: Tensor, /, shift: Axes, *, axis: Axes | None = None) -> Tensor:
    """Roll elements along dimensions; for None, the flattened tensor.

    >>> roll(torch.arange(3), 1)
    tensor([2, 0, 1])
    """
    if isinstance(axis, (tuple, list)) and isinstance(shift, int):
        shift = (shift,) * len(axis)
    return torch.roll(x, shift, axis)


def squeeze(x: Tensor, /, axis: Axes) -> Tensor:
    """Remove dimensions of size 1.

    >>> squeeze(torch.ones(1, 2), 0).shape
    torch.Size([2])
    """
    axes = axes_of(x, axis)
    if any(x.shape[i] != 1 for i in axes):
        raise ValueError(f"squeeze(): dimensions {axes} of sizes {tuple(x.shape)} are not all of size 1")
    return torch.squeeze(x, axes)


def stack(arrays: Sequence[Tensor], /, *, axis: int = 0) -> Tensor:
    """Join tensors along a new dimension.

    >>> stack([torch.ones(()), torch.zeros(())])
    tensor([1., 0.])
    """
    dtype = result_type(*arrays)
    return torch.stack([x.to(dtype) for x in arrays], axis)


def tile(x: Tensor, repetitions: Sequence[int], /) -> Tensor:
    """Repeat the whole tensor along each dimension.

    >>> tile(torch.arange(2), (2,))
    tensor([0, 1, 0, 1])
    """
    return torch.tile(x, tuple(repetitions))


def unstack(x: Tensor, /, *, axis: int = 0) -> tuple[Tensor, ...]:
    """Return the slices along a dimension.

    >>> unstack(torch.arange(2))
    (tensor(0), tensor(1))
    """
    return tuple(torch.unbind(x, axis))
