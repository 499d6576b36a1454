"""Derivatives of elementwise operations.

For functions of a complex number, PyTorch's convention is the conjugate Wirtinger derivative, hence ``conj``.
"""

import math

from flambeau_autograd._engine.graph import formulas
from flambeau_autograd.derivatives.table import conj, derivative
from flambeau_tensor.extend import find_operator
from flambeau_tensor.ops import factories
from flambeau_tensor.ops import pointwise as ops


def _zeros(grad):
    return factories.zeros_like(grad)


# --- arithmetic -----------------------------------------------------------------------------------------------------

derivative(ops.add, self=formulas.same, other=formulas.scaled, linear=True)
derivative(ops.sub, self=formulas.same, other=formulas.scaled_negative, linear=True)
derivative(ops.mul, self=formulas.mul_self, other=formulas.mul_other)
derivative(ops.div, self=formulas.div_self, other=formulas.div_other)
derivative(
    ops.remainder,
    self=lambda grad: grad,
    other=lambda grad, self, other: -grad * ops.div(self, other, rounding_mode="floor"),
)
derivative(
    ops.fmod,
    self=lambda grad: grad,
    other=lambda grad, self, other: -grad * ops.div(self, other, rounding_mode="trunc"),
)
derivative(ops.neg, self=formulas.negated, linear=True)
derivative(ops.reciprocal, self=formulas.reciprocal_self)
derivative(ops.square, self=formulas.square_self)


def _pow_exponent(grad, self, exponent, result):
    base = math.log(self) if isinstance(self, (int, float)) and self > 0 else None
    if base is None:
        tensor = self.to(result.dtype) if hasattr(self, "dtype") else result.new_full((), self)
        positive = exponent >= 0 if not exponent.is_complex() else exponent.real >= 0
        at_zero = ops.logical_and(tensor == 0, positive)
        return ops.where(at_zero, 0.0, grad * conj(result * tensor.log()))
    return grad * conj(result * base)


derivative(ops.pow, self=formulas.pow_self, exponent=_pow_exponent)
derivative(
    ops.addcmul,
    self=lambda grad: grad,
    tensor1=lambda grad, tensor2, value: grad * conj(tensor2 * value),
    tensor2=lambda grad, tensor1, value: grad * conj(tensor1 * value),
)
derivative(
    ops.addcdiv,
    self=lambda grad: grad,
    tensor1=lambda grad, tensor2, value: grad * conj(value / tensor2),
    tensor2=lambda grad, tensor1, tensor2, value: -grad * conj(value * tensor1 / (tensor2 * tensor2)),
)
derivative(
    ops.lerp,
    self=lambda grad, weight: grad * conj(1 - weight),
    end=lambda grad, weight: grad * conj(weight),
    weight=lambda grad, self, end: grad * conj(end - self),
)

# --- selection ------------------------------------------------------------------------------------------------------


def _share(grad, self, other, loses):
    """Return the share of one argument: half where both are equal; where one is NaN, all of it for both."""
    return ops.where(loses(self, other), 0.0, ops.where(self == other, grad * 0.5, grad))


derivative(
    ops.maximum,
    self=lambda grad, self, other: _share(grad, self, other, ops.lt),
    other=lambda grad, self, other: _share(grad, self, other, ops.gt),
)
derivative(
    ops.minimum,
    self=lambda grad, self, other: _share(grad, self, other, ops.gt),
    other=lambda grad, self, other: _share(grad, self, other, ops.lt),
)
derivative(
    ops.fmax,
    self=lambda grad, self, other: ops.where(_or(self >= other, other), grad, 0.0),
    other=lambda grad, self, other: ops.where(_or(self >= other, other), 0.0, grad),
)
derivative(
    ops.fmin,
    self=lambda grad, self, other: ops.where(_or(self <= other, other), grad, 0.0),
    other=lambda grad, self, other: ops.where(_or(self <= other, other), 0.0, grad),
)
derivative(
    ops.clamp_min,
    self=lambda grad, self, min: ops.where(self >= min, grad, 0.0),
    min=lambda grad, self, min: ops.where(self < min, grad, 0.0),
)
derivative(
    ops.clamp_max,
    self=lambda grad, self, max: ops.where(self <= max, grad, 0.0),
    max=lambda grad, self, max: ops.where(self > max, grad, 0.0),
)
derivative(
    find_operator("torch._ops.clamp_both"),
    self=lambda grad, self, min, max: ops.where(ops.logical_and(self >= min, self <= max), grad, 0.0),
    min=lambda grad, self, min, max: ops.where(ops.logical_and(self < min, min < max), grad, 0.0),
    max=lambda grad, self, min, max: ops.where(ops.logical_or(self > max, max < min), grad, 0.0),
)
derivative(
    ops.where,
    self=lambda grad, condition: ops.where(condition, grad, 0.0),
    other=lambda grad, condition: ops.where(condition, 0.0, grad),
    linear="self other",
)


