"""Convolution layers. Compiled as it is (see CMakeLists.txt)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import flambeau_tensor as ft
from flambeau_nn import functional as F
from flambeau_nn import init
from flambeau_nn.modules.module import Module
from flambeau_nn.modules.sizes import _ntuple, _pair, _reverse_repeat_tuple, _single, _triple  # noqa: F401
from flambeau_nn.parameter import Parameter
from flambeau_tensor import Tensor, dtype
from flambeau_tensor.options import Device

__all__ = ["Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d"]

_Sizes = int | tuple[int, ...]
_MODES = ("zeros", "reflect", "replicate", "circular")
_ANY = "{'zeros', 'reflect', 'circular', 'replicate'}"  # as the message has them


class _ConvNd(Module):
    __constants__ = [
        "stride",
        "padding",
        "dilation",
        "groups",
        "padding_mode",
        "output_padding",
        "in_channels",
        "out_channels",
        "kernel_size",
    ]
    bias: Tensor | None
    weight: Tensor
    in_channels: int
    out_channels: int
    kernel_size: tuple[int, ...]
    stride: tuple[int, ...]
    padding: Any  # a tuple of ints, or "same" or "valid"
    dilation: tuple[int, ...]
    transposed: bool
    output_padding: tuple[int, ...]
    groups: int
    padding_mode: str
    _dims = 1

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: tuple[int, ...],
        stride: tuple[int, ...],
        padding: str | tuple[int, ...],
        dilation: tuple[int, ...],
        transposed: bool,
        output_padding: tuple[int, ...],
        groups: int,
        bias: bool,
        padding_mode: str,
        device: Device | None = None,
        dtype: dtype | None = None,
    ) -> None:
        super().__init__()
        if groups <= 0:
            raise ValueError("groups must be a positive integer")
        if in_channels % groups:
            raise ValueError("in_channels must be divisible by groups")
        if out_channels % groups:
            raise ValueError("out_channels must be divisible by groups")
        if isinstance(padding, str):
            if padding not in ("same", "valid"):
                raise ValueError(f"Invalid padding string {padding!r}, should be one of {{'same', 'valid'}}")
            if padding == "same" and any(s != 1 for s in stride):
                raise ValueError("padding='same' is not supported for strided convolutions")
        if padding_mode not in _MODES:
            raise ValueError(f"padding_mode must be one of {_ANY}, but got padding_mode='{padding_mode}'")
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = kernel_size
        self.stride = stride
        self.padding = padding
        self.dilation = dilation
        self.transposed = transposed
        self.output_padding = output_padding
        self.groups = groups
        self.padding_mode = padding_mode
        self._reversed_padding_repeated_twice = self._around()
        channels = (in_channels, out_channels // groups) if transposed else (out_channels, in_channels // groups)
        self.weight = Parameter(ft.empty((*channels, *kernel_size), device=device, dtype=dtype))
        if bias:
            self.bias = Parameter(ft.empty((out_channels,), device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def _around(self) -> Sequence[int]:
        """Return the padding of both ends of each dimension, the last dimension first, as for ``F.pad``."""
        if not isinstance(self.padding, str):
            return _reverse_repeat_tuple(self.padding, 2)
        sides = [0, 0] * len(self.kernel_size)
        if self.padding == "same":
            for i, (d, k) in enumerate(zip(reversed(self.dilation), reversed(self.kernel_size), strict=True)):
                total = d * (k - 1)
                sides[2 * i], sides[2 * i + 1] = total // 2, total - total // 2
        return sides

    def reset_parameters(self) -> None:
        """Reinitialize weight and bias."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            fan_in, _ = init._calculate_fan_in_and_fan_out(self.weight)
            if fan_in:
                bound = 1 / math.sqrt(fan_in)
                init.uniform_(self.bias, -bound, bound)

    def extra_repr(self) -> str:
        text = f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"
        usual = (0,) * len(self.kernel_size)
        if self.padding != usual:
            text += f", padding={self.padding}"
        if self.dilation != (1,) * len(self.kernel_size):
            text += f", dilation={self.dilation}"
        if self.output_padding != usual:
            text += f", output_padding={self.output_padding}"
        if self.groups != 1:
            text += f", groups={self.groups}"
        if self.bias is None:
            text += ", bias=False"
        if self.padding_mode != "zeros":
            text += f", padding_mode={self.padding_mode}"
        return text

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self.__dict__.setdefault("padding_mode", "zeros")


