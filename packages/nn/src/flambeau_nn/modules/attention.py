"""Multi-head attention. Compiled as it is (see CMakeLists.txt)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import flambeau_tensor as ft
from flambeau_nn import functional as F
from flambeau_nn import init
from flambeau_nn.modules.linear import Linear
from flambeau_nn.modules.module import Module
from flambeau_nn.parameter import Parameter
from flambeau_tensor import Tensor, dtype
from flambeau_tensor.options import Device

__all__ = ["MultiheadAttention"]


class NonDynamicallyQuantizableLinear(Linear):
    """The output projection; modules print the name of this class."""


class MultiheadAttention(Module):
    """Attention of queries to keys and values, in several heads between projections (Vaswani et al., 2017).

    Args:
        embed_dim: the size of each element, which is divided among the heads.
        num_heads: the number of heads.
        dropout: the dropout probability of the attention weights.
        bias: whether the projections have biases.
        add_bias_kv: whether to append a trained key and value to the sequences.
        add_zero_attn: whether to append a key and a value of zeros.
        kdim, vdim: the sizes of keys and values, by default ``embed_dim``.
        batch_first: whether sequences are (batch, time, size) rather than (time, batch, size).

    Shape:
        query (time, batch, embed_dim), key (others, batch, kdim) and value (others, batch, vdim), or without batch →
        (time, batch, embed_dim), and weights (batch, time, others) or None

    Raises:
        AssertionError: ``embed_dim`` is not divisible by ``num_heads``; sizes of the inputs do not fit.
        ValueError: a size is not positive.

    >>> import flambeau_tensor as ft
    >>> x = ft.ones(5, 2, 8)
    >>> out, weights = MultiheadAttention(8, 2)(x, x, x)
    >>> out.shape, weights.shape
    (torch.Size([5, 2, 8]), torch.Size([2, 5, 5]))
    """

    __constants__ = ["batch_first"]
    bias_k: Tensor | None
    bias_v: Tensor | None

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        device: Device | None = None,
        dtype: dtype | None = None,
    ) -> None:
        if embed_dim <= 0 or num_heads <= 0:
            raise ValueError(
                f"embed_dim and num_heads must be greater than 0, got embed_dim={embed_dim} and "
                f"num_heads={num_heads} instead"
            )
        super().__init__()
        self.embed_dim = embed_dim
        self.kdim = embed_dim if kdim is None else kdim
        self.vdim = embed_dim if vdim is None else vdim
        self._qkv_same_embed_dim = self.kdim == embed_dim and self.vdim == embed_dim
        self.num_heads = num_heads
        self.dropout = dropout
        self.batch_first = batch_first
        self.head_dim = embed_dim // num_heads
        if self.head_dim * num_heads != embed_dim:
            raise AssertionError("embed_dim must be divisible by num_heads")

        def parameter(*shape: int) -> Parameter:
            return Parameter(ft.empty(shape, device=device, dtype=dtype))

        same = self._qkv_same_embed_dim
        for name, columns in (("q", embed_dim), ("k", self.kdim), ("v", self.vdim)):
            self.register_parameter(f"{name}_proj_weight", None if same else parameter(embed_dim, columns))
        self.register_parameter("in_proj_weight", parameter(3 * embed_dim, embed_dim) if same else None)
        self.register_parameter("in_proj_bias", parameter(3 * embed_dim) if bias else None)
        self.out_proj = NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias=bias, device=device, dtype=dtype)
        self.bias_k, self.bias_v = (parameter(1, 1, embed_dim) if add_bias_kv else None for _ in range(2))
        self.add_zero_attn = add_zero_attn
        self._reset_parameters()

    def _reset_parameters(self) -> None:
        for weight in (self.in_proj_weight, self.q_proj_weight, self.k_proj_weight, self.v_proj_weight):
            if weight is not None:
                init.xavier_uniform_(weight)
        if self.in_proj_bias is not None:
            init.constant_(self.in_proj_bias, 0.0)
            init.constant_(self.out_proj.bias, 0.0)
        for bias in (self.bias_k, self.bias_v):
            if bias is not None:
                init.xavier_normal_(bias)

    def __setstate__(self, state: dict[str, Any]) -> None:
        state.setdefault("_qkv_same_embed_dim", True)
        super().__setstate__(state)

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = True,
        attn_mask: Tensor | None = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[Tensor, Tensor | None]:
        """Masks are boolean (True: ignored) or added to the scores; `is_causal` declares a causal `attn_mask`."""
        transposed = self.batch_first and query.ndim == 3
        if transposed:
            query, key, value = _transposed(query, key, value)
        out, weights = F.multi_head_attention_forward(
            query,
            key,
            value,
            self.embed_dim,
            self.num_heads,
            self.in_proj_weight,
            self.in_proj_bias,
            self.bias_k,
            self.bias_v,
            self.add_zero_attn,
            self.dropout,
            self.out_proj.weight,
            self.out_proj.bias,
            training=self.training,
            key_padding_mask=key_padding_mask,
            need_weights=need_weights,
            attn_mask=attn_mask,
            use_separate_proj_weight=not self._qkv_same_embed_dim,
            q_proj_weight=self.q_proj_weight,
            k_proj_weight=self.k_proj_weight,
            v_proj_weight=self.v_proj_weight,
            average_attn_weights=average_attn_weights,
            is_causal=is_causal,
        )
        return out.transpose(0, 1) if transposed else out, weights

    def merge_masks(
        self, attn_mask: Tensor | None, key_padding_mask: Tensor | None, query: Tensor
    ) -> tuple[Tensor | None, int | None]:
        """Both masks as one, and which they were: 0 `attn_mask`, 1 `key_padding_mask`, 2 both, None neither."""
        if attn_mask is None:
            return key_padding_mask, None if key_padding_mask is None else 1
        batch, length = query.shape[:2]
        mask = attn_mask if attn_mask.ndim == 3 else attn_mask.reshape((1, 1, length, length))
        if attn_mask.ndim == 3:
            mask = mask.reshape((batch, -1, length, length))
        mask = mask.expand((batch, self.num_heads, -1, -1))
        if key_padding_mask is None:
            return mask, 2
        return mask + key_padding_mask.reshape((batch, 1, 1, length)).expand((-1, self.num_heads, -1, -1)), 2


def _transposed(query: Tensor, key: Tensor, value: Tensor) -> Iterator[Tensor]:
    """Return all three with time first; a tensor that is passed several times stays one tensor."""
    transposed = {id(t): t.transpose(0, 1) for t in (query, key, value)}
    return (transposed[id(t)] for t in (query, key, value))
