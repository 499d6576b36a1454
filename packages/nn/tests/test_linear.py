"""Linear maps: values, gradients, starting values (PyTorch's for a seed), embeddings, distances, flattening."""

import math

import numpy as np
import pytest

import flambeau_nn as nn
import flambeau_tensor as ft
from flambeau_autograd.gradcheck import gradcheck, gradgradcheck
from flambeau_nn import functional as F
from samples.derivatives import check_batches, check_derivatives
from samples.values import check_values

RNG = np.random.default_rng(0)


def t(a, requires_grad=False):
    return ft.from_numpy(np.array(a)).requires_grad_(requires_grad)


@pytest.mark.parametrize("size", [(5,), (3, 5), (2, 3, 5), (0, 5)])
@pytest.mark.parametrize("bias", [True, False])
def test_linear(size, bias):
    m = nn.Linear(5, 4, bias=bias).double()
    x = RNG.standard_normal(size)
    expected = x @ m.weight.detach().numpy().T + (m.bias.detach().numpy() if bias else 0)
    np.testing.assert_allclose(m(t(x)).detach().numpy(), expected)
    assert repr(m) == f"Linear(in_features=5, out_features=4, bias={bias})"
    if 0 not in size:
        args = [t(x, True), t(RNG.standard_normal((4, 5)), True)] + [t(RNG.standard_normal(4), True)] * bias
        assert gradcheck(F.linear, args) and gradgradcheck(F.linear, args, check_fwd_over_rev=True)


def test_starting_values():  # printed by PyTorch 2.13: torch.manual_seed(0); torch.nn.Linear(3, 2)
    ft.manual_seed(0)
    m = nn.Linear(3, 2)
    np.testing.assert_allclose(m.weight.detach().numpy(), LITERAL_WEIGHT, rtol=1e-6)
    np.testing.assert_allclose(m.bias.detach().numpy(), LITERAL_BIAS, rtol=1e-6)
    ft.manual_seed(0)
    np.testing.assert_allclose(nn.Embedding(2, 2).weight.detach().numpy(), LITERAL_EMBEDDING, rtol=1e-6)
    ft.manual_seed(0)
    np.testing.assert_allclose(nn.Bilinear(1, 2, 1).weight.detach().numpy(), LITERAL_BILINEAR, rtol=1e-6)


LITERAL_WEIGHT = [[-0.004322517, 0.309715837, -0.475185334], [-0.424894601, -0.222368970, 0.154820725]]
LITERAL_BIAS = [-0.011439144, 0.457774937]
LITERAL_EMBEDDING = [[1.540996074, -0.293428897], [-2.178789377, 0.568431258]]
LITERAL_BILINEAR = [[[-0.007486820, 0.536443591]]]


def test_linear_errors():
    with pytest.raises(RuntimeError, match=r"mat1 and mat2 shapes cannot be multiplied \(2x3 and 5x4\)"):
        nn.Linear(5, 4)(ft.ones(2, 3))
    with pytest.raises(RuntimeError, match="dtype"):
        nn.Linear(5, 4)(ft.ones(2, 5).double())
    with pytest.raises(TypeError, match=r"linear\(\): argument 'input' \(position 1\) must be Tensor, not str"):
        nn.Linear(5, 4)("x")


def test_bilinear():
    a, b, w, c = (RNG.standard_normal(s) for s in ((2, 3, 5), (2, 3, 4), (6, 5, 4), (6,)))
    expected = np.einsum("xyi,kij,xyj->xyk", a, w, b) + c
    np.testing.assert_allclose(F.bilinear(t(a), t(b), t(w), t(c)).numpy(), expected)
    assert gradcheck(F.bilinear, [t(v, True) for v in (a[:1], b[:1], w, c)])
    halves = [ft.tensor(v) for v in ([[3.0, 1.0]], [[100.0, -100.0, 0.5]], [[[1.0, 1.0, 1.0], [1.5, 2.5, 1.0]]])]
    np.testing.assert_array_equal(F.bilinear(*(v.bfloat16() for v in halves)).float().numpy(), [[-98.0]])
    m = nn.Bilinear(5, 4, 6, bias=False)
    assert m(t(a).float(), t(b).float()).shape == (2, 3, 6)
    assert repr(m) == "Bilinear(in1_features=5, in2_features=4, out_features=6, bias=False)"
    with pytest.raises(RuntimeError, match="input1 size does not match weight size: got 4 but expected 5"):
        F.bilinear(t(b), t(b), t(w))
    with pytest.raises(ValueError, match="in1_features must be > 0, but got 0"):
        nn.Bilinear(0, 1, 1)


