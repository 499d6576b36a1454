"""Attention with functions for scores and masks, against attention with tensors, and what PyTorch 2.13 prints."""

import math

import pytest

import flambeau_nn.attention.flex_attention as flex
import flambeau_tensor as ft
from flambeau_autograd import grad, gradcheck
from flambeau_nn.functional import scaled_dot_product_attention

ft.manual_seed(0)
Q, K, V = (ft.randn(2, 4, n, size, dtype=ft.float64) for n, size in ((5, 3), (7, 3), (7, 2)))
BIAS = ft.randn(4, 5, 7, dtype=ft.float64)
DOCUMENT = ft.tensor([0, 0, 0, 1, 1, 1, 2])


def causal(b, h, q, k):
    return q >= k


def documents(b, h, q, k):
    return DOCUMENT[q] == DOCUMENT[k]


def close(a, b):
    assert a.dtype is b.dtype and a.shape == b.shape and ft.allclose(a, b, atol=1e-12)


SCORES = {
    "relative": (lambda s, b, h, q, k: s + (q - k), ft.arange(5)[:, None] - ft.arange(7)),
    "bias of a head": (lambda s, b, h, q, k: s + BIAS[h, q, k], BIAS),
    "slopes": (
        lambda s, b, h, q, k: s + (q - k) * ft.exp2(-(h + 1.0)),
        (ft.arange(5)[:, None] - ft.arange(7)) * ft.tensor([0.5, 0.25, 0.125, 0.0625]).view(4, 1, 1),
    ),
    "of an example": (lambda s, b, h, q, k: s + b * k, ft.arange(2).view(2, 1, 1, 1) * ft.arange(7)),
}


@pytest.mark.parametrize("name", SCORES)
def test_scores(name):
    mod, added = SCORES[name]
    close(flex.flex_attention(Q, K, V, mod), scaled_dot_product_attention(Q, K, V, added.double()))


@pytest.mark.parametrize("mask_mod", [causal, documents, flex.noop_mask, flex.or_masks(causal, documents)])
def test_masks(mask_mod):
    mask = flex.create_block_mask(mask_mod, None, None, 5, 7, BLOCK_SIZE=2)
    dense = flex.create_mask(mask_mod, 2, 4, 5, 7)
    assert dense.shape == (2, 4, 5, 7) and dense.dtype is ft.bool
    close(flex.flex_attention(Q, K, V, block_mask=mask), scaled_dot_product_attention(Q, K, V, dense))


def test_queries_that_see_nothing():
    mask = flex.create_block_mask(lambda b, h, q, k: q < k - 4, None, None, 5, 7)
    x = Q.clone().requires_grad_()
    result, lse = flex.flex_attention(x, K, V, block_mask=mask, return_lse=True)
    assert not result[..., 2:, :].any() and (lse[..., 2:] == -math.inf).all()
    (slope,) = grad(result.sum(), x)
    assert slope.isfinite().all() and not slope[..., 2:, :].any()


def test_what_is_returned():
    result, lse = flex.flex_attention(Q, K, V, scale=0.5, return_lse=True)
    close(lse, (Q @ K.mT * 0.5).logsumexp(-1))
    again, aux = flex.flex_attention(Q, K, V, scale=0.5, return_aux=flex.AuxRequest(lse=True))
    close(again, result)
    close(aux.lse, lse)
    assert flex.flex_attention(Q, K, V, return_aux=flex.AuxRequest())[1] == flex.AuxOutput(None, None)
    half, wide = flex.flex_attention(Q.half(), K.half(), V.half(), return_lse=True)
    assert (half.dtype, wide.dtype) == (ft.float16, ft.float32)
    turned = flex.flex_attention(Q.transpose(1, 2).contiguous().transpose(1, 2), K, V)
    assert turned.stride() == (40, 2, 8, 1)  # in memory as the queries are


def test_heads_in_groups():
    shared = flex.flex_attention(Q, K[:, :2], V[:, :2], enable_gqa=True)
    close(shared, flex.flex_attention(Q, K[:, :2].repeat_interleave(2, 1), V[:, :2].repeat_interleave(2, 1)))


def test_derivatives():
    slope = ft.tensor(0.3, dtype=ft.float64, requires_grad=True)
    x = [t[:1, :1].clone().requires_grad_() for t in (Q, K, V)]
    mask = flex.create_block_mask(causal, None, None, 5, 7)
    assert gradcheck(lambda q, k, v, s: flex.flex_attention(q, k, v, lambda t, b, h, i, j: t * s, mask), (*x, slope))


