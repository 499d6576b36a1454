"""Derivatives of joining: each tensor gets its piece of the gradient."""

from flambeau_autograd.derivatives.table import derivative
from flambeau_autograd.fresh import zeros
from flambeau_tensor.ops import joining as ops
from flambeau_tensor.ops import views


def _cat(grad, tensors_shape, dim):
    """Return the gradients of `cat`, which skips empty one-dimensional tensors for compatibility."""
    pieces, at = [], 0
    for shape in tensors_shape:
        if tuple(shape) == (0,) and grad.ndim != 1:
            pieces.append(zeros(grad, (0,)))
            continue
        size = shape[dim]
        pieces.append(views.narrow(grad, dim, at, size))
        at += size
    return tuple(pieces)


derivative(ops.cat, tensors=_cat, linear=True)
derivative(ops.stack, tensors=lambda grad, dim: ops.unbind(grad, dim), linear=True)