def _or(chosen, other):
    return ops.logical_or(chosen, other != other)


# --- signs and rounding ---------------------------------------------------------------------------------------------

derivative(ops.nextafter, self=lambda grad, self, other: ops.where(self == other, 0.0, grad), other=_zeros)
derivative(ops.abs, self=lambda grad, self: grad * self.sgn())
derivative(ops.conj, self=lambda grad: conj(grad), linear=True)
derivative(ops.neg_view, self=lambda grad: -grad, linear=True)
derivative(ops.conj_physical, self=lambda grad: grad.conj_physical(), linear=True)
derivative(ops.angle, self=lambda grad, self: _angle(grad, self))
derivative(find_operator("torch._ops.ldexp"), self=lambda grad, other: ops.ldexp(grad, other), linear=True)
derivative(find_operator("torch._ops.nan_to_num"), self=lambda grad, self: ops.where(ops.isfinite(self), grad, 0.0))
for _op in (ops.sign, ops.floor, ops.ceil, ops.trunc, ops.round):
    derivative(_op, self=_zeros)
derivative(ops.frac, self=lambda grad: grad)


def _angle(grad, self):
    if not self.is_complex():
        return _zeros(grad)
    square = self.abs().square()
    return ops.where(square == 0, 0.0, grad * 1j * (self / square))


def _sgn(grad, self, result):
    if not self.is_complex():
        return _zeros(grad)
    modulus = self.abs()
    inner = (conj(grad) * result).real if grad.is_complex() else grad * result.real
    return ops.where(modulus == 0.0, 0.0, (grad - inner * result) / modulus)


derivative(ops.sgn, elementwise=False, self=_sgn)  # which is not a product for complex numbers
derivative(
    ops.copysign, self=lambda grad, self, result: ops.where(self == 0, 0.0, grad * (result / self)), other=_zeros
)

# --- powers, exponentials, logarithms -------------------------------------------------------------------------------

derivative(ops.sqrt, self=formulas.sqrt_self)
derivative(ops.rsqrt, self=lambda grad, result: -0.5 * grad * conj(result**3))
derivative(ops.exp, self=formulas.exp_self)
derivative(ops.exp2, self=lambda grad, result: grad * conj(result) * math.log(2))
derivative(ops.expm1, self=lambda grad, result: grad * conj(result + 1))
derivative(ops.log, self=formulas.log_self)
derivative(ops.log2, self=lambda grad, self: grad / conj(self * math.log(2)))
derivative(ops.log10, self=lambda grad, self: grad / conj(self * math.log(10)))
derivative(ops.log1p, self=lambda grad, self: grad / conj(self + 1))
derivative(
    ops.logaddexp,
    self=lambda grad, self, other: grad / conj(1 + (other - self).exp()),
    other=lambda grad, self, other: grad / conj(1 + (self - other).exp()),
)
derivative(
    ops.logaddexp2,
    self=lambda grad, self, other: grad / (1 + (other - self).exp2()),
    other=lambda grad, self, other: grad / (1 + (self - other).exp2()),
)
derivative(
    ops.xlogy,
    self=lambda grad, self, other: ops.where((self == 0) & (other <= 0), 0.0, ops.xlogy(grad, other)),
    other=lambda grad, self, other: grad * (self / other),
)