class _Conv(_ConvNd):
    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: _Sizes,
        stride: _Sizes = 1,
        padding: str | _Sizes = 0,
        dilation: _Sizes = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Device | None = None,
        dtype: dtype | None = None,
    ) -> None:
        n = self._dims
        each = _ntuple(n)
        super().__init__(
            in_channels,
            out_channels,
            each(kernel_size),
            each(stride),
            padding if isinstance(padding, str) else each(padding),
            each(dilation),
            False,
            (0,) * n,
            groups,
            bias,
            padding_mode,
            device,
            dtype,
        )

    def _conv_forward(self, input: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        padding: str | int | tuple[int, ...] = self.padding
        if self.padding_mode != "zeros":
            input, padding = F.pad(input, self._reversed_padding_repeated_twice, mode=self.padding_mode), 0
        return self._convolve(input, weight, bias, self.stride, padding, self.dilation, self.groups)

    def forward(self, input: Tensor) -> Tensor:
        return self._conv_forward(input, self.weight, self.bias)


class Conv1d(_Conv):
    """Convolution over one dimension: each output channel is a weighted sum over windows of all input channels.

    Args:
        in_channels: the number of input channels.
        out_channels: the number of output channels.
        kernel_size: the size of the window.
        stride: the distance between windows.
        padding: the number of elements added at both ends; or ``"valid"`` for none, ``"same"`` for as many as keep the
            size.
        dilation: the distance between the elements of a window.
        groups: the number of groups into which channels are divided, each with its own weights.
        bias: whether to add a bias.
        padding_mode: the added elements: ``"zeros"``, ``"reflect"``, ``"replicate"`` or ``"circular"`` (see
            :func:`pad`).

    Shape:
        (N, C, L) or (C, L) → (N, out_channels, M) or (out_channels, M),
        M = floor((L + 2·padding - dilation·(kernel_size - 1) - 1) / stride) + 1

    Attributes:
        weight: (out_channels, in_channels / groups, kernel_size), uniform in ±1/sqrt(in_channels·kernel_size / groups).
        bias: (out_channels), initialized in the same way, or None.

    Raises:
        ValueError: channels are not divisible by ``groups``, or the padding mode is unknown.

    >>> import flambeau_tensor as ft
    >>> Conv1d(4, 8, 3, padding="same")(ft.ones(2, 4, 10)).shape
    torch.Size([2, 8, 10])
    """

    _convolve = F.conv1d


class Conv2d(_Conv):
    """Convolution over two dimensions; sizes are an int or a tuple of two. Arguments are those of :class:`Conv1d`.

    Shape:
        (N, C, H, W) or (C, H, W)

    Raises:
        ValueError: channels are not divisible by ``groups``, or the padding mode is unknown.
        RuntimeError: the number of channels or dimensions does not match, or the input is smaller than the kernel.

    >>> import flambeau_tensor as ft
    >>> Conv2d(3, 16, 3, stride=2, padding=1)(ft.ones(2, 3, 32, 32)).shape
    torch.Size([2, 16, 16, 16])
    """

    _dims = 2
    _convolve = F.conv2d


class Conv3d(_Conv):
    """Convolution over three dimensions; sizes are an int or a tuple of three. Arguments are those of :class:`Conv1d`.

    Shape:
        (N, C, D, H, W) or (C, D, H, W)

    Raises:
        ValueError: channels are not divisible by ``groups``, or the padding mode is unknown.
        RuntimeError: the number of channels or dimensions does not match, or the input is smaller than the kernel.

    >>> Conv3d(2, 4, 3, padding=1)(torch.ones(1, 2, 5, 6, 7)).shape
    torch.Size([1, 4, 5, 6, 7])
    """

    _dims = 3
    _convolve = F.conv3d


class _ConvTransposeNd(_ConvNd):
    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: _Sizes,
        stride: _Sizes = 1,
        padding: _Sizes = 0,
        output_padding: _Sizes = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: _Sizes = 1,
        padding_mode: str = "zeros",
        device: Device | None = None,
        dtype: dtype | None = None,
    ) -> None:
        if padding_mode != "zeros":
            raise ValueError(f'Only "zeros" padding mode is supported for {type(self).__name__}')
        n = self._dims
        each = _ntuple(n)
        super().__init__(
            in_channels,
            out_channels,
            each(kernel_size),
            each(stride),
            each(padding),
            each(dilation),
            True,
            each(output_padding),
            groups,
            bias,
            padding_mode,
            device,
            dtype,
        )

    def _output_padding(self, input: Tensor, output_size: Sequence[int] | None) -> Sequence[int]:
        """Return the output padding for which the result has a given size."""
        if output_size is None:
            return self.output_padding
        n, sizes = self._dims, tuple(output_size)
        leading = input.ndim - n
        if len(sizes) == leading + n:
            sizes = sizes[leading:]
        if len(sizes) != n:
            raise ValueError(
                f"ConvTranspose{n}D: for {input.ndim}D input, output_size must have {n} or {leading + n} "
                f"elements (got {len(sizes)})"
            )
        least = [
            (input.shape[leading + d] - 1) * self.stride[d]
            - 2 * self.padding[d]
            + self.dilation[d] * (self.kernel_size[d] - 1)
            + 1
            for d in range(n)
        ]
        most = [size + stride - 1 for size, stride in zip(least, self.stride, strict=True)]
        if any(not low <= size <= high for size, low, high in zip(sizes, least, most, strict=True)):
            raise ValueError(
                f"requested an output size of {output_size}, but valid sizes range from {least} to {most} "
                f"(for an input of {input.size()[2:]})"
            )
        return tuple(size - low for size, low in zip(sizes, least, strict=True))

    def forward(self, input: Tensor, output_size: list[int] | None = None) -> Tensor:
        rest = self._output_padding(input, output_size)
        return self._convolve(
            input, self.weight, self.bias, self.stride, self.padding, rest, self.groups, self.dilation
        )