def test_identity():
    x = ft.ones(2)
    assert nn.Identity(54, some=1)(x) is x


# --- tables ---------------------------------------------------------------------------------------------------------


def test_embedding():
    m = nn.Embedding(5, 3, padding_idx=-1)
    assert m.padding_idx == 4 and not m.weight[4].any()
    index = ft.tensor([[1, 4], [1, 0]])
    out = m(index)
    assert out.shape == (2, 2, 3) and (out[0, 0] == m.weight[1]).all()
    out.sum().backward()
    assert m.weight.grad[:, 0].tolist() == [1, 2, 0, 0, 0]
    with pytest.raises(IndexError, match="index out of range in self"):
        m(ft.tensor([5]))
    with pytest.raises(AssertionError, match="Padding_idx must be within num_embeddings"):
        nn.Embedding(3, 2, padding_idx=3)
    assert (
        repr(nn.Embedding(3, 4, 1, 2.0, scale_grad_by_freq=True))
        == "Embedding(3, 4, padding_idx=1, max_norm=2.0, scale_grad_by_freq=True)"
    )


def test_embedding_options():
    rows = ft.tensor([[3.0, 4.0], [0.3, 0.4]])
    m = nn.Embedding.from_pretrained(rows, max_norm=1.0)
    assert not m.weight.requires_grad
    np.testing.assert_allclose(m(ft.tensor([0, 1])).numpy(), [[0.6, 0.8], [0.3, 0.4]], rtol=1e-5)
    trained = nn.Embedding.from_pretrained(rows, freeze=False, scale_grad_by_freq=True)
    trained(ft.tensor([1, 1, 0])).sum().backward()
    assert trained.weight.grad.tolist() == [[1, 1], [1, 1]]


# --- distances ------------------------------------------------------------------------------------------------------


def test_cosine_similarity():
    a, b = RNG.standard_normal((3, 4)), RNG.standard_normal((3, 4))
    expected = (a * b).sum(1) / np.linalg.norm(a, axis=1) / np.linalg.norm(b, axis=1)
    np.testing.assert_allclose(F.cosine_similarity(t(a), t(b)).numpy(), expected)
    np.testing.assert_allclose(
        nn.CosineSimilarity(dim=0)(t(a), t(b)).numpy(), F.cosine_similarity(t(a.T), t(b.T)).numpy()
    )
    assert F.cosine_similarity(t(a), t(b[0:1])).shape == (3,)
    assert F.cosine_similarity(ft.zeros(1, 2), ft.ones(1, 2)).item() == 0
    assert gradcheck(F.cosine_similarity, (t(a, True), t(b, True)))
    with pytest.raises(
        RuntimeError, match="expected common dtype to be floating point, yet common dtype is torch.int64"
    ):
        F.cosine_similarity(ft.ones(1, 2).long(), ft.ones(1, 2).long())


def test_pairwise_distance():
    a, b = RNG.standard_normal((3, 4)), RNG.standard_normal((3, 4))
    for p in (1.0, 2.0, 3.0):
        expected = np.linalg.norm(a - b + 1e-6, p, axis=1)
        np.testing.assert_allclose(F.pairwise_distance(t(a), t(b), p).numpy(), expected)
        np.testing.assert_allclose(nn.PairwiseDistance(p, keepdim=True)(t(a), t(b)).numpy(), expected[:, None])
        assert gradcheck(lambda a, b, p=p: F.pairwise_distance(a, b, p), (t(a, True), t(b, True)))


# --- shapes ---------------------------------------------------------------------------------------------------------


