"""Resampling of images to other sizes and at given locations, and windows as columns.

One operator resizes in all modes, and one computes its gradient; `fold` and `unfold` are each other's gradients. Grid
sampling has one operator and one for its gradient; the derivative of the latter is a composition. The module is
compiled, so the first stack level of a warning is the caller.
"""

import math
import warnings
from itertools import product
from operator import index as as_index

import flambeau_tensor as ft
from flambeau_nn._kernels import grid_sample, resampling, shuffling
from flambeau_nn._kernels import im2col as im2col_kernels
from flambeau_nn.ops import INTERNAL
from flambeau_nn.ops.declaring import composite, of_aten
from flambeau_tensor import Operator
from flambeau_tensor.extend import FUNCTION, Forward
from flambeau_tensor.packing import apply, known_as

_SETTINGS = "str mode, bool align_corners, float[] scales, bool antialias"
resample = Operator(
    f"resample(Tensor self, int[] output_size, {_SETTINGS}) -> Tensor",
    resampling.resample,
    namespace=INTERNAL,
    variants=FUNCTION,
    doc="`input` (N, C, …) resampled to another size; positive `scales` determine the positions.",
)
resample_backward = Operator(
    f"resample_backward(Tensor grad_output, int[] input_size, {_SETTINGS}) -> Tensor",
    resampling.resample_backward,
    namespace=INTERNAL,
    variants=FUNCTION,
    doc="The gradient of resampling an input of size `input_size`.",
)
_COLUMNS = "int[2] kernel_size, int[2] dilation, int[2] padding, int[2] stride"
im2col = Operator(
    f"im2col(Tensor self, {_COLUMNS}) -> Tensor",
    im2col_kernels.im2col,
    namespace=INTERNAL,
    variants=FUNCTION,
    aten=f"im2col(Tensor self, {_COLUMNS}) -> Tensor",
    doc="What `unfold` computes.",
)
col2im = Operator(
    f"col2im(Tensor self, int[2] output_size, {_COLUMNS}) -> Tensor",
    im2col_kernels.col2im,
    namespace=INTERNAL,
    variants=FUNCTION,
    aten=f"col2im(Tensor self, int[2] output_size, {_COLUMNS}) -> Tensor",
    doc="What `fold` computes.",
)


# --- windows as columns ---------------------------------------------------------------------------------------------


@composite(
    "unfold(Tensor input, int[2] kernel_size, int[2] dilation=1, int[2] padding=0, int[2] stride=1)",
    "The windows of `input`, (N, C, H, W) or (C, H, W), as columns: (N, C · window elements, windows).",
)
def unfold(input, kernel_size, dilation, padding, stride):
    return im2col(input, kernel_size, dilation, padding, stride)


@composite(
    "fold(Tensor input, int[2] output_size, int[2] kernel_size, int[2] dilation=1, int[2] padding=0, int[2] stride=1)",
    "An image (N, C, *output_size) that sums columns of windows, (N, C · window elements, windows): the transpose of "
    "`unfold`.",
)
def fold(input, output_size, kernel_size, dilation, padding, stride):
    return col2im(input, output_size, kernel_size, dilation, padding, stride)


# --- another size ---------------------------------------------------------------------------------------------------

_RANKS = {"linear": 3, "bilinear": 4, "bicubic": 4, "lanczos": 4, "trilinear": 5}
_ALL = "nearest | linear | bilinear | bicubic | trilinear | lanczos | area | nearest-exact"


def _given_sizes(size, dims, input):
    if isinstance(size, (list, tuple)):
        if len(size) != dims:
            raise ValueError(
                "Input and output must have the same number of spatial dimensions, but got input with "
                f"spatial dimensions of {list(input.shape[2:])} and output size of {size}. Please provide "
                "input tensor in (N, C, d1, d2, ...,dK) format and output size in (o1, o2, ...,oK) "
                "format."
            )
        if not all(hasattr(n, "__index__") for n in size):
            raise TypeError(
                "expected size to be one of int or Tuple[int] or Tuple[int, int] or Tuple[int, int, int], "
                f"but got size with types {[type(n) for n in size]}"
            )
        return tuple(as_index(n) for n in size)
    return (as_index(size),) * dims


