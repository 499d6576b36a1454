"""Normalization: numbers brought to mean 0 and variance 1, or vectors to length 1."""

from math import prod

import flambeau_tensor as ft
from flambeau_nn._kernels import batch_norm as batch_kernels
from flambeau_nn._kernels import channel_norm as channel_kernels
from flambeau_nn._kernels import normalization as kernels
from flambeau_nn.ops import INTERNAL, NAMESPACE
from flambeau_nn.ops.declaring import composite
from flambeau_nn.ops.loss import scalar_type
from flambeau_tensor import Operator
from flambeau_tensor.extend import FUNCTION, find_operator

HALVES = ft.float16, ft.bfloat16
_LAYER = "int[] normalized_shape, Tensor? weight=None, Tensor? bias=None, float eps=1e-05"
layer_norm = Operator(
    f"layer_norm(Tensor self, {_LAYER}) -> Tensor",
    kernels.layer_norm,
    namespace=NAMESPACE,
    variants=FUNCTION,
    aten=f"layer_norm(Tensor self, {_LAYER}, bool cudnn_enable=True) -> Tensor",
    doc="(x - mean) / sqrt(var + eps) · weight + bias over the last dimensions, whose sizes are `normalized_shape` "
    "(Ba et al., 2016); `weight` and `bias` have that shape.",
)
layer_norm_backward = Operator(
    f"layer_norm_backward(Tensor grad_output, Tensor self, {_LAYER}) -> (Tensor, Tensor, Tensor)",
    kernels.layer_norm_backward,
    namespace=INTERNAL,
    variants=FUNCTION,
    doc="The gradients of layer_norm with respect to self, weight and bias.",
)

_RMS = "int[] normalized_shape, Tensor? weight, float eps"
rms_rows = Operator(
    f"rms_rows(Tensor self, {_RMS}) -> Tensor",
    kernels.rms_rows,
    namespace=INTERNAL,
    variants=FUNCTION,
    doc="rms_norm of real numbers.",
)
rms_rows_backward = Operator(
    f"rms_rows_backward(Tensor grad_output, Tensor self, {_RMS}) -> (Tensor, Tensor)",
    kernels.rms_rows_backward,
    namespace=INTERNAL,
    variants=FUNCTION,
    doc="The gradients of rms_rows with respect to self and weight.",
)

row_moments = Operator(
    "row_moments(Tensor self, int dims, float eps, bool keepdim) -> (Tensor mean, Tensor scale)",
    kernels.row_moments,
    namespace=INTERNAL,
    variants=FUNCTION,
    doc="The mean of the last `dims` dimensions, and 1 / sqrt(variance + eps), computed in single precision at least.",
)
channel_norm = Operator(
    "channel_norm(Tensor self, Tensor? weight, Tensor? bias, int groups, float eps) -> (Tensor result, Tensor mean, "
    "Tensor variance)",
    channel_kernels.channel_norm,
    namespace=INTERNAL,
    variants=FUNCTION,
    doc="(x - mean) / sqrt(variance + eps) · weight + bias, of `groups` of channels (dimension 1) in each sample, or "
    "where that is 0 of each channel in all samples; and the means and variances.",
)
channel_norm_backward = Operator(
    "channel_norm_backward(Tensor grad_output, Tensor self, Tensor? weight, Tensor? bias, Tensor mean, "
    "Tensor variance, int groups, float eps) -> (Tensor, Tensor, Tensor)",
    channel_kernels.channel_norm_backward,
    namespace=INTERNAL,
    variants=FUNCTION,
    doc="The gradients of channel_norm with respect to self, weight and bias.",
)

channel_scale = Operator(
    "channel_scale(Tensor self, Tensor mean, Tensor variance, Tensor? weight, Tensor? bias, float eps) -> Tensor",
    channel_kernels.channel_scale,
    namespace=INTERNAL,
    variants=FUNCTION,
    doc="(x - mean) / sqrt(variance + eps) · weight + bias of each channel (dimension 1).",
)
channel_scale_backward = Operator(
    "channel_scale_backward(Tensor grad_output, Tensor self, Tensor mean, Tensor variance, Tensor? weight, "
    "Tensor? bias, float eps) -> (Tensor, Tensor, Tensor)",
    channel_kernels.channel_scale_backward,
    namespace=INTERNAL,
    variants=FUNCTION,
    doc="The gradients of channel_scale with respect to self, weight and bias.",
)


def composed_moments(input, dims, eps, keepdim):
    """`row_moments` by other operations."""
    variance, mean = ft.var_mean(_wide(input), tuple(range(-dims, 0)), correction=0, keepdim=keepdim)
    return mean, (variance + eps).rsqrt()


