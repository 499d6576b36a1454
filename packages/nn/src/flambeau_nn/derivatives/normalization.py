"""Derivatives of normalization."""

from math import prod

from flambeau_autograd.derivatives import derivative
from flambeau_nn.ops import normalization as ops


def _layer_norm_backward(grad, self, normalized_shape, weight, bias, eps):
    shape = (normalized_shape,) if isinstance(normalized_shape, int) else normalized_shape
    over = tuple(range(-len(shape), 0))
    centered = self - self.mean(over, keepdim=True)
    scale = ((centered * centered).mean(over, keepdim=True) + eps).rsqrt()
    x = centered * scale
    g = grad if weight is None else grad * weight
    grad_x = scale * (g - g.mean(over, keepdim=True) - x * (g * x).mean(over, keepdim=True))
    rows = prod(self.shape[: self.ndim - len(shape)])
    return (
        grad_x,
        None if weight is None else (grad * x).reshape((rows, *shape)).sum(0),
        None if bias is None else grad.reshape((rows, *shape)).sum(0),
    )


derivative(ops.layer_norm_backward, composition=_layer_norm_backward)
derivative(
    ops.layer_norm,
    {
        "self, weight, bias": lambda grad, self, normalized_shape, weight, bias, eps: ops.layer_norm_backward(
            grad, self, normalized_shape, weight, bias, eps
        )
    },
)
