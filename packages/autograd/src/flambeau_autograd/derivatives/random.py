"""Derivatives of filling with random numbers: what was there no longer counts."""
from flambeau_tensor._core.registry import operators

from flambeau_autograd._engine.rule import derivative
from flambeau_tensor.ops import factories
from flambeau_tensor.ops import random as ops

_NAMES = ("uniform_", "normal_", "log_normal_", "cauchy_", "exponential_", "geometric_", "bernoulli_", "random_")
for _name in _NAMES:
    derivative(operators()[f"torch.Tensor.{_name}"], self=lambda grad: factories.zeros_like(grad),
               jvp=lambda self: factories.zeros_like(self))
derivative(ops.bernoulli, self=lambda grad: factories.zeros_like(grad), jvp=lambda self: factories.zeros_like(self))
