"""Derivatives of resampling and of windows as columns, which are linear."""

from flambeau_autograd.derivatives import derivative
from flambeau_nn.ops import resampling as ops

derivative(
    ops.resample,
    linear=True,
    self=lambda grad, self_shape, mode, align_corners, scales, antialias: ops.resample_backward(
        grad, self_shape, mode, align_corners, scales, antialias
    ),
)
derivative(
    ops.resample_backward,
    linear=True,
    grad_output=lambda grad, grad_output_shape, mode, align_corners, scales, antialias: ops.resample(
        grad, grad_output_shape[2:], mode, align_corners, scales, antialias
    ),
)
derivative(
    ops.im2col,
    linear=True,
    self=lambda grad, self_shape, kernel_size, dilation, padding, stride: ops.col2im(
        grad, self_shape[-2:], kernel_size, dilation, padding, stride
    ),
)
derivative(
    ops.col2im,
    linear=True,
    self=lambda grad, kernel_size, dilation, padding, stride: ops.im2col(grad, kernel_size, dilation, padding, stride),
)