def _per_channel(t, ndim):
    return t.reshape((1, -1) + (1,) * (ndim - 2))


def _affine(x, scale, shift):
    """x · scale + shift, of each channel, in one pass."""
    scale, shift = (t if t is None else _per_channel(t, x.ndim) for t in (scale, shift))
    if scale is None or shift is None:
        return x if scale is shift else x + shift if scale is None else x * scale
    return ft.addcmul(shift, x, scale)


def _check_dtypes(input, *parameters):
    """Check that parameters have the dtype of `input`, or float32 for an input in half precision."""
    dtypes = [p.dtype for p in parameters if p is not None]
    if not dtypes or all(d is input.dtype for d in dtypes):
        return
    if not input.is_floating_point() and not input.is_complex():
        raise NotImplementedError(f"\"batch_norm\" not implemented for '{scalar_type(input.dtype)}'")
    if dtypes[0] is input.dtype:
        other = next(d for d in dtypes if d is not input.dtype)
        raise RuntimeError(f"expected scalar type {scalar_type(input.dtype)} but found {scalar_type(other)}")
    if any(d is not ft.float32 for d in dtypes):
        raise RuntimeError("mixed dtype (CPU): expect parameter to have scalar type of Float")
    if input.dtype not in HALVES:
        raise RuntimeError("mixed dtype (CPU): all inputs must share same datatype.")


def _wide(input):
    """Return the tensor in the dtype in which half precision is computed."""
    return input.float() if input.dtype in HALVES else input


@composite(
    "group_norm(Tensor self, int num_groups, Tensor? weight=None, Tensor? bias=None, float eps=1e-05)",
    "(x - mean) / sqrt(var + eps) · weight + bias over each of `num_groups` groups of channels (dimension 1) of each "
    "sample; `weight` and `bias` have one element per channel (Wu and He, 2018).",
    aten="group_norm(Tensor self, int num_groups, Tensor? weight=None, Tensor? bias=None, float eps=1e-05, "
    "bool cudnn_enabled=True)",
)
def group_norm(input, num_groups, weight, bias, eps):
    if input.ndim < 2:
        raise RuntimeError(f"Expected at least 2 dimensions for input tensor but received {input.ndim}")
    channels = input.shape[1]
    if num_groups < 0:
        raise RuntimeError(f"Expected num groups to be greater than 0, got {num_groups}")
    if channels % num_groups:
        raise RuntimeError(
            "Expected number of channels in input to be divisible by num_groups, but got input of shape "
            f"{list(input.shape)} and num_groups={num_groups}"
        )
    if input.numel() == num_groups:  # one element in each group of the only item
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {list(input.shape)}")
    for name, t in (("weight", weight), ("bias", bias)):
        if t is not None and tuple(t.shape) != (channels,):
            raise RuntimeError(
                f"Expected {name} to be a vector of size equal to the number of channels in input, but "
                f"got {name} of shape {list(t.shape)} and input of shape {list(input.shape)}"
            )
    _check_dtypes(input, weight, bias)
    return channel_norm(input, weight, bias, num_groups, eps)[0]


@composite(
    "rms_norm(Tensor self, int[] normalized_shape, Tensor? weight=None, float? eps=None)",
    "x / sqrt(mean(x²) + eps) · weight over the last dimensions (Zhang and Sennrich, 2019); eps is by default the "
    "dtype's machine epsilon. Half precision is computed in float32.",
    aten=True,
)
def rms_norm(input, normalized_shape, weight, eps):
    shape = (normalized_shape,) if isinstance(normalized_shape, int) else normalized_shape
    if input.ndim < len(shape):
        raise ValueError(f"Input tensor must have at least {len(shape)} dimensions, but got {input.ndim}")
    if not shape:
        raise RuntimeError(
            "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element, but got "
            "normalized_shape = []"
        )
    if tuple(input.shape[-len(shape) :]) != tuple(shape):
        raise RuntimeError(
            f"Given normalized_shape={list(shape)}, expected input with shape "
            f"[{', '.join(map(str, ['*', *shape]))}], but got input of size{list(input.shape)}"
        )
    if weight is not None and tuple(weight.shape) != tuple(shape):
        raise RuntimeError(
            f"Expected weight to be of same shape as normalized_shape, but got weight of shape "
            f"{list(weight.shape)} and normalized_shape = {list(shape)}"
        )
    if not (input.dtype.is_floating_point or input.dtype.is_complex):
        kind = input.type().removeprefix("torch.").removesuffix("Tensor")
        raise NotImplementedError(f"\"rms_norm\" not implemented for '{kind}'")
    dtype, x = input.dtype, _wide(input)
    if eps is None:
        eps = ft.finfo(x.dtype).eps
    if dtype.is_floating_point and (weight is None or weight.dtype in (dtype, x.dtype)):
        return rms_rows(input, shape, weight, eps)
    dims = tuple(range(-len(shape), 0))
    out = x * ((x * x).mean(dims, keepdim=True) + eps).rsqrt()
    return (out if weight is None else out * weight).to(dtype)


