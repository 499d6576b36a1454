"""Derivatives of the gradients of elementwise functions, which are second derivatives of those."""

from flambeau_autograd.derivatives.table import derivative, vanishing
from flambeau_tensor.ops import activation_backward as ops

derivative(
    ops.tanh_backward,
    grad_output=lambda grad, output: ops.tanh_backward(grad, output),
    output=lambda grad, grad_output, output: grad * grad_output * (-2 * output),
)
derivative(
    ops.sigmoid_backward,
    grad_output=lambda grad, output: ops.sigmoid_backward(grad, output),
    output=lambda grad, grad_output, output: grad * grad_output * (1 - 2 * output),
)
derivative(
    ops.relu_backward,
    linear="grad_output",
    grad_output=lambda grad, output: ops.relu_backward(grad, output),
    output=vanishing,
)
