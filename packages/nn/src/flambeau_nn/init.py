"""Initialization of parameters.

Every function works in place, records nothing and returns the tensor; for a seed the numbers are PyTorch's.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any, TypeVar

import flambeau_tensor as ft
from flambeau_autograd import no_grad
from flambeau_overrides import overridable
from flambeau_tensor import Generator, Tensor
from flambeau_tensor.lazy_attributes import attach as _attach

_F = TypeVar("_F", bound=Callable[..., Any])

__all__ = [
    "calculate_gain",
    "constant_",
    "dirac_",
    "eye_",
    "kaiming_normal_",
    "kaiming_uniform_",
    "normal_",
    "ones_",
    "orthogonal_",
    "sparse_",
    "trunc_normal_",
    "uniform_",
    "xavier_normal_",
    "xavier_uniform_",
    "zeros_",
]

_LINEAR = (
    "linear",
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
    "sigmoid",
)


def calculate_gain(nonlinearity: str, param: int | float | None = None) -> float:
    """The recommended gain for a nonlinearity: the factor for the scale of weights that preserves the variance.

    Args:
        nonlinearity: the name of the nonlinearity, such as ``"relu"``.
        param: of ``"leaky_relu"``: its slope below zero, 0.01 unless given.

    Raises:
        ValueError: the nonlinearity is unknown, or ``param`` is not a slope.

    >>> calculate_gain("tanh")
    1.6666666666666667
    """
    if nonlinearity in _LINEAR:
        return 1
    if nonlinearity == "tanh":
        return 5 / 3
    if nonlinearity == "relu":
        return math.sqrt(2)
    if nonlinearity == "selu":
        return 3 / 4
    if nonlinearity == "leaky_relu":
        if param is not None and (isinstance(param, bool) or not isinstance(param, (int, float))):
            raise ValueError(f"negative_slope {param} not a valid number")
        slope = 0.01 if param is None else param
        return math.sqrt(2 / (1 + slope**2))
    raise ValueError(f"Unsupported nonlinearity {nonlinearity}")


def _fans(tensor: Tensor) -> tuple[int, int]:
    """Return the number of inputs of an output, and the number of outputs of an input."""
    if tensor.dim() < 2:
        raise ValueError("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions")
    field = math.prod(tensor.shape[2:])
    return tensor.shape[1] * field, tensor.shape[0] * field


def _fan(tensor: Tensor, mode: str) -> int:
    mode = mode.lower()
    if mode not in ("fan_in", "fan_out"):
        raise ValueError(f"Mode {mode} not supported, please use one of ['fan_in', 'fan_out']")
    return _fans(tensor)[mode == "fan_out"]


# Names that programs import though they are private.
_calculate_fan_in_and_fan_out, _calculate_correct_fan = _fans, _fan


def _empty(tensor: Tensor) -> bool:
    if 0 in tensor.shape:
        warnings.warn("Initializing zero-element tensors is a no-op", stacklevel=4)
        return True
    return False


def _filling(packing: str | None = None) -> Callable[[_F], _F]:
    """Decorate a function that fills a tensor: it is not recorded.

    With a packing, types may override the function; the others call methods, which types may override.
    """

    def decorate(function: _F) -> _F:
        function = no_grad()(function)
        return overridable(function, namespace="torch.nn.init", packing=packing) if packing else function

    return decorate


@_filling("* tensor! a=0.0 b=1.0 generator=None")
def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Uniform numbers in [a, b).

    Shape:
        (*), any shape; modified in place without recording, and returned.

    Raises:
        RuntimeError: ``a`` is above ``b``.

    >>> w = uniform_(torch.empty(1000), 2.0, 3.0)
    >>> bool(((w >= 2) & (w < 3)).all())
    True
    """
    return tensor.uniform_(a, b, generator=generator)