class ConvTranspose1d(_ConvTransposeNd):
    """Transposed convolution over one dimension: each element adds the weights, multiplied by the element, to a window.

    Args:
        in_channels: the number of input channels.
        out_channels: the number of output channels.
        kernel_size: the size of the window.
        stride: the distance between windows.
        padding: the number of elements removed at both ends of the result.
        output_padding: the number of elements added at the end, fewer than ``stride`` or ``dilation``.
        groups: the number of groups into which channels are divided, each with its own weights.
        bias: whether to add a bias.
        dilation: the distance between the elements of a window.

    A call may pass ``output_size``, which determines the number of elements to add at the end.

    Shape:
        (N, C, L) or (C, L) → (N, out_channels, M) or (out_channels, M),
        M = (L - 1)·stride - 2·padding + dilation·(kernel_size - 1) + output_padding + 1

    Attributes:
        weight: (in_channels, out_channels / groups, kernel_size).
        bias: (out_channels), or None.

    Raises:
        ValueError: channels are not divisible by ``groups``, or ``padding_mode`` is not "zeros"; ``output_size`` is out
            of reach.
        RuntimeError: the number of channels or dimensions does not match, or ``output_padding`` is not below stride or
            dilation.

    >>> import flambeau_tensor as ft
    >>> ConvTranspose1d(4, 8, 3, stride=2)(ft.ones(2, 4, 10)).shape
    torch.Size([2, 8, 21])
    """

    _convolve = F.conv_transpose1d


class ConvTranspose2d(_ConvTransposeNd):
    """Transposed convolution over two dimensions; sizes are an int or a tuple of two. Arguments are those of
    :class:`ConvTranspose1d`.

    Shape:
        (N, C, H, W) or (C, H, W)

    Raises:
        ValueError: channels are not divisible by ``groups``, or ``padding_mode`` is not "zeros"; ``output_size`` is out
            of reach.
        RuntimeError: the number of channels or dimensions does not match, or ``output_padding`` is not below stride or
            dilation.

    >>> ConvTranspose2d(3, 8, 2, stride=2)(torch.ones(1, 3, 5, 6)).shape
    torch.Size([1, 8, 10, 12])
    """

    _dims = 2
    _convolve = F.conv_transpose2d


class ConvTranspose3d(_ConvTransposeNd):
    """Transposed convolution over three dimensions; sizes are an int or a tuple of three. Arguments are those of
    :class:`ConvTranspose1d`.

    Shape:
        (N, C, D, H, W) or (C, D, H, W)

    Raises:
        ValueError: channels are not divisible by ``groups``, or ``padding_mode`` is not "zeros"; ``output_size`` is out
            of reach.
        RuntimeError: the number of channels or dimensions does not match, or ``output_padding`` is not below stride or
            dilation.

    >>> ConvTranspose3d(2, 4, 2, stride=2)(torch.ones(1, 2, 3, 4, 5)).shape
    torch.Size([1, 4, 6, 8, 10])
    """

    _dims = 3
    _convolve = F.conv_transpose3d
