"""Pooling layers: maxima and averages over windows, of given or of adaptive size."""

from __future__ import annotations

from typing import Any, cast

from flambeau_nn import functional as F
from flambeau_nn.modules.module import Module
from flambeau_nn.modules.sizes import _single
from flambeau_tensor import Tensor

__all__ = [
    "AdaptiveAvgPool1d",
    "AdaptiveAvgPool2d",
    "AdaptiveAvgPool3d",
    "AdaptiveMaxPool1d",
    "AdaptiveMaxPool2d",
    "AdaptiveMaxPool3d",
    "AvgPool1d",
    "AvgPool2d",
    "AvgPool3d",
    "LPPool1d",
    "LPPool2d",
    "LPPool3d",
    "MaxPool1d",
    "MaxPool2d",
    "MaxPool3d",
]

_Sizes = int | tuple[int, ...]


class _MaxPoolNd(Module):
    __constants__ = ["kernel_size", "stride", "padding", "dilation", "return_indices", "ceil_mode"]
    return_indices: bool
    ceil_mode: bool

    def __init__(
        self,
        kernel_size: _Sizes,
        stride: _Sizes | None = None,
        padding: _Sizes = 0,
        dilation: _Sizes = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.dilation = dilation
        self.return_indices = return_indices
        self.ceil_mode = ceil_mode

    def _arguments(self) -> tuple[Any, ...]:
        return self.kernel_size, self.stride, self.padding, self.dilation, self.ceil_mode, self.return_indices

    def extra_repr(self) -> str:
        return (
            f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}, "
            f"dilation={self.dilation}, ceil_mode={self.ceil_mode}"
        )


class MaxPool1d(_MaxPoolNd):
    """The maximum of each window of ``kernel_size`` elements.

    Args:
        kernel_size: the size of the window.
        stride: the distance between windows; by default ``kernel_size``.
        padding: the number of elements added on both sides, which are never a maximum.
        dilation: the distance between the elements of a window.
        return_indices: whether to return a tuple of the maxima and their indices.
        ceil_mode: whether to keep a last window that is partly outside.

    Shape:
        (N, C, L) or (C, L) → (N, C, M) or (C, M),
        M = floor((L + 2·padding - dilation·(kernel_size - 1) - 1) / stride) + 1

    Raises:
        RuntimeError: the input is smaller than the kernel, or has neither two nor three dimensions; the padding is
            above half the kernel.

    >>> import flambeau_tensor as ft
    >>> MaxPool1d(2)(ft.tensor([[1.0, 3.0, 2.0, 0.0]]))
    tensor([[3., 2.]])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.max_pool1d(input, *self._arguments())


class MaxPool2d(_MaxPoolNd):
    """The maximum of each window; sizes are an int or a tuple of two. Arguments are those of :class:`MaxPool1d`.

    Shape:
        (N, C, H, W) or (C, H, W)

    Raises:
        RuntimeError: the input is smaller than the kernel, or has neither three nor four dimensions; the padding is
            above half the kernel.

    >>> MaxPool2d(2)(torch.arange(16.0).reshape(1, 4, 4))
    tensor([[[ 5.,  7.],
             [13., 15.]]])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.max_pool2d(input, *self._arguments())


