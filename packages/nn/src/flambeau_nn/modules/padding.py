"""Padding of the last one, two or three dimensions."""

from __future__ import annotations

from collections.abc import Sequence

from flambeau_nn import functional as F
from flambeau_nn.modules.module import Module
from flambeau_tensor import Tensor

__all__ = [
    "CircularPad1d",
    "CircularPad2d",
    "CircularPad3d",
    "ConstantPad1d",
    "ConstantPad2d",
    "ConstantPad3d",
    "ReflectionPad1d",
    "ReflectionPad2d",
    "ReflectionPad3d",
    "ReplicationPad1d",
    "ReplicationPad2d",
    "ReplicationPad3d",
    "ZeroPad1d",
    "ZeroPad2d",
    "ZeroPad3d",
]


class _Pad(Module):
    """`padding` is one number for all sides, or (before, after) for each dimension, last dimension first."""

    __constants__ = ["padding"]
    _mode = "constant"
    _dims = 1

    def __init__(self, padding: int | Sequence[int]) -> None:
        super().__init__()
        self.padding = (padding,) * (2 * self._dims) if isinstance(padding, int) else tuple(padding)

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, self._mode)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class _ConstantPadNd(_Pad):
    __constants__ = ["padding", "value"]

    def __init__(self, padding: int | Sequence[int], value: float) -> None:
        super().__init__(padding)
        self.value = value

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, "constant", self.value)

    def extra_repr(self) -> str:
        return f"padding={self.padding}, value={self.value}"


class _ZeroPad(_ConstantPadNd):
    def __init__(self, padding: int | Sequence[int]) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class _ReflectionPadNd(_Pad):
    _mode = "reflect"


class _ReplicationPadNd(_Pad):
    _mode = "replicate"


class ConstantPad1d(_ConstantPadNd):
    """The last dimension padded with a value.

    Shape:
        (N, C, W) or (C, W) → the same with W longer by the sum of the padding

    Raises:
        RuntimeError: the padding crops more elements than there are.

    >>> ConstantPad1d((1, 2), 9.0)(torch.tensor([[1.0, 2.0]]))
    tensor([[9., 1., 2., 9., 9.]])
    """


class ConstantPad2d(_ConstantPadNd):
    """The last two dimensions padded with a value.

    Shape:
        (N, C, H, W) or (C, H, W) → the same with H and W longer

    Raises:
        RuntimeError: the padding crops more elements than there are.

    >>> ConstantPad2d((1, 0, 0, 1), 9.0)(torch.ones(1, 2, 2))
    tensor([[[9., 1., 1.],
             [9., 1., 1.],
             [9., 9., 9.]]])
    """

    _dims = 2


class ConstantPad3d(_ConstantPadNd):
    """The last three dimensions padded with a value.

    Shape:
        (N, C, D, H, W) or (C, D, H, W) → the same with D, H and W longer

    Raises:
        RuntimeError: the padding crops more elements than there are.

    >>> ConstantPad3d(1, 9.0)(torch.ones(1, 2, 2, 2)).shape
    torch.Size([1, 4, 4, 4])
    """

    _dims = 3


class ZeroPad1d(_ZeroPad, ConstantPad1d):
    """The last dimension padded with zeros.

    Shape:
        (N, C, W) or (C, W) → the same with W longer by the sum of the padding

    Raises:
        RuntimeError: the padding crops more elements than there are.

    >>> ZeroPad1d((1, 2))(torch.tensor([[1.0, 2.0]]))
    tensor([[0., 1., 2., 0., 0.]])
    """


class ZeroPad2d(_ZeroPad, ConstantPad2d):
    """The last two dimensions padded with zeros.

    Shape:
        (N, C, H, W) or (C, H, W) → the same with H and W longer

    Raises:
        RuntimeError: the padding crops more elements than there are.

    >>> ZeroPad2d((1, 0, 0, 1))(torch.ones(1, 2, 2))
    tensor([[[0., 1., 1.],
             [0., 1., 1.],
             [0., 0., 0.]]])
    """


class ZeroPad3d(_ZeroPad, ConstantPad3d):
    """The last three dimensions padded with zeros.

    Shape:
        (N, C, D, H, W) or (C, D, H, W) → the same with D, H and W longer

    Raises:
        RuntimeError: the padding crops more elements than there are.

    >>> ZeroPad3d(1)(torch.ones(1, 2, 2, 2)).shape
    torch.Size([1, 4, 4, 4])
    """