def _given_factors(scale_factor, dims, input):
    if not isinstance(scale_factor, (list, tuple)):
        return (float(scale_factor),) * dims
    if len(scale_factor) != dims:
        raise ValueError(
            "Input and scale_factor must have the same number of spatial dimensions, but got input with "
            f"spatial dimensions of {list(input.shape[2:])} and scale_factor of shape {scale_factor}. "
            "Please provide input tensor in (N, C, d1, d2, ...,dK) format and scale_factor in (s1, s2, "
            "...,sK) format."
        )
    return tuple(map(float, scale_factor))


def _check_mode(input, mode, align_corners, antialias):
    if mode in ("nearest", "area", "nearest-exact"):
        if align_corners is not None:
            raise ValueError(
                "align_corners option can only be set with the interpolating modes: linear | bilinear | "
                "bicubic | trilinear"
            )
    if antialias and not (mode in ("bilinear", "bicubic", "lanczos") and input.ndim == 4):
        raise ValueError(
            "Anti-alias option is restricted to bilinear, bicubic, and lanczos modes and requires a 4-D tensor as input"
        )


def _check_rank(input, mode, align_corners, antialias):
    rank = _RANKS.get(mode, input.ndim)
    known = mode in ("nearest", "area", "nearest-exact") or mode in _RANKS
    if not 3 <= input.ndim <= 5 or not known or (mode == "lanczos" and input.ndim != 4):
        raise NotImplementedError(
            f"Input Error: Only 3D, 4D and 5D input Tensors supported (got {input.ndim}D) for "
            f"the modes: {_ALL} (got {mode})"
        )
    if rank != input.ndim:
        raise NotImplementedError(f"Got {input.ndim}D input, but {mode} mode needs {rank}D input")
    if mode == "lanczos":
        if not antialias:
            raise ValueError("Lanczos mode requires antialias=True")
        if align_corners:
            raise ValueError("Lanczos mode does not support align_corners=True")


@composite(
    "interpolate(Tensor input, OutputSize? size=None, ScaleFactor? scale_factor=None, str mode='nearest', "
    "bool? align_corners=None, bool? recompute_scale_factor=None, bool antialias=False)",
    "`input`, (N, C, …) of one to three dimensions, resampled to `size`, or to `scale_factor` times its size. `mode` "
    "is 'nearest', 'nearest-exact', 'linear' (one dimension), 'bilinear', 'bicubic' or 'lanczos' (two), "
    "'trilinear' (three) or 'area' (adaptive averages). `align_corners` aligns the centers of the outermost elements "
    "instead of their outer edges; `recompute_scale_factor` computes positions from the sizes; `antialias` averages "
    "over the area that an element of the result covers.",
)
def interpolate(input, size, scale_factor, mode, align_corners, recompute_scale_factor, antialias):
    _check_mode(input, mode, align_corners, antialias)
    dims = input.ndim - 2
    if size is not None and scale_factor is not None:
        raise ValueError("only one of size or scale_factor should be defined")
    if size is None and scale_factor is None:
        raise ValueError("either size or scale_factor should be defined")
    if size is not None and recompute_scale_factor:
        raise ValueError("recompute_scale_factor is not meaningful with an explicit size.")
    factors = ()
    if size is not None:
        sizes = _given_sizes(size, dims, input)
    else:
        factors = _given_factors(scale_factor, dims, input)
        scaled = [float(n) * f for n, f in zip(input.shape[2:], factors, strict=True)]
        if not all(abs(n) < 2**63 for n in scaled):  # NaN, too
            raise RuntimeError("value cannot be converted to type int64_t without overflow")
        sizes = tuple([math.floor(n) for n in scaled])
    _check_rank(input, mode, align_corners, antialias)
    if mode == "area":
        from flambeau_nn.ops.pooling import adaptive_avg_pools

        return adaptive_avg_pools[dims](input, sizes)
    if recompute_scale_factor:
        factors = ()
    return resample(input, sizes, mode, bool(align_corners), factors, antialias)


def _deprecated(name):
    warnings.warn(
        f"`nn.functional.{name}` is deprecated. Use `nn.functional.interpolate` instead.", UserWarning, stacklevel=1
    )


@composite(
    "upsample(Tensor input, OutputSize? size=None, ScaleFactor? scale_factor=None, str mode='nearest', "
    "bool? align_corners=None)",
    "The former name of `interpolate`.",
)
def upsample(input, size, scale_factor, mode, align_corners):
    _deprecated("upsample")
    return interpolate(input, size, scale_factor, mode, align_corners)


