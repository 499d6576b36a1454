"""Attention and transformers against numbers of PyTorch 2.13."""

import copy
import math
import pickle

import pytest

import flambeau_nn as nn
import flambeau_tensor as ft
from flambeau_autograd import grad, gradcheck
from flambeau_autograd.func import jacfwd, jacrev, vmap
from flambeau_autograd.gradcheck import gradgradcheck
from flambeau_nn import functional as F
from flambeau_nn.attention import SDPBackend, sdpa_kernel
from samples.derivatives import check_batches, check_derivatives
from samples.values import check_values

attend = F.scaled_dot_product_attention


def wave(step, *shape):
    return ft.arange(float(math.prod(shape)), dtype=ft.float64).mul(step).sin().reshape(shape)


OPTIONS = {
    "plain": {},
    "causal": {"is_causal": True},
    "scaled": {"scale": -2.0},
    "booleans": {"attn_mask": wave(1.0, 3, 5) > 0.2},
    "numbers": {"attn_mask": wave(1.0, 2, 1, 3, 5)},
}
# The result and the gradients of query, key and value, each weighed by 1, 2, 3, …
EXPECTED = {
    "plain": (-7.681898213, [-1594.604972, 7.1100658, 7956.744837]),
    "causal": (4.03325744, [-1152.53162, -17.37329061, 7091.856181]),
    "scaled": (37.07246557, [2973.125517, -144.2907146, 7883.826927]),
    "booleans": (-0.8788222614, [-1026.30347, -3.587122251, 8397.843466]),
    "numbers": (-0.4702821056, [-2061.166231, -10.72457204, 7845.835192]),
}


@pytest.mark.parametrize("name", EXPECTED)
def test_attention(name, close, weighed):
    given = [t.requires_grad_() for t in (wave(1.1, 2, 2, 3, 4), wave(0.9, 2, 2, 5, 4), wave(1.7, 2, 2, 5, 2))]
    out = attend(*given, **OPTIONS[name])
    weighed(out).backward()
    of_out, of_given = EXPECTED[name]
    close(weighed(out).item(), of_out)
    close([weighed(t.grad).item() for t in given], of_given)
    halves = attend(
        *(t.detach().half() for t in given),
        **{
            key: o.half() if isinstance(o, ft.Tensor) and o.is_floating_point() else o
            for key, o in OPTIONS[name].items()
        },
    )
    assert halves.dtype is ft.float16 and ft.allclose(halves.double(), out, atol=5e-3)


@pytest.mark.parametrize(("dtype", "error"), [(ft.float16, 3e-4), (ft.bfloat16, 2.4e-3)])
def test_half_types_are_rounded_once(dtype, error):
    """Also where the sizes are no kernel's; PyTorch's error is the same."""
    ft.manual_seed(0)
    q, k, v = (ft.randn(*n).to(dtype) for n in ((2, 2, 3, 7), (2, 2, 2, 7), (1, 2, 2, 2, 4)))
    for mask in (None, ft.randn(3, 2).to(dtype), ft.tensor([[True, False], [True, True], [False, True]])):
        out = attend(q, k, v, mask)
        wide = mask if mask is None or mask.dtype is ft.bool else mask.double()
        exact = attend(q.double(), k.double(), v.double(), wide)
        assert out.dtype is dtype and out.shape == exact.shape == (1, 2, 2, 3, 4)
        assert (out.double() - exact).abs().max() < error * exact.abs().max()


@pytest.mark.parametrize("name", OPTIONS)
def test_derivatives(name):
    options = dict(OPTIONS[name])
    mask = options.pop("attn_mask", None)
    given = [wave(1.1, 2, 1, 3, 2), wave(0.9, 2, 1, 5, 2), wave(1.7, 2, 1, 5, 2)]
    if mask is not None:
        given.append(mask)
    given = [t.requires_grad_() if t.is_floating_point() else t for t in given]

    def run(*given):
        return attend(*given, **options)

    assert gradcheck(run, given, check_forward_ad=True) and gradgradcheck(run, given)
    queries = wave(0.3, 3, 2, 1, 3, 2)
    many = vmap(lambda q: run(q, *given[1:]))(queries)
    assert ft.allclose(many, ft.stack([run(q, *given[1:]) for q in queries]))
    assert ft.allclose(jacfwd(run)(*given), jacrev(run)(*given))