batch_norm = composite(
    "batch_norm(Tensor self, Tensor? running_mean, Tensor? running_var, Tensor? weight=None, Tensor? bias=None, "
    "bool training=False, float momentum=0.1, float eps=1e-05)",
    "(x - mean) / sqrt(var + eps) · weight + bias for each channel (dimension 1) (Ioffe and Szegedy, 2015). In "
    "training, mean and variance are those of the batch, and update the running ones with weight `momentum`; "
    "otherwise the running ones are used.",
    aten="batch_norm(Tensor self, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, "
    "bool training, float momentum, float eps, bool cudnn_enabled)",
)(batch_kernels.batch_norm)


def composed_scale(input, mean, variance, weight, bias, eps):
    """`channel_scale` by other operations."""
    dtype, input = input.dtype, _wide(input)
    scale = (_wide(variance) + eps).rsqrt()
    scale = scale if weight is None else scale * weight
    shift = -_wide(mean) * scale
    return _affine(input, scale, shift if bias is None else shift + bias).to(dtype)


def _complex_batch_norm(input, weight, bias, groups, eps):
    """channel_norm of complex numbers, by squares."""
    dims = tuple(d for d in range(input.ndim) if d != 1)
    mean = input.mean(dims)
    centered = input - _per_channel(mean, input.ndim)
    var = (centered * centered).mean(dims)
    scale = (var + eps).rsqrt()
    return _affine(centered, scale if weight is None else scale * weight, bias), mean, var


batch_kernels.connect(
    _check_dtypes,
    channel_norm,
    _complex_batch_norm,
    channel_scale,
    composed_scale,
    find_operator("torch.Tensor.mul_"),
    find_operator("torch.Tensor.add_"),
)


@composite(
    "instance_norm(Tensor self, Tensor? running_mean=None, Tensor? running_var=None, Tensor? weight=None, "
    "Tensor? bias=None, bool use_input_stats=True, float momentum=0.1, float eps=1e-05)",
    "batch_norm of each sample separately (Ulyanov et al., 2016).",
    aten="instance_norm(Tensor self, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, "
    "bool use_input_stats, float momentum, float eps, bool cudnn_enabled)",
)
def instance_norm(input, running_mean, running_var, weight, bias, use_input_stats, momentum, eps):
    if not use_input_stats:
        return batch_norm(input, running_mean, running_var, weight, bias, False, momentum, eps)
    if prod(input.shape[2:]) == 1:
        raise ValueError(f"Expected more than 1 spatial element when training, got input size {input.shape}")
    channels = input.size(1)
    if running_mean is not None and input.numel():
        dims = tuple(range(2, input.ndim))
        plain = input.detach()
        batch_kernels.move(running_mean, plain.mean(dims).mean(0), momentum)
        batch_kernels.move(running_var, plain.var(dims, correction=1).mean(0), momentum)
    return group_norm(input.contiguous(), max(channels, 1), weight, bias, eps)


@composite(
    "normalize(Tensor self, float p=2.0, int dim=1, float eps=1e-12, Tensor(a!)? out=None)",
    "x / max(‖x‖, eps) along `dim`, with the p-norm.",
)
def normalize(input, p, dim, eps, out):
    length = ft.norm(input, p, dim, keepdim=True).clamp_min(eps)
    return ft.div(input, length, out=out) if out is not None else input / length


@composite(
    "local_response_norm(Tensor self, int size, float alpha=0.0001, float beta=0.75, float k=1.0)",
    "x / (k + alpha · mean of x² over `size` neighbouring channels)^beta (Krizhevsky et al., 2012).",
)
def local_response_norm(input, size, alpha, beta, k):
    if input.ndim < 3:
        raise ValueError(f"Expected 3D or higher dimensionality input (got {input.ndim} dimensions)")
    if input.numel() == 0:
        return input
    if size <= 0:
        raise RuntimeError(f"kernel size should be greater than zero, but got kH: {size} kW: 1")
    from flambeau_nn.ops.padding import constant_pad_nd

    squares = constant_pad_nd((input * input).transpose(1, -1), (size // 2, (size - 1) // 2))
    sums = squares.unfold(-1, size, 1).sum(-1).transpose(1, -1)
    mean = ft.div(sums, size, rounding_mode=None if input.is_floating_point() or input.is_complex() else "trunc")
    return input / (mean * alpha + k) ** beta
