"""``torch.nn.attention.bias``: masks of causal attention whose queries and keys differ in number."""

from __future__ import annotations

from enum import IntEnum, auto
from typing import Any

import flambeau_tensor as torch
from flambeau_overrides import _disabled_torch_function_impl

__all__ = ["CausalBias", "CausalVariant", "causal_lower_right", "causal_upper_left"]


class CausalVariant(IntEnum):
    """The corner at which the diagonal of a causal mask ends.

    Raises:
        ValueError: the value does not exist.

    >>> CausalVariant.UPPER_LEFT
    <CausalVariant.UPPER_LEFT: 1>
    """

    UPPER_LEFT = auto()
    LOWER_RIGHT = auto()


class CausalBias(torch.Tensor):
    """A causal mask for `scaled_dot_product_attention`: a tensor of bools, True if a query attends to a key.

    Args:
        variant: whether its diagonal begins in the upper left corner, or ends in the lower right one.
        seq_len_q: the number of queries.
        seq_len_kv: the number of keys.

    Raises:
        AssertionError: `variant` is not a CausalVariant.

    Shape:
        (queries, keys)

    >>> CausalBias(CausalVariant.LOWER_RIGHT, 2, 3)
    tensor([[ True,  True, False],
            [ True,  True,  True]])
    """

    variant: CausalVariant
    seq_len_q: int
    seq_len_kv: int

    def __new__(cls, variant: CausalVariant, seq_len_q: int, seq_len_kv: int) -> CausalBias:
        if not isinstance(variant, CausalVariant):
            raise AssertionError(f"variant must be a CausalVariant, got {type(variant)}")
        first = seq_len_kv - seq_len_q if variant is CausalVariant.LOWER_RIGHT else 0
        mask = torch.ones(seq_len_q, seq_len_kv, dtype=torch.bool).tril(first)
        bias: Any = mask.as_subclass(cls)
        bias.variant, bias.seq_len_q, bias.seq_len_kv = variant, seq_len_q, seq_len_kv
        return bias

    def __repr__(self) -> str:
        return repr(self.as_subclass(torch.Tensor))

    __torch_function__ = _disabled_torch_function_impl  # type: ignore[assignment]  # what is made of a mask is a tensor


def causal_upper_left(*size: int) -> CausalBias:
    """The mask whose diagonal begins in the upper left corner, as for ``is_causal=True``.

    Raises:
        AssertionError: there are not two sizes.

    Shape:
        (queries, keys)

    >>> causal_upper_left(2, 3)
    tensor([[ True, False, False],
            [ True,  True, False]])
    """
    return _causal(CausalVariant.UPPER_LEFT, size)


def causal_lower_right(*size: int) -> CausalBias:
    """The mask whose diagonal ends in the lower right corner: for queries that are the last of the keys.

    Raises:
        AssertionError: there are not two sizes.

    Shape:
        (queries, keys)

    >>> from flambeau_nn.functional import scaled_dot_product_attention
    >>> query, key, value = torch.ones(1, 2, 4), torch.ones(1, 3, 4), torch.arange(3.0).view(1, 3, 1)
    >>> scaled_dot_product_attention(query, key, value, attn_mask=causal_lower_right(2, 3)).flatten()
    tensor([0.5000, 1.0000])
    """
    return _causal(CausalVariant.LOWER_RIGHT, size)


def _causal(variant: CausalVariant, size: tuple[int, ...]) -> CausalBias:
    if len(size) != 2:
        raise AssertionError(f"causal masks have two sizes, got {len(size)}")
    return CausalBias(variant, *size)
