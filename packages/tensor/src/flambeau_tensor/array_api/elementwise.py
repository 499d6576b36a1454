"""Elementwise functions.

All functions but the last few are those of ``torch`` under the standard's names and signatures. Functions of two
operands first convert them to the standard's dtype.
"""

import flambeau_tensor as torch
from flambeau_tensor import Tensor
from flambeau_tensor.array_api.data_types import promoted, with_number

Operand = Tensor | complex


def operands(x1: Operand, x2: Operand) -> tuple[Tensor, Tensor]:
    """Return both operands as tensors with the dtype of the result.

    >>> operands(torch.ones(2, dtype=torch.int8), torch.tensor(1))[0].dtype
    torch.int64
    """
    if not isinstance(x1, Tensor):
        if not isinstance(x2, Tensor):
            raise TypeError("one of the operands has to be a tensor")
        x2, x1 = operands(x2, x1)
        return x1, x2
    if not isinstance(x2, Tensor):
        dtype = with_number(x1.dtype, x2)
        return x1.to(dtype), torch.asarray(x2, dtype=dtype, device=x1.device)
    if x1.dtype is x2.dtype:
        return x1, x2
    dtype = promoted(x1.dtype, x2.dtype)
    return x1.to(dtype), x2.to(dtype)


def _unary(name, torch_name=None):
    function = getattr(torch, torch_name or name)

    def wrapper(x: Tensor, /) -> Tensor:
        return function(x)

    return _described(wrapper, name, torch_name or name)


def _binary(name, torch_name=None):
    function = getattr(torch, torch_name or name)

    def wrapper(x1: Operand, x2: Operand, /) -> Tensor:
        return function(*operands(x1, x2))

    return _described(wrapper, name, torch_name or name)


def _described(wrapper, name, torch_name):
    wrapper.__name__ = wrapper.__qualname__ = name
    wrapper.__doc__ = f"``torch.{torch_name}``, as the array API standard calls it and promotes dtypes."
    return wrapper


abs, acos, acosh, asin, asinh = map(_unary, ("abs", "acos", "acosh", "asin", "asinh"))
atan, atanh, ceil, conj, cos, cosh = map(_unary, ("atan", "atanh", "ceil", "conj", "cos", "cosh"))
exp, floor, imag, isfinite = map(_unary, ("exp", "floor", "imag", "isfinite"))
isinf, isnan, log, log10, log1p, log2 = map(_unary, ("isinf", "isnan", "log", "log10", "log1p", "log2"))
positive, real, reciprocal, signbit, sin = map(_unary, ("positive", "real", "reciprocal", "signbit", "sin"))
sinh, sqrt, square, tan, tanh, trunc = map(_unary, ("sinh", "sqrt", "square", "tan", "tanh", "trunc"))
logical_not, negative = map(_unary, ("logical_not", "negative"))
bitwise_invert = _unary("bitwise_invert", "bitwise_not")

add, atan2, bitwise_and, bitwise_or, bitwise_xor = map(
    _binary, ("add", "atan2", "bitwise_and", "bitwise_or", "bitwise_xor")
)
bitwise_left_shift, bitwise_right_shift = _binary("bitwise_left_shift"), _binary("bitwise_right_shift")
copysign, divide, floor_divide, hypot = map(_binary, ("copysign", "divide", "floor_divide", "hypot"))
equal, not_equal = _binary("equal", "eq"), _binary("not_equal", "ne")
greater, greater_equal, less, less_equal = map(_binary, ("greater", "greater_equal", "less", "less_equal"))
logaddexp, logical_and, logical_or, logical_xor = map(
    _binary, ("logaddexp", "logical_and", "logical_or", "logical_xor")
)
maximum, minimum, multiply, nextafter = map(_binary, ("maximum", "minimum", "multiply", "nextafter"))
pow, remainder, subtract = map(_binary, ("pow", "remainder", "subtract"))


# --- functions that differ in torch, or lack complex numbers there --------------------------------------------------


def sign(x: Tensor, /) -> Tensor:
    """Return x / abs(x), but 0 for 0 and NaN for NaN.

    >>> sign(torch.tensor([-2.0, torch.nan]))
    tensor([-1., nan])
    """
    if x.is_complex():
        return torch.where(torch.isnan(x), x, torch.sgn(x) + 0)  # 0 + 0j for all four zeros
    return torch.where(torch.isnan(x), x, torch.sgn(x)) if x.is_floating_point() else torch.sgn(x)


def expm1(x: Tensor, /) -> Tensor:
    """Return exp(x) - 1.

    >>> expm1(torch.zeros(1))
    tensor([0.])
    """
    if not x.is_complex():
        return torch.expm1(x)
    # exp(a)(cos b + i sin b) - 1, where cos b - 1 = -2 sin(b/2)² preserves small results
    a, b = x.real, x.imag
    near = torch.complex(torch.expm1(a) * torch.cos(b) - 2 * torch.sin(b / 2) ** 2, torch.exp(a) * torch.sin(b))
    return torch.where(torch.isfinite(near), near, torch.exp(x) - 1)


def round(x: Tensor, /) -> Tensor:
    """Round to the nearest integer, halves to even; for complex numbers, each part.

    >>> round(torch.tensor([0.5, 1.5]))
    tensor([0., 2.])
    """
    return torch.complex(torch.round(x.real), torch.round(x.imag)) if x.is_complex() else torch.round(x)


def clip(x: Tensor, /, min: Operand | None = None, max: Operand | None = None) -> Tensor:
    """Limit numbers to an interval, keeping their dtype.

    >>> clip(torch.arange(4), 1, 2)
    tensor([1, 1, 2, 2])
    """
    for bound, function in ((min, torch.maximum), (max, torch.minimum)):
        if bound is not None:
            x = function(x, torch.asarray(bound, device=x.device).to(x.dtype))
    return x.clone() if min is None and max is None else x