def test_flatten():
    x = ft.ones(2, 3, 4, 5)
    assert nn.Flatten()(x).shape == (2, 60) and nn.Flatten(0, 2)(x).shape == (24, 5)
    assert nn.Unflatten(1, (3, 1))(x).shape == (2, 3, 1, 4, 5)
    assert repr(nn.Flatten()) == "Flatten(start_dim=1, end_dim=-1)"
    assert repr(nn.Unflatten(1, (2, 3))) == "Unflatten(dim=1, unflattened_size=(2, 3))"
    with pytest.raises(
        TypeError, match="unflattened_size must be tuple of ints, but found element of type str at pos 0"
    ):
        nn.Unflatten(1, ("a",))
    with pytest.raises(NotImplementedError, match="named dimensions"):
        nn.Unflatten("a", (1,))


def test_bounds_of_starting_values():
    m = nn.Linear(100, 200)
    assert m.weight.abs().max().item() <= 1 / math.sqrt(100) and m.bias.abs().max().item() <= 0.1


# The rows 1 and 3 of arange(12).reshape(4, 3) - 3, scaled as PyTorch 2.13 scales them to a norm of 2.
@pytest.mark.parametrize(
    "norm_type, first, last",
    [
        (2.0, [0, 0.8944, 1.7889], [0.9831, 1.1469, 1.3108]),
        (1.0, [0, 0.6667, 1.3333], [0.5714, 0.6667, 0.7619]),
        (0.0, [0, 1, 2], [4, 4.6667, 5.3333]),
        (float("inf"), [0, 1, 2], [1.5, 1.75, 2]),
    ],
)
@pytest.mark.parametrize("dtype", [ft.float64, ft.float32, ft.float16, ft.bfloat16], ids=str)
def test_embedding_scales_the_rows_that_it_looks_up(norm_type, first, last, dtype):
    table = (ft.arange(12.0).reshape(4, 3) - 3).to(dtype)
    m = nn.Embedding(4, 3, max_norm=2.0, norm_type=norm_type, _weight=table)
    out = m(ft.tensor([1, 1, 3]))
    tolerance = 1e-4 if dtype.itemsize > 2 else 3e-2
    np.testing.assert_allclose(out.detach().double().numpy(), [first, first, last], atol=tolerance)
    np.testing.assert_allclose(
        m.weight.detach().double().numpy(), [[-3, -2, -1], first, [3, 4, 5], last], atol=tolerance
    )
    assert m.weight.is_leaf and m.weight._version == 1
    out.sum().backward()
    assert m.weight.grad.tolist() == [[0, 0, 0], [2, 2, 2], [0, 0, 0], [1, 1, 1]]


def test_embedding_that_scales_what_was_saved():
    m = nn.Embedding(4, 3, max_norm=0.1)
    squares = (m.weight * m.weight).sum()
    m(ft.tensor([0]))
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        squares.backward()


TestSamples = check_values("nn.linear")
TestDerivatives = check_derivatives("nn.linear")
TestBatches = check_batches("nn.linear")


@pytest.mark.filterwarnings("ignore:Initializing zero-element tensors")
def test_no_features_and_no_examples():
    layer, x = nn.Linear(0, 3), ft.ones(2, 4, 0, requires_grad=True)
    layer(x).sum().backward()
    assert layer.weight.grad.shape == (3, 0) and layer.bias.grad.tolist() == [8.0] * 3 and x.grad.shape == (2, 4, 0)
    table = nn.Embedding(3, 0)
    table(ft.tensor([[0, 1]])).sum().backward()
    assert table.weight.grad.shape == (3, 0)
    for training in (True, False):
        encoder = nn.TransformerEncoderLayer(4, 2, 8, batch_first=True).train(training)
        assert encoder(ft.ones(0, 3, 4)).shape == (0, 3, 4)


def test_one_output_without_a_dimension_and_a_bias():
    x, w, b = (ft.ones(shape, requires_grad=True) for shape in ((2, 4, 3), (3,), ()))
    y = F.linear(x, w, b)
    y.sum().backward()
    assert y.shape == (2, 4) and y[0, 0] == 4 and b.grad == 8 and w.grad.tolist() == [8.0] * 3
    with pytest.raises(RuntimeError, match="mat2 must be a matrix, got 1-D tensor"):
        F.linear(x[0], w, b)