def test_blocks():
    mask = flex.create_block_mask(causal, None, None, 300, 300)
    assert mask.kv_num_blocks.tolist() == [[[1, 1, 3]]] and mask.full_kv_num_blocks.tolist() == [[[0, 1, 0]]]
    assert mask.kv_indices.tolist() == [[[[0, 1, 2], [1, 0, 2], [0, 1, 2]]]] and mask.kv_indices.dtype is ft.int32
    assert mask.q_num_blocks.tolist() == [[[2, 2, 1]]] and mask.full_q_num_blocks.tolist() == [[[1, 0, 0]]]
    assert mask.q_indices.tolist() == [[[[0, 2, 1], [1, 2, 0], [2, 0, 1]]]]
    assert mask.to_dense().tolist() == [[[[1, 0, 0], [1, 1, 0], [1, 1, 1]]]]
    assert (mask.shape, mask.numel(), mask.BLOCK_SIZE) == ((1, 1, 300, 300), 90000, (128, 128))
    assert mask.sparsity() == pytest.approx(-9.2266667)
    assert str(mask) == "BlockMask(shape=(1, 1, 300, 300), sparsity=-9.23%, \n(0, 0)\n██    \n████  \n██████\n)"
    assert repr(mask).splitlines()[1:3] == [
        "    kv_num_blocks=torch.Size([1, 1, 3]),",
        "    kv_indices=torch.Size([1, 1, 3, 3]),",
    ]
    assert repr(mask).endswith("    sparsity=-9.23%,\n    mask_mod=causal\n)")
    assert mask.to_string(2).splitlines()[1:3] == ["░░  ", "████"]
    assert len(mask.as_tuple()) == 17 and len(mask.as_tuple(flatten=False)) == 15
    joined = flex.create_block_mask(causal, None, None, 10, 10, BLOCK_SIZE=4, separate_full_blocks=False)
    assert joined.full_kv_indices is None and joined.kv_num_blocks.tolist() == [[[1, 2, 3]]]


def test_parts_of_a_mask():
    mask = flex.create_block_mask(causal, 2, 3, 300, 260)
    assert mask[0].shape == (1, 3, 300, 260) and mask[0, 1].shape == (1, 1, 300, 260)
    assert mask[ft.tensor([1, 0])].shape == (2, 3, 300, 260)
    with pytest.raises(RuntimeError, match="a slice of a BlockMask"):
        mask[0].mask_mod(0, 0, 0, 0)
    assert mask._adjust(100, 100).kv_indices.shape == (2, 3, 1, 1) and mask._adjust(100, 100).mask_mod is causal
    assert mask.to("cpu").shape == mask.shape
    again = flex.BlockMask.from_kv_blocks(*mask.as_tuple()[2:6])
    assert again.shape == (2, 3, 384, 384) and again.q_indices.tolist() == mask.q_indices.tolist()
    assert "+" not in mask.to_string(limit=1) and mask.to_string(limit=1).count("(0,") == 1


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: flex.flex_attention(Q[0], K[0], V[0]), NotImplementedError, "must be 4D tensors"),
        (lambda: flex.flex_attention(Q, K[:, :2], V[:, :2]), ValueError, "got Hq=4 and Hkv=2"),
        (lambda: flex.flex_attention(Q, K[:, :3], V[:, :3], enable_gqa=True), ValueError, "a multiple of kv heads"),
        (lambda: flex.flex_attention(Q, K[:1], V[:1]), ValueError, "Bq=2, and Bkv=1"),
        (lambda: flex.flex_attention(Q[..., :2], K, V), ValueError, "got E=2 and E=3"),
        (
            lambda: flex.flex_attention(Q, K, V, block_mask=flex.create_block_mask(causal, 1, 1, 4, 7)),
            ValueError,
            "smaller length than you're using it for",
        ),
        (
            lambda: flex.flex_attention(Q, K, V, block_mask=flex.create_block_mask(causal, 1, 1, 6, 8)),
            ValueError,
            "larger length than you're using it for",
        ),
        (
            lambda: flex.flex_attention(Q, K, V, return_lse=True, return_aux=flex.AuxRequest()),
            ValueError,
            "Cannot specify both return_lse and return_aux",
        ),
        (lambda: flex.flex_attention(Q, K, V, return_aux=flex.AuxRequest(max_scores=True)), NotImplementedError, "max"),
        (lambda: flex.create_mask(lambda x: x, 1, 1, 2, 2), AssertionError, "Expected 4 or 5 positional args, got 1"),
        (lambda: flex.create_block_mask(lambda s, b, h, q, k: s, 1, 1, 2, 2), AssertionError, "requires a mask_mod"),
        (lambda: flex.and_masks(causal, 3), RuntimeError, "All inputs should be callable mask_mods"),
        (
            lambda: flex.BlockMask.from_kv_blocks(ft.ones(()).int(), ft.ones(1).int()),
            RuntimeError,
            "at least 2 dimensions",
        ),
    ],
)
def test_errors(call, error, text):
    with pytest.raises(error, match=text):
        call()
