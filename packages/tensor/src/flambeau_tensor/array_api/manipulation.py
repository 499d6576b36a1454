"""Other shapes of the same elements."""

from collections.abc import Sequence

import flambeau_tensor as torch
from flambeau_tensor import Tensor
from flambeau_tensor.array_api.data_types import result_type

Axes = int | Sequence[int]


def axes_of(x: Tensor, axis: Axes | None) -> tuple[int, ...]:
    """The dimensions that `axis` names, all of them for None.

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
    """The tensors in their common shape.

    >>> broadcast_arrays(torch.ones(2), torch.zeros(()))
    [tensor([1., 1.]), tensor([0., 0.])]
    """
    return list(torch.broadcast_tensors(*arrays))


def broadcast_to(x: Tensor, /, shape: Sequence[int]) -> Tensor:
    """A view in another shape.

    >>> broadcast_to(torch.ones(1), (2,))
    tensor([1., 1.])
    """
    return torch.broadcast_to(x, tuple(shape))


def concat(arrays: Sequence[Tensor], /, *, axis: int | None = 0) -> Tensor:
    """The tensors one after another, flattened for None.

    >>> concat([torch.ones(1), torch.zeros(1)])
    tensor([1., 0.])
    """
    dtype = result_type(*arrays)
    arrays = [x.to(dtype) for x in arrays]
    return torch.cat([x.reshape(-1) for x in arrays] if axis is None else arrays, 0 if axis is None else axis)


def expand_dims(x: Tensor, /, axis: int) -> Tensor:
    """With a dimension of size 1 more.

    >>> expand_dims(torch.ones(2), 0).shape
    torch.Size([1, 2])
    """
    return torch.unsqueeze(x, axis)


def flip(x: Tensor, /, *, axis: Axes | None = None) -> Tensor:
    """Backwards.

    >>> flip(torch.arange(3))
    tensor([2, 1, 0])
    """
    return torch.flip(x, axes_of(x, axis))


def moveaxis(x: Tensor, source: Axes, destination: Axes, /) -> Tensor:
    """With dimensions in other places.

    >>> moveaxis(torch.ones(2, 3, 4), 0, -1).shape
    torch.Size([3, 4, 2])
    """
    return torch.moveaxis(x, source, destination)


def permute_dims(x: Tensor, /, axes: Sequence[int]) -> Tensor:
    """With the dimensions in another order.

    >>> permute_dims(torch.ones(2, 3), (1, 0)).shape
    torch.Size([3, 2])
    """
    return torch.permute(x, tuple(axes))


def repeat(x: Tensor, repeats: int | Tensor, /, *, axis: int | None = None) -> Tensor:
    """Each element several times, one after another.

    >>> repeat(torch.arange(2), 2)
    tensor([0, 0, 1, 1])
    """
    if isinstance(repeats, Tensor):
        repeats = repeats.to(torch.int64)
    return torch.repeat_interleave(x, repeats, axis)


def reshape(x: Tensor, /, shape: Sequence[int], *, copy: bool | None = None) -> Tensor:
    """In another shape: a view where that is possible, or as `copy` says.

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
    """Moved around the end; all as one row for None.

    >>> roll(torch.arange(3), 1)
    tensor([2, 0, 1])
    """
    if isinstance(axis, (tuple, list)) and isinstance(shift, int):
        shift = (shift,) * len(axis)
    return torch.roll(x, shift, axis)


def squeeze(x: Tensor, /, axis: Axes) -> Tensor:
    """Without dimensions of size 1.

    >>> squeeze(torch.ones(1, 2), 0).shape
    torch.Size([2])
    """
    axes = axes_of(x, axis)
    if any(x.shape[i] != 1 for i in axes):
        raise ValueError(f"squeeze(): dimensions {axes} of sizes {tuple(x.shape)} are not all of size 1")
    return torch.squeeze(x, axes)


def stack(arrays: Sequence[Tensor], /, *, axis: int = 0) -> Tensor:
    """The tensors side by side in a dimension more.

    >>> stack([torch.ones(()), torch.zeros(())])
    tensor([1., 0.])
    """
    dtype = result_type(*arrays)
    return torch.stack([x.to(dtype) for x in arrays], axis)


def tile(x: Tensor, repetitions: Sequence[int], /) -> Tensor:
    """The whole several times in each dimension.

    >>> tile(torch.arange(2), (2,))
    tensor([0, 1, 0, 1])
    """
    return torch.tile(x, tuple(repetitions))


def unstack(x: Tensor, /, *, axis: int = 0) -> tuple[Tensor, ...]:
    """The slices along a dimension.

    >>> unstack(torch.arange(2))
    (tensor(0), tensor(1))
    """
    return tuple(torch.unbind(x, axis))
