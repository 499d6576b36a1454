"""Derivatives of normalization."""

from math import prod

import flambeau_tensor as ft
from flambeau_autograd.derivatives import derivative
from flambeau_autograd.fresh import where
from flambeau_nn.ops import normalization as ops
from flambeau_nn.ops.normalization import _per_channel, _wide


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


def _rms_rows_backward(grad, self, normalized_shape, weight, eps):
    shape = (normalized_shape,) if isinstance(normalized_shape, int) else normalized_shape
    over = tuple(range(-len(shape), 0))
    wide = _wide(self)
    scale = ((wide * wide).mean(over, keepdim=True) + eps).rsqrt()
    x = wide * scale
    g = _wide(grad)
    scaled = g if weight is None else g * _wide(weight)
    grad_x = scale * (scaled - x * (scaled * x).mean(over, keepdim=True))
    rows = prod(self.shape[: self.ndim - len(shape)])
    return (
        grad_x.to(self.dtype),
        None if weight is None else (g * x).reshape((rows, *shape)).sum(0).to(weight.dtype),
    )


derivative(ops.rms_rows_backward, composition=_rms_rows_backward)
derivative(
    ops.rms_rows,
    {
        "self, weight": lambda grad, self, normalized_shape, weight, eps: ops.rms_rows_backward(
            grad, self, normalized_shape, weight, eps
        )
    },
    name="MulBackward0",
)


def _channel_norm_backward(grad, self, weight, bias, mean, variance, groups, eps):
    """Compute the gradients as a composition; `mean` and `variance` are those of `self`."""
    n, channels = self.shape[:2]
    positions = prod(self.shape[2:])  # -1 is ambiguous if there are no elements
    apart = self.reshape((n, groups, channels // groups, positions) if groups else (n, channels, 1, positions))
    over = (2, 3) if groups else (0, 2, 3)
    wide = _wide(apart)
    centered = wide - wide.mean(over, keepdim=True)
    scale = ((centered * centered).mean(over, keepdim=True) + eps).rsqrt()
    x = centered * scale
    g = _wide(grad).reshape(apart.shape)
    each = (groups, channels // groups, 1) if groups else (channels, 1, 1)
    scaled = g if weight is None else g * _wide(weight).reshape(each)
    grad_x = scale * (scaled - scaled.mean(over, keepdim=True) - x * (scaled * x).mean(over, keepdim=True))
    return (
        grad_x.reshape(self.shape).to(self.dtype),
        None if weight is None else (g * x).sum((0, 3)).reshape(weight.shape).to(weight.dtype),
        None if bias is None else g.sum((0, 3)).reshape(bias.shape).to(bias.dtype),
    )


derivative(ops.channel_norm_backward, composition=_channel_norm_backward)


def _channel_norm(grad, self, weight, bias_shape, bias_dtype, result1, result2, groups, eps):
    """Use only whether a bias exists and the shape and dtype of its gradient: its value may change meanwhile."""
    bias = ft.empty(bias_shape, dtype=bias_dtype, device=where(grad)) if bias_shape else None
    return ops.channel_norm_backward(grad, self, weight, bias, result1, result2, groups, eps)


derivative(
    ops.channel_norm,
    {"self, weight, bias": _channel_norm},
    not_differentiable=("mean", "variance"),
)


def _channel_scale_backward(grad, self, mean, variance, weight, bias, eps):
    """Compute the gradients as a composition."""
    scale = (_wide(variance) + eps).rsqrt()
    g = _wide(grad)
    x = _per_channel(scale, self.ndim) * (_wide(self) - _per_channel(_wide(mean), self.ndim))
    over = [d for d in range(self.ndim) if d != 1]
    return (
        (g * _per_channel(scale if weight is None else scale * weight, self.ndim)).to(self.dtype),
        None if weight is None else (g * x).sum(over).reshape(weight.shape).to(weight.dtype),
        None if bias is None else g.sum(over).reshape(bias.shape).to(bias.dtype),
    )


def _channel_scale(grad, self, mean, variance, weight, bias_shape, bias_dtype, eps):
    bias = ft.empty(bias_shape, dtype=bias_dtype, device=where(grad)) if bias_shape else None
    return ops.channel_scale_backward(grad, self, mean, variance, weight, bias, eps)


def _of_mean(grad, self, mean, variance, weight, eps):
    scale = (variance + eps).rsqrt()
    total = ops.channel_scale_backward(grad, self, mean, variance, None, mean, eps)[2]
    return -total * (scale if weight is None else scale * weight)


def _of_variance(grad, self, mean, variance, weight, eps):
    product = ops.channel_scale_backward(grad, self, mean, variance, variance, None, eps)[1]
    return product * (-0.5 if weight is None else -0.5 * weight) / (variance + eps)


derivative(ops.channel_scale_backward, composition=_channel_scale_backward)
derivative(ops.channel_scale, {"self, weight, bias": _channel_scale, "mean": _of_mean, "variance": _of_variance})
derivative(ops.row_moments, composition=ops.composed_moments)