@composite(
    "upsample_nearest(Tensor input, OutputSize? size=None, ScaleFactor? scale_factor=None)",
    "`interpolate` with the nearest element.",
)
def upsample_nearest(input, size, scale_factor):
    _deprecated("upsample_nearest")
    return interpolate(input, size, scale_factor, "nearest")


@composite(
    "upsample_bilinear(Tensor input, OutputSize? size=None, ScaleFactor? scale_factor=None)",
    "`interpolate`, bilinear, with `align_corners`.",
)
def upsample_bilinear(input, size, scale_factor):
    _deprecated("upsample_bilinear")
    return interpolate(input, size, scale_factor, "bilinear", True)


# --- elements between channels and space ----------------------------------------------------------------------------


def _rearranging(schema, kernel, doc):
    return Operator(
        f"{schema} -> Tensor", kernel, namespace="torch", variants=FUNCTION, aten=of_aten(schema, True), doc=doc
    )


pixel_shuffle = _rearranging(
    "pixel_shuffle(Tensor self, int upscale_factor)",
    shuffling.pixel_shuffle,
    "(…, C · r², H, W) rearranged to (…, C, H · r, W · r), where r is `upscale_factor` (Shi et al., 2016).",
)
pixel_unshuffle = _rearranging(
    "pixel_unshuffle(Tensor self, int downscale_factor)",
    shuffling.pixel_unshuffle,
    "(…, C, H · r, W · r) rearranged to (…, C · r², H, W): the inverse of `pixel_shuffle`.",
)
channel_shuffle, native_channel_shuffle = (
    _rearranging(
        f"{_name}(Tensor self, int groups)",
        shuffling.channel_shuffle,
        "The channels of `groups` groups interleaved: channel i · C / groups + j moves to j · groups + i.",
    )
    for _name in ("channel_shuffle", "native_channel_shuffle")
)


# --- other places ---------------------------------------------------------------------------------------------------

_WARNING = (
    "Default {} behavior has changed to align_corners={} since 1.3.0. Please specify align_corners=True if the "
    "old behavior is desired. See the documentation of grid_sample for details."
)


def _aligned(align_corners):
    if align_corners is None:
        warnings.warn(_WARNING.format("grid_sample and affine_grid", False), UserWarning, stacklevel=1)
    return bool(align_corners)


def _centres(n, align_corners, like):
    """Return the positions of the elements of an axis, between -1 and 1."""
    if n <= 1:
        return like.new_zeros((n,))
    places = ft.linspace(-1, 1, n, dtype=like.dtype, device=like.device)
    return places if align_corners else places * ((n - 1) / n)


@composite(
    "affine_grid_generator(Tensor theta, int[] size, bool align_corners)",
    "The positions (N, …, dims) to which affine maps `theta`, (N, dims, dims + 1), map those of an image of `size`.",
    namespace="torch",
    aten=True,
)
def affine_grid_generator(theta, size, align_corners):
    if len(size) not in (4, 5):
        raise RuntimeError("AffineGridGenerator needs 4d (spatial) or 5d (volumetric) inputs.")
    sizes = tuple(size[2:])
    dims = len(sizes)
    axes = [_centres(n, align_corners, theta) for n in sizes]
    parts = []
    for i, axis in enumerate(axes):
        parts.append(axis.reshape((1,) * i + (-1,) + (1,) * (dims - 1 - i)).expand(sizes))
    base = ft.stack([*reversed(parts), theta.new_ones(sizes)], -1).reshape((1, -1, dims + 1))
    places = ft.bmm(base.expand((size[0], *base.shape[1:])), theta.transpose(1, 2))
    return places.reshape((size[0], *sizes, dims))


