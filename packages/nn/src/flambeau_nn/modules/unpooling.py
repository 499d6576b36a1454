"""Unpooling layers, and fractional max pooling."""

from __future__ import annotations

from typing import Any

from flambeau_nn import functional as F
from flambeau_nn.modules.module import Module
from flambeau_tensor import Tensor

__all__ = ["FractionalMaxPool2d", "FractionalMaxPool3d", "MaxUnpool1d", "MaxUnpool2d", "MaxUnpool3d"]

_Sizes = int | tuple[int, ...]


class _MaxUnpoolNd(Module):
    _dims = 1

    def __init__(self, kernel_size: _Sizes, stride: _Sizes | None = None, padding: _Sizes = 0) -> None:
        super().__init__()
        self.kernel_size = self._tuple(kernel_size)
        self.stride = self._tuple(kernel_size if stride is None else stride)
        self.padding = self._tuple(padding)

    def _tuple(self, sizes: Any) -> tuple[Any, ...]:
        return (sizes,) * self._dims if isinstance(sizes, int) else tuple(sizes)

    def forward(self, input: Tensor, indices: Tensor, output_size: list[int] | None = None) -> Tensor:
        unpool = getattr(F, f"max_unpool{self._dims}d")
        return unpool(input, indices, self.kernel_size, self.stride, self.padding, output_size)

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class MaxUnpool1d(_MaxUnpoolNd):
    """The partial inverse of :class:`MaxPool1d`: puts the maxima at their indices, and zeros elsewhere.

        Args:
            kernel_size, stride, padding: those of the pooling.

        The arguments of a call are the maxima, their indices and, if several sizes are possible, ``output_size``.

    Shape:
        (N, C, L) or (C, L) → the same, L as before the pooling

    Raises:
        RuntimeError: sizes of the input and the indices differ, or an index is outside the result.
        ValueError: ``output_size`` differs by more than a stride from the default.

    >>> maxima, indices = torch.nn.MaxPool1d(2, return_indices=True)(torch.tensor([[1.0, 4.0, 3.0, 2.0]]))
    >>> MaxUnpool1d(2)(maxima, indices)
    tensor([[0., 4., 3., 0.]])
    """


class MaxUnpool2d(_MaxUnpoolNd):
    """The partial inverse of :class:`MaxPool2d`, see :class:`MaxUnpool1d`.

    Shape:
        (N, C, H, W) or (C, H, W) → the same, H and W as before the pooling

    Raises:
        RuntimeError: sizes of the input and the indices differ, or an index is outside the result.
        ValueError: ``output_size`` differs by more than a stride from the default.

    >>> pool = torch.nn.MaxPool2d(2, return_indices=True)
    >>> MaxUnpool2d(2)(*pool(torch.arange(4.0).reshape(1, 2, 2)))
    tensor([[[0., 0.],
             [0., 3.]]])
    """

    _dims = 2


class MaxUnpool3d(_MaxUnpoolNd):
    """The partial inverse of :class:`MaxPool3d`, see :class:`MaxUnpool1d`.

    Shape:
        (N, C, D, H, W) or (C, D, H, W) → the same, D, H and W as before the pooling

    Raises:
        IndexError: sizes of the input and the indices differ, or an index is outside the result.
        ValueError: ``output_size`` differs by more than a stride from the default.
        RuntimeError: sizes of the input and the indices differ, or an index is outside the result.

    >>> pool = torch.nn.MaxPool3d(2, return_indices=True)
    >>> MaxUnpool3d(2)(*pool(torch.arange(8.0).reshape(1, 2, 2, 2))).sum()
    tensor(7.)
    """

    _dims = 3


class _FractionalMaxPool(Module):
    __constants__ = ["kernel_size", "return_indices", "output_size", "output_ratio"]
    _dims = 2

    def __init__(
        self,
        kernel_size: _Sizes,
        output_size: _Sizes | None = None,
        output_ratio: float | tuple[float, ...] | None = None,
        return_indices: bool = False,
        _random_samples: Tensor | None = None,
    ) -> None:
        super().__init__()
        if output_size is None and output_ratio is None:
            raise ValueError(f"{type(self).__name__} requires specifying either an output size, or a pooling ratio")
        if output_size is not None and output_ratio is not None:
            raise ValueError("only one of output_size and output_ratio may be specified")
        self.kernel_size = self._tuple(kernel_size)
        self.return_indices = return_indices
        self.register_buffer("_random_samples", _random_samples)
        self.output_size = None if output_size is None else self._tuple(output_size)
        self.output_ratio = None if output_ratio is None else self._tuple(output_ratio)
        if self.output_ratio is not None and not all(0 < ratio < 1 for ratio in self.output_ratio):
            raise ValueError(f"output_ratio must be between 0 and 1 (got {output_ratio})")

    def _tuple(self, sizes: Any) -> tuple[Any, ...]:
        return (sizes,) * self._dims if isinstance(sizes, (int, float)) else tuple(sizes)

    def forward(self, input: Tensor) -> Tensor:
        pool = getattr(F, f"fractional_max_pool{self._dims}d")
        return pool(
            input, self.kernel_size, self.output_size, self.output_ratio, self.return_indices, self._random_samples
        )


class FractionalMaxPool2d(_FractionalMaxPool):
    """The maximum of windows at random positions (Graham, 2014).

    Args:
        kernel_size: of a window, an int or two.
        output_size: of the result, an int or two.
        output_ratio: of the result's size to the input's, instead of ``output_size``.
        return_indices: whether to return a tuple of the maxima and their indices.

    Shape:
        (N, C, H, W) or (C, H, W)

    Raises:
        ValueError: not exactly one of ``output_size`` and ``output_ratio`` is given, or a ratio is not between 0 and 1.

    >>> FractionalMaxPool2d(2, output_ratio=0.6)(torch.rand(1, 3, 10, 10)).shape
    torch.Size([1, 3, 6, 6])
    """


class FractionalMaxPool3d(_FractionalMaxPool):
    """:class:`FractionalMaxPool2d` over three dimensions.

    Shape:
        (N, C, D, H, W) or (C, D, H, W)

    Raises:
        ValueError: not exactly one of ``output_size`` and ``output_ratio`` is given, or a ratio is not between 0 and 1.

    >>> FractionalMaxPool3d(2, output_size=3)(torch.rand(1, 2, 6, 6, 6)).shape
    torch.Size([1, 2, 3, 3, 3])
    """

    _dims = 3
