"""Flattening and unflattening of dimensions."""

from __future__ import annotations

from collections.abc import Sequence

from flambeau_nn.modules.module import Module
from flambeau_tensor import Tensor

__all__ = ["Flatten", "Unflatten"]


class Flatten(Module):
    """Merges the dimensions `start_dim` to `end_dim` into one.

    Shape:
        (N, *) → (N, product of *), as the defaults have it

    Raises:
        IndexError: the dimension is out of range.
        RuntimeError: ``end_dim`` is before ``start_dim``.

    >>> Flatten()(torch.ones(2, 3, 4)).shape
    torch.Size([2, 12])
    """

    __constants__ = ["end_dim", "start_dim"]

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim = start_dim
        self.end_dim = end_dim

    def forward(self, input: Tensor) -> Tensor:
        return input.flatten(self.start_dim, self.end_dim)

    def extra_repr(self) -> str:
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class Unflatten(Module):
    """Splits one dimension into several.

    Shape:
        (*, n, *) → (*, *unflattened_size, *)

    Raises:
        RuntimeError: the sizes do not multiply to that of the dimension.
        TypeError: the sizes are neither ints nor pairs of a name and an int.

    >>> Unflatten(1, (2, 3))(torch.ones(4, 6)).shape
    torch.Size([4, 2, 3])
    """

    __constants__ = ["dim", "unflattened_size"]

    def __init__(self, dim: int | str, unflattened_size: Sequence[int] | Sequence[tuple[str, int]]) -> None:
        super().__init__()
        if not isinstance(dim, int):
            if isinstance(dim, str):
                raise NotImplementedError("Unflatten: named dimensions are not built")
            raise TypeError("invalid argument type for dim parameter")
        if not isinstance(unflattened_size, (tuple, list)):
            raise TypeError(
                f"unflattened_size must be a tuple of ints, but found type {type(unflattened_size).__name__}"
            )
        for i, size in enumerate(unflattened_size):
            if not isinstance(size, int):
                raise TypeError(
                    "unflattened_size must be tuple of ints, but found element of type "
                    f"{type(size).__name__} at pos {i}"
                )
        self.dim = dim
        self.unflattened_size = unflattened_size

    def forward(self, input: Tensor) -> Tensor:
        return input.unflatten(self.dim, self.unflattened_size)

    def extra_repr(self) -> str:
        return f"dim={self.dim}, unflattened_size={self.unflattened_size}"
