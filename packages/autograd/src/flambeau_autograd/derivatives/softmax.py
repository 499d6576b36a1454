"""Derivatives of normalised exponentials, in terms of their results."""

from flambeau_autograd.derivatives.table import derivative
from flambeau_tensor.ops import pointwise
from flambeau_tensor.ops import softmax as ops

derivative(
    ops.softmax,
    self=lambda grad, result, dim: _softmax(grad, result, dim),
    jvp=lambda self_t, result, dim: _softmax(self_t, result, dim),
)  # the Jacobian is symmetric
derivative(
    ops.log_softmax,
    self=lambda grad, result, dim: grad - pointwise.exp(result) * grad.sum(dim, True),
    jvp=lambda self_t, result, dim: self_t - (pointwise.exp(result) * self_t).sum(dim, True),
)


def _softmax(grad, result, dim):
    product = grad * result
    return product - result * product.sum(dim, True)
