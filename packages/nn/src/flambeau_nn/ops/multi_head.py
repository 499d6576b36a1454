"""Multi-head attention with input and output projections; a plain function, because it has more arguments than an
operator may have."""

import math
import warnings

import flambeau_tensor as ft
from flambeau_nn.ops import NAMESPACE
from flambeau_overrides import overridable
from flambeau_tensor import Tensor
from flambeau_tensor.ops.matmul import linear


def canonical_mask(
    mask: Tensor | None,
    name: str,
    other_type: ft.dtype | None,
    other_name: str,
    target_type: ft.dtype,
    check_other: bool = True,
) -> Tensor | None:
    """Convert a mask of booleans (True: masked) to numbers to add; None and numbers are unchanged."""
    if mask is None:
        return None
    if mask.dtype is not ft.bool and not mask.is_floating_point():
        raise AssertionError(f"only bool and floating types of {name} are supported")
    if check_other and other_type is not None and mask.dtype is not other_type:
        warnings.warn(
            f"Support for mismatched {name} and {other_name} is deprecated. Use same type for both instead.",
            stacklevel=3,
        )
    if mask.is_floating_point():
        return mask
    return ft.zeros_like(mask, dtype=target_type).masked_fill_(mask, -math.inf)


def _check_shapes(query, key, value, key_padding_mask, attn_mask, num_heads):
    """Return whether there is a batch dimension; raise an error if the dimensions do not match."""
    if query.ndim not in (2, 3):
        raise AssertionError(
            f"query should be unbatched 2D or batched 3D tensor but received {query.ndim}-D query tensor"
        )
    batched = query.ndim == 3
    said, wanted = ("batched (3-D)", 3) if batched else ("unbatched (2-D)", 2)
    if key.ndim != wanted or value.ndim != wanted:
        raise AssertionError(
            f"For {said} `query`, expected `key` and `value` to be {wanted}-D but found "
            f"{key.ndim}-D and {value.ndim}-D tensors respectively"
        )
    if key_padding_mask is not None and key_padding_mask.ndim != wanted - 1:
        raise AssertionError(
            f"For {said} `query`, expected `key_padding_mask` to be `None` or {wanted - 1}-D but "
            f"found {key_padding_mask.ndim}-D tensor instead"
        )
    if attn_mask is not None:
        if attn_mask.ndim not in (2, 3):
            raise AssertionError(
                f"For {said} `query`, expected `attn_mask` to be `None`, 2-D or 3-D but found "
                f"{attn_mask.ndim}-D tensor instead"
            )
        expected = num_heads, query.shape[0], key.shape[0]
        if not batched and attn_mask.ndim == 3 and tuple(attn_mask.shape) != expected:
            raise AssertionError(f"Expected `attn_mask` shape to be {expected} but got {attn_mask.shape}")
    return batched


def _read_attn_mask(mask, is_causal, has_padding, need_weights, dtype):
    """Return the mask as numbers to add, or None if the causal hint replaces it; and whether the hint applies."""
    if is_causal and mask is None:
        raise RuntimeError(
            "Need attn_mask if specifying the is_causal hint. You may use the Transformer module method "
            "`generate_square_subsequent_mask` to create this mask."
        )
    if is_causal and not has_padding and not need_weights:
        return None, True
    return canonical_mask(mask, "attn_mask", None, "", dtype, False), is_causal and not has_padding


def _projected(query, key, value, weight, separate, bias):
    """Return the three projections: by thirds of one weight, or by the three weights ``separate``."""
    if separate is not None:
        if key.shape[:2] != value.shape[:2]:
            raise AssertionError(
                f"key's sequence and batch dims {key.shape[:2]} do not match value's {value.shape[:2]}"
            )
        for name, each in zip("qkv", separate, strict=True):
            if each is None:
                raise AssertionError(f"use_separate_proj_weight is True but {name}_proj_weight is None")
    else:
        if key.shape != value.shape:
            raise AssertionError(f"key shape {key.shape} does not match value shape {value.shape}")
        if weight is None:
            raise AssertionError("use_separate_proj_weight is False but in_proj_weight is None")
        if query is key is value:
            return linear(query, weight, bias).chunk(3, -1)
    weights = weight.chunk(3) if separate is None else separate
    biases = (None, None, None) if bias is None else bias.chunk(3)
    return tuple(linear(x, w, b) for x, w, b in zip((query, key, value), weights, biases, strict=True))