@_filling("* tensor! mean=0.0 std=1.0 generator=None")
def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Normal numbers.

    Shape:
        (*), any shape; modified in place without recording, and returned.

    Raises:
        RuntimeError: ``std`` is negative.

    >>> w = normal_(torch.empty(100, 100), mean=3.0, std=0.5)
    >>> w.mean().round(decimals=1), w.std().round(decimals=1)
    (tensor(3.), tensor(0.5000))
    """
    return tensor.normal_(mean, std, generator=generator)


def _upto(mean: float, std: float, x: float) -> float:
    """The normal distribution function."""
    return (1 + math.erf((x - mean) / std / math.sqrt(2))) / 2


def _redraw(tensor: Tensor, draw: Callable[[Tensor], Any], rejected: Callable[[Tensor], Tensor]) -> Tensor:
    """Fill a tensor with ``draw(fresh)``, and again while ``rejected(fresh)`` selects elements."""
    draw(tensor)
    wrong = rejected(tensor)
    while wrong.any():
        fresh = ft.empty_like(tensor)
        draw(fresh)
        tensor.copy_(ft.where(wrong, fresh, tensor))
        wrong = wrong.logical_and(rejected(fresh))
    return tensor


@_filling()
def trunc_normal_(
    tensor: Tensor,
    mean: float = 0.0,
    std: float = 1.0,
    a: float = -2.0,
    b: float = 2.0,
    generator: Generator | None = None,
) -> Tensor:
    """Truncated normal numbers: those outside [a, b] are drawn again. If most would be rejected, uniform numbers in [a,
    b) are drawn instead and accepted with a probability proportional to the normal density (von Neumann, 1951).

    Shape:
        (*), any shape; modified in place without recording, and returned.

    Raises:
        TypeError: an argument is not a number.

    >>> w = trunc_normal_(torch.empty(1000), a=-1.0, b=1.0)
    >>> bool(w.abs().max() <= 1)
    True
    """
    if mean < a - 2 * std or mean > b + 2 * std:
        warnings.warn(
            "mean is more than 2 std from [a, b] in nn.init.trunc_normal_. The distribution of values may be "
            "incorrect.",
            stacklevel=3,
        )
    if _upto(mean, std, b) - _upto(mean, std, a) > 0.3:
        low, high = (tensor.new_tensor(x).item() for x in (a, b))  # as the dtype rounds them
        return _redraw(tensor, lambda t: t.normal_(mean, std, generator=generator), lambda t: (t < low) | (t > high))
    peak = -0.5 * ((max(a, min(mean, b)) - mean) / std) ** 2

    def unlikely(t: Tensor) -> Tensor:
        density = ((t - mean) / std).pow_(2).mul_(-0.5).sub_(peak)
        return ft.empty_like(t).uniform_(generator=generator).log_() > density

    return _redraw(tensor, lambda t: t.uniform_(a, b, generator=generator), unlikely)


@_filling("* tensor! val")
def constant_(tensor: Tensor, val: float) -> Tensor:
    """One value.

    Shape:
        (*), any shape; modified in place without recording, and returned.

    Raises:
        TypeError: the value is not a number.

    >>> constant_(torch.empty(2, 3), 0.5)
    tensor([[0.5000, 0.5000, 0.5000],
            [0.5000, 0.5000, 0.5000]])
    """
    return tensor.fill_(val)


@_filling()
def ones_(tensor: Tensor) -> Tensor:
    """Ones.

    Shape:
        (*), any shape; modified in place without recording, and returned.

    Raises:
        AttributeError: the argument is not a tensor.

    >>> ones_(torch.empty(2))
    tensor([1., 1.])
    """
    return tensor.fill_(1.0)


@_filling()
def zeros_(tensor: Tensor) -> Tensor:
    """Zeros.

    Shape:
        (*), any shape; modified in place without recording, and returned.

    Raises:
        AttributeError: the argument is not a tensor.

    >>> zeros_(torch.empty(2))
    tensor([0., 0.])
    """
    return tensor.zero_()


@_filling()
def eye_(tensor: Tensor) -> Tensor:
    """Ones on the diagonal of a matrix, zeros elsewhere.

    Shape:
        (n, m); modified in place without recording, and returned.

    Raises:
        ValueError: not two dimensions.

    >>> eye_(torch.empty(2, 3))
    tensor([[1., 0., 0.],
            [0., 1., 0.]])
    """
    if tensor.ndimension() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    tensor.zero_()
    tensor.diagonal().fill_(1)
    return tensor


@_filling()
def dirac_(tensor: Tensor, groups: int = 1) -> Tensor:
    """Kernels (out, in, …) of a convolution that returns its input.

    Shape:
        (out, in, *) of three to five dimensions; modified in place without recording, and returned.

    Raises:
        ValueError: other numbers of dimensions, or ``out`` is not a multiple of ``groups``.

    >>> weight = dirac_(torch.empty(1, 1, 3))
    >>> torch.nn.functional.conv1d(torch.tensor([[[1.0, 2.0, 3.0]]]), weight, padding=1)
    tensor([[[1., 2., 3.]]])
    """
    if tensor.ndimension() not in (3, 4, 5):
        raise ValueError("Only tensors with 3, 4, or 5 dimensions are supported")
    if tensor.shape[0] % groups:
        raise ValueError("dim 0 must be divisible by groups")
    per_group = tensor.shape[0] // groups
    center = tuple(size // 2 for size in tensor.shape[2:])
    tensor.zero_()
    for g in range(groups):
        for d in range(min(per_group, tensor.shape[1])):
            tensor[(g * per_group + d, d, *center)] = 1
    return tensor


@_filling()
def xavier_uniform_(tensor: Tensor, gain: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Uniform numbers in ±gain · sqrt(6 / (fan_in + fan_out)) (Glorot and Bengio, 2010).

    Shape:
        (*) of two dimensions or more, floating point; modified in place without recording, and returned.

    Raises:
        ValueError: the tensor has fewer than two dimensions, so it has no fans.

    >>> w = xavier_uniform_(torch.empty(20, 30))
    >>> bool(w.abs().max() <= (6 / 50) ** 0.5)
    True
    """
    bound = math.sqrt(3.0) * (gain * math.sqrt(2.0 / float(sum(_fans(tensor)))))
    return tensor.uniform_(-bound, bound, generator=generator)


