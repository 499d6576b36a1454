"""Derivatives of activation functions.

Gradients of piecewise linear functions are linear in `grad_output`, and their derivatives by `self` are zero; the
others declare their second derivatives.
"""

import math

import flambeau_tensor as ft
from flambeau_autograd.derivatives import derivative, vanishing
from flambeau_nn.ops import activation as ops

# --- piecewise linear -----------------------------------------------------------------------------------------------

derivative(ops.leaky_relu_, self=lambda grad, self, negative_slope: ops.leaky_relu_backward(grad, self, negative_slope))
derivative(
    ops.leaky_relu_backward,
    linear="grad_output",
    grad_output=lambda grad, self, negative_slope: ops.leaky_relu_backward(grad, self, negative_slope),
    self=vanishing,
)


def _prelu_of_self(grad, self, weight):
    """grad where self > 0, grad · weight elsewhere"""
    positive = self > 0  # such an element does not depend on the weight, which may be infinite
    return ft.where(positive, grad, ft.where(positive, 0, grad) * weight)


derivative(
    ops.prelu_,
    self=_prelu_of_self,
    weight=lambda grad, self: ft.where(self > 0, 0, grad * self),
    name="PreluKernelBackward0",
)
derivative(ops.hardtanh_, self=lambda grad, self, min_val, max_val: ops.hardtanh_backward(grad, self, min_val, max_val))
derivative(
    ops.hardtanh_backward,
    linear="grad_output",
    grad_output=lambda grad, self, min_val, max_val: ops.hardtanh_backward(grad, self, min_val, max_val),
    self=vanishing,
)
derivative(ops.hardsigmoid_, self=lambda grad, self: ops.hardsigmoid_backward(grad, self))
derivative(
    ops.hardsigmoid_backward,
    linear="grad_output",
    grad_output=lambda grad, self: ops.hardsigmoid_backward(grad, self),
    self=vanishing,
)
derivative(
    ops.threshold_, self=lambda grad, self, threshold, value: ops.threshold_backward(grad, self, threshold, value)
)
derivative(
    ops.threshold_backward,
    linear="grad_output",
    grad_output=lambda grad, self, threshold, value: ops.threshold_backward(grad, self, threshold, value),
    self=vanishing,
)
derivative(ops.softshrink_, self=lambda grad, self, lambd: ops.softshrink_backward(grad, self, lambd))
derivative(
    ops.softshrink_backward,
    linear="grad_output",
    grad_output=lambda grad, self, lambd: ops.softshrink_backward(grad, self, lambd),
    self=vanishing,
)
derivative(ops.hardshrink, self=lambda grad, self, lambd: ops.hardshrink_backward(grad, self, lambd))
derivative(
    ops.hardshrink_backward,
    linear="grad_output",
    grad_output=lambda grad, self, lambd: ops.hardshrink_backward(grad, self, lambd),
    self=vanishing,
)

# --- curved ---------------------------------------------------------------------------------------------------------


def _gelu(x, approximate):
    if approximate == "none":
        return 0.5 * (1 + ft.erf(x * math.sqrt(0.5))) + x * ft.exp(-0.5 * x * x) / math.sqrt(2 * math.pi)
    c = 2 * math.sqrt(2 / math.pi)
    s = ft.sigmoid(c * (x + 0.044715 * x * x * x))
    return s * (1 + x * c * (1 + 3 * 0.044715 * x * x) * (1 - s))


def _silu(x):
    s = ft.sigmoid(x)
    return s * (1 + x * (1 - s))


def _mish(x):
    t = ft.tanh(-ops.logsigmoid(-x))
    return t + x * ft.sigmoid(x) * (1 - t * t)


def _softplus(x, beta, threshold):
    return ft.where(x * beta > threshold, 1.0, ft.sigmoid(x * beta))


def _elu(x, alpha, scale, input_scale):
    return ft.where(x <= 0, input_scale * alpha * scale * ft.exp(x * input_scale), float(scale))


def _hardswish(x):
    return ft.where(x <= -3, 0.0, ft.where(x >= 3, 1.0, x / 3 + 0.5))


def _of_derivative(factor):
    return lambda grad, x, *params: grad * factor(x, *params)


for _backward, _factor in (
    (ops.gelu_backward, _gelu),
    (ops.silu_backward, _silu),
    (ops.mish_backward, _mish),
    (ops.logsigmoid_backward, lambda x: ft.sigmoid(-x)),
    (ops.softplus_backward, _softplus),
    (ops.elu_backward, _elu),
    (ops.hardswish_backward, _hardswish),
):
    derivative(_backward, composition=_of_derivative(_factor))
derivative(ops.gelu, self=lambda grad, self, approximate: ops.gelu_backward(grad, self, approximate=approximate))
derivative(ops.silu_, self=lambda grad, self: ops.silu_backward(grad, self))
derivative(ops.mish_, self=lambda grad, self: ops.mish_backward(grad, self))
derivative(ops.logsigmoid, self=lambda grad, self: ops.logsigmoid_backward(grad, self))
derivative(ops.softplus, self=lambda grad, self, beta, threshold: ops.softplus_backward(grad, self, beta, threshold))
derivative(
    ops.elu_, self=lambda grad, self, alpha, scale, input_scale: ops.elu_backward(grad, self, alpha, scale, input_scale)
)
derivative(ops.hardswish_, self=lambda grad, self: ops.hardswish_backward(grad, self))