def test_long_sequences():
    """Many queries and keys, with sizes that blocks do not divide."""
    q, k, v = (wave(s, 2, 3, 701, 8).float().requires_grad_() for s in (1.1, 0.9, 1.7))
    out = attend(q, k, v, is_causal=True)
    out.sum().backward()
    hidden = ft.ones(701, 701, dtype=ft.bool).triu(1)
    scores = (q.detach() @ k.detach().mT / math.sqrt(8)).masked_fill(hidden, -math.inf)
    assert ft.allclose(out, ft.softmax(scores, -1) @ v.detach(), atol=1e-5)
    exact = [t.detach().double().requires_grad_() for t in (q, k, v)]
    attend(*exact, is_causal=True).sum().backward()
    for t, e in zip((q, k, v), exact, strict=True):
        assert ft.allclose(t.grad.double(), e.grad, atol=1e-3)


def test_heads_share_keys(close, weighed):
    out = attend(wave(1.1, 1, 4, 3, 4), wave(0.9, 1, 2, 5, 4), wave(1.7, 1, 2, 5, 2), enable_gqa=True)
    close(weighed(out).item(), -16.921041018125575)


def test_queries_that_see_nothing_get_zeros():
    q = ft.ones(3, 4, requires_grad=True)
    for mask in (ft.zeros(3, 3, dtype=ft.bool), ft.full((3, 3), -math.inf)):
        out = attend(q, q, q, mask)
        assert out.abs().sum().item() == 0
        out.sum().backward()
        assert q.grad.abs().sum().item() == 0
    assert attend(ft.ones(3, 4), ft.ones(0, 4), ft.ones(0, 2)).tolist() == [[0, 0]] * 3


def test_dropout_follows_the_seed():
    ft.manual_seed(0)
    out = attend(ft.ones(1, 2, 4), ft.ones(1, 3, 4), ft.eye(3).unsqueeze(0), dropout_p=0.5)
    ft.manual_seed(0)
    assert ft.allclose(out, F.dropout(ft.full((1, 2, 3), 1 / 3)))


