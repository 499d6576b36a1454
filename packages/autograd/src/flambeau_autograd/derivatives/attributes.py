"""Derivatives of copies and conversions; the engine restores dtypes and undoes broadcasting."""

from flambeau_autograd._engine.graph.rule import derivative
from flambeau_tensor.ops import attributes as ops
from flambeau_tensor.ops import factories

derivative(ops.clone, self=lambda grad: grad, linear=True)
derivative(ops.contiguous, self=lambda grad: grad, linear=True)
derivative(ops.to_copy, self=lambda grad: grad, linear=True)
derivative(ops.to_meta, self=lambda grad: grad.cpu())  # raises: meta tensors have no values to copy back
derivative(ops.as_subclass, self=lambda grad: grad, linear=True)

# --- writing --------------------------------------------------------------------------------------------------------
# Gradients of overwritten values are zero.


def _written(self, tangent):
    return factories.zeros_like(self) if tangent is None else tangent


derivative(
    ops.copy_,
    self=lambda grad: factories.zeros_like(grad),
    src=lambda grad: grad,
    jvp=lambda self, src_t: _written(self, src_t),
    name="CopyBackwards",
)
derivative(
    ops.fill_,
    self=lambda grad: factories.zeros_like(grad),
    value=lambda grad: grad.sum(),
    jvp=lambda self, value_t: _written(self, value_t),
)
derivative(ops.zero_, self=lambda grad: factories.zeros_like(grad), jvp=lambda self: _written(self, None))