def _check_attn_mask(mask, heads, length, others):
    """The mask with three dimensions."""
    if mask.ndim == 2:
        if tuple(mask.shape) != (length, others):
            raise RuntimeError(f"The shape of the 2D attn_mask is {mask.shape}, but should be {(length, others)}.")
        return mask.unsqueeze(0)
    if mask.ndim == 3:
        if tuple(mask.shape) != (heads, length, others):
            raise RuntimeError(
                f"The shape of the 3D attn_mask is {mask.shape}, but should be {(heads, length, others)}."
            )
        return mask
    raise RuntimeError(f"attn_mask's dimension {mask.ndim} is not supported")


def _mask_of_heads(mask, batch, num_heads, others):
    """The mask of keys, a row for each head of each item."""
    for dim, wanted in ((0, batch), (1, others)):
        if mask.shape[dim] != wanted:
            raise AssertionError(f"Expected key_padded_mask.shape[{dim}] to be {wanted}, but got {mask.shape[dim]}")
    each = mask.reshape((batch, 1, 1, others)).expand((-1, num_heads, -1, -1))
    return each.reshape((batch * num_heads, 1, others))


def _check_static(name, t, heads, head_dim):
    for dim, wanted in ((0, heads), (2, head_dim)):
        if t.shape[dim] != wanted:
            raise AssertionError(f"expecting {name}.size({dim}) of {wanted}, but got {t.shape[dim]}")
    return t


def _padded(mask):
    """The mask with one more key, which all see."""
    return None if mask is None else ft.cat((mask, mask.new_zeros((*mask.shape[:-1], 1))), -1)


_ASKED = (
    "query! key! value! embed_dim_to_check num_heads in_proj_weight! in_proj_bias! bias_k! bias_v! add_zero_attn "
    "dropout_p out_proj_weight! out_proj_bias! * training=True key_padding_mask=None need_weights=True attn_mask=None "
    "use_separate_proj_weight=False q_proj_weight=None k_proj_weight=None v_proj_weight=None static_k=None "
    "static_v=None average_attn_weights=True is_causal=False"
)


