"""Derivatives of padding."""

from flambeau_autograd.derivatives import derivative
from flambeau_nn.ops import padding as ops


def _cut(grad, pad):
    pad = (pad,) if isinstance(pad, int) else pad
    return ops.constant_pad_nd(grad, tuple(-p for p in pad))


derivative(ops.constant_pad_nd, self=_cut, jvp=lambda self_t, pad: ops.constant_pad_nd(self_t, pad))
