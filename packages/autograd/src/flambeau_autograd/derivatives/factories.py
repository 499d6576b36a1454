"""Derivatives of the few factories that take tensors."""

from flambeau_autograd._engine.graph.rule import derivative
from flambeau_tensor.ops import factories as ops
from flambeau_tensor.ops import views

derivative(ops.complex_, real=lambda grad: views.real(grad), imag=lambda grad: views.imag(grad), linear=True)
