"""Derivatives of convolution, which is linear in each of input, weight and bias, as its gradients are."""

from flambeau_autograd.derivatives import derivative
from flambeau_autograd.derivatives.table import conj
from flambeau_nn.ops.convolution import convolution, convolution_backward


def _backward(grad, input, weight, stride, padding, dilation, transposed, output_padding, groups, needs):
    bias_sizes = (weight.shape[1] * groups if transposed else weight.shape[0],) if needs[2] else None
    return convolution_backward(
        grad,
        conj(input),
        conj(weight),
        bias_sizes,
        stride,
        padding,
        dilation,
        transposed,
        output_padding,
        groups,
        tuple(needs),
    )


def _tangent(input_t, weight_t, bias_t, input, weight, stride, padding, dilation, transposed, output_padding, groups):
    """The tangent of the bias rides on another's convolution."""
    geometry = stride, padding, dilation, transposed, output_padding, groups
    if input_t is None and weight_t is None:
        input_t = input.new_zeros(input.shape)
    if input_t is None:
        return convolution(input, weight_t, bias_t, *geometry)
    total = convolution(input_t, weight, bias_t, *geometry)
    return total if weight_t is None else total + convolution(input, weight_t, None, *geometry)


def _twice(grads, grad_output, input, weight, stride, padding, dilation, transposed, output_padding, groups, needs):
    of_input, of_weight, of_bias = grads
    geometry = stride, padding, dilation, transposed, output_padding, groups
    by_grad = by_input = by_weight = None
    if needs[0]:
        by_grad = _tangent(of_input, of_weight, of_bias, conj(input), conj(weight), *geometry)
    if needs[1] and of_weight is not None:
        by_input = convolution_backward(conj(grad_output), input, of_weight, None, *geometry, (True, False, False))[0]
    if needs[2] and of_input is not None:
        by_weight = convolution_backward(conj(grad_output), of_input, weight, None, *geometry, (False, True, False))[1]
    return by_grad, by_input, by_weight


derivative(convolution, {"input, weight, bias": _backward}, jvp=_tangent)
derivative(convolution_backward, {"grad_output, input, weight": _twice})