@_filling()
def xavier_normal_(tensor: Tensor, gain: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Normal numbers of standard deviation gain · sqrt(2 / (fan_in + fan_out)) (Glorot and Bengio, 2010).

    Shape:
        (*) of two dimensions or more, floating point; modified in place without recording, and returned.

    Raises:
        ValueError: the tensor has fewer than two dimensions, so it has no fans.

    >>> w = xavier_normal_(torch.empty(200, 300))
    >>> bool((w.std() - (2 / 500) ** 0.5).abs() < 0.005)
    True
    """
    return tensor.normal_(0.0, gain * math.sqrt(2.0 / float(sum(_fans(tensor)))), generator=generator)


@_filling("* tensor! a=0 mode='fan_in' nonlinearity='leaky_relu' generator=None")
def kaiming_uniform_(
    tensor: Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Generator | None = None,
) -> Tensor:
    """Uniform numbers in ±gain · sqrt(3 / fan) (He et al., 2015); ``a`` is the slope of ``leaky_relu``.

    Shape:
        (*) of two dimensions or more, floating point; modified in place without recording, and returned.

    Raises:
        ValueError: the tensor has fewer than two dimensions, so it has no fans.

    >>> w = kaiming_uniform_(torch.empty(20, 30), nonlinearity="relu")
    >>> bool(w.abs().max() <= (6 / 30) ** 0.5)
    True
    """
    if _empty(tensor):
        return tensor
    bound = math.sqrt(3.0) * (calculate_gain(nonlinearity, a) / math.sqrt(_fan(tensor, mode)))
    return tensor.uniform_(-bound, bound, generator=generator)


@_filling()
def kaiming_normal_(
    tensor: Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Generator | None = None,
) -> Tensor:
    """Normal numbers of standard deviation gain / sqrt(fan) (He et al., 2015).

    Shape:
        (*) of two dimensions or more, floating point; modified in place without recording, and returned.

    Raises:
        ValueError: the tensor has fewer than two dimensions, so it has no fans.

    >>> w = kaiming_normal_(torch.empty(200, 300), nonlinearity="relu")
    >>> bool((w.std() - (2 / 300) ** 0.5).abs() < 0.005)
    True
    """
    if _empty(tensor):
        return tensor
    return tensor.normal_(0, calculate_gain(nonlinearity, a) / math.sqrt(_fan(tensor, mode)), generator=generator)


@_filling()
def orthogonal_(tensor: Tensor, gain: float = 1, generator: Generator | None = None) -> Tensor:
    """A matrix with orthonormal rows or columns, times ``gain`` (Saxe et al., 2013); other dimensions than
    the first count as one.

    The random matrix is PyTorch's for a seed; its decomposition agrees to rounding.

    Raises:
        ValueError: the tensor has fewer than two dimensions.

    >>> w = orthogonal_(torch.empty(2, 5))
    >>> torch.allclose(w @ w.T, torch.eye(2), atol=1e-6)
    True
    """
    if tensor.ndimension() < 2:
        raise ValueError("Only tensors with 2 or more dimensions are supported")
    if tensor.numel() == 0:
        return tensor
    import numpy as np

    rows, columns = tensor.shape[0], tensor.numel() // tensor.shape[0]
    flat = tensor.new_empty((rows, columns)).normal_(0, 1, generator=generator)
    if not (tensor.dtype in (ft.float32, ft.float64) or tensor.is_complex()):
        raise NotImplementedError(
            f"\"geqrf_cpu\" not implemented for '{tensor.type().split('.')[-1].removesuffix('Tensor')}'"
        )
    q, r = np.linalg.qr(flat.t().numpy() if rows < columns else flat.numpy())
    q = q * np.sign(np.diag(r))
    made = ft.from_numpy(np.ascontiguousarray(q.T if rows < columns else q))
    return tensor.copy_(made.reshape(tuple(tensor.shape))).mul_(gain)


@_filling()
def sparse_(tensor: Tensor, sparsity: float, std: float = 0.01, generator: Generator | None = None) -> Tensor:
    """Fill with normal random numbers, and set a fraction ``sparsity`` of each column to zero (Martens, 2010).

    Shape:
        (n, m); modified in place without recording, and returned.

    Raises:
        ValueError: not two dimensions.

    >>> w = sparse_(torch.empty(10, 4), sparsity=0.3)
    >>> (w == 0).sum(0)
    tensor([3, 3, 3, 3])
    """
    if tensor.ndimension() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    rows, columns = tensor.shape
    count = math.ceil(sparsity * rows)
    tensor.normal_(0, std, generator=generator)
    for column in range(columns):
        tensor[ft.randperm(rows)[:count], column] = 0
    return tensor


def _renamed(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function under its old name, without the underscore."""
    old = function.__name__.removesuffix("_")

    def deprecated(*args: Any, **kwargs: Any) -> Any:
        warnings.warn(
            f"`nn.init.{old}` is now deprecated in favor of `nn.init.{function.__name__}`.", FutureWarning, stacklevel=2
        )
        return function(*args, **kwargs)

    deprecated.__name__ = deprecated.__qualname__ = old
    deprecated.__doc__ = f"The old name of :func:`{function.__name__}`."
    return deprecated


uniform = _renamed(uniform_)
normal = _renamed(normal_)
constant = _renamed(constant_)
eye = _renamed(eye_)
dirac = _renamed(dirac_)
xavier_uniform = _renamed(xavier_uniform_)
xavier_normal = _renamed(xavier_normal_)
kaiming_uniform = _renamed(kaiming_uniform_)
kaiming_normal = _renamed(kaiming_normal_)
orthogonal = _renamed(orthogonal_)
sparse = _renamed(sparse_)

# Names that initializers of other packages import.
_no_grad_uniform_, _no_grad_normal_, _no_grad_trunc_normal_ = uniform_, normal_, trunc_normal_
_no_grad_fill_, _no_grad_zero_ = constant_, zeros_


__getattr__, __dir__ = _attach(__name__, "torch.nn.init")