class MaxPool3d(_MaxPoolNd):
    """The maximum of each window; sizes are an int or a tuple of three. Arguments are those of :class:`MaxPool1d`.

    Shape:
        (N, C, D, H, W) or (C, D, H, W)

    Raises:
        RuntimeError: the input is smaller than the kernel, or has neither four nor five dimensions; the padding is
            above half the kernel.

    >>> MaxPool3d(2)(torch.arange(8.0).reshape(1, 2, 2, 2))
    tensor([[[[7.]]]])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.max_pool3d(input, *self._arguments())


class _AvgPoolNd(Module):
    __constants__ = ["kernel_size", "stride", "padding", "ceil_mode", "count_include_pad"]

    def __init__(
        self,
        kernel_size: _Sizes,
        stride: _Sizes | None = None,
        padding: _Sizes = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad

    def _arguments(self) -> tuple[Any, ...]:
        return self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class AvgPool1d(_AvgPoolNd):
    """The average of each window of ``kernel_size`` elements.

    Args:
        kernel_size: the size of the window.
        stride: the distance between windows; by default ``kernel_size``.
        padding: the number of zeros added on both sides.
        ceil_mode: whether to keep a last window that is partly outside.
        count_include_pad: whether padding counts in the average.

    Shape:
        (N, C, L) or (C, L) → (N, C, M) or (C, M), M = floor((L + 2·padding - kernel_size) / stride) + 1

    Raises:
        RuntimeError: the input is smaller than the kernel, or has neither two nor three dimensions; the padding is
            above half the kernel.

    >>> import flambeau_tensor as ft
    >>> AvgPool1d(2)(ft.tensor([[1.0, 3.0, 2.0, 0.0]]))
    tensor([[2., 1.]])
    """

    def __init__(
        self,
        kernel_size: _Sizes,
        stride: _Sizes | None = None,
        padding: _Sizes = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        super().__init__(
            _single(kernel_size),
            None if stride is None else _single(stride),
            _single(padding),
            ceil_mode,
            count_include_pad,
        )

    def forward(self, input: Tensor) -> Tensor:
        return F.avg_pool1d(input, *self._arguments())


class _AvgPoolWithDivisor(_AvgPoolNd):
    __constants__ = [*_AvgPoolNd.__constants__, "divisor_override"]

    def __init__(
        self,
        kernel_size: _Sizes,
        stride: _Sizes | None = None,
        padding: _Sizes = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        super().__init__(kernel_size, stride, padding, ceil_mode, count_include_pad)
        self.divisor_override = divisor_override

    def _arguments(self) -> tuple[Any, ...]:
        return (*super()._arguments(), self.divisor_override)


class AvgPool2d(_AvgPoolWithDivisor):
    """The average of each window; sizes are an int or a tuple of two. Arguments are those of :class:`AvgPool1d`, and
    ``divisor_override``, which replaces the number of elements as the divisor.

    Shape:
        (N, C, H, W) or (C, H, W)

    Raises:
        RuntimeError: the input is smaller than the kernel, or has neither three nor four dimensions; the padding is
            above half the kernel.

    >>> AvgPool2d(2)(torch.arange(16.0).reshape(1, 4, 4))
    tensor([[[ 2.5000,  4.5000],
             [10.5000, 12.5000]]])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.avg_pool2d(input, *self._arguments())


class AvgPool3d(_AvgPoolWithDivisor):
    """The average of each window; sizes are an int or a tuple of three. Arguments are those of :class:`AvgPool2d`.

    Shape:
        (N, C, D, H, W) or (C, D, H, W)

    Raises:
        RuntimeError: the input is smaller than the kernel, or has neither four nor five dimensions; the padding is
            above half the kernel.

    >>> AvgPool3d(2)(torch.arange(8.0).reshape(1, 2, 2, 2))
    tensor([[[[3.5000]]]])
    """

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__({"padding": 0, "ceil_mode": False, "count_include_pad": True} | state)

    def forward(self, input: Tensor) -> Tensor:
        return F.avg_pool3d(input, *self._arguments())


_OutputSize = int | None | tuple[int | None, ...]


class _AdaptiveAvgPoolNd(Module):
    __constants__ = ["output_size"]

    def __init__(self, output_size: _OutputSize) -> None:
        super().__init__()
        self.output_size = output_size

    def extra_repr(self) -> str:
        return f"output_size={self.output_size}"


class AdaptiveAvgPool1d(_AdaptiveAvgPoolNd):
    """The average of ``output_size`` windows that cover the input evenly.

    Shape:
        (N, C, L) or (C, L) → (N, C, output_size) or (C, output_size)

    Raises:
        RuntimeError: the input has neither two nor three dimensions.

    >>> import flambeau_tensor as ft
    >>> AdaptiveAvgPool1d(2)(ft.tensor([[1.0, 3.0, 2.0, 0.0]]))
    tensor([[2., 1.]])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.adaptive_avg_pool1d(input, self.output_size)


class AdaptiveAvgPool2d(_AdaptiveAvgPoolNd):
    """The average of windows that evenly cover the input; ``output_size`` is an int or a tuple of two; None keeps
    the size of a dimension.

    Shape:
        (N, C, H, W) or (C, H, W)

    Raises:
        RuntimeError: the input has neither three nor four dimensions.

    >>> AdaptiveAvgPool2d(2)(torch.arange(16.0).reshape(1, 4, 4))
    tensor([[[ 2.5000,  4.5000],
             [10.5000, 12.5000]]])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.adaptive_avg_pool2d(input, self.output_size)


