"""Activation functions as modules; ``flambeau_nn.functional`` documents the formulas. This file is compiled (see"""

from __future__ import annotations

from typing import Any

import flambeau_tensor as ft
from flambeau_nn import functional as F
from flambeau_nn.functional import relu
from flambeau_nn.modules.module import Module
from flambeau_nn.parameter import Parameter
from flambeau_tensor import Tensor, dtype, sigmoid, tanh
from flambeau_tensor.options import Device

__all__ = [
    "CELU",
    "ELU",
    "GELU",
    "GLU",
    "Hardshrink",
    "Hardsigmoid",
    "Hardswish",
    "Hardtanh",
    "LeakyReLU",
    "LogSigmoid",
    "LogSoftmax",
    "Mish",
    "PReLU",
    "RReLU",
    "ReLU",
    "ReLU6",
    "SELU",
    "SiLU",
    "Sigmoid",
    "Softmax",
    "Softmax2d",
    "Softmin",
    "Softplus",
    "Softshrink",
    "Softsign",
    "Tanh",
    "Tanhshrink",
    "Threshold",
]


class _Inplace(Module):
    """With `inplace`, the layer changes and returns its input."""

    __constants__ = ["inplace"]
    inplace: bool

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def extra_repr(self) -> str:
        return "inplace=True" if self.inplace else ""


class ReLU(_Inplace):
    """x, or 0 if x is negative.

    Shape:
        (*) → (*)

    Raises:
        NotImplementedError: the input is complex.
        RuntimeError: the input has dtype bool.

    >>> ReLU()(torch.tensor([-1.0, 0.0, 2.0]))
    tensor([0., 0., 2.])
    """

    def forward(self, input: Tensor) -> Tensor:
        return relu(input, self.inplace)


class RReLU(Module):
    """leaky_relu with random slopes from [lower, upper) in training, and their mean otherwise.

    Shape:
        (*) → (*)

    Raises:
        RuntimeError: ``lower`` is above ``upper``.
        NotImplementedError: the input has an integer dtype.

    >>> RReLU(0.1, 0.3).eval()(torch.tensor([-1.0, 2.0]))
    tensor([-0.2000,  2.0000])
    """

    __constants__ = ["inplace", "lower", "upper"]

    def __init__(self, lower: float = 1.0 / 8, upper: float = 1.0 / 3, inplace: bool = False) -> None:
        super().__init__()
        self.lower = lower
        self.upper = upper
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.rrelu(input, self.lower, self.upper, self.training, self.inplace)

    def extra_repr(self) -> str:
        return f"lower={self.lower}, upper={self.upper}" + (", inplace=True" if self.inplace else "")


class Hardtanh(Module):
    """x limited to the range from `min_val` to `max_val`.

    Shape:
        (*) → (*)

    Raises:
        AssertionError: ``min_val`` is not below ``max_val``.
        NotImplementedError: the input is complex.

    >>> Hardtanh(-2.0, 2.0)(torch.tensor([-4.0, 0.5, 4.0]))
    tensor([-2.0000,  0.5000,  2.0000])
    """

    __constants__ = ["inplace", "max_val", "min_val"]

    def __init__(
        self,
        min_val: float = -1.0,
        max_val: float = 1.0,
        inplace: bool = False,
        min_value: float | None = None,
        max_value: float | None = None,
    ) -> None:
        super().__init__()
        for name, value in (("min_value", min_value), ("max_value", max_value)):
            if value is not None:
                import warnings

                warnings.warn(
                    f"keyword argument `{name}` is deprecated and rename to `{name[:-2]}`", FutureWarning, stacklevel=2
                )
        self.min_val = min_val if min_value is None else min_value
        self.max_val = max_val if max_value is None else max_value
        self.inplace = inplace
        if self.max_val <= self.min_val:
            raise AssertionError(f"max_val ({self.max_val}) must be greater than min_val ({self.min_val})")

    def forward(self, input: Tensor) -> Tensor:
        return F.hardtanh(input, self.min_val, self.max_val, self.inplace)

    def extra_repr(self) -> str:
        return f"min_val={self.min_val}, max_val={self.max_val}" + (", inplace=True" if self.inplace else "")


class ReLU6(Hardtanh):
    """x limited to the range from 0 to 6.

    Shape:
        (*) → (*)

    Raises:
        NotImplementedError: the input is complex.

    >>> ReLU6()(torch.tensor([-1.0, 2.0, 8.0]))
    tensor([0., 2., 6.])
    """

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(0.0, 6.0, inplace)

    def extra_repr(self) -> str:
        return "inplace=True" if self.inplace else ""


