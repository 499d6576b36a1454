"""Private functions of ``torch`` around layers that programs and tests call, composed of public ones."""

from collections.abc import Sequence

import flambeau_tensor as torch
from flambeau_nn import functional as F
from flambeau_tensor import Tensor


def _add_relu(input: Tensor, other: Tensor | float, *, alpha: float = 1) -> Tensor:
    """Return the positive part of ``input + alpha * other``."""
    return torch.relu(torch.add(input, other, alpha=alpha))


def _add_relu_(input: Tensor, other: Tensor | float, *, alpha: float = 1) -> Tensor:
    """:func:`_add_relu` in place."""
    return torch.relu_(input.add_(other, alpha=alpha))


def _none_or_dtype(input: Tensor | None) -> torch.dtype | None:
    """Return the dtype of a tensor, or None for None.

    Raises:
        RuntimeError: ``input`` is neither.
    """
    if input is None:
        return None
    if isinstance(input, Tensor):
        return input.dtype
    raise RuntimeError("input to _none_or_dtype() must be None or torch.Tensor")


def _in_projection(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    w_q: Tensor,
    w_k: Tensor,
    w_v: Tensor,
    b_q: Tensor | None = None,
    b_k: Tensor | None = None,
    b_v: Tensor | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """Return queries, keys and values, each multiplied by its own weight."""
    return F.linear(q, w_q, b_q), F.linear(k, w_k, b_k), F.linear(v, w_v, b_v)


def _in_projection_packed(q: Tensor, k: Tensor, v: Tensor, w: Tensor, b: Tensor | None = None) -> list[Tensor]:
    """Return queries, keys and values, multiplied by the thirds of one weight."""
    biases = (None, None, None) if b is None else b.chunk(3)
    return [F.linear(x, weight, bias) for x, weight, bias in zip((q, k, v), w.chunk(3), biases, strict=True)]


def _softmax(input: Tensor, dim: int, half_to_float: bool) -> Tensor:
    """Return the softmax, with ``half_to_float`` of half types in single precision."""
    return F.softmax(input, dim, dtype=torch.float32 if half_to_float else None)


def _log_softmax(input: Tensor, dim: int, half_to_float: bool) -> Tensor:
    """The logarithms of :func:`_softmax`."""
    return F.log_softmax(input, dim, dtype=torch.float32 if half_to_float else None)


def slow_conv3d(
    input: Tensor,
    weight: Tensor,
    kernel_size: int | Sequence[int],
    bias: Tensor | None = None,
    stride: int | Sequence[int] = 1,
    padding: int | Sequence[int] = 0,
) -> Tensor:
    """``conv3d``; the kernel has the weight's size, and ``kernel_size`` is not read."""
    return F.conv3d(input, weight, bias, stride, padding)


def _masked_softmax(input: Tensor, mask: Tensor, dim: int | None = None, mask_type: int | None = None) -> Tensor:
    """Return the softmax of the scores where ``mask`` is False, and 0 where it is True.

    Args:
        input: scores (B, H, L, L), or of any shape.
        mask: booleans (L, L) for ``mask_type`` 0, (B, L) for 1, and of the input's shape for 2.
        dim: the dimension along which the weights add up to 1; the last one by default.
        mask_type: which shape the mask has; None: the input's.

    Raises:
        RuntimeError: the mask is not boolean, or does not fit.
    """
    if mask.dtype is not torch.bool:
        raise RuntimeError("Mask should be a boolean tensor")
    if mask_type == 1 and mask.ndim == 2 and input.ndim == 4:
        mask = mask[:, None, None, :]
    elif mask_type == 2 and mask.shape != input.shape:
        raise RuntimeError(f"Mask shape should match input. mask: {list(mask.shape)} input: {list(input.shape)}")
    weights = F.softmax(input.masked_fill(mask, float("-inf")), -1 if dim is None else dim)
    return weights.masked_fill(mask, 0.0)