@composite(
    "affine_grid(Tensor theta, int[] size, bool? align_corners=None)",
    "The grid for `grid_sample` that maps an image of `size`, (N, C, H, W) or (N, C, D, H, W), by the affine "
    "maps `theta`, (N, 2, 3) or (N, 3, 4). -1 and 1 are the outer edges of an image, or with `align_corners` the "
    "centers of the outermost elements.",
)
def affine_grid(theta, size, align_corners):
    align_corners = _aligned(align_corners)
    if not theta.is_floating_point():
        raise ValueError(f"Expected theta to have floating point type, but got {theta.dtype}")
    size = tuple(size)
    if len(size) not in (4, 5):
        raise NotImplementedError(
            "affine_grid only supports 4D and 5D sizes, for 2D and 3D affine transforms, "
            f"respectively. Got size {size}."
        )
    dims = len(size) - 2
    if theta.ndim != 3 or tuple(theta.shape[-2:]) != (dims, dims + 1):
        raise ValueError(
            f"Expected a batch of {dims}D affine matrices of shape Nx{dims}x{dims + 1} for size {size}. "
            f"Got {theta.shape}."
        )
    if min(size) <= 0:
        raise ValueError(f"Expected non-zero, positive output size. Got {size}")
    if align_corners and min(size[2:]) == 1:
        warnings.warn(
            "affine_grid() with align_corners=True gives a dimension of size 1 the coordinate 0, not -1 as before "
            "version 1.3.0. See the documentation of affine_grid for details.",
            stacklevel=3,
        )
    return affine_grid_generator(theta, size, align_corners)


def _reflected(x, n, align_corners):
    """Coordinates mirrored at the ends of an axis until they are inside."""
    low, span = (0.0, n - 1) if align_corners else (-0.5, n)
    if span == 0:
        return x * 0
    x = (x - low).abs()
    turns = (x.detach() / span).floor()
    rest = x - turns * span
    return ft.where(turns % 2 == 0, rest + low, span - rest + low)


def _padded(x, n, padding_mode, align_corners):
    if padding_mode == 2:
        x = _reflected(x, n, align_corners)
    if not padding_mode:
        return x
    x = ft.where(x.isnan(), 0.0, x)
    return ft.where((x > 0) & (x < n - 1), x, x.detach().clamp(0, n - 1))  # no gradient at the border itself


def _taps(x, n, mode, padding_mode, align_corners):
    """Pairs of places along an axis and weights there, for coordinates between -1 and 1."""
    x = (x + 1) / 2 * (n - 1) if align_corners else ((x + 1) * n - 1) / 2
    if mode != 2:
        x = _padded(x, n, padding_mode, align_corners)
    if mode == 1:
        return [(x.detach().round(), ft.where(x.isnan(), 0.0, x).clamp(0, 1) * 0 + 1)]  # a gradient of zeros
    first = x.detach().floor()
    t = x - first
    if mode == 0:
        return [(first, 1 - t), (first + 1, t)]
    a = -0.75
    weights = (_outer(t + 1, a), _inner(t, a), _inner(1 - t, a), _outer(2 - t, a))
    return [(_padded(first + i - 1, n, padding_mode, align_corners), w) for i, w in enumerate(weights)]


def _inner(t, a):
    return ((a + 2) * t - (a + 3)) * t * t + 1


def _outer(t, a):
    return ((a * t - 5 * a) * t + 8 * a) * t - 4 * a


def _check_grid(input, grid, mode):
    dims = input.ndim - 2
    if input.shape[:1] != grid.shape[:1]:
        raise RuntimeError(
            "grid_sampler(): expected grid and input to have same batch size, but got input with sizes "
            f"{list(input.shape)} and grid with sizes {list(grid.shape)}"
        )
    if input.ndim < 3 or grid.shape[-1] != dims:
        raise RuntimeError(
            f"grid_sampler(): expected grid to have size {dims} in last dimension, but got grid with "
            f"sizes {list(grid.shape)}"
        )
    for dim, n in enumerate(input.shape[2:], 2):
        if n == 0:
            raise RuntimeError(
                "grid_sampler(): expected input to have non-empty spatial dimensions, but input has "
                f"sizes {list(input.shape)} with dimension {dim} being empty"
            )
    if dims not in (2, 3) or grid.ndim != input.ndim:
        wanted = f"{input.ndim}D" if dims in (2, 3) else "4D or 5D"
        raise RuntimeError(
            f"grid_sampler(): expected {wanted} input and grid with same number of dimensions, but got "
            f"input with sizes {list(input.shape)} and grid with sizes {list(grid.shape)}"
        )
    if mode == 2 and dims == 3:
        raise RuntimeError("grid_sampler(): bicubic interpolation only supports 4D input")
    if input.dtype is not grid.dtype:

        def kind(t):
            return t.type().removeprefix("torch.").removesuffix("Tensor")

        raise RuntimeError(f"expected scalar type {kind(input)} but found {kind(grid)}")
    if not input.is_floating_point():
        kind = input.type().removeprefix("torch.").removesuffix("Tensor")
        raise NotImplementedError(
            f"\"grid_sampler_{dims}d_cpu{'_kernel_impl' if dims == 2 else ''}\" not implemented for '{kind}'"
        )


