"""Derivatives of special functions (DLMF 10.29, 7.10, 8.8, 25.11)."""

import math

import flambeau_tensor as torch
from flambeau_autograd.derivatives.table import derivative, without
from flambeau_tensor.ops import special as ops

_EPS = {torch.float32: 1.1920928955078125e-07, torch.float64: 2.220446049250313e-16}


def _quotient_rule(self, result, first):
    """Return first - result / x; at zero, where the quotient is half of `first`, which is 1, return one half."""
    small = self.abs() <= _EPS.get(self.dtype, 1e-3)
    return torch.where(small, 0.5, first - result / torch.where(small, 1.0, self))


def _incomplete(sign):
    def formula(grad, self, other):
        return grad * (sign * torch.exp((self - 1) * other.log() - other - self.lgamma()))

    return formula


derivative(ops.i0, self=lambda grad, self: grad * ops.i1(self))
derivative(ops.i0e, self=lambda grad, self, result: grad * (ops.i1e(self) - self.sgn() * result))
derivative(ops.i1, self=lambda grad, self, result: grad * _quotient_rule(self, result, ops.i0(self)))
derivative(
    ops.i1e, self=lambda grad, self, result: grad * _quotient_rule(self, result, ops.i0e(self) - self.sgn() * result)
)
derivative(ops.igamma, self=without("igamma: input"), other=_incomplete(1))
derivative(ops.igammac, self=without("igammac: input"), other=_incomplete(-1))
derivative(ops.zeta, self=without("zeta"), other=lambda grad, self, other: grad * (-self * ops.zeta(self + 1, other)))
derivative(ops.ndtr, self=lambda grad, self: grad * ((self.square() / -2).exp() / math.sqrt(2 * math.pi)))
derivative(ops.log_ndtr, self=lambda grad, self: grad * (math.sqrt(2 / math.pi) / ops.erfcx(self * -math.sqrt(0.5))))
derivative(ops.ndtri, self=lambda grad, result: grad * (math.sqrt(2 * math.pi) * (result.square() / 2).exp()))
derivative(ops.erfcx, self=lambda grad, self, result: grad * (2 * self * result - 2 / math.sqrt(math.pi)))
derivative(ops.entr, self=lambda grad, self: grad * (-self.log() - 1))
derivative(
    ops.xlog1py,
    self=lambda grad, self, other: torch.where((self == 0) & (other <= -1), 0.0, ops.xlog1py(grad, other)),
    other=lambda grad, self, other: grad * (self / (other + 1)),
)
