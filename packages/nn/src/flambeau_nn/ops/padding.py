"""Tensors made larger at their edges."""

import flambeau_tensor as ft
from flambeau_nn.ops import INTERNAL
from flambeau_nn.ops.declaring import composite
from flambeau_tensor import Operator
from flambeau_tensor.ops.attributes import suggest_memory_format


def _constant_pad(input, pad, value):
    if len(pad) % 2:
        raise RuntimeError(f"Length of pad must be even but instead it equals {len(pad)}")
    if len(pad) > 2 * input.ndim:
        raise RuntimeError(
            f"Length of pad should be no more than twice the number of dimensions of the input. Pad "
            f"length is {len(pad)} while the input has {input.ndim} dimensions."
        )
    sizes = list(input.shape)
    source = input
    for i in range(len(pad) // 2):
        dim = input.ndim - 1 - i
        before, after = pad[2 * i : 2 * i + 2]
        sizes[dim] += before + after
        if not 0 <= sizes[dim] < 2**63:
            raise RuntimeError(
                f"The input size {input.shape[dim]}, plus negative padding {before} and {after} "
                f"resulted in a negative output size, which is invalid. Check dimension {dim} of your "
                "input."
            )
        source = source.narrow(dim, max(-before, 0), max(input.shape[dim] + min(before, 0) + min(after, 0), 0))
    out = ft.empty(tuple(sizes), dtype=input.dtype, memory_format=suggest_memory_format(input)).fill_(value)
    target = out
    for i in range(len(pad) // 2):
        dim = input.ndim - 1 - i
        target = target.narrow(dim, max(pad[2 * i], 0), source.shape[dim])
    target.copy_(source)
    return out


constant_pad_nd = Operator(
    "constant_pad_nd(Tensor self, int[] pad, Scalar value=0) -> Tensor",
    _constant_pad,
    namespace=INTERNAL,
    variants="function",
    doc="Pairs of (before, after), last dimension first, filled with `value`; negative ones cut off.",
)


_PICK = {  # the index inside 0..n-1 for each place
    "reflect": lambda i, n: n - 1 - (n - 1 - i.abs()).abs(),
    "replicate": lambda i, n: i.clamp(0, n - 1),
    "circular": lambda i, n: i % n,
}

_KERNELS = {"reflect": "reflection", "replicate": "replication"}


def _source_indices(n, before, after, mode, device):
    """The index in a dimension of size n that each place of the padded one reads."""
    first, last = 0, n
    if mode == "circular":  # what negative sizes cut off does not come round
        first, last = max(-before, 0), n - max(-after, 0)
        before, after = max(before, 0), max(after, 0)
    size = last - first
    return first + _PICK[mode](ft.arange(-before, size + after, device=device), size)


def _pad_by_index(input, pad, mode):
    for i in range(len(pad) // 2):
        dim = input.ndim - 1 - i
        before, after = pad[2 * i : 2 * i + 2]
        n = input.shape[dim]
        if mode == "reflect" and max(before, after) >= n:
            raise RuntimeError(
                "Argument #4: Padding size should be less than the corresponding input dimension, but "
                f"got: padding ({before}, {after}) at dimension {dim} of input {list(input.shape)}"
            )
        if mode == "circular" and max(before, after) > n:
            raise RuntimeError("Padding value causes wrapping around more than once.")
        if mode == "circular" and n + min(before, 0) + min(after, 0) < 1:
            raise RuntimeError("Negative padding value is resulting in an empty dimension")
        if n == 0 or n + before + after < 1:
            raise RuntimeError(
                f"Expected a non-empty output, but dimension {dim} of size {n} is padded by ({before}, {after})"
            )
        if before or after:
            input = input.index_select(dim, _source_indices(n, before, after, mode, input.device))
    return input


@composite(
    "pad(Tensor self, int[] pad, str mode='constant', float? value=None)",
    "`input` with `pad[0]` and `pad[1]` elements before and after in the last dimension, the next two in the "
    "one before, and so on. `mode` is 'constant' (filled with `value`, 0 unless given), 'reflect', 'replicate' "
    "or 'circular' (dimensions after the first two, or all but the first).",
    aten=True,
)
def pad(input, pad, mode, value):
    pad = (pad,) if isinstance(pad, int) else pad
    if mode == "constant":
        return constant_pad_nd(input, pad, 0 if value is None else value)
    if mode not in _PICK:
        raise NotImplementedError(f"Unrecognised padding mode {mode}")
    if len(pad) % 2:
        raise RuntimeError(f"Padding length must be divisible by 2, but got {len(pad)}")
    if len(pad) > 2 * input.ndim:
        raise RuntimeError(
            "Padding length should be less than or equal to two times the input dimension but got "
            f"padding length {len(pad)} and input of dimension {input.ndim}"
        )
    if value is not None and value != 0:
        raise RuntimeError(f'Padding mode "{mode}" doesn\'t take in value argument')
    dims = len(pad) // 2
    if input.ndim not in (dims + 1, dims + 2) or dims not in (1, 2, 3):
        raise NotImplementedError(
            f"Padding size {len(pad)} is not supported for {input.ndim}D input tensor.\n"
            "Supported combinations for non-constant padding:\n"
            "  - 2D or 3D input: padding size = 2 (pads last dimension)\n"
            "  - 3D or 4D input: padding size = 4 (pads last 2 dimensions)\n"
            "  - 4D or 5D input: padding size = 6 (pads last 3 dimensions)"
        )
    if input.dtype is ft.bool and mode != "circular":
        raise NotImplementedError(f"\"{_KERNELS[mode]}_pad{dims}d\" not implemented for 'Bool'")
    padded = _pad_by_index(input, pad, mode)
    if padded is input:
        padded = input.clone()
    if mode == "circular" or len(pad) == 2:
        return padded
    return padded.contiguous(memory_format=suggest_memory_format(input))
