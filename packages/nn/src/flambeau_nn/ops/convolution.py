"""Convolution in one, two and three dimensions, and transposed.

One operator computes all of them and another one all of their gradients; the functions are names for the first. They
are functions of `torch` itself, which `torch.nn.functional` exports, too.
"""

import warnings

from flambeau_nn._kernels import convolution as kernels
from flambeau_nn._kernels import fast_path
from flambeau_nn.ops import INTERNAL, NAMESPACE, OF_TORCH
from flambeau_nn.ops.declaring import composite
from flambeau_tensor import Operator
from flambeau_tensor.extend import FUNCTION
from flambeau_tensor.packing import known_as

_SHAPES = {1: "(N, C, L) or (C, L)", 2: "(N, C, H, W) or (C, H, W)", 3: "(N, C, D, H, W) or (C, D, H, W)"}
_KERNEL = {1: "k", 2: "kH, kW", 3: "kD, kH, kW"}
_GEOMETRY = "int[] stride, int[] padding, int[] dilation, bool transposed, int[] output_padding, int groups"

convolution = Operator(
    f"convolution(Tensor input, Tensor weight, Tensor? bias, {_GEOMETRY}) -> Tensor",
    kernels.convolution,
    variants=FUNCTION,
    aten=f"convolution(Tensor input, Tensor weight, Tensor? bias, {_GEOMETRY}) -> Tensor",
    doc="Convolution, or transposed convolution, of `input` (N, C, …) in as many dimensions as `weight` has after its "
    "first two; numbers are one for each dimension, or one for all.",
)
convolution_backward = Operator(
    f"convolution_backward(Tensor grad_output, Tensor input, Tensor weight, int[]? bias_sizes, {_GEOMETRY}, "
    "bool[3] output_mask) -> (Tensor, Tensor, Tensor)",
    kernels.convolution_backward,
    namespace=INTERNAL,
    variants=FUNCTION,
    aten=f"convolution_backward(Tensor grad_output, Tensor input, Tensor weight, int[]? bias_sizes, {_GEOMETRY}, "
    "bool[3] output_mask) -> (Tensor, Tensor, Tensor)",
    doc="The gradients of convolution with respect to input, weight and bias, those that `output_mask` asks for.",
)


def _unbatched(input, dims, name):
    """Whether an input has no batch dimension."""
    if input.ndim not in (dims + 1, dims + 2):
        raise RuntimeError(
            f"Expected {dims + 1}D (unbatched) or {dims + 2}D (batched) input to {name}, but got input "
            f"of size: {list(input.shape)}"
        )
    return input.ndim == dims + 1


def _each(numbers, dims):
    """Return a list with one number for each dimension; an int is repeated."""
    return (numbers,) * dims if isinstance(numbers, int) else numbers


def _convolve(name, dims, input, weight, bias, stride, padding, dilation, groups, output_padding=0, transposed=False):
    unbatched = _unbatched(input, dims, name)
    result = convolution(
        input.unsqueeze(0) if unbatched else input,
        weight,
        bias,
        _each(stride, dims),
        _each(padding, dims),
        _each(dilation, dims),
        transposed,
        _each(output_padding, dims),
        groups,
    )
    return result.squeeze(0) if unbatched else result


_WARNED: list[bool] = []


