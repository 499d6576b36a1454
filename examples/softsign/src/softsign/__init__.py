"""x / (1 + |x|) in C, as an operator: differentiable, batched, and overridable like those of the library.

>>> from softsign import softsign
>>> softsign(torch.tensor([-1.0, 0.0, 3.0]))
tensor([-0.5000,  0.0000,  0.7500])
"""

import flambeau as torch
from flambeau.library import custom_op
from softsign import _kernels

__all__ = ["softsign"]

softsign = custom_op("softsign::softsign", _kernels.forward, mutates_args=(), schema="(Tensor x) -> Tensor")
softsign_backward = custom_op(
    "softsign::softsign_backward", _kernels.backward, mutates_args=(), schema="(Tensor grad, Tensor x) -> Tensor"
)


def _keep(ctx, inputs, output):
    ctx.save_for_backward(*inputs)


def _backward(ctx, grad):
    (x,) = ctx.saved_tensors
    return softsign_backward(grad, x)


def _backward_of_backward(ctx, grad):
    g, x = ctx.saved_tensors
    d = 1 + x.abs()
    return grad / (d * d), grad * g * -2 * torch.sign(x) / (d * d * d)


softsign.register_autograd(_backward, setup_context=_keep)
softsign_backward.register_autograd(_backward_of_backward, setup_context=_keep)


@softsign.register_vmap
def _batch(info, in_dims, x):
    return softsign(x), in_dims[0]


@softsign.register_fake
def _like(x):
    return torch.empty(x.shape, dtype=x.dtype)
