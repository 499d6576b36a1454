"""Derivatives of Fourier transforms, which are linear: the adjoint is the transform in the other direction."""

import flambeau_tensor as torch
from flambeau_autograd.derivatives.table import derivative
from flambeau_autograd.fresh import where
from flambeau_tensor.ops import fft as ops


def _twice(x, dim, size, factor):
    """Multiply half a spectrum by `factor` for elements that also represent their mirror image in the other half."""
    weights = torch.full((x.shape[dim],), factor, dtype=x.real.dtype, device=where(x))
    weights[:1] = 1
    if size % 2 == 0:
        weights[-1:] = 1
    after = x.ndim - 1 - dim % x.ndim
    return x * weights.reshape((-1, *(1,) * after))


def _r2c(grad, self_shape, dim, normalization, onesided):
    if not onesided:
        return ops.c2c(grad, dim, normalization, False).real
    # The real part of a sum over half the spectrum is the sum over all of one whose halves have half of each.
    size = self_shape[dim[-1]]
    return ops.c2r(_twice(grad, dim[-1], size, 0.5), dim, normalization, size)


derivative(
    ops.c2c, linear=True, self=lambda grad, dim, normalization, forward: ops.c2c(grad, dim, normalization, not forward)
)
derivative(ops.r2c, linear=True, self=_r2c)
derivative(
    ops.c2r,
    linear=True,
    self=lambda grad, dim, normalization, last_dim_size: _twice(
        ops.r2c(grad, dim, normalization, True), dim[-1], last_dim_size, 2
    ),
)