# --- trigonometry ---------------------------------------------------------------------------------------------------

derivative(ops.sin, self=formulas.sin_self)
derivative(ops.cos, self=formulas.cos_self)
derivative(ops.tan, self=lambda grad, result: grad * conj(1 + result * result))
derivative(ops.asin, self=lambda grad, self: grad * conj((1 - self * self).rsqrt()))
derivative(ops.acos, self=lambda grad, self: -grad * conj((1 - self * self).rsqrt()))
derivative(ops.atan, self=lambda grad, self: grad / conj(self * self + 1))
derivative(ops.sinh, self=lambda grad, self: grad * conj(self.cosh()))
derivative(ops.cosh, self=lambda grad, self: grad * conj(self.sinh()))
derivative(ops.tanh, self=formulas.tanh_self)
derivative(ops.asinh, self=lambda grad, self: grad * conj((self * self + 1).rsqrt()))
derivative(ops.acosh, self=lambda grad, self: grad * conj((self - 1).rsqrt() * (self + 1).rsqrt()))
derivative(ops.atanh, self=lambda grad, self: grad / conj(1 - self * self))
derivative(
    ops.atan2,
    self=lambda grad, self, other: grad * _over_square(other, self, other),
    other=lambda grad, self, other: grad * _over_square(-self, self, other),
)
derivative(
    ops.hypot,
    self=lambda grad, self, result: grad * (self / result),
    other=lambda grad, other, result: grad * (other / result),
)
derivative(find_operator("torch.deg2rad"), self=lambda grad: grad * (math.pi / 180), linear=True)
derivative(find_operator("torch.rad2deg"), self=lambda grad: grad * (180 / math.pi), linear=True)
derivative(ops.sinc, self=lambda grad, self: grad * conj(_sinc_derivative(self)))


def _over_square(x, self, other):
    """Return `x` / (self² + other²), and 0 at the origin, which has no direction."""
    square = self * self + other * other
    return ops.where(square == 0, 0.0, x / square)


def _sinc_derivative(x):
    """Return (y cos y - sin y) / y² · pi for y = pi x, by a power series near zero, where the difference cancels."""
    y = x * math.pi
    near = y.abs() < 0.3
    far, close = ops.where(near, 1.0, y), ops.where(near, y, 0.0)
    square, series = close * close, 0.0
    for k in range(6, 0, -1):
        series = series * square + (-1) ** k * 2 * k / math.factorial(2 * k + 1)
    return math.pi * ops.where(near, series * close, (far * far.cos() - far.sin()) / (far * far))


# --- activations and special functions ------------------------------------------------------------------------------

derivative(ops.sigmoid, self=formulas.sigmoid_self)
derivative(ops.relu, self=formulas.relu_self)
derivative(find_operator("torch._ops.logit"), self=lambda grad, self, eps: _logit(grad, self, eps))
derivative(ops.erf, self=lambda grad, self: grad * (2 / math.sqrt(math.pi) * (-self * self).exp()))
derivative(ops.erfc, self=lambda grad, self: grad * (-2 / math.sqrt(math.pi) * (-self * self).exp()))
derivative(ops.erfinv, self=lambda grad, result: grad * (math.sqrt(math.pi) / 2 * (result * result).exp()))
derivative(ops.lgamma, self=lambda grad, self: grad * self.digamma())


def _logit(grad, self, eps):
    derivative_here = grad / (self * (1 - self))
    if eps < 0:
        return ops.where((self < 0) | (self > 1), math.nan, derivative_here)
    return ops.where((self < eps) | (self > 1 - eps), 0.0, derivative_here)


derivative(ops.digamma, self=lambda grad, self: grad * ops.polygamma(1, self))
derivative(find_operator("torch._ops.polygamma"), self=lambda grad, self, n: grad * ops.polygamma(n + 1, self))
derivative(
    ops.frexp,
    self=lambda grad, exponent: grad * ops.exp2(-exponent.to(grad.dtype)),
    jvp=lambda self_t, exponent: (self_t * ops.exp2(-exponent.to(self_t.dtype)), None),
)
