"""Derivatives of moving elements and of triangles."""

from flambeau_autograd.derivatives.table import derivative
from flambeau_tensor.ops import rearranging as ops

derivative(ops.flip, self=lambda grad, dims: ops.flip(grad, dims), linear=True)
derivative(ops.tril, self=lambda grad, diagonal: ops.tril(grad, diagonal), linear=True)
derivative(ops.triu, self=lambda grad, diagonal: ops.triu(grad, diagonal), linear=True)
