"""Attention (Vaswani et al., 2017). ``multi_head.py`` contains ``multi_head_attention_forward``."""

import math

import flambeau_tensor as ft
from flambeau_nn._kernels import attention as kernels
from flambeau_nn.attention import ALLOWED
from flambeau_nn.ops import INTERNAL, NAMESPACE
from flambeau_tensor import Operator
from flambeau_tensor.extend import FUNCTION, is_layered

_OPERANDS = "Tensor query, Tensor key, Tensor value, Tensor? mask, bool is_causal, float scale"
attention = Operator(
    f"attention({_OPERANDS}) -> (Tensor output, Tensor logsumexp)",
    kernels.attention,
    namespace=INTERNAL,
    variants=FUNCTION,
    doc="Attention in blocks; the logarithms of the sums of exponentials are for backward.",
)
attention_backward = Operator(
    f"attention_backward(Tensor grad_output, Tensor logsumexp, {_OPERANDS}) -> (Tensor, Tensor, Tensor)",
    kernels.attention_backward,
    namespace=INTERNAL,
    variants=FUNCTION,
    doc="The gradients of attention with respect to query, key and value.",
)

_NUMBERS = {
    "Float": "float",
    "Double": "double",
    "Half": "c10::Half",
    "BFloat16": "c10::BFloat16",
    "Long": "long int",
    "Int": "int",
    "Bool": "bool",
}


def _type(t):
    name = t.type().split(".")[-1].removesuffix("Tensor")
    return _NUMBERS.get(name, name)


def _check(query, key, value, mask, dropout_p, is_causal):
    if not query.dtype is key.dtype is value.dtype:
        raise RuntimeError(
            "Expected query, key, and value to have the same dtype, but got query.dtype: "
            f"{_type(query)} key.dtype: {_type(key)} and value.dtype: {_type(value)} instead."
        )
    if query.ndim < 2 or key.ndim < 2 or value.ndim < 2:
        raise RuntimeError(
            "Expected query, key, and value to all be  at least 2 dimensional, but got query.dim: "
            f"{query.ndim} key.dim: {key.ndim} and value.dim: {value.ndim} instead."
        )
    if mask is not None:
        if mask.dtype is not ft.bool and mask.dtype is not query.dtype and mask.dtype is not ft.float32:
            raise RuntimeError(
                "Expected attn_mask dtype to be bool or float or to match query dtype, but got "
                f"attn_mask.dtype: {_type(mask)} and  query.dtype: {_type(query)} instead."
            )
        if is_causal and (query.ndim != 4 or dropout_p > 0 or mask.requires_grad):
            raise RuntimeError(
                "_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True"
            )
    if not 0 <= dropout_p <= 1:
        raise RuntimeError(f"dropout probability has to be between 0 and 1, but got {dropout_p:g}")