class Sigmoid(Module):
    """1 / (1 + exp(-x)).

    Shape:
        (*) → (*)

    Raises:
        TypeError: the input is not a tensor.

    >>> Sigmoid()(torch.tensor([-1.0, 0.0, 2.0]))
    tensor([0.2689, 0.5000, 0.8808])
    """

    def forward(self, input: Tensor) -> Tensor:
        return sigmoid(input)


class Hardsigmoid(_Inplace):
    """(x + 3) / 6 between -3 and 3; 0 below, 1 above.

    Shape:
        (*) → (*)

    Raises:
        NotImplementedError: the input has an integer dtype.

    >>> Hardsigmoid()(torch.tensor([-4.0, 0.0, 1.5, 4.0]))
    tensor([0.0000, 0.5000, 0.7500, 1.0000])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.hardsigmoid(input, self.inplace)

    extra_repr = Module.extra_repr


class Tanh(Module):
    """The hyperbolic tangent.

    Shape:
        (*) → (*)

    Raises:
        TypeError: the input is not a tensor.

    >>> Tanh()(torch.tensor([-1.0, 0.0, 2.0]))
    tensor([-0.7616,  0.0000,  0.9640])
    """

    def forward(self, input: Tensor) -> Tensor:
        return tanh(input)


class SiLU(_Inplace):
    """x · sigmoid(x).

    Shape:
        (*) → (*)

    Raises:
        NotImplementedError: the input has an integer dtype.

    >>> SiLU()(torch.tensor([-1.0, 0.0, 2.0]))
    tensor([-0.2689,  0.0000,  1.7616])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.silu(input, self.inplace)


class Mish(_Inplace):
    """x · tanh(softplus(x)).

    Shape:
        (*) → (*)

    Raises:
        NotImplementedError: the input has an integer dtype.

    >>> Mish()(torch.tensor([-1.0, 0.0, 2.0]))
    tensor([-0.3034,  0.0000,  1.9440])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.mish(input, self.inplace)


class Hardswish(_Inplace):
    """x · (x + 3) / 6 between -3 and 3; 0 below, x above.

    Shape:
        (*) → (*)

    Raises:
        NotImplementedError: the input has an integer dtype.

    >>> Hardswish()(torch.tensor([-4.0, 0.0, 1.5, 4.0]))
    tensor([-0.0000, 0.0000, 1.1250, 4.0000])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.hardswish(input, self.inplace)

    extra_repr = Module.extra_repr


class ELU(Module):
    """x above 0, alpha · (exp(x) - 1) below.

    Shape:
        (*) → (*)

    Raises:
        NotImplementedError: the input has an integer dtype.

    >>> ELU()(torch.tensor([-1.0, 0.0, 2.0]))
    tensor([-0.6321,  0.0000,  2.0000])
    """

    __constants__ = ["alpha", "inplace"]

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__()
        self.alpha = alpha
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.elu(input, self.alpha, self.inplace)

    def extra_repr(self) -> str:
        return f"alpha={self.alpha}" + (", inplace=True" if self.inplace else "")


class CELU(ELU):
    """x above 0, alpha · (exp(x / alpha) - 1) below.

    Shape:
        (*) → (*)

    Raises:
        NotImplementedError: the input has an integer dtype.
        RuntimeError: ``alpha`` is 0.

    >>> CELU()(torch.tensor([-1.0, 0.0, 2.0]))
    tensor([-0.6321,  0.0000,  2.0000])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.celu(input, self.alpha, self.inplace)


class SELU(_Inplace):
    """The self-normalizing unit: a scaled elu with fixed constants.

    Shape:
        (*) → (*)

    Raises:
        NotImplementedError: the input has an integer dtype.

    >>> SELU()(torch.tensor([-1.0, 0.0, 2.0]))
    tensor([-1.1113,  0.0000,  2.1014])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.selu(input, self.inplace)


class GELU(Module):
    """x · Φ(x), where Φ is the normal distribution function; ``approximate="tanh"`` uses an approximation with tanh.

    Shape:
        (*) → (*)

    Raises:
        NotImplementedError: the input has an integer dtype.
        RuntimeError: ``approximate`` is invalid.

    >>> GELU()(torch.tensor([-1.0, 0.0, 2.0]))
    tensor([-0.1587,  0.0000,  1.9545])
    >>> GELU(approximate="tanh")(torch.tensor([-1.0, 0.0, 2.0]))
    tensor([-0.1588,  0.0000,  1.9546])
    """

    __constants__ = ["approximate"]

    def __init__(self, approximate: str = "none") -> None:
        super().__init__()
        self.approximate = approximate

    def forward(self, input: Tensor) -> Tensor:
        return F.gelu(input, approximate=self.approximate)

    def extra_repr(self) -> str:
        return f"approximate={self.approximate!r}"


