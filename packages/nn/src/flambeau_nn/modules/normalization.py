"""Normalization over layers and groups of channels."""

from __future__ import annotations

import numbers
from collections.abc import Sequence

import flambeau_tensor as ft
from flambeau_nn import functional as F
from flambeau_nn import init
from flambeau_nn.modules.module import Module
from flambeau_nn.parameter import Parameter
from flambeau_tensor import Tensor, dtype
from flambeau_tensor.options import Device

__all__ = ["CrossMapLRN2d", "GroupNorm", "LayerNorm", "LocalResponseNorm", "RMSNorm"]


class LayerNorm(Module):
    """(x - mean) / sqrt(var + eps) · weight + bias over the last dimensions.

    Args:
        normalized_shape: the sizes of these dimensions, or the size of the last one.
        eps: added to the variance.
        elementwise_affine: whether to add a weight (initially ones) and a bias (initially zeros) of that shape.
        bias: whether to add the bias.

    Shape:
        (*, *normalized_shape) → the same

    Raises:
        RuntimeError: the last sizes are not ``normalized_shape``.

    >>> LayerNorm(3)(torch.tensor([[1.0, 2.0, 3.0], [10.0, 20.0, 30.0]]))
    tensor([[-1.2247,  0.0000,  1.2247],
            [-1.2247,  0.0000,  1.2247]], grad_fn=<LayerNormBackward0>)
    """

    __constants__ = ["elementwise_affine", "eps", "normalized_shape"]
    normalized_shape: tuple[int, ...]
    eps: float
    elementwise_affine: bool

    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        device: Device | None = None,
        dtype: dtype | None = None,
    ) -> None:
        super().__init__()
        if isinstance(normalized_shape, int | numbers.Integral):
            normalized_shape = (normalized_shape,)
        self.normalized_shape = tuple(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        for name, wanted in (("weight", elementwise_affine), ("bias", elementwise_affine and bias)):
            values = ft.empty(self.normalized_shape, device=device, dtype=dtype) if wanted else None
            self.register_parameter(name, None if values is None else Parameter(values))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Set weight to ones and bias to zeros."""
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)

    def forward(self, input: Tensor) -> Tensor:
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return (
            f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}, "
            f"bias={self.bias is not None}"
        )


class RMSNorm(Module):
    """x / sqrt(mean(x²) + eps) · weight over the last dimensions.

    Shape:
        (*, *normalized_shape) → the same

    Raises:
        RuntimeError: the last sizes are not ``normalized_shape``.

    >>> RMSNorm(2)(torch.tensor([3.0, 4.0]))
    tensor([0.8485, 1.1314], grad_fn=<MulBackward0>)
    """

    __constants__ = ["elementwise_affine", "eps", "normalized_shape"]

    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        eps: float | None = None,
        elementwise_affine: bool = True,
        device: Device | None = None,
        dtype: dtype | None = None,
    ) -> None:
        super().__init__()
        if isinstance(normalized_shape, int | numbers.Integral):
            normalized_shape = (normalized_shape,)
        self.normalized_shape = tuple(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        values = ft.empty(self.normalized_shape, device=device, dtype=dtype) if elementwise_affine else None
        self.register_parameter("weight", None if values is None else Parameter(values))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Set weight to ones."""
        if self.weight is not None:
            init.ones_(self.weight)

    def forward(self, x: Tensor) -> Tensor:
        return F.rms_norm(x, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self) -> str:
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"


class GroupNorm(Module):
    """(x - mean) / sqrt(var + eps) over each group of channels; weight and bias have one element per channel.

    Shape:
        (N, C, *) → (N, C, *)

    Raises:
        ValueError: ``num_channels`` is not divisible by ``num_groups``.
        RuntimeError: the number of input channels does not match.

    >>> GroupNorm(2, 4)(torch.tensor([[1.0, 3.0, 10.0, 30.0]])).detach()
    tensor([[-1.0000,  1.0000, -1.0000,  1.0000]])
    """

    __constants__ = ["affine", "eps", "num_channels", "num_groups"]

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-5,
        affine: bool = True,
        device: Device | None = None,
        dtype: dtype | None = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        if num_channels % num_groups:
            raise ValueError(f"num_channels ({num_channels}) must be divisible by num_groups ({num_groups})")
        self.num_groups = num_groups
        self.num_channels = num_channels
        self.eps = eps
        self.affine = affine
        for name, wanted in (("weight", affine), ("bias", affine and bias)):
            values = ft.empty((num_channels,), device=device, dtype=dtype) if wanted else None
            self.register_parameter(name, None if values is None else Parameter(values))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Set weight to ones and bias to zeros."""
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)

    def forward(self, input: Tensor) -> Tensor:
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return (
            f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}, "
            f"bias={self.bias is not None}"
        )


class LocalResponseNorm(Module):
    """x / (k + alpha · mean of x² over `size` neighboring channels)^beta.

    Shape:
        (N, C, *) → (N, C, *)

    Raises:
        ValueError: the input has fewer than three dimensions.

    >>> LocalResponseNorm(2)(torch.ones(1, 3, 1)).flatten()
    tensor([1.0000, 0.9999, 0.9999])
    """

    __constants__ = ["alpha", "beta", "k", "size"]

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> None:
        super().__init__()
        self.size = size
        self.alpha = alpha
        self.beta = beta
        self.k = k

    def forward(self, input: Tensor) -> Tensor:
        return F.local_response_norm(input, self.size, self.alpha, self.beta, self.k)

    def extra_repr(self) -> str:
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"


class CrossMapLRN2d(LocalResponseNorm):
    """The older LocalResponseNorm: an even `size` uses a window of `size` - 1, but divides by `size`.

    Shape:
        (N, C, H, W) → (N, C, H, W)

    Raises:
        ValueError: the input does not have four dimensions.

    >>> CrossMapLRN2d(3)(torch.ones(1, 3, 1, 1)).flatten()
    tensor([1.0000, 0.9999, 1.0000])
    """

    def forward(self, input: Tensor) -> Tensor:
        width = 2 * int((self.size - 1) / 2 + 1) - 1
        return F.local_response_norm(input, width, self.alpha * width / self.size, self.beta, self.k)