def _same(input, weight, stride, dilation, dims):
    """Return `input` and the padding that preserves the size; an odd element is added at the end."""
    from flambeau_nn.ops.padding import constant_pad_nd

    if any(s != 1 for s in _each(stride, dims)):
        raise RuntimeError("padding='same' is not supported for strided convolutions")
    if weight.ndim != dims + 2:
        raise RuntimeError(
            f"Expected {weight.ndim}-dimensional input for {weight.ndim}-dimensional weight{list(weight.shape)}, but "
            f"got {input.ndim}-dimensional input of size {list(input.shape)} instead"
        )
    dilation = _each(dilation, dims)
    dilation = dilation * dims if len(dilation) == 1 else dilation
    totals = [d * (k - 1) for d, k in zip(dilation, weight.shape[2:], strict=True)]
    if any(total % 2 for total in totals):
        if not _WARNED:
            _WARNED.append(True)
            warnings.warn(
                "Using padding='same' with even kernel lengths and odd dilation may require a zero-padded "
                "copy of the input be created",
                UserWarning,
                stacklevel=3,
            )
        behind = [n for total in reversed(totals) for n in (0, total % 2)]
        input = constant_pad_nd(input, tuple(behind))
    return input, tuple(total // 2 for total in totals)


def _declare(n):
    name, rest = f"conv{n}d", f"int[{n}] dilation=1, int groups=1"
    schema = f"Tensor input, Tensor weight, Tensor? bias=None, int[{n}] stride=1"
    doc = (
        f"Convolution of `input`, {_SHAPES[n]}, with `weight`, (out, C / groups, {_KERNEL[n]}), plus `bias`, (out): "
        "the sum over windows of the input, `stride` apart, whose elements are `dilation` apart. `padding` zeros are "
        "added at both ends: a number, 'valid' for none, or 'same' for as many as keep the size. Channels are divided "
        "into `groups`, each with its own weights."
    )

    def unbatched(input, weight, bias, stride, padding, dilation, groups):
        return _convolve(name, n, input, weight, bias, stride, padding, dilation, groups)

    whole = f"{name}({schema}, int[{n}] padding=0, {rest})"
    op = composite(whole, doc, namespace="torch", aten=True)(fast_path.convolve)
    fast_path.connect_convolution(op, convolution, unbatched, n)

    @composite(f"{name}.padding({schema}, str padding='valid', {rest})", doc, namespace="torch", aten=True)
    def conv_padded(input, weight, bias, stride, padding, dilation, groups):
        if padding == "valid":
            numbers = 0
        elif padding == "same":
            _unbatched(input, n, name)
            input, numbers = _same(input, weight, stride, dilation, n)
        else:
            raise RuntimeError(f"Invalid padding string: '{padding}'")
        return _convolve(name, n, input, weight, bias, stride, numbers, dilation, groups)


def _declare_transposed(n):
    name = f"conv_transpose{n}d"
    arguments = (
        f"Tensor input, Tensor weight, Tensor? bias=None, int[{n}] stride=1, int[{n}] padding=0, "
        f"int[{n}] output_padding=0, int groups=1, int[{n}] dilation=1"
    )

    @composite(
        f"{name}({arguments})",
        f"Transposed convolution of `input`, {_SHAPES[n]}, with `weight`, (C, out / groups, {_KERNEL[n]}), plus "
        "`bias`, (out): the operation that maps the gradient of a convolution's result to that of its input. Each "
        "element of the input adds the weights, multiplied by the element, to a window of the result; windows are "
        "`stride` apart, `padding` elements are removed at both ends, and `output_padding` are added at the end.",
        namespace="torch",
        aten=True if n == 1 else f"{name}.input({arguments})",
    )
    def conv_transpose(input, weight, bias, stride, padding, output_padding, groups, dilation):
        return _convolve(name, n, input, weight, bias, stride, padding, dilation, groups, output_padding, True)


for _n in (1, 2, 3):
    _declare(_n)
    _declare_transposed(_n)


@composite(
    "conv_tbc(Tensor self, Tensor weight, Tensor bias, int pad=0)",
    "One-dimensional convolution of `input`, (time, batch, C), with `weight`, (k, C, out), plus `bias`, (out).",
    namespace="torch",
    aten=True,
)
def conv_tbc(input, weight, bias, pad):
    if input.ndim != 3:
        raise RuntimeError("Input must have 3 dims: time, batch, in_channel")
    if weight.ndim != 3:
        raise RuntimeError("Weight tensor must have 3 dims: kernel_width, in_channels, out_channels.")
    if bias.ndim != 1:
        raise RuntimeError("Bias must be 1-D")
    if input.shape[2] != weight.shape[1]:
        raise RuntimeError("Input dim 2 (input channels) is not == dim 1 in the weight tensor.")
    if bias.shape[0] != weight.shape[2]:
        raise RuntimeError("Bias size must equal dim 2 in the weight tensor (output channels).")
    result = convolution(input.permute((1, 2, 0)), weight.permute((2, 1, 0)), bias, (1,), (pad,), (1,), False, (0,), 1)
    return result.permute((2, 0, 1)).contiguous()


known_as(NAMESPACE, *OF_TORCH)