class GLU(Module):
    """a · sigmoid(b), where a and b are the two halves of a dimension.

    Shape:
        (*, 2n, *) → (*, n, *), 2n at `dim`

    Raises:
        RuntimeError: the dimension is odd.
        IndexError: the dimension is out of range.

    >>> GLU()(torch.tensor([1.0, 2.0, 0.0, 100.0]))
    tensor([0.5000, 2.0000])
    """

    __constants__ = ["dim"]

    def __init__(self, dim: int = -1) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        return F.glu(input, self.dim)

    def extra_repr(self) -> str:
        return f"dim={self.dim}"


class Hardshrink(Module):
    """x, or 0 between -lambd and lambd.

    Shape:
        (*) → (*)

    Raises:
        NotImplementedError: the input has an integer dtype.

    >>> Hardshrink()(torch.tensor([-1.0, 0.3, 2.0]))
    tensor([-1.,  0.,  2.])
    """

    __constants__ = ["lambd"]

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def forward(self, input: Tensor) -> Tensor:
        return F.hardshrink(input, self.lambd)

    def extra_repr(self) -> str:
        return f"{self.lambd}"


class Softshrink(Hardshrink):
    """x moved towards 0 by `lambd`; 0 if |x| is at most `lambd`.

    Shape:
        (*) → (*)

    Raises:
        ValueError: ``lambd`` is negative.
        NotImplementedError: the input has an integer dtype.

    >>> Softshrink()(torch.tensor([-1.0, 0.3, 2.0]))
    tensor([-0.5000,  0.0000,  1.5000])
    """

    def __init__(self, lambd: float = 0.5) -> None:
        if lambd < 0:
            raise ValueError(f"lambda must be greater or equal to 0, but found to be {lambd}.")
        super().__init__(lambd)

    def forward(self, input: Tensor) -> Tensor:
        return F.softshrink(input, self.lambd)

    def extra_repr(self) -> str:
        return str(self.lambd)


class LeakyReLU(Module):
    """x above 0, negative_slope · x below.

    Shape:
        (*) → (*)

    Raises:
        NotImplementedError: the input has an integer dtype.

    >>> LeakyReLU(0.1)(torch.tensor([-1.0, 0.0, 2.0]))
    tensor([-0.1000,  0.0000,  2.0000])
    """

    __constants__ = ["inplace", "negative_slope"]

    def __init__(self, negative_slope: float = 1e-2, inplace: bool = False) -> None:
        super().__init__()
        self.negative_slope = negative_slope
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.leaky_relu(input, self.negative_slope, self.inplace)

    def extra_repr(self) -> str:
        return f"negative_slope={self.negative_slope}" + (", inplace=True" if self.inplace else "")


class LogSigmoid(Module):
    """log(sigmoid(x)).

    Shape:
        (*) → (*)

    Raises:
        NotImplementedError: the input has an integer dtype.

    >>> LogSigmoid()(torch.tensor([-1.0, 0.0, 2.0]))
    tensor([-1.3133, -0.6931, -0.1269])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.logsigmoid(input)


class Softplus(Module):
    """log(1 + exp(beta · x)) / beta; x itself if beta · x is above `threshold`.

    Shape:
        (*) → (*)

    Raises:
        NotImplementedError: the input has an integer dtype.

    >>> Softplus()(torch.tensor([-1.0, 0.0, 30.0]))
    tensor([ 0.3133,  0.6931, 30.0000])
    """

    __constants__ = ["beta", "threshold"]

    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None:
        super().__init__()
        self.beta = beta
        self.threshold = threshold

    def forward(self, input: Tensor) -> Tensor:
        return F.softplus(input, self.beta, self.threshold)

    def extra_repr(self) -> str:
        return f"beta={self.beta}, threshold={self.threshold}"


class PReLU(Module):
    """x above 0, weight · x below; with one trained weight, or one for each of `num_parameters` channels (dimension 1).

    Shape:
        (*), or (N, C, *) with C weights → the same

    Raises:
        RuntimeError: the number of weights is neither 1 nor the number of channels; the input's dtype is not the
            weight's.

    >>> PReLU()(torch.tensor([-1.0, 0.0, 2.0]))
    tensor([-0.2500,  0.0000,  2.0000], grad_fn=<PreluKernelBackward0>)
    """

    __constants__ = ["num_parameters"]

    def __init__(
        self, num_parameters: int = 1, init: float = 0.25, device: Device | None = None, dtype: dtype | None = None
    ) -> None:
        super().__init__()
        self.num_parameters = num_parameters
        self.init = init
        self.weight = Parameter(ft.empty((num_parameters,), device=device, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Reset the weights to their initial value."""
        from flambeau_nn.init import constant_

        constant_(self.weight, self.init)

    def forward(self, input: Tensor) -> Tensor:
        return F.prelu(input, self.weight)

    def extra_repr(self) -> str:
        return f"num_parameters={self.num_parameters}"