class ReflectionPad1d(_ReflectionPadNd):
    """The last dimension padded by reflection at its ends.

    Shape:
        (N, C, W) or (C, W) → the same with W longer by the sum of the padding

    Raises:
        RuntimeError: the padding is not narrower than the input, or the input has neither two nor three dimensions.

    >>> ReflectionPad1d(2)(torch.tensor([[1.0, 2.0, 3.0]]))
    tensor([[3., 2., 1., 2., 3., 2., 1.]])
    """


class ReflectionPad2d(_ReflectionPadNd):
    """The last two dimensions padded by reflection at their ends.

    Shape:
        (N, C, H, W) or (C, H, W) → the same with H and W longer

    Raises:
        RuntimeError: the padding is not narrower than the input, or the input has neither three nor four dimensions.

    >>> ReflectionPad2d((1, 0, 0, 0))(torch.arange(4.0).reshape(1, 2, 2))
    tensor([[[1., 0., 1.],
             [3., 2., 3.]]])
    """

    _dims = 2


class ReflectionPad3d(_ReflectionPadNd):
    """The last three dimensions padded by reflection at their ends.

    Shape:
        (N, C, D, H, W) or (C, D, H, W) → the same with D, H and W longer

    Raises:
        RuntimeError: the padding is not narrower than the input, or the input has neither four nor five dimensions.

    >>> ReflectionPad3d(1)(torch.ones(1, 2, 2, 2)).shape
    torch.Size([1, 4, 4, 4])
    """

    _dims = 3


class ReplicationPad1d(_ReplicationPadNd):
    """The last dimension padded with copies of its ends.

    Shape:
        (N, C, W) or (C, W) → the same with W longer by the sum of the padding

    Raises:
        NotImplementedError: the input has neither two nor three dimensions.

    >>> ReplicationPad1d((2, 1))(torch.tensor([[1.0, 2.0]]))
    tensor([[1., 1., 1., 2., 2.]])
    """


class ReplicationPad2d(_ReplicationPadNd):
    """The last two dimensions padded with copies of their ends.

    Shape:
        (N, C, H, W) or (C, H, W) → the same with H and W longer

    Raises:
        NotImplementedError: the input has neither three nor four dimensions.

    >>> ReplicationPad2d((0, 1, 0, 1))(torch.arange(4.0).reshape(1, 2, 2))
    tensor([[[0., 1., 1.],
             [2., 3., 3.],
             [2., 3., 3.]]])
    """

    _dims = 2


class ReplicationPad3d(_ReplicationPadNd):
    """The last three dimensions padded with copies of their ends.

    Shape:
        (N, C, D, H, W) or (C, D, H, W) → the same with D, H and W longer

    Raises:
        RuntimeError: the input has neither four nor five dimensions.

    >>> ReplicationPad3d(1)(torch.ones(1, 2, 2, 2)).shape
    torch.Size([1, 4, 4, 4])
    """

    _dims = 3


class _CircularPadNd(_Pad):
    _mode = "circular"

    def _check_input_dim(self, input: Tensor) -> None:
        if input.dim() not in (self._dims + 1, self._dims + 2):
            raise ValueError(f"expected {self._dims + 1}D or {self._dims + 2}D input (got {input.dim()}D input)")

    def forward(self, input: Tensor) -> Tensor:
        self._check_input_dim(input)
        return super().forward(input)


class CircularPad1d(_CircularPadNd):
    """The last dimension padded circularly, with elements from its other end.

    Shape:
        (N, C, W) or (C, W) → the same with W longer by the sum of the padding

    Raises:
        RuntimeError: the padding is wider than the input.
        ValueError: the input has neither two nor three dimensions.

    >>> CircularPad1d(1)(torch.tensor([[1.0, 2.0, 3.0]]))
    tensor([[3., 1., 2., 3., 1.]])
    """


class CircularPad2d(_CircularPadNd):
    """The last two dimensions padded circularly, with elements from their other ends.

    Shape:
        (N, C, H, W) or (C, H, W) → the same with H and W longer

    Raises:
        RuntimeError: the padding is wider than the input.
        ValueError: the input has neither three nor four dimensions.

    >>> CircularPad2d((1, 0, 0, 0))(torch.arange(4.0).reshape(1, 2, 2))
    tensor([[[1., 0., 1.],
             [3., 2., 3.]]])
    """

    _dims = 2


class CircularPad3d(_CircularPadNd):
    """The last three dimensions padded circularly, with elements from their other ends.

    Shape:
        (N, C, D, H, W) or (C, D, H, W) → the same with D, H and W longer

    Raises:
        RuntimeError: the padding is wider than the input.
        ValueError: the input has neither four nor five dimensions.

    >>> CircularPad3d(1)(torch.ones(1, 2, 2, 2)).shape
    torch.Size([1, 4, 4, 4])
    """

    _dims = 3
