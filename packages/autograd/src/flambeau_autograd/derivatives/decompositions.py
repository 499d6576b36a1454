"""Derivatives of the pieces that PyTorch's decompositions name."""

from flambeau_autograd.derivatives.table import derivative
from flambeau_tensor.ops.decompositions import constant_pad_nd

derivative(
    constant_pad_nd,
    self=lambda grad, pad: constant_pad_nd(grad, tuple(-n for n in pad)),
    jvp=lambda self_t, pad: constant_pad_nd(self_t, pad),
)
