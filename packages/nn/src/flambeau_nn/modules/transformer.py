"""Transformers (Vaswani et al., 2017): encoder, decoder and both."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Sequence
from typing import Any

import flambeau_tensor as ft
from flambeau_nn import functional as F
from flambeau_nn import init
from flambeau_nn.modules.activation import GELU, ReLU
from flambeau_nn.modules.attention import MultiheadAttention
from flambeau_nn.modules.container import ModuleList
from flambeau_nn.modules.dropout import Dropout
from flambeau_nn.modules.linear import Linear
from flambeau_nn.modules.module import Module
from flambeau_nn.modules.normalization import LayerNorm
from flambeau_nn.ops.multi_head import canonical_mask
from flambeau_tensor import Tensor, dtype
from flambeau_tensor.options import Device

__all__ = [
    "Transformer",
    "TransformerDecoder",
    "TransformerDecoderLayer",
    "TransformerEncoder",
    "TransformerEncoderLayer",
]


def _generate_square_subsequent_mask(sz: int, device: Device | None = None, dtype: dtype | None = None) -> Tensor:
    return ft.full((sz, sz), -math.inf, device=device, dtype=dtype).triu(1)


def _detect_is_causal_mask(mask: Tensor | None, is_causal: bool | None = None, size: int | None = None) -> bool:
    """Whether the mask is causal, according to the caller or, if `is_causal` is None, to its values."""
    if is_causal is not None or mask is None:
        return is_causal is True
    causal = _generate_square_subsequent_mask(mask.shape[-2] if size is None else size, dtype=mask.dtype)
    return mask.shape == causal.shape and bool((mask == causal).all())


def _get_seq_len(src: Tensor, batch_first: bool) -> int:
    """Return the length of a sequence."""
    return src.shape[0] if src.ndim == 2 else src.shape[1 if batch_first else 0]


def _get_activation_fn(name: str | Callable[[Tensor], Tensor]) -> Callable[[Tensor], Tensor]:
    if name not in ("relu", "gelu"):
        raise RuntimeError(f"activation should be relu/gelu, not {name}")
    return getattr(F, name)


def _get_clones(module: Module, count: int) -> ModuleList:
    return ModuleList([copy.deepcopy(module) for _ in range(count)])


class _Layer(Module):
    """Base class of encoder and decoder layers: attention, a feedforward network of two linear layers, and dropout.

    A norm follows each part, or precedes it with `norm_first`.
    """

    __constants__ = ["norm_first"]

    def _build(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int,
        dropout: float,
        activation: str | Callable[[Tensor], Tensor],
        layer_norm_eps: float,
        batch_first: bool,
        norm_first: bool,
        bias: bool,
        attentions: Sequence[str],
        device: Device | None,
        dtype: dtype | None,
    ) -> None:
        options: dict[str, Any] = {"device": device, "dtype": dtype}
        for name in attentions:
            setattr(
                self,
                name,
                MultiheadAttention(d_model, nhead, dropout=dropout, batch_first=batch_first, bias=bias, **options),
            )
        self.linear1 = Linear(d_model, dim_feedforward, bias=bias, **options)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias=bias, **options)
        self.norm_first = norm_first
        parts = len(attentions) + 1
        for k in range(parts):
            setattr(self, f"norm{k + 1}", LayerNorm(d_model, eps=layer_norm_eps, bias=bias, **options))
        for k in range(parts):
            setattr(self, f"dropout{k + 1}", Dropout(dropout))
        self.activation = _get_activation_fn(activation) if isinstance(activation, str) else activation

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if not hasattr(self, "activation"):
            self.activation = F.relu

    def _attend(
        self,
        attention: Module,
        dropout: Module,
        x: Tensor,
        other: Tensor,
        mask: Tensor | None,
        padding: Tensor | None,
        is_causal: bool,
    ) -> Tensor:
        return dropout(
            attention(
                x, other, other, attn_mask=mask, key_padding_mask=padding, is_causal=is_causal, need_weights=False
            )[0]
        )

    def _ff_block(self, x: Tensor, dropout: Module) -> Tensor:
        return dropout(self.linear2(self.dropout(self.activation(self.linear1(x)))))

    def _run(self, x: Tensor, parts: Sequence[tuple[Module, Callable[[Tensor], Tensor]]]) -> Tensor:
        """Add to `x` the output of each part, with its norm."""
        for norm, part in parts:
            x = x + part(norm(x)) if self.norm_first else norm(x + part(x))
        return x


class TransformerEncoderLayer(_Layer):
    """Self-attention and a feedforward network of two linear layers, each with dropout, a residual connection and a
    norm.

    Args:
        d_model: the size of each element of a sequence. nhead: the number of attention heads.
        dim_feedforward: the width of the feedforward network.
        dropout: the dropout probability.
        activation: the activation of the feedforward network: "relu", "gelu" or a function.
        layer_norm_eps: eps of the norms.
        batch_first: whether sequences are (batch, time, size) rather than (time, batch, size).
        norm_first: whether to normalize the input of each part instead of the sum after it.
        bias: whether linear layers and norms have biases.

    Shape:
        (S, N, d_model), (N, S, d_model) with ``batch_first``, or (S, d_model) → the same

    Raises:
        AssertionError: ``d_model`` is not divisible by ``nhead``.
        RuntimeError: ``activation`` is neither "relu" nor "gelu" nor callable.

    >>> import flambeau_tensor as ft
    >>> TransformerEncoderLayer(8, 2)(ft.ones(5, 3, 8)).shape
    torch.Size([5, 3, 8])
    """

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: str | Callable[[Tensor], Tensor] = F.relu,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Device | None = None,
        dtype: dtype | None = None,
    ) -> None:
        super().__init__()
        self._build(
            d_model,
            nhead,
            dim_feedforward,
            dropout,
            activation,
            layer_norm_eps,
            batch_first,
            norm_first,
            bias,
            ("self_attn",),
            device,
            dtype,
        )
        of_relu = self.activation is F.relu or isinstance(self.activation, ReLU)
        of_gelu = self.activation is F.gelu or isinstance(self.activation, GELU)
        self.activation_relu_or_gelu = 1 if of_relu else 2 if of_gelu else 0  # what programs read

    def forward(
        self,
        src: Tensor,
        src_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool = False,
    ) -> Tensor:
        padding = canonical_mask(
            src_key_padding_mask,
            "src_key_padding_mask",
            None if src_mask is None else src_mask.dtype,
            "src_mask",
            src.dtype,
        )
        mask = canonical_mask(src_mask, "src_mask", None, "", src.dtype, False)
        return self._run(
            src,
            (
                (self.norm1, lambda x: self._attend(self.self_attn, self.dropout1, x, x, mask, padding, is_causal)),
                (self.norm2, lambda x: self._ff_block(x, self.dropout2)),
            ),
        )


class TransformerDecoderLayer(_Layer):
    """Self-attention, attention to `memory`, and a feedforward network of two linear layers, each with dropout, a
    residual connection and a norm. Arguments are those of :class:`TransformerEncoderLayer`.

    Shape:
        tgt (T, N, d_model), memory (S, N, d_model), with ``batch_first`` (N, T, d_model) and (N, S, d_model),
        or without N → like tgt

    Raises:
        AssertionError: ``d_model`` is not divisible by ``nhead``.
        RuntimeError: ``activation`` is neither "relu" nor "gelu" nor callable.

    >>> TransformerDecoderLayer(8, 2, dim_feedforward=16)(torch.ones(3, 1, 8), torch.ones(5, 1, 8)).shape
    torch.Size([3, 1, 8])
    """

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: str | Callable[[Tensor], Tensor] = F.relu,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Device | None = None,
        dtype: dtype | None = None,
    ) -> None:
        super().__init__()
        self._build(
            d_model,
            nhead,
            dim_feedforward,
            dropout,
            activation,
            layer_norm_eps,
            batch_first,
            norm_first,
            bias,
            ("self_attn", "multihead_attn"),
            device,
            dtype,
        )

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool = False,
        memory_is_causal: bool = False,
    ) -> Tensor:
        return self._run(
            tgt,
            (
                (
                    self.norm1,
                    lambda x: self._attend(
                        self.self_attn, self.dropout1, x, x, tgt_mask, tgt_key_padding_mask, tgt_is_causal
                    ),
                ),
                (
                    self.norm2,
                    lambda x: self._attend(
                        self.multihead_attn,
                        self.dropout2,
                        x,
                        memory,
                        memory_mask,
                        memory_key_padding_mask,
                        memory_is_causal,
                    ),
                ),
                (self.norm3, lambda x: self._ff_block(x, self.dropout3)),
            ),
        )


class TransformerEncoder(Module):
    """A stack of copies of an encoder layer, followed by a norm. `enable_nested_tensor` and `mask_check` concern
    PyTorch's fast path and have no effect.

    Shape:
        (S, N, d_model), (N, S, d_model) with ``batch_first``, or (S, d_model) → the same

    Raises:
        AssertionError: the last dimension of ``src`` is not the layer's.

    >>> layer = torch.nn.TransformerEncoderLayer(8, 2, dim_feedforward=16, batch_first=True)
    >>> TransformerEncoder(layer, 2)(torch.ones(1, 5, 8)).shape
    torch.Size([1, 5, 8])
    """

    __constants__ = ["norm"]

    def __init__(
        self,
        encoder_layer: TransformerEncoderLayer,
        num_layers: int,
        norm: Module | None = None,
        enable_nested_tensor: bool = True,
        mask_check: bool = True,
    ) -> None:
        super().__init__()
        self.layers = _get_clones(encoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm
        self.enable_nested_tensor = enable_nested_tensor
        self.use_nested_tensor = False
        self.mask_check = mask_check

    def forward(
        self,
        src: Tensor,
        mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool | None = None,
    ) -> Tensor:
        padding = canonical_mask(
            src_key_padding_mask, "src_key_padding_mask", None if mask is None else mask.dtype, "mask", src.dtype
        )
        mask = canonical_mask(mask, "mask", None, "", src.dtype, False)
        first = self.layers[0].self_attn.batch_first if len(self.layers) else False
        causal = _detect_is_causal_mask(mask, is_causal, _get_seq_len(src, first))
        for layer in self.layers:
            src = layer(src, src_mask=mask, is_causal=causal, src_key_padding_mask=padding)
        return src if self.norm is None else self.norm(src)


class TransformerDecoder(Module):
    """A stack of copies of a decoder layer, followed by a norm.

    Shape:
        tgt (T, N, d_model), memory (S, N, d_model), or N first, or without it → like tgt

    Raises:
        AttributeError: the layer does not take a decoder layer's arguments.

    >>> layer = torch.nn.TransformerDecoderLayer(8, 2, dim_feedforward=16)
    >>> TransformerDecoder(layer, 2)(torch.ones(3, 1, 8), torch.ones(5, 1, 8)).shape
    torch.Size([3, 1, 8])
    """

    __constants__ = ["norm"]

    def __init__(self, decoder_layer: TransformerDecoderLayer, num_layers: int, norm: Module | None = None) -> None:
        super().__init__()
        self.layers = _get_clones(decoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor:
        first = self.layers[0].self_attn.batch_first if len(self.layers) else False
        causal = _detect_is_causal_mask(tgt_mask, tgt_is_causal, _get_seq_len(tgt, first))
        for layer in self.layers:
            tgt = layer(
                tgt,
                memory,
                tgt_mask=tgt_mask,
                memory_mask=memory_mask,
                tgt_key_padding_mask=tgt_key_padding_mask,
                memory_key_padding_mask=memory_key_padding_mask,
                tgt_is_causal=causal,
                memory_is_causal=memory_is_causal,
            )
        return tgt if self.norm is None else self.norm(tgt)


class Transformer(Module):
    """An encoder, and a decoder that attends to the encoder's output.

    Args:
        d_model: the size of each element of a sequence. nhead: the number of attention heads.
        num_encoder_layers, num_decoder_layers: the number of layers of each.
        dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, bias: of the layers, see
            :class:`TransformerEncoderLayer`.
        custom_encoder, custom_decoder: modules that replace the encoder and the decoder.

    Shape:
        src (S, N, d_model), tgt (T, N, d_model), with ``batch_first`` (N, S, d_model) and (N, T, d_model), or
        without N → like tgt

    Raises:
        AssertionError: ``d_model`` is not divisible by ``nhead``.
        RuntimeError: batches of ``src`` and ``tgt`` differ, or a last dimension is not ``d_model``.

    >>> import flambeau_tensor as ft
    >>> model = Transformer(8, 2, num_encoder_layers=1, num_decoder_layers=1, dim_feedforward=16)
    >>> model(ft.ones(5, 3, 8), ft.ones(4, 3, 8)).shape
    torch.Size([4, 3, 8])
    """

    def __init__(
        self,
        d_model: int = 512,
        nhead: int = 8,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: str | Callable[[Tensor], Tensor] = F.relu,
        custom_encoder: Module | None = None,
        custom_decoder: Module | None = None,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Device | None = None,
        dtype: dtype | None = None,
    ) -> None:
        super().__init__()
        options: dict[str, Any] = {"device": device, "dtype": dtype}
        layer = d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, bias

        def norm() -> LayerNorm:
            return LayerNorm(d_model, eps=layer_norm_eps, bias=bias, **options)

        if custom_encoder is None:
            encoder_layer = TransformerEncoderLayer(*layer, **options)
            custom_encoder = TransformerEncoder(encoder_layer, num_encoder_layers, norm())
        self.encoder = custom_encoder
        if custom_decoder is None:
            decoder_layer = TransformerDecoderLayer(*layer, **options)
            custom_decoder = TransformerDecoder(decoder_layer, num_decoder_layers, norm())
        self.decoder = custom_decoder
        self._reset_parameters()
        self.d_model = d_model
        self.nhead = nhead
        self.batch_first = batch_first

    def forward(
        self,
        src: Tensor,
        tgt: Tensor,
        src_mask: Tensor | None = None,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        src_is_causal: bool | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor:
        dim = 0 if self.batch_first else 1
        if src.ndim == 3 and src.shape[dim] != tgt.shape[dim]:
            raise RuntimeError("the batch number of src and tgt must be equal")
        if src.shape[-1] != self.d_model or tgt.shape[-1] != self.d_model:
            raise RuntimeError("the feature number of src and tgt must be equal to d_model")
        memory = self.encoder(src, mask=src_mask, src_key_padding_mask=src_key_padding_mask, is_causal=src_is_causal)
        return self.decoder(
            tgt,
            memory,
            tgt_mask=tgt_mask,
            memory_mask=memory_mask,
            tgt_key_padding_mask=tgt_key_padding_mask,
            memory_key_padding_mask=memory_key_padding_mask,
            tgt_is_causal=tgt_is_causal,
            memory_is_causal=memory_is_causal,
        )

    @staticmethod
    def generate_square_subsequent_mask(sz: int, device: Device | None = None, dtype: dtype | None = None) -> Tensor:
        """The causal mask (sz, sz): -inf above the diagonal, 0 elsewhere."""
        return _generate_square_subsequent_mask(sz, device, dtype)

    def _reset_parameters(self) -> None:
        for p in self.parameters():
            if p.ndim > 1:
                init.xavier_uniform_(p)
