"""Linear maps. Compiled as it is (see CMakeLists.txt)."""

from __future__ import annotations

import math
from typing import Any

import flambeau_tensor as ft
from flambeau_nn import functional as F
from flambeau_nn import init
from flambeau_nn.modules.module import Module
from flambeau_nn.parameter import Parameter
from flambeau_tensor import Tensor, dtype
from flambeau_tensor.ops.matmul import linear
from flambeau_tensor.options import Device

__all__ = ["Bilinear", "Identity", "Linear"]


class Identity(Module):
    """Returns its input. It accepts any arguments, so that it can replace another layer.

    Shape:
        (*) → (*)

    >>> Identity(54, unused=True)(torch.ones(2))
    tensor([1., 1.])
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def forward(self, input: Tensor) -> Tensor:
        return input


class Linear(Module):
    """``input @ weight.T + bias``.

    Args:
        in_features: size of the last dimension of the input.
        out_features: size of the last dimension of the output.
        bias: whether to add a bias.

    Shape:
        (*, in_features) → (*, out_features)

    Attributes:
        weight: (out_features, in_features), initially uniform in ±1/sqrt(in_features).
        bias: (out_features), initialized in the same way, or None.

    Raises:
        RuntimeError: the last dimension is not ``in_features``, the input's dtype is not the weight's, or a size is
            negative.

    >>> import flambeau_tensor as ft
    >>> Linear(20, 30)(ft.ones(128, 20)).shape
    torch.Size([128, 30])
    """

    __constants__ = ["in_features", "out_features"]
    in_features: int
    out_features: int
    weight: Tensor

    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        device: Device | None = None,
        dtype: dtype | None = None,
    ) -> None:
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        self.weight = Parameter(ft.empty((out_features, in_features), device=device, dtype=dtype))
        if bias:
            self.bias = Parameter(ft.empty((out_features,), device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Reinitialize weight and bias."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            fan_in = self.weight.shape[1]
            bound = 1 / math.sqrt(fan_in) if fan_in > 0 else 0
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input: Tensor) -> Tensor:
        return linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"


class Bilinear(Module):
    """``input1 · weight[k] · input2 + bias[k]`` for each output k.

    Shape:
        (*, in1_features), (*, in2_features) → (*, out_features)

    Raises:
        ValueError: ``in1_features`` is not positive.
        RuntimeError: a last dimension is not of that size, or the others differ.

    >>> Bilinear(2, 3, 4)(torch.ones(5, 2), torch.ones(5, 3)).shape
    torch.Size([5, 4])
    """

    __constants__ = ["in1_features", "in2_features", "out_features"]

    def __init__(
        self,
        in1_features: int,
        in2_features: int,
        out_features: int,
        bias: bool = True,
        device: Device | None = None,
        dtype: dtype | None = None,
    ) -> None:
        super().__init__()
        if in1_features <= 0:
            raise ValueError(f"in1_features must be > 0, but got {in1_features}")
        self.in1_features = in1_features
        self.in2_features = in2_features
        self.out_features = out_features
        self.weight = Parameter(ft.empty((out_features, in1_features, in2_features), device=device, dtype=dtype))
        if bias:
            self.bias = Parameter(ft.empty((out_features,), device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Reinitialize weight and bias."""
        bound = 1 / math.sqrt(self.weight.shape[1])
        init.uniform_(self.weight, -bound, bound)
        if self.bias is not None:
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input1: Tensor, input2: Tensor) -> Tensor:
        return F.bilinear(input1, input2, self.weight, self.bias)

    def extra_repr(self) -> str:
        return (
            f"in1_features={self.in1_features}, in2_features={self.in2_features}, "
            f"out_features={self.out_features}, bias={self.bias is not None}"
        )
