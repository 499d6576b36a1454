"""Derivatives of pooling over windows at random places, those of other maxima."""

from flambeau_autograd.derivatives import derivative
from flambeau_nn.ops import unpooling as ops
from flambeau_nn.ops.pooling import max_pool_backward

derivative(
    ops.fractional_pool,
    self=lambda grad, self_shape, result1: max_pool_backward(grad, result1, self_shape, len(self_shape) - 2),
    not_differentiable=(1,),
)