Q = ft.ones(2, 3, 4)
ERRORS = {
    "mask and causal": (
        lambda: attend(Q, Q, Q, ft.ones(3, 3, dtype=ft.bool), is_causal=True),
        RuntimeError,
        "_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True",
    ),
    "dtypes": (
        lambda: attend(Q, Q.double(), Q),
        RuntimeError,
        "Expected query, key, and value to have the same dtype, but got query.dtype: float key.dtype: double "
        "and value.dtype: float instead.",
    ),
    "vector": (
        lambda: attend(Q[0, 0], Q, Q),
        RuntimeError,
        "Expected query, key, and value to all be  at least 2 dimensional, but got query.dim: 1 key.dim: 3 and "
        "value.dim: 3 instead.",
    ),
    "mask's dtype": (
        lambda: attend(Q, Q, Q, ft.zeros(3, 3, dtype=ft.int64)),
        RuntimeError,
        "Expected attn_mask dtype to be bool or float or to match query dtype, but got attn_mask.dtype: "
        "long int and  query.dtype: float instead.",
    ),
    "dropout": (
        lambda: attend(Q, Q, Q, dropout_p=2.0),
        RuntimeError,
        "dropout probability has to be between 0 and 1, but got 2",
    ),
    "integers": (
        lambda: attend(Q.long(), Q.long(), Q.long()),
        RuntimeError,
        "expected scalar type Float but found Long",
    ),
    "heads": (lambda: nn.MultiheadAttention(4, 3), AssertionError, "embed_dim must be divisible by num_heads"),
    "nothing": (
        lambda: nn.MultiheadAttention(0, 3),
        ValueError,
        "embed_dim and num_heads must be greater than 0, got embed_dim=0 and num_heads=3 instead",
    ),
    "padding": (
        lambda: nn.MultiheadAttention(4, 2)(Q, Q, Q, ft.zeros(2, 2, dtype=ft.bool)),
        AssertionError,
        "Expected key_padded_mask.shape[0] to be 3, but got 2",
    ),
    "padding's dtype": (
        lambda: nn.MultiheadAttention(4, 2)(Q, Q, Q, ft.zeros(3, 2, dtype=ft.int64)),
        AssertionError,
        "only bool and floating types of key_padding_mask are supported",
    ),
    "hint": (
        lambda: nn.MultiheadAttention(4, 2)(Q, Q, Q, is_causal=True),
        RuntimeError,
        "Need attn_mask if specifying the is_causal hint. You may use the Transformer module method "
        "`generate_square_subsequent_mask` to create this mask.",
    ),
    "size": (
        lambda: nn.MultiheadAttention(6, 2)(Q, Q, Q),
        AssertionError,
        "was expecting embedding dimension of 6, but got 4",
    ),
    "activation": (
        lambda: nn.TransformerEncoderLayer(4, 2, activation="x"),
        RuntimeError,
        "activation should be relu/gelu, not x",
    ),
    "batches": (
        lambda: nn.Transformer(4, 2, 1, 1, 4)(Q, Q[:, :2]),
        RuntimeError,
        "the batch number of src and tgt must be equal",
    ),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors(name, check_error):
    check_error(*ERRORS[name])


# --- in several heads -----------------------------------------------------------------------------------------------

HEADS = {
    "plain": ({}, {}),
    "heads": ({"bias": False}, {"average_attn_weights": False}),
    "everything": ({"kdim": 3, "vdim": 2, "add_bias_kv": True, "add_zero_attn": True, "batch_first": True}, {}),
    "masks": (
        {},
        {"attn_mask": wave(1.0, 3, 3), "key_padding_mask": ft.tensor([[0, 0, -9], [0, 0, 0]], dtype=ft.float64)},
    ),
    "no weights": ({}, {"need_weights": False, "attn_mask": ft.ones(3, 3).triu(1).bool()}),
}
# The result, the weights, and the gradients of the query and of the parameters.
EXPECTED_HEADS = {
    "plain": (-222.0496834, 57.05420232, 1109.350903, [121.3048065, 626.8008225, 2908.893452, 780.0]),
    "everything": (
        136.0903925,
        92.25649293,
        173.6610523,
        [-33.72358366, 436.4693725, 3.037854914, -735.3755383, 7.116269104, -42.80833998, 170.2455968, 780.0],
    ),
    "masks": (-215.6591585, 56.28995538, 1169.77506, [131.6620922, 618.5974448, 3036.980546, 780.0]),
    "heads": (8.701281945, 222.3630552, -530.3538047, [-724.4335818, -918.7352682]),
    "no weights": (-215.4472214, None, 734.3445053, [675.4202516, 624.0316924, 3156.156872, 780.0]),
}


@pytest.mark.parametrize("name", HEADS)
def test_several_heads(name, close, waves, weighed):
    options, call = HEADS[name]
    layer = waves(nn.MultiheadAttention(4, 2, **options).double())
    first = layer.batch_first
    x = wave(1.3, *((2, 3, 4) if first else (3, 2, 4))).requires_grad_()
    k, v = (wave(0.8, 2, 3, 3), wave(0.6, 2, 3, 2)) if first else (x, x)
    out, weights = layer(x, k, v, **call)
    weighed(out).backward()
    of_out, of_weights, of_x, of_parameters = EXPECTED_HEADS[name]
    close(weighed(out).item(), of_out)
    assert weights is None if of_weights is None else weighed(weights).item() == pytest.approx(of_weights, rel=1e-8)
    close(weighed(x.grad).item(), of_x)
    close([weighed(p.grad).item() for p in layer.parameters()], of_parameters)


def test_one_sequence_is_a_batch_of_one():
    layer = nn.MultiheadAttention(4, 2)
    x = wave(1.3, 3, 4).float()
    out, weights = layer(x, x, x)
    batched, batched_weights = layer(x.unsqueeze(1), x.unsqueeze(1), x.unsqueeze(1))
    assert out.equal(batched[:, 0]) and weights.equal(batched_weights[0])


def test_a_function_that_can_be_overridden():
    class Duck:
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return func

    assert F.multi_head_attention_forward(Duck(), *[None] * 12) is F.multi_head_attention_forward


# --- transformers ---------------------------------------------------------------------------------------------------

MODELS = {"usual": {}, "norm first, gelu": {"norm_first": True, "activation": "gelu", "batch_first": True}}
# The result, and the gradients of the source and, added up, of the parameters.
EXPECTED_MODELS = {
    "usual": (-66.03859393, 10.90998096, 9002.944968),
    "norm first, gelu": (-111.1161954, -0.471368393, 286.5578065),
}


@pytest.mark.parametrize("name", MODELS)
def test_transformer(name, close, waves, weighed):
    model = waves(nn.Transformer(4, 2, 1, 2, 8, dropout=0.0, **MODELS[name]).double())
    s, t = wave(1.3, 2, 3, 4).requires_grad_(), wave(0.4, 2, 3, 4)
    mask = model.generate_square_subsequent_mask(3 if model.batch_first else 2).double()
    out = model(s, t, tgt_mask=mask)
    weighed(out).backward()
    of_out, of_source, of_parameters = EXPECTED_MODELS[name]
    close(weighed(out).item(), of_out)
    close(weighed(s.grad).item(), of_source)
    close(sum(weighed(p.grad) for p in model.parameters()).item(), of_parameters)
    for other in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert other(s, t, tgt_mask=mask).equal(out)


def test_weights_at_the_start_follow_the_seed(weighed):
    ft.manual_seed(0)
    assert nn.MultiheadAttention(2, 1).in_proj_weight.flatten()[:4].tolist() == pytest.approx(
        [-0.017158716917037964, 0.6866624355316162, -0.07685459405183792, 0.22916118800640106], rel=1e-5
    )
    ft.manual_seed(0)
    assert sum(weighed(p) for p in nn.Transformer(4, 2, 1, 1, 8).parameters()).item() == pytest.approx(179.579254, 1e-5)


def test_encoders_alone():
    layer = nn.TransformerEncoderLayer(4, 2, 8, dropout=0.0, batch_first=True)
    encoder = nn.TransformerEncoder(layer, 2, nn.LayerNorm(4), enable_nested_tensor=False).eval()
    x = wave(0.7, 2, 3, 4).float()
    mask = nn.Transformer.generate_square_subsequent_mask(3)
    assert mask.tolist() == [[0, -math.inf, -math.inf], [0, 0, -math.inf], [0, 0, 0]]
    out = encoder(x, mask)
    assert out.equal(encoder(x, mask, is_causal=True)) and ft.allclose(out, encoder(x, mask.isinf()), atol=1e-6)
    assert ft.allclose(out[:, :2], encoder(x[:, :2], mask[:2, :2]), atol=1e-6)
    padded = encoder(x, src_key_padding_mask=ft.tensor([[False, False, True]] * 2))
    assert ft.allclose(padded[:, :2], encoder(x[:, :2]), atol=1e-6)
    assert list(encoder.state_dict())[:2] == ["layers.0.self_attn.in_proj_weight", "layers.0.self_attn.in_proj_bias"]
    assert repr(layer.self_attn) == (
        "MultiheadAttention(\n  (out_proj): NonDynamicallyQuantizableLinear("
        "in_features=4, out_features=4, bias=True)\n)"
    )


def test_masks_of_two_dtypes_warn():
    layer = nn.MultiheadAttention(4, 2)
    with pytest.warns(UserWarning, match="Support for mismatched key_padding_mask and attn_mask is deprecated"):
        layer(Q, Q, Q, key_padding_mask=ft.zeros(3, 2, dtype=ft.bool), attn_mask=ft.zeros(2, 2))


@pytest.mark.parametrize("shape", [(), (3,), (2, 3)])
@pytest.mark.parametrize(("queries", "keys"), [(1, 5), (7, 1), (130, 300), (300, 5), (300, 130)])
def test_blocks_give_what_the_composition_gives(shape, queries, keys):
    """Sizes that blocks divide and do not divide, with masks of every form that broadcasts."""
    from flambeau_nn.ops.attention import composed

    q, k, v = (wave(step, *shape, n, 3).requires_grad_() for step, n in ((1.1, queries), (0.9, keys), (1.7, keys)))
    masks = [
        None,
        wave(0.3, queries, keys) > 0,
        wave(0.3, queries, 1),
        wave(0.3, *shape, queries, keys),
        wave(0.3, *shape[:1], *(1 for _ in shape[1:]), 1, keys),
    ]
    for mask in masks:
        for causal in (False, True) if mask is None else (False,):
            out = attend(q, k, v, mask, is_causal=causal)
            expected = composed(q, k, v, mask, 0.0, causal, 1 / math.sqrt(3))
            assert ft.allclose(out, expected, atol=1e-12)
            weights = wave(0.2, *out.shape)
            for found, wanted in zip(grad(out, (q, k, v), weights), grad(expected, (q, k, v), weights), strict=True):
                assert ft.allclose(found, wanted, atol=1e-11)


@pytest.mark.parametrize("dtype", [ft.float32, ft.float64])
@pytest.mark.parametrize(
    ("heads", "queries", "keys", "size", "width"), [(1, 1, 1, 1, 1), (2, 3, 5, 4, 9), (3, 8, 8, 8, 8)]
)
def test_few_products_agree_with_the_composition(heads, queries, keys, size, width, dtype):
    """They are not BLAS's, and a call without a mask is chosen without Python."""
    ft.manual_seed(0)
    shapes = (2, heads, queries, size), (2, heads, keys, size), (2, heads, keys, width)
    operands = [ft.randn(*shape, dtype=dtype, requires_grad=True) for shape in shapes]
    for causal in (False, True):
        weights = ft.randn(2, heads, queries, width, dtype=dtype)
        results = []
        for backend in (SDPBackend.FLASH_ATTENTION, SDPBackend.MATH):
            with sdpa_kernel(backend):
                y = F.scaled_dot_product_attention(*operands, is_causal=causal)
            results.append([y, *grad(y, operands, weights)])
        for ours, right in zip(*results, strict=True):
            assert ft.allclose(ours, right, rtol=1e-5, atol=1e-5)


TestSamples = check_values("nn.attention")
TestDerivatives = check_derivatives("nn.attention")
TestBatches = check_batches("nn.attention")


def test_a_mask_and_causality_together():
    """Four dimensions without dropout: a query attends to the keys that both allow."""
    x, lower = wave(0.7, 2, 2, 3, 4), ft.ones(3, 3, dtype=ft.bool).tril()
    mask = ft.tensor([[True, False, True], [True, True, True], [False, True, True]])
    assert attend(x, x, x, mask, is_causal=True).equal(attend(x, x, x, mask & lower))
    added = wave(0.2, 3, 3)
    assert attend(x, x, x, added, is_causal=True).equal(attend(x, x, x, added.masked_fill(~lower, -math.inf)))
    for wrong in ({"dropout_p": 0.5}, {"attn_mask": added.requires_grad_()}):
        with pytest.raises(RuntimeError, match="Explicit attn_mask should not be set when is_causal=True"):
            attend(x, x, x, is_causal=True, **{"attn_mask": mask, **wrong})


def test_attributes_that_programs_read():
    layers = [nn.TransformerEncoderLayer(4, 2, 8, activation=a) for a in ("relu", nn.GELU(), ft.sin)]
    assert [layer.activation_relu_or_gelu for layer in layers] == [1, 2, 0]
    plain, biased = nn.MultiheadAttention(4, 2), nn.MultiheadAttention(4, 2, add_bias_kv=True)
    assert plain.bias_k is None and "bias_k" not in plain._parameters and "bias_v" in biased._parameters


def test_names_that_other_attention_layers_import():
    x, w = ft.arange(4.0).reshape(2, 2), ft.arange(12.0).reshape(6, 2)
    q, k, v = F._in_projection_packed(x, x, x, w)
    assert ft.equal(k, x @ w[2:4].T) and ft.equal(F._in_projection(x, x, x, *w.chunk(3))[2], v)
    assert F._none_or_dtype(None) is None and F._none_or_dtype(q) is ft.float32
    with pytest.raises(RuntimeError, match="must be None or torch.Tensor"):
        F._none_or_dtype(3)
    assert F._canonical_mask(ft.tensor([True, False]), "m", None, "", ft.float32).tolist() == [-math.inf, 0.0]
    assert F._mha_shape_check(ft.ones(2, 1, 4), ft.ones(2, 1, 4), ft.ones(2, 1, 4), None, None, 2)


def test_helpers_of_other_transformers():
    from flambeau_nn.modules import transformer

    mask = transformer._generate_square_subsequent_mask(2)
    assert mask.tolist() == [[0.0, -math.inf], [0.0, 0.0]] and transformer._detect_is_causal_mask(mask)
    assert not transformer._detect_is_causal_mask(ft.zeros(2, 2)) and transformer._detect_is_causal_mask(None, True)
    assert transformer._get_seq_len(ft.ones(3, 5, 2), True) == 5 and transformer._get_seq_len(ft.ones(3, 2), True) == 3
