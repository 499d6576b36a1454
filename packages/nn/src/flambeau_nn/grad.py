"""``torch.nn.grad``: the gradients of convolution as functions."""

from collections.abc import Callable, Sequence
from typing import Any

from flambeau_nn.ops.convolution import convolution_backward
from flambeau_tensor import Tensor

__all__ = ["conv1d_input", "conv1d_weight", "conv2d_input", "conv2d_weight", "conv3d_input", "conv3d_weight"]


def _each(numbers: Any, dims: int) -> list[int]:
    return [numbers] * dims if isinstance(numbers, int) else list(numbers)


def _gradient(
    dims: int,
    grad_output: Tensor,
    input: Tensor,
    weight: Tensor,
    stride: Any,
    padding: Any,
    dilation: Any,
    groups: int,
    which: int,
) -> Any:
    mask = tuple(i == which for i in range(3))
    return convolution_backward(
        grad_output,
        input,
        weight,
        None,
        _each(stride, dims),
        _each(padding, dims),
        _each(dilation, dims),
        False,
        [0] * dims,
        groups,
        mask,
    )[which]


def _of_input(dims: int) -> Callable[..., Tensor]:
    def function(
        input_size: Sequence[int],
        weight: Tensor,
        grad_output: Tensor,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
    ) -> Any:
        input = grad_output.new_empty(1).expand(input_size)
        return _gradient(dims, grad_output, input, weight, stride, padding, dilation, groups, 0)

    function.__name__ = function.__qualname__ = f"conv{dims}d_input"
    function.__doc__ = f"""The gradient of ``conv{dims}d`` with respect to its input.

    Args:
        input_size: sizes of the input.
        weight: the weight.
        grad_output: the gradient of the result.
        stride, padding, dilation, groups: as in the convolution.
    """
    return function


def _of_weight(dims: int) -> Callable[..., Tensor]:
    def function(
        input: Tensor,
        weight_size: Sequence[int],
        grad_output: Tensor,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
    ) -> Any:
        weight = grad_output.new_empty(1).expand(weight_size)
        return _gradient(dims, grad_output, input, weight, stride, padding, dilation, groups, 1)

    function.__name__ = function.__qualname__ = f"conv{dims}d_weight"
    function.__doc__ = f"""The gradient of ``conv{dims}d`` with respect to its weight.

    Args:
        input: the input.
        weight_size: sizes of the weight.
        grad_output: the gradient of the result.
        stride, padding, dilation, groups: as in the convolution.
    """
    return function


conv1d_input, conv2d_input, conv3d_input = map(_of_input, (1, 2, 3))
conv1d_weight, conv2d_weight, conv3d_weight = map(_of_weight, (1, 2, 3))