class AdaptiveAvgPool3d(_AdaptiveAvgPoolNd):
    """The average of windows that evenly cover the input; ``output_size`` is an int or a tuple of three; None
    keeps the size of a dimension.

    Shape:
        (N, C, D, H, W) or (C, D, H, W)

    Raises:
        RuntimeError: the input has neither four nor five dimensions.

    >>> AdaptiveAvgPool3d((1, None, 2))(torch.ones(2, 3, 4, 5, 6)).shape
    torch.Size([2, 3, 1, 5, 2])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.adaptive_avg_pool3d(input, self.output_size)


class _AdaptiveMaxPoolNd(Module):
    __constants__ = ["output_size", "return_indices"]
    return_indices: bool

    def __init__(self, output_size: _OutputSize, return_indices: bool = False) -> None:
        super().__init__()
        self.output_size = output_size
        self.return_indices = return_indices

    def extra_repr(self) -> str:
        return f"output_size={self.output_size}"


class AdaptiveMaxPool1d(_AdaptiveMaxPoolNd):
    """The maximum of ``output_size`` windows that cover the input evenly; with ``return_indices``, also the indices of
    the maxima.

    Shape:
        (N, C, L) or (C, L) → (N, C, output_size) or (C, output_size)

    Raises:
        RuntimeError: the input has neither two nor three dimensions.

    >>> AdaptiveMaxPool1d(2)(torch.tensor([[1.0, 4.0, 2.0, 3.0]]))
    tensor([[4., 3.]])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.adaptive_max_pool1d(input, cast(int, self.output_size), self.return_indices)


class AdaptiveMaxPool2d(_AdaptiveMaxPoolNd):
    """The maximum of windows that cover the input evenly, as :class:`AdaptiveAvgPool2d` has them.

    Shape:
        (N, C, H, W) or (C, H, W) → (N, C, *output_size) or (C, *output_size)

    Raises:
        RuntimeError: the input has neither three nor four dimensions.

    >>> AdaptiveMaxPool2d(2)(torch.arange(16.0).reshape(1, 4, 4))
    tensor([[[ 5.,  7.],
             [13., 15.]]])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.adaptive_max_pool2d(input, self.output_size, self.return_indices)


class AdaptiveMaxPool3d(_AdaptiveMaxPoolNd):
    """The maximum of windows that cover the input evenly, as :class:`AdaptiveAvgPool3d` has them.

    Shape:
        (N, C, D, H, W) or (C, D, H, W) → (N, C, *output_size) or (C, *output_size)

    Raises:
        RuntimeError: the input has neither four nor five dimensions.

    >>> AdaptiveMaxPool3d(1)(torch.arange(8.0).reshape(1, 2, 2, 2))
    tensor([[[[7.]]]])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.adaptive_max_pool3d(input, self.output_size, self.return_indices)


class _LPPoolNd(Module):
    __constants__ = ["norm_type", "kernel_size", "stride", "ceil_mode"]
    norm_type: float
    ceil_mode: bool

    def __init__(
        self, norm_type: float, kernel_size: _Sizes, stride: _Sizes | None = None, ceil_mode: bool = False
    ) -> None:
        super().__init__()
        self.norm_type = norm_type
        self.kernel_size = kernel_size
        self.stride = stride
        self.ceil_mode = ceil_mode

    def extra_repr(self) -> str:
        return (
            f"norm_type={self.norm_type}, kernel_size={self.kernel_size}, stride={self.stride}, "
            f"ceil_mode={self.ceil_mode}"
        )


class LPPool1d(_LPPoolNd):
    """The power average of each window: the sum of the powers ``norm_type``, to the power 1 / ``norm_type``.

    Shape:
        (N, C, L) or (C, L)

    Raises:
        RuntimeError: the input is smaller than the kernel, or has neither two nor three dimensions.

    >>> LPPool1d(2, 2)(torch.tensor([[3.0, 4.0, 6.0, 8.0]]))
    tensor([[ 5., 10.]])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.lp_pool1d(input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode)


class LPPool2d(_LPPoolNd):
    """The power average of each window, see :class:`LPPool1d`.

    Shape:
        (N, C, H, W) or (C, H, W)

    Raises:
        RuntimeError: the input is smaller than the kernel, or has neither three nor four dimensions.

    >>> LPPool2d(1, 2)(torch.ones(1, 4, 4))
    tensor([[[4., 4.],
             [4., 4.]]])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.lp_pool2d(input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode)


class LPPool3d(_LPPoolNd):
    """The power average of each window, see :class:`LPPool1d`.

    Shape:
        (N, C, D, H, W) or (C, D, H, W)

    Raises:
        RuntimeError: the input is smaller than the kernel, or has neither four nor five dimensions.

    >>> LPPool3d(2, 2)(torch.ones(1, 2, 2, 2))
    tensor([[[[2.8284]]]])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.lp_pool3d(input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode)
