"""Pooling undone, which is a composition, and pooling over windows at random places."""

from math import prod

import flambeau_tensor as ft
from flambeau_nn._kernels import unpooling as kernels
from flambeau_nn.ops import INTERNAL, NAMESPACE
from flambeau_nn.ops.declaring import composite
from flambeau_tensor import Operator
from flambeau_tensor.extend import FUNCTION
from flambeau_tensor.ops.attributes import suggest_memory_format
from flambeau_tensor.packing import apply

_AXES = {1: "one element", 2: "two elements (height, width)", 3: "three elements (depth, height, width)"}
_SHAPES = {1: "(N, C, L) or (C, L)", 2: "(N, C, H, W) or (C, H, W)", 3: "(N, C, D, H, W) or (C, D, H, W)"}


def _each(numbers, dims):
    return (numbers,) * dims if isinstance(numbers, int) else tuple(numbers) * (dims if len(numbers) == 1 else 1)


# --- max_unpool -----------------------------------------------------------------------------------------------------


def _unpooled_size(sizes, kernel, stride, padding, output_size):
    """Return the size before pooling; `output_size` selects one if several are possible."""
    dims = len(kernel)
    usual = [(n - 1) * s + k - 2 * p for n, k, s, p in zip(sizes, kernel, stride, padding, strict=True)]
    if output_size is None:
        return usual
    output_size = tuple(output_size)
    if len(output_size) == dims + 2:
        output_size = output_size[2:]
    if len(output_size) != dims:
        raise ValueError(
            f"output_size should be a sequence containing {dims} or {dims + 2} elements, but it has a "
            f"length of '{len(output_size)}'"
        )
    for d, (size, n, s) in enumerate(zip(output_size, usual, stride, strict=True)):
        if not n - s < size < n + s:
            raise ValueError(f'invalid output_size "{output_size}" (dim {d} must be between {n - s} and {n + s})')
    return output_size


def _max_unpool(dims, input, indices, kernel_size, stride, padding, output_size):
    word = f"max_unpooling{max(dims, 2)}d"
    kernel = _each(kernel_size, dims)
    stride = kernel if stride is None else _each(stride, dims)
    if len(kernel) > dims:
        raise IndexError("tuple index out of range")
    if len(kernel) < dims:
        raise RuntimeError(f"There should be exactly {_AXES[dims]} in output_size, but got {len(kernel)} elements.")
    if input.ndim < dims:
        raise IndexError("tuple index out of range")
    sizes = _unpooled_size(input.shape[-dims:], kernel, stride, _each(padding, dims), output_size)
    if input.ndim not in (dims + 1, dims + 2):
        shown = input.ndim + (dims == 1)
        raise RuntimeError(
            f"Input to {word} should be a {max(dims, 2) + 1}d or {max(dims, 2) + 2}d Tensor, but got a "
            f"tensor with {shown} dimensions."
        )
    if indices.dtype is not ft.int64:
        kind = indices.type().removeprefix("torch.").removesuffix("Tensor")
        raise RuntimeError(f"elements in indices should be type int64 but got: {kind}")
    if indices.shape != input.shape:
        raise RuntimeError(
            f"Expected shape of indices to be same as that of the input tensor ({list(input.shape)}) "
            f"but got indices tensor with shape: {list(indices.shape)}"
        )
    if not input.is_floating_point():
        kind = input.type().removeprefix("torch.").removesuffix("Tensor")
        raise NotImplementedError(f"\"max_unpool{max(dims, 2)}d\" not implemented for '{kind}'")
    count, lead = prod(sizes), tuple(input.shape[:-dims])
    empty = input.new_zeros((*lead, count))
    rows = (*lead, prod(input.shape[-dims:]))
    try:
        flat = empty.scatter(-1, indices.reshape(rows), input.reshape(rows))
    except (IndexError, RuntimeError):
        wrong = [i for i in indices.flatten().tolist() if not 0 <= i < count]
        if not wrong:
            raise
        raise RuntimeError(
            f"Found an invalid max index: {wrong[0]} (output volumes are of size "
            f"{'x'.join(map(str, (1, *sizes) if dims == 1 else sizes))})"
        ) from None
    result = flat.reshape((*lead, *sizes))
    return result.contiguous(memory_format=suggest_memory_format(input)) if dims == 2 else result


def _declare_unpool(n):
    @composite(
        f"max_unpool{n}d(Tensor input, Tensor indices, int[{n}] kernel_size, int[{n}]? stride=None, "
        f"int[{n}] padding=0, int[]? output_size=None)",
        f"The maxima `input`, {_SHAPES[n]}, at the `indices` that `max_pool{n}d` gave for them, among zeros. "
        "Other arguments are those that it had; `output_size` chooses among the sizes that give the same.",
    )
    def max_unpool(input, indices, kernel_size, stride, padding, output_size):
        return _max_unpool(n, input, indices, kernel_size, stride, padding, output_size)


