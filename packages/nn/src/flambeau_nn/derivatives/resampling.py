"""Derivatives of resampling and of windows as columns, which are linear, and of sampling at places."""

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
derivative(ops.pixel_shuffle, linear=True, self=lambda grad, upscale_factor: ops.pixel_unshuffle(grad, upscale_factor))
derivative(
    ops.pixel_unshuffle, linear=True, self=lambda grad, downscale_factor: ops.pixel_shuffle(grad, downscale_factor)
)
for _op in (ops.channel_shuffle, ops.native_channel_shuffle):
    derivative(
        _op,
        linear=True,
        self=lambda grad, self_shape, groups: ops.channel_shuffle(grad, max(self_shape[1] // groups, 1)),
    )


def _sample_backward(grad_output, input, grid, interpolation_mode, padding_mode, align_corners, output_mask):
    from flambeau_autograd.func import vjp

    def run(input, grid):
        return ops.composed(input, grid, interpolation_mode, padding_mode, align_corners)

    by_both = vjp(run, input, grid)[1](grad_output)
    return tuple(g if asked else None for g, asked in zip(by_both, output_mask, strict=True))


derivative(ops.sample_backward, composition=_sample_backward)
derivative(
    ops.sample,
    {
        "input, grid": lambda grad, input, grid, interpolation_mode, padding_mode, align_corners, needs: (
            ops.sample_backward(grad, input, grid, interpolation_mode, padding_mode, align_corners, tuple(needs))
        )
    },
)