def composed(input, grid, interpolation_mode, padding_mode, align_corners):
    """`sample` by other operations."""
    n, c, *sizes = input.shape
    out = tuple(grid.shape[1:-1])
    dtype = input.dtype
    if dtype in (ft.float16, ft.bfloat16):
        input, grid = input.float(), grid.float()
    axes = [
        _taps(grid[..., len(sizes) - 1 - d].reshape((n, 1, -1)), size, interpolation_mode, padding_mode, align_corners)
        for d, size in enumerate(sizes)
    ]
    flat = input.reshape((n, c, -1))
    total = None
    for corner in product(*axes):
        place, weight, inside = 0, None, None
        for (at, w), size in zip(corner, sizes, strict=True):
            within = (at >= 0) & (at < size)
            inside = within if inside is None else inside & within
            place = place * size + at
            weight = w if weight is None else weight * w
        seen = flat.gather(2, ft.where(inside, place, 0.0).long().expand((n, c, -1)))
        part = ft.where(inside, seen, 0.0) * weight
        total = part if total is None else total + part
    return total.reshape((n, c, *out)).to(dtype)


_PLACES = "Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners"
_NUMBERS = "numbers for the modes: 0 bilinear, 1 nearest, 2 bicubic; 0 zeros, 1 border, 2 reflection."
grid_sample.connect(_check_grid)
sample = Operator(
    f"sample({_PLACES}) -> Tensor",
    grid_sample.sample,
    namespace=INTERNAL,
    variants=FUNCTION,
    doc=f"What `grid_sample` computes, with {_NUMBERS}",
)
sample_backward = Operator(
    f"sample_backward(Tensor grad_output, {_PLACES}, bool[2] output_mask) -> (Tensor, Tensor)",
    grid_sample.sample_backward,
    namespace=INTERNAL,
    variants=FUNCTION,
    doc="The gradients of `sample` with respect to input and grid, those that `output_mask` asks for.",
)
for _name in ("grid_sampler", "grid_sampler_2d", "grid_sampler_3d"):
    Operator(
        f"{_name}({_PLACES}) -> Tensor",
        Forward(sample),
        namespace="torch",
        variants=FUNCTION,
        composite=True,
        aten=of_aten(f"{_name}({_PLACES})", True),
        doc=f"`grid_sample`, with {_NUMBERS}",
    )


@composite(
    "grid_sample(Tensor input, Tensor grid, str mode='bilinear', str padding_mode='zeros', bool? align_corners=None)",
    "`input`, (N, C, H, W) or (N, C, D, H, W), sampled at the positions `grid`, (N, …, 2) or (N, …, 3), which lie "
    "between -1 and 1 along each axis, the last axis first. `mode` is 'bilinear', 'nearest' or 'bicubic'; outside, "
    "`padding_mode` uses 'zeros', the 'border', or the image's 'reflection'. -1 and 1 are the outer edges, or with "
    "`align_corners` the centers of the outermost elements.",
)
def _grid_sample(input, grid, mode, padding_mode, align_corners):
    modes, paddings = ("bilinear", "nearest", "bicubic"), ("zeros", "border", "reflection")
    if mode not in modes:
        raise ValueError(
            f"nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or 'bicubic', but got: '{mode}'"
        )
    if padding_mode not in paddings:
        raise ValueError(
            "nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', or 'reflection', "
            f"but got: '{padding_mode}'"
        )
    return sample(input, grid, modes.index(mode), paddings.index(padding_mode), _aligned(align_corners))


_UPSAMPLE = "input! * size=None scale_factor=None"
apply(
    "torch.nn.functional",
    {
        "unfold": "input! kernel_size * dilation=1 padding=0 stride=1",
        "fold": "input! output_size kernel_size * dilation=1 padding=0 stride=1",
        "interpolate": f"{_UPSAMPLE} mode='nearest' align_corners=None recompute_scale_factor=None antialias=False",
        "affine_grid": "theta! size * align_corners=None",
        "grid_sample": "input! grid! * mode='bilinear' padding_mode='zeros' align_corners=None",
    },
)
known_as("torch.nn.functional", "pixel_shuffle", "pixel_unshuffle", "channel_shuffle", "native_channel_shuffle")