# --- fractional_max_pool --------------------------------------------------------------------------------------------

fractional_pool = Operator(
    "fractional_pool(Tensor self, Tensor samples, int[] kernel_size, int[] output_size) -> (Tensor, Tensor)",
    kernels.fractional_pool,
    namespace=INTERNAL,
    variants=FUNCTION,
    doc="What `fractional_max_pool2d` and `fractional_max_pool3d` compute, with where the maxima are. `samples` (N, C, "
    "dimensions) say how far each plane's windows are moved.",
)


def _fractional(dims, input, kernel_size, output_size, output_ratio, samples):
    name = f"fractional_max_pool{dims}d"
    if output_size is None and output_ratio is None:
        raise ValueError(f"{name} requires specifying either an output_size or an output_ratio")
    for word, size in ("kernel_size", kernel_size), ("output_size", output_size):
        if size is not None and not isinstance(size, int) and len(size) != dims:
            raise RuntimeError(f"{name}: {word} must either be a single Int or tuple of Ints")
    if output_size is None and not isinstance(output_ratio, float) and len(output_ratio) != dims:
        raise ValueError(f"{name} requires output_ratio to either be a single Int or tuple of Ints.")
    kernel = _each(kernel_size, dims)
    if not input.is_floating_point():
        kind = input.type().removeprefix("torch.").removesuffix("Tensor")
        raise NotImplementedError(f"\"check_uniform_bounds\" not implemented for '{kind}'")
    batched = input.ndim == dims + 2
    if input.ndim not in (dims + 1, dims + 2):
        raise RuntimeError(f"{name}(): Expected {dims + 1}D or {dims + 2}D tensor, but got: {list(input.shape)}")
    for d in range(batched, input.ndim):
        if not input.shape[d]:
            raise RuntimeError(
                f"{name}(): Expected input to have non-zero size for non-batch dimensions, but got {list(input.shape)} "
                f"with dimension {d} being empty."
            )
    x = input if batched else input.unsqueeze(0)
    if output_size is None:
        ratio = (output_ratio,) * dims if isinstance(output_ratio, float) else tuple(output_ratio)
        counts = tuple(int(n * r) for n, r in zip(x.shape[2:], ratio, strict=True))
    else:
        counts = _each(output_size, dims)
    if samples is None:
        samples = ft.rand((*x.shape[:2], dims), dtype=input.dtype, device=input.device)
    elif samples.ndim == 3 and samples.shape[0] > x.shape[0]:
        samples = samples[: x.shape[0]]
    values, indices = fractional_pool(x, samples, kernel, counts)
    return (values, indices) if batched else (values.squeeze(0), indices.squeeze(0))


def _declare_fractional(n):
    arguments = (
        f"(Tensor input, int[{n}] kernel_size, int[{n}]? output_size=None, ScaleFactor? output_ratio=None, "
        "bool return_indices=False, Tensor? _random_samples=None)"
    )
    doc = (
        f"The maximum of each window of `kernel_size` elements of `input`, {_SHAPES[n]}; windows lie at random "
        "places, about equally far from each other, so many that the result has `output_size`, or `output_ratio` "
        "times the input's size (Graham, 2014)."
    )

    @composite(f"fractional_max_pool{n}d_with_indices{arguments} -> (Tensor, Tensor)", f"{doc} With where they are.")
    def with_indices(input, kernel_size, output_size, output_ratio, return_indices, random_samples):
        return _fractional(n, input, kernel_size, output_size, output_ratio, random_samples)

    @composite(
        f"fractional_max_pool{n}d{arguments} -> TensorOrPair",
        f"{doc} With `return_indices` a tuple of maxima and where they are.",
    )
    def fractional_max_pool(input, kernel_size, output_size, output_ratio, return_indices, random_samples):
        both = _fractional(n, input, kernel_size, output_size, output_ratio, random_samples)
        return both if return_indices else both[0]


for _n in (1, 2, 3):
    _declare_unpool(_n)
for _n in (2, 3):
    _declare_fractional(_n)
_FRACTIONAL = "input! kernel_size * output_size=None output_ratio=None return_indices=False _random_samples!=None"
apply(
    NAMESPACE,
    {
        **{f"max_unpool{n}d": "input! indices kernel_size * stride=None padding=0 output_size=None" for n in (1, 2, 3)},
        **{f"fractional_max_pool{n}d": _FRACTIONAL for n in (2, 3)},
    },
)
