"""Derivatives of choosing elements by order: each goes back to where it stood."""
from flambeau_autograd.derivatives.reductions import at_indices
from flambeau_autograd.derivatives.table import derivative
from flambeau_tensor.ops import factories, gathering
from flambeau_tensor.ops import sorting as ops


def _placed(grad, self_shape, dim, indices):
    if not self_shape:
        return grad
    return gathering.scatter_add(factories.zeros(self_shape, dtype=grad.dtype), dim, indices, grad)


derivative(ops.sort, self=_placed)
derivative(ops.topk, self=_placed)
for _op in (ops.kthvalue, ops.mode, ops.median_dim, ops.nanmedian_dim):
    derivative(_op, self=at_indices)
