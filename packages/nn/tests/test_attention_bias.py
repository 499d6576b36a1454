"""Causal masks of attention whose queries and keys differ in number; values of PyTorch 2.13."""

import pytest

import flambeau_tensor as torch
from flambeau_nn.attention.bias import CausalBias, CausalVariant, causal_lower_right, causal_upper_left
from flambeau_nn.functional import scaled_dot_product_attention


def test_masks():
    assert causal_upper_left(2, 3).tolist() == [[True, False, False], [True, True, False]]
    assert causal_lower_right(2, 3).tolist() == [[True, True, False], [True, True, True]]
    bias = causal_lower_right(2, 3)
    assert (bias.variant, bias.seq_len_q, bias.seq_len_kv) == (CausalVariant.LOWER_RIGHT, 2, 3)
    assert type(bias + 1) is torch.Tensor and repr(bias).startswith("tensor([[ True")
    with pytest.raises(AssertionError, match="variant must be a CausalVariant"):
        CausalBias(1, 2, 3)
    with pytest.raises(AssertionError, match="two sizes, got 1"):
        causal_upper_left(2)


def test_attention():
    query, key = torch.ones(1, 1, 2, 4), torch.ones(1, 1, 3, 4)
    value = torch.arange(12.0).view(1, 1, 3, 4)
    lower = scaled_dot_product_attention(query, key, value, attn_mask=causal_lower_right(2, 3))
    assert torch.allclose(lower, torch.tensor([[[[2.0, 3, 4, 5], [4, 5, 6, 7]]]]))
    upper = scaled_dot_product_attention(query, key, value, attn_mask=causal_upper_left(2, 3))
    assert torch.allclose(upper, scaled_dot_product_attention(query, key, value, is_causal=True))
