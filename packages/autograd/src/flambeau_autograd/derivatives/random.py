"""Derivatives of filling with random numbers: the old elements have a gradient of zero."""

from flambeau_autograd._engine.graph.rule import derivative
from flambeau_tensor.ops import factories
from flambeau_tensor.ops import random as ops

for _op in (
    ops.uniform_,
    ops.normal_,
    ops.log_normal_,
    ops.cauchy_,
    ops.exponential_,
    ops.geometric_,
    ops.bernoulli_,
    ops.bernoulli_each_,
    ops.random_from_,
):
    derivative(_op, self=lambda grad: factories.zeros_like(grad), jvp=lambda self: factories.zeros_like(self))
derivative(ops.poisson, self=lambda grad: factories.zeros_like(grad), jvp=lambda self: factories.zeros_like(self))
for _overload, _op in ops.normal.items():
    _tensors = [_name for _name, _kind in zip(("mean", "std"), _overload.split("_"), strict=True) if _kind == "Tensor"]
    derivative(
        _op,
        **dict.fromkeys(_tensors, lambda grad: factories.zeros_like(grad)),
        jvp=lambda result: factories.zeros_like(result),
    )
derivative(ops.bernoulli, self=lambda grad: factories.zeros_like(grad), jvp=lambda self: factories.zeros_like(self))