def _repeated(query, key, value):
    """Keys and values once for each head of the queries."""
    heads, of_keys, of_values = query.shape[-3], key.shape[-3], value.shape[-3]
    if of_keys == 0 or of_values == 0 or heads % of_keys or heads % of_values:
        raise RuntimeError("Number of heads in key and value must divide the number of heads in query")
    return key.repeat_interleave(heads // of_keys, -3), value.repeat_interleave(heads // of_values, -3)


def _earlier(query, key):
    """The mask of the keys up to each query."""
    return query.new_ones((query.shape[-2], key.shape[-2]), dtype=ft.bool).tril()


def _scores(query, key, mask, is_causal, scale):
    """Return the scaled and masked products q · k, and the rows without any key (None if there are none)."""
    if not query.is_floating_point() and not query.is_complex():
        raise RuntimeError(f"expected scalar type Float but found {query.type().split('.')[-1][:-6]}")
    # The scale is split so that neither product leaves the range of its dtype.
    root = math.sqrt(abs(scale))
    scores = (query * math.copysign(root, scale)) @ (key.transpose(-2, -1) * root)
    if is_causal:
        mask = _earlier(query, key)
    if mask is None:
        return scores, None
    scores = scores.masked_fill(mask.logical_not(), -math.inf) if mask.dtype is ft.bool else scores + mask
    return scores, None if is_causal else (scores == -math.inf).all(-1, keepdim=True)


def composed(query, key, value, mask, dropout_p, is_causal, scale):
    """Attention by other operations; of half types in single precision."""
    dtype = query.dtype
    if dtype in (ft.float16, ft.bfloat16):
        mask = mask if mask is None or mask.dtype is ft.bool else mask.float()
        return composed(query.float(), key.float(), value.float(), mask, dropout_p, is_causal, scale).to(dtype)
    scores, empty = _scores(query, key, mask, is_causal, scale)
    if empty is not None:  # a query without any key gets zeros
        scores = scores.masked_fill(empty, 0.0)
    weights = ft.softmax(scores, -1)
    if empty is not None:
        weights = weights.masked_fill(empty, 0.0)
    if dropout_p > 0:
        from flambeau_nn.functional import dropout

        weights = dropout(weights, dropout_p, True)
    return weights.to(value.dtype) @ value


def _in_blocks(query, key, value, mask):
    """Whether the operator takes the operands: plain tensors of equal outer sizes, and a mask without a gradient."""
    shape, of_key, of_value = query.shape, key.shape, value.shape
    if not query.is_floating_point():
        return False
    if not shape == of_key == of_value and not (
        shape[:-2] == of_key[:-2] == of_value[:-2] and shape[-1] == of_key[-1] and of_key[-2] == of_value[-2]
    ):
        return False
    if is_layered(query) or is_layered(key) or is_layered(value):
        return False
    if mask is None:
        return True
    wanted = (*shape[:-1], of_key[-2])
    return (
        mask.ndim <= len(wanted)
        and not mask.requires_grad
        and not is_layered(mask)
        and all(m == w or m == 1 for m, w in zip(mask.shape[::-1], wanted[::-1], strict=False))
    )


def _scaled_dot_product_attention(query, key, value, attn_mask, dropout_p, is_causal, scale, enable_gqa):
    _check(query, key, value, attn_mask, dropout_p, is_causal)
    if enable_gqa and query.ndim > 3:
        key, value = _repeated(query, key, value)
    if attn_mask is not None and is_causal:
        earlier = _earlier(query, key)
        attn_mask = attn_mask & earlier if attn_mask.dtype is ft.bool else attn_mask.masked_fill(~earlier, -math.inf)
        is_causal = False
    scale = scale if scale is not None else 1 / math.sqrt(query.shape[-1]) if query.shape[-1] else 1.0
    if dropout_p == 0 and ALLOWED.blocks and _in_blocks(query, key, value, attn_mask):
        return attention(query, key, value, attn_mask, is_causal, scale)[0]
    if not ALLOWED.math:
        raise RuntimeError(
            "No viable backend for scaled_dot_product_attention was found. This is likely due to "
            "turning off both the math kernel and the fused kernels."
        )
    return composed(query, key, value, attn_mask, dropout_p, is_causal, scale)


kernels.connect(attention, _scaled_dot_product_attention, ALLOWED)
scaled_dot_product_attention = Operator(
    "scaled_dot_product_attention(Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None, float dropout_p=0.0, "
    "bool is_causal=False, *, float? scale=None, bool enable_gqa=False) -> Tensor",
    kernels.scaled_dot_product_attention,
    namespace=NAMESPACE,
    variants=FUNCTION,
    composite=True,
    aten="scaled_dot_product_attention(Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None, "
    "float dropout_p=0.0, bool is_causal=False, *, float? scale=None, bool enable_gqa=False) -> Tensor",
    doc="softmax(query keyᵀ · scale + attn_mask) value over the last two dimensions: (*, L, E), (*, S, E) and "
    "(*, S, Ev) to (*, L, Ev). `scale` is by default 1/sqrt(E). A floating-point `attn_mask` (*, L, S) is added to "
    "the scores; a boolean one is True for keys that a query attends to. With `is_causal`, a query attends to keys up "
    "to its own position. A query without keys gives zeros. `dropout_p` is the dropout probability of the weights. "
    "With `enable_gqa`, several query heads (dimension -3) share one head of keys and values.",
)
