"""Resizing of images and volumes."""

from flambeau_nn import functional as F
from flambeau_nn.modules.module import Module
from flambeau_tensor import Tensor

__all__ = ["Upsample", "UpsamplingBilinear2d", "UpsamplingNearest2d"]

_Sizes = int | tuple[int, ...]


class Upsample(Module):
    """Resizes images, see :func:`torch.nn.functional.interpolate`.

    Args:
        size: of the result, an int or one for each dimension.
        scale_factor: the ratio of the result's size to the input's, instead of ``size``.
        mode: ``"nearest"``, ``"linear"``, ``"bilinear"``, ``"bicubic"`` or ``"trilinear"``.
        align_corners: whether to align the centers of the outermost elements instead of their outer edges.
        recompute_scale_factor: whether to compute positions from the sizes instead of ``scale_factor``.

    Shape:
        (N, C, L), (N, C, H, W) or (N, C, D, H, W)

    Raises:
        ValueError: not exactly one of ``size`` and ``scale_factor`` is given, or the mode does not support
            ``align_corners``.
        NotImplementedError: the mode does not support this number of dimensions.

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

    def __init__(
        self,
        size: "_Sizes | None" = None,
        scale_factor: "float | tuple[float, ...] | None" = None,
        mode: str = "nearest",
        align_corners: "bool | None" = None,
        recompute_scale_factor: "bool | None" = None,
    ) -> None:
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
        return F.interpolate(
            input,
            self.size,
            self.scale_factor,
            self.mode,
            self.align_corners,
            recompute_scale_factor=self.recompute_scale_factor,
        )

    def extra_repr(self) -> str:
        size = f"scale_factor={self.scale_factor!r}" if self.scale_factor is not None else f"size={self.size!r}"
        return f"{size}, mode={self.mode!r}"


class UpsamplingNearest2d(Upsample):
    """:class:`Upsample` of images (N, C, H, W) with the nearest element.

    Shape:
        (N, C, H, W) → (N, C, *size)

    Raises:
        ValueError: not exactly one of ``size`` and ``scale_factor`` is given.

    >>> UpsamplingNearest2d(scale_factor=2)(torch.tensor([[[[1.0, 2.0]]]]))
    tensor([[[[1., 1., 2., 2.],
              [1., 1., 2., 2.]]]])
    """

    def __init__(self, size: "_Sizes | None" = None, scale_factor: "float | tuple[float, ...] | None" = None) -> None:
        super().__init__(size, scale_factor, mode="nearest")


class UpsamplingBilinear2d(Upsample):
    """:class:`Upsample` of images (N, C, H, W), bilinear, with ``align_corners``.

    Shape:
        (N, C, H, W) → (N, C, *size)

    Raises:
        ValueError: not exactly one of ``size`` and ``scale_factor`` is given.

    >>> UpsamplingBilinear2d(size=(1, 3))(torch.tensor([[[[1.0, 2.0]]]]))
    tensor([[[[1.0000, 1.5000, 2.0000]]]])
    """

    def __init__(self, size: "_Sizes | None" = None, scale_factor: "float | tuple[float, ...] | None" = None) -> None:
        super().__init__(size, scale_factor, mode="bilinear", align_corners=True)
