"""`make_tensor`: random inputs for tests."""

import math

import flambeau_tensor as torch


def make_tensor(
    *shape,
    dtype,
    device="cpu",
    low=None,
    high=None,
    requires_grad=False,
    noncontiguous=False,
    exclude_zero=False,
    memory_format=None,
):
    """Create a tensor of uniform numbers from ``low`` up to ``high``, which is excluded.

    Args:
        shape: the sizes, or one sequence of them.
        dtype: without bounds, booleans are drawn from {0, 1}, uint8 from [0, 10) and the others from [-9, 10) or, if
            they are floating point or complex, [-9, 9).
        device: the CPU.
        low, high: the bounds, clipped to the range of the dtype.
        requires_grad: for floating point and complex dtypes.
        noncontiguous: every second element of a larger tensor.
        exclude_zero: zeros are replaced by the smallest positive number, or by 1.
        memory_format: the order of the dimensions in memory; not with ``noncontiguous``.

    Raises:
        ValueError: the bounds are nan or exclude everything, an integer tensor should require grad, or
            ``noncontiguous`` is combined with a memory format.

    >>> x = make_tensor(2, 3, dtype=torch.float32, low=0, high=1)
    >>> x.shape, bool(((x >= 0) & (x < 1)).all())
    (torch.Size([2, 3]), True)
    """
    if len(shape) == 1 and not isinstance(shape[0], int):
        shape = tuple(shape[0])
    if noncontiguous and memory_format is not None:
        raise ValueError(
            f"The parameters `noncontiguous` and `memory_format` are mutually exclusive, but got "
            f"noncontiguous={noncontiguous!r} and memory_format={memory_format!r}"
        )
    inexact = dtype.is_floating_point or dtype.is_complex
    if requires_grad and not inexact:
        raise ValueError(
            f"`requires_grad=True` is not supported for boolean and integral dtypes, but got dtype={dtype!r}"
        )
    low, high = _bounds(dtype, low, high)
    numel = math.prod(shape)
    size = (*shape[:-1], 2 * shape[-1]) if noncontiguous and numel > 1 else shape
    if dtype.is_complex:
        part = torch.float64 if dtype is torch.complex128 else torch.float32
        parts = torch.empty((*size, 2), dtype=part).uniform_(low, high)
        out = torch.view_as_complex(parts).to(dtype, copy=True)  # not a view: programs check
    elif inexact:
        out = torch.empty(size, dtype=dtype).uniform_(low, high)
    else:
        out = torch.randint(low, high, size, dtype=dtype)
    if exclude_zero:
        out[out == 0] = torch.finfo(dtype).tiny if inexact else 1
    if noncontiguous and numel > 1:
        out = out[..., 1::2]
    elif memory_format is not None:
        out = out.clone(memory_format=memory_format)
    return out.to(device).requires_grad_(requires_grad)


def _bounds(dtype, low, high):
    """Return the requested bounds, clipped to the range of the dtype."""
    if dtype is torch.bool:
        least, most, default = 0, 2, (0, 2)
    elif dtype.is_floating_point or dtype.is_complex:
        info = torch.finfo(dtype)
        least, most, default = info.min, info.max, (-9, 9)
    else:
        info = torch.iinfo(dtype)
        least, most, default = info.min, info.max, (0, 10) if dtype is torch.uint8 else (-9, 10)
    low, high = default[0] if low is None else low, default[1] if high is None else high
    if any(isinstance(x, float) and math.isnan(x) for x in (low, high)):
        raise ValueError(f"`low` and `high` cannot be NaN, but got {low=} and {high=}")
    if low == high and (dtype.is_floating_point or dtype.is_complex):
        return low, high
    if low >= high:
        raise ValueError(f"`low` must be less than `high`, but got {low} >= {high}")
    if high < least or low > most:
        raise ValueError(
            "The value interval specified by `low` and `high` is completely out of the range of "
            f"dtype={dtype!r}: [{low}, {high})"
        )
    low, high = max(low, least), min(high, most)
    if not (dtype.is_floating_point or dtype.is_complex):
        low, high = math.ceil(low), math.ceil(high)
    return low, high
