"""Tensors made larger at their edges."""

from flambeau_nn._kernels import padding as kernels
from flambeau_nn.ops import INTERNAL, NAMESPACE
from flambeau_nn.ops.declaring import of_aten
from flambeau_tensor import Operator
from flambeau_tensor.extend import FUNCTION

constant_pad_nd = Operator(
    "constant_pad_nd(Tensor self, int[] pad, Scalar value=0) -> Tensor",
    kernels.constant_pad,
    namespace=INTERNAL,
    variants=FUNCTION,
    doc="Padding with `value` by pairs of (before, after), last dimension first; negative numbers crop.",
)
pad_by_copies = Operator(
    "pad_by_copies(Tensor self, int[] pad, str mode) -> Tensor",
    kernels.pad_by_copies,
    namespace=INTERNAL,
    variants=FUNCTION,
    doc="Padding with elements of `input` by pairs of (before, after), last dimension first.",
)
pad_by_copies_backward = Operator(
    "pad_by_copies_backward(Tensor grad_output, int[] input_size, int[] pad, str mode) -> Tensor",
    kernels.pad_by_copies_backward,
    namespace=INTERNAL,
    variants=FUNCTION,
    doc="The sums of the gradients of all copies of an element.",
)
kernels.connect(constant_pad_nd, pad_by_copies)
_PAD = "pad(Tensor self, int[] pad, str mode='constant', float? value=None)"
pad = Operator(
    f"{_PAD} -> Tensor",
    kernels.pad,
    namespace=NAMESPACE,
    variants=FUNCTION,
    composite=True,
    aten=of_aten(_PAD, True),
    doc="`input` padded with `pad[0]` and `pad[1]` elements before and after the last dimension, with the next two "
    "around the one before, and so on. `mode` is 'constant' (with `value`, by default 0), 'reflect', 'replicate' or "
    "'circular' (for dimensions after the first two, or all but the first).",
)
