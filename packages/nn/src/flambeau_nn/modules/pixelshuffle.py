"""Pixel shuffling and its inverse."""

from flambeau_nn import functional as F
from flambeau_nn.modules.module import Module
from flambeau_tensor import Tensor

__all__ = ["PixelShuffle", "PixelUnshuffle"]


class PixelShuffle(Module):
    """Moves channels to height and width, see :func:`torch.pixel_shuffle`.

    Shape:
        (*, C · r², H, W) → (*, C, H · r, W · r), r being ``upscale_factor``

    Raises:
        RuntimeError: the channels are not divisible by the square of the factor.

    >>> PixelShuffle(2)(torch.arange(4.0).reshape(4, 1, 1))
    tensor([[[0., 1.],
             [2., 3.]]])
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
    """Moves height and width to channels: the inverse of :class:`PixelShuffle`.

    Shape:
        (*, C, H · r, W · r) → (*, C · r², H, W), r being ``downscale_factor``

    Raises:
        RuntimeError: height or width is not divisible by the factor.

    >>> PixelUnshuffle(2)(torch.arange(4.0).reshape(1, 2, 2)).flatten()
    tensor([0., 1., 2., 3.])
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