class Softsign(Module):
    """x / (1 + |x|).

    Shape:
        (*) → (*)

    Raises:
        TypeError: the input is not a tensor.

    >>> Softsign()(torch.tensor([-1.0, 0.0, 3.0]))
    tensor([-0.5000,  0.0000,  0.7500])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.softsign(input)


class Tanhshrink(Module):
    """x - tanh(x).

    Shape:
        (*) → (*)

    Raises:
        TypeError: the input is not a tensor.

    >>> Tanhshrink()(torch.tensor([-1.0, 0.0, 2.0]))
    tensor([-0.2384,  0.0000,  1.0360])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.tanhshrink(input)


class Threshold(Module):
    """x if it is above `threshold`, else `value`.

    Shape:
        (*) → (*)

    Raises:
        NotImplementedError: the input is complex.

    >>> Threshold(0.5, -1.0)(torch.tensor([0.2, 0.5, 0.9]))
    tensor([-1.0000, -1.0000,  0.9000])
    """

    __constants__ = ["inplace", "threshold", "value"]

    def __init__(self, threshold: float, value: float, inplace: bool = False) -> None:
        super().__init__()
        self.threshold = threshold
        self.value = value
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.threshold(input, self.threshold, self.value, self.inplace)

    def extra_repr(self) -> str:
        return f"threshold={self.threshold}, value={self.value}" + (", inplace=True" if self.inplace else "")


class _OverDimension(Module):
    __constants__ = ["dim"]

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if not hasattr(self, "dim"):
            self.dim = None


class Softmin(_OverDimension):
    """softmax(-x) along `dim`.

    Shape:
        (*) → (*)

    Raises:
        IndexError: the dimension is out of range.
        NotImplementedError: the input has an integer dtype.

    >>> Softmin(dim=0)(torch.tensor([1.0, 2.0, 3.0]))
    tensor([0.6652, 0.2447, 0.0900])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.softmin(input, self.dim, _stacklevel=5)

    def extra_repr(self) -> str:
        return f"dim={self.dim}"


class Softmax(_OverDimension):
    """exp(x), divided by its sum along `dim`.

    Shape:
        (*) → (*)

    Raises:
        IndexError: the dimension is out of range.
        NotImplementedError: the input has an integer dtype.

    >>> Softmax(dim=1)(torch.tensor([[1.0, 2.0], [0.0, 0.0]]))
    tensor([[0.2689, 0.7311],
            [0.5000, 0.5000]])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.softmax(input, self.dim, _stacklevel=5)

    def extra_repr(self) -> str:
        return f"dim={self.dim}"


class Softmax2d(Module):
    """softmax over the channels of (N, C, H, W) or (C, H, W).

    Shape:
        (N, C, H, W) or (C, H, W) → the same

    Raises:
        ValueError: the input has neither three nor four dimensions.

    >>> Softmax2d()(torch.zeros(2, 1, 1)).flatten()
    tensor([0.5000, 0.5000])
    """

    def forward(self, input: Tensor) -> Tensor:
        if input.dim() not in (3, 4):
            raise ValueError(f"Softmax2d: expected input to be 3D or 4D, got {input.dim()}D instead")
        return F.softmax(input, -3, _stacklevel=5)


class LogSoftmax(_OverDimension):
    """The logarithm of softmax along `dim`.

    Shape:
        (*) → (*)

    Raises:
        IndexError: the dimension is out of range.
        NotImplementedError: the input has an integer dtype.

    >>> LogSoftmax(dim=0)(torch.tensor([1.0, 2.0, 3.0]))
    tensor([-2.4076, -1.4076, -0.4076])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.log_softmax(input, self.dim, _stacklevel=5)

    def extra_repr(self) -> str:
        return f"dim={self.dim}"
