"""Extraction and combination of windows."""

from flambeau_nn import functional as F
from flambeau_nn.modules.module import Module
from flambeau_tensor import Tensor

__all__ = ["Fold", "Unfold"]

_Sizes = int | tuple[int, ...]


class Unfold(Module):
    """The windows of images as columns, see :func:`torch.nn.functional.unfold`.

    Args:
        kernel_size: of a window, an int or two.
        dilation: the distance between the elements of a window.
        padding: zeros added at each side.
        stride: the distance between windows.

    Shape:
        (N, C, H, W) → (N, C · window elements, windows)

    Raises:
        IndexError: the input has neither three nor four dimensions, or is smaller than a block.
        RuntimeError: the input is smaller than a block.

    >>> Unfold(2)(torch.arange(9.0).reshape(1, 1, 3, 3))
    tensor([[[0., 1., 3., 4.],
             [1., 2., 4., 5.],
             [3., 4., 6., 7.],
             [4., 5., 7., 8.]]])
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
        return f"kernel_size={self.kernel_size}, dilation={self.dilation}, padding={self.padding}, stride={self.stride}"


class Fold(Module):
    """Sums columns of windows into images, see :func:`torch.nn.functional.fold`. Arguments are those of
    :class:`Unfold`, and ``output_size``, the height and width of the result.

    Shape:
        (N, C · window elements, windows) → (N, C, *output_size)

    Raises:
        RuntimeError: the sizes of the input do not match the blocks.

    >>> columns = torch.nn.Unfold(2)(torch.ones(1, 1, 3, 3))
    >>> Fold((3, 3), 2)(columns)
    tensor([[[[1., 2., 1.],
              [2., 4., 2.],
              [1., 2., 1.]]]])
    """

    __constants__ = ["output_size", "kernel_size", "dilation", "padding", "stride"]

    def __init__(
        self, output_size: _Sizes, kernel_size: _Sizes, dilation: _Sizes = 1, padding: _Sizes = 0, stride: _Sizes = 1
    ) -> None:
        super().__init__()
        self.output_size = output_size
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

    def forward(self, input: Tensor) -> Tensor:
        return F.fold(input, self.output_size, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self) -> str:
        return (
            f"output_size={self.output_size}, kernel_size={self.kernel_size}, dilation={self.dilation}, "
            f"padding={self.padding}, stride={self.stride}"
        )
