"""Layers that change the size or the arrangement of images."""
from flambeau_nn import functional as F
from flambeau_nn.modules.module import Module
from flambeau_tensor import Tensor

__all__ = ["ChannelShuffle", "Fold", "PixelShuffle", "PixelUnshuffle", "Unfold", "Upsample", "UpsamplingBilinear2d",
           "UpsamplingNearest2d"]

_Sizes = int | tuple[int, ...]


class Upsample(Module):
    """Images at another size, see :func:`torch.nn.functional.interpolate`.

    Args:
        size: of the result, an int or one for each dimension.
        scale_factor: how many times the input's size it is, instead of ``size``.
        mode: ``"nearest"``, ``"linear"``, ``"bilinear"``, ``"bicubic"`` or ``"trilinear"``.
        align_corners: whether the centres of the outermost elements lie on each other, instead of their outer edges.
        recompute_scale_factor: whether positions follow from the sizes rather than from ``scale_factor``.

    Shape:
        (N, C, L), (N, C, H, W) or (N, C, D, H, W)

    >>> import flambeau_tensor as ft
    >>> Upsample(scale_factor=2)(ft.ones(1, 1, 3, 4)).shape
    torch.Size([1, 1, 6, 8])
    """

    __constants__ = ["size", "scale_factor", "mode", "align_corners", "name", "recompute_scale_factor"]
    name: str
    size: "_Sizes | None"
    scale_factor: "float | tuple[float, ...] | None"
    mode: str
    align_corners: "bool | None"
    recompute_scale_factor: "bool | None"

    def __init__(self, size: "_Sizes | None" = None, scale_factor: "float | tuple[float, ...] | None" = None,
                 mode: str = "nearest", align_corners: "bool | None" = None,
                 recompute_scale_factor: "bool | None" = None) -> None:
        super().__init__()
        self.name = type(self).__name__
        self.size = size
        if isinstance(scale_factor, tuple):
            self.scale_factor = tuple(float(factor) for factor in scale_factor)
        else:
            self.scale_factor = float(scale_factor) if scale_factor else None
        self.mode = mode
        self.align_corners = align_corners
        self.recompute_scale_factor = recompute_scale_factor

    def forward(self, input: Tensor) -> Tensor:
        return F.interpolate(input, self.size, self.scale_factor, self.mode, self.align_corners,
                             recompute_scale_factor=self.recompute_scale_factor)

    def extra_repr(self) -> str:
        size = f"scale_factor={self.scale_factor!r}" if self.scale_factor is not None else f"size={self.size!r}"
        return f"{size}, mode={self.mode!r}"


class UpsamplingNearest2d(Upsample):
    """:class:`Upsample` of images (N, C, H, W) with the nearest element."""

    def __init__(self, size: "_Sizes | None" = None, scale_factor: "float | tuple[float, ...] | None" = None) -> None:
        super().__init__(size, scale_factor, mode="nearest")


class UpsamplingBilinear2d(Upsample):
    """:class:`Upsample` of images (N, C, H, W), bilinear, with ``align_corners``."""

    def __init__(self, size: "_Sizes | None" = None, scale_factor: "float | tuple[float, ...] | None" = None) -> None:
        super().__init__(size, scale_factor, mode="bilinear", align_corners=True)


class PixelShuffle(Module):
    """Channels put into space, see :func:`torch.pixel_shuffle`.

    Shape:
        (*, C · r², H, W) → (*, C, H · r, W · r), r being ``upscale_factor``
    """

    __constants__ = ["upscale_factor"]
    upscale_factor: int

    def __init__(self, upscale_factor: int) -> None:
        super().__init__()
        self.upscale_factor = upscale_factor

    def forward(self, input: Tensor) -> Tensor:
        return F.pixel_shuffle(input, self.upscale_factor)

    def extra_repr(self) -> str:
        return f"upscale_factor={self.upscale_factor}"


class PixelUnshuffle(Module):
    """Space put into channels: :class:`PixelShuffle` undone.

    Shape:
        (*, C, H · r, W · r) → (*, C · r², H, W), r being ``downscale_factor``
    """

    __constants__ = ["downscale_factor"]
    downscale_factor: int

    def __init__(self, downscale_factor: int) -> None:
        super().__init__()
        self.downscale_factor = downscale_factor

    def forward(self, input: Tensor) -> Tensor:
        return F.pixel_unshuffle(input, self.downscale_factor)

    def extra_repr(self) -> str:
        return f"downscale_factor={self.downscale_factor}"


class ChannelShuffle(Module):
    """Channels in turn of each group, see :func:`torch.channel_shuffle`.

    Shape:
        (N, C, *), C divisible by ``groups``
    """

    __constants__ = ["groups"]
    groups: int

    def __init__(self, groups: int) -> None:
        super().__init__()
        self.groups = groups

    def forward(self, input: Tensor) -> Tensor:
        return F.channel_shuffle(input, self.groups)

    def extra_repr(self) -> str:
        return f"groups={self.groups}"


class Unfold(Module):
    """The windows of images as columns, see :func:`torch.nn.functional.unfold`.

    Args:
        kernel_size: of a window, an int or two.
        dilation: distance of a window's elements.
        padding: zeros added at each side.
        stride: distance of windows.

    Shape:
        (N, C, H, W) → (N, C · elements of a window, windows)
    """

    __constants__ = ["kernel_size", "dilation", "padding", "stride"]

    def __init__(self, kernel_size: _Sizes, dilation: _Sizes = 1, padding: _Sizes = 0, stride: _Sizes = 1) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

    def forward(self, input: Tensor) -> Tensor:
        return F.unfold(input, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self) -> str:
        return (f"kernel_size={self.kernel_size}, dilation={self.dilation}, padding={self.padding}, "
                f"stride={self.stride}")


class Fold(Module):
    """Columns of windows added up in images, see :func:`torch.nn.functional.fold`. Arguments are those of
    :class:`Unfold`, and ``output_size``, the height and width of the result.

    Shape:
        (N, C · elements of a window, windows) → (N, C, *output_size)
    """

    __constants__ = ["output_size", "kernel_size", "dilation", "padding", "stride"]

    def __init__(self, output_size: _Sizes, kernel_size: _Sizes, dilation: _Sizes = 1, padding: _Sizes = 0,
                 stride: _Sizes = 1) -> None:
        super().__init__()
        self.output_size = output_size
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

    def forward(self, input: Tensor) -> Tensor:
        return F.fold(input, self.output_size, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self) -> str:
        return (f"output_size={self.output_size}, kernel_size={self.kernel_size}, dilation={self.dilation}, "
                f"padding={self.padding}, stride={self.stride}")