@overridable(namespace=NAMESPACE, packing=_ASKED)
def multi_head_attention_forward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    embed_dim_to_check: int,
    num_heads: int,
    in_proj_weight: "Tensor | None",
    in_proj_bias: "Tensor | None",
    bias_k: "Tensor | None",
    bias_v: "Tensor | None",
    add_zero_attn: bool,
    dropout_p: float,
    out_proj_weight: Tensor,
    out_proj_bias: "Tensor | None",
    training: bool = True,
    key_padding_mask: "Tensor | None" = None,
    need_weights: bool = True,
    attn_mask: "Tensor | None" = None,
    use_separate_proj_weight: bool = False,
    q_proj_weight: "Tensor | None" = None,
    k_proj_weight: "Tensor | None" = None,
    v_proj_weight: "Tensor | None" = None,
    static_k: "Tensor | None" = None,
    static_v: "Tensor | None" = None,
    average_attn_weights: bool = True,
    is_causal: bool = False,
) -> "tuple[Tensor, Tensor | None]":
    """The computation of :class:`MultiheadAttention`, for (time, batch, size) or (time, size).

    Returns the result and, if ``need_weights``, the weights (batch, time, others), of each head unless
    ``average_attn_weights``.

    Raises:
        AssertionError: the last dimension of ``query`` is not ``embed_dim_to_check``.

    >>> layer, x = torch.nn.MultiheadAttention(4, 2), torch.ones(3, 1, 4)
    >>> result, weights = multi_head_attention_forward(
    ...     x, x, x, 4, 2, layer.in_proj_weight, layer.in_proj_bias, None, None, False, 0.0, layer.out_proj.weight,
    ...     layer.out_proj.bias)
    >>> result.shape, weights.shape
    (torch.Size([3, 1, 4]), torch.Size([1, 3, 3]))
    """
    batched = _check_shapes(query, key, value, key_padding_mask, attn_mask, num_heads)
    if not batched:
        query, key, value = query.unsqueeze(1), key.unsqueeze(1), value.unsqueeze(1)
        key_padding_mask = None if key_padding_mask is None else key_padding_mask.unsqueeze(0)
    length, batch, size = query.shape
    key_padding_mask = canonical_mask(
        key_padding_mask, "key_padding_mask", None if attn_mask is None else attn_mask.dtype, "attn_mask", query.dtype
    )
    given = key_padding_mask is not None
    attn_mask, is_causal = _read_attn_mask(attn_mask, is_causal, given, need_weights, query.dtype)
    if size != embed_dim_to_check:
        raise AssertionError(f"was expecting embedding dimension of {embed_dim_to_check}, but got {size}")
    head_dim = size // num_heads
    if head_dim * num_heads != size:
        raise AssertionError(f"embed_dim {size} not divisible by num_heads {num_heads}")
    separate = (q_proj_weight, k_proj_weight, v_proj_weight) if use_separate_proj_weight else None
    q, k, v = _projected(query, key, value, in_proj_weight, separate, in_proj_bias)
    heads = batch * num_heads
    if attn_mask is not None:
        attn_mask = _check_attn_mask(attn_mask, heads, length, key.shape[0])
    if bias_k is not None and bias_v is not None:
        for name, static in (("key", static_k), ("value", static_v)):
            if static is not None:
                raise AssertionError(f"bias cannot be added to static {name}.")
        k, v = ft.cat((k, bias_k.repeat(1, batch, 1))), ft.cat((v, bias_v.repeat(1, batch, 1)))
        attn_mask, key_padding_mask = _padded(attn_mask), _padded(key_padding_mask)
    elif bias_k is not None:
        raise AssertionError("bias_k is set but bias_v is None")
    elif bias_v is not None:
        raise AssertionError("bias_v is set but bias_k is None")
    q, k, v = (
        t.reshape((t.shape[0], heads, head_dim)).transpose(0, 1)
        if static is None
        else _check_static(name, static, heads, head_dim)
        for name, t, static in (("q", q, None), ("static_k", k, static_k), ("static_v", v, static_v))
    )
    if add_zero_attn:
        k, v = (ft.cat((t, t.new_zeros((heads, 1, head_dim))), 1) for t in (k, v))
        attn_mask, key_padding_mask = _padded(attn_mask), _padded(key_padding_mask)
    others = k.shape[1]
    if key_padding_mask is not None:
        each = _mask_of_heads(key_padding_mask, batch, num_heads, others)
        attn_mask = each if attn_mask is None else attn_mask + each
    dropout_p = dropout_p if training else 0.0
    found = (
        _with_weights(q, k, v, attn_mask, dropout_p)
        if need_weights
        else (_without(q, k, v, attn_mask, dropout_p, is_causal, num_heads), None)
    )
    out = found[0].transpose(0, 1).reshape((length * batch, size))
    out = linear(out, out_proj_weight, out_proj_bias)
    out = out.reshape((length, batch, out.shape[1]))
    weights = found[1]
    if weights is not None:
        weights = weights.reshape((batch, num_heads, length, others))
        weights = weights.mean(1) if average_attn_weights else weights
    if not batched:
        out, weights = out.squeeze(1), None if weights is None else weights.squeeze(0)
    return out, weights


def _with_weights(q, k, v, mask, dropout_p):
    from flambeau_nn.functional import dropout

    scores = (q * math.sqrt(1 / q.shape[-1])) @ k.transpose(-2, -1)
    weights = ft.softmax(scores if mask is None else scores + mask, -1)
    if dropout_p > 0:
        weights = dropout(weights, dropout_p)
    return weights @ v, weights


def _without(q, k, v, mask, dropout_p, is_causal, num_heads):
    from flambeau_nn.functional import scaled_dot_product_attention

    def split(t):
        return t.reshape((t.shape[0] // num_heads, num_heads, *t.shape[1:]))

    if mask is not None:
        mask = mask.unsqueeze(0) if mask.shape[0] == 1 else split(mask)
    out = scaled_dot_product_attention(split(q), split(k), split(v), mask, dropout_p, is_causal)
    return out.reshape((q.shape[0], *out.shape[2:]))
