"""Derivatives of pooling. Averages are linear, and so is taking the elements at given indices."""

from flambeau_autograd.derivatives import derivative
from flambeau_nn.ops import pooling as ops


def _averages(n):
    def backward(grad, self_shape, kernel_size, stride, padding, ceil_mode, count_include_pad):
        return ops.avg_pool_backward(grad, self_shape, n, kernel_size, stride, padding, ceil_mode, count_include_pad)

    def backward_with_divisor(
        grad, self_shape, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
    ):
        return ops.avg_pool_backward(
            grad, self_shape, n, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
        )

    derivative(ops.avg_pools[n], self=backward if n == 1 else backward_with_divisor, linear=True)
    derivative(
        ops.adaptive_avg_pools[n],
        linear=True,
        self=lambda grad, self_shape: ops.adaptive_avg_pool_backward(grad, self_shape, n),
    )


def _at(x, indices, n):
    """The elements at the indices in the planes of the last n dimensions."""
    return x.flatten(-n).gather(-1, indices.flatten(-n)).reshape(indices.shape)


def _maxima(n):
    for op in (ops.max_pools[n], ops.adaptive_max_pools[n]):
        derivative(
            op,
            self=lambda grad, self_shape, result1: ops.max_pool_backward(grad, result1, self_shape, n),
            jvp=lambda self_t, result1: (_at(self_t, result1, n), None),
            not_differentiable=(1,),
        )


for _n in ops.DIMS:
    _averages(_n)
    _maxima(_n)


def _avg_pool_backward(grad, dims, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override):
    divisor = () if dims == 1 else (divisor_override,)
    return ops.avg_pools[dims](grad, kernel_size, stride, padding, ceil_mode, count_include_pad, *divisor)


derivative(ops.avg_pool_backward, grad_output=_avg_pool_backward, linear="grad_output")
derivative(
    ops.adaptive_avg_pool_backward,
    linear="grad_output",
    grad_output=lambda grad, dims, grad_output_shape: ops.adaptive_avg_pools[dims](grad, grad_output_shape[-dims:]),
)
derivative(
    ops.max_pool_backward, linear="grad_output", grad_output=lambda grad, indices, dims: _at(grad, indices, dims)
)
