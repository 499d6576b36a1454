"""Derivatives of sorting and selection: each gradient goes back to the element's original position."""

from flambeau_autograd.derivatives.reductions import at_indices, from_indices, mean_of_chosen, share
from flambeau_autograd.derivatives.table import derivative, without
from flambeau_autograd.fresh import zeros
from flambeau_tensor.extend import find_operator
from flambeau_tensor.ops import gathering
from flambeau_tensor.ops import sorting as ops


def _scattered(grad, self_shape, dim, indices):
    if not self_shape:
        return grad
    return gathering.scatter_add(zeros(grad, self_shape), dim, indices, grad)


def _taken(self_t, dim, indices):
    return (gathering.gather(self_t, dim, indices) if self_t.ndim else self_t), None


derivative(ops.sort, self=_scattered, jvp=_taken)
derivative(ops.topk, self=_scattered, jvp=_taken)
for _op in (ops.kthvalue, ops.mode, ops.median_dim, ops.nanmedian_dim):
    derivative(_op, self=at_indices, jvp=from_indices)
for _name in ("median", "nanmedian"):
    derivative(find_operator(f"torch.{_name}.default"), self=share, jvp=mean_of_chosen)
derivative(
    ops.unique,
    self=lambda grad, dim: without("_unique2" if dim is None else "unique_dim")(grad),
)
derivative(ops.unique_consecutive, self=without("unique_consecutive"))
derivative(ops.bincount, weights=without("bincount"))
