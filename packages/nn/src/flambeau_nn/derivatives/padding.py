"""Derivatives of padding."""

from flambeau_autograd.derivatives import derivative
from flambeau_nn.ops import padding as ops


def _cut(grad, pad):
    pad = (pad,) if isinstance(pad, int) else pad
    return ops.constant_pad_nd(grad, tuple(-p for p in pad))


derivative(ops.constant_pad_nd, self=_cut, jvp=lambda self_t, pad: ops.constant_pad_nd(self_t, pad))
derivative(
    ops.pad_by_copies,
    linear=True,
    self=lambda grad, self_shape, pad, mode: ops.pad_by_copies_backward(grad, self_shape, pad, mode),
)
derivative(
    ops.pad_by_copies_backward,
    linear=True,
    grad_output=lambda grad, pad, mode: ops.pad_by_copies(grad, pad, mode),
)
