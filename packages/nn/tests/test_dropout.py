"""Dropout: what is drawn, what is scaled, in training and at rest. Numbers under "literal" were printed by PyTorch
2.13."""

import math

import numpy as np
import pytest

import flambeau_nn as nn
import flambeau_tensor as ft
from flambeau_autograd.func import vmap
from flambeau_nn import functional as F
from samples.derivatives import check_batches, check_derivatives
from samples.values import check_values


def test_elements():
    ft.manual_seed(0)
    x = ft.ones(1000, 50)
    out = F.dropout(x, 0.3)
    assert set(out.unique().tolist()) == {0.0, ft.tensor(1 / 0.7).item()}
    assert abs((out == 0).float().mean().item() - 0.3) < 0.01
    assert (x == 1).all()


def test_numbers_of_a_seed():  # literal
    ft.manual_seed(3)
    assert (F.dropout(ft.ones(12), 0.5) / 2).int().tolist() == LITERAL_ELEMENTS
    ft.manual_seed(3)
    assert (F.dropout2d(ft.ones(2, 4, 2, 2), 0.5)[:, :, 0, 0] / 2).int().tolist() == LITERAL_CHANNELS


LITERAL_ELEMENTS = [1, 1, 0, 1, 0, 0, 1, 1, 1, 0, 1, 0]
LITERAL_CHANNELS = [[1, 1, 0, 1], [0, 0, 1, 1]]


def test_at_rest():
    x = ft.ones(10)
    assert F.dropout(x, 0.5, training=False) is x and F.dropout(x, 0.0) is x
    assert not F.dropout(x, 1.0).any()
    m = nn.Dropout(0.5)
    assert (m(x) != x).any()
    m.eval()
    assert m(x) is x


@pytest.mark.parametrize("dtype", [ft.bool, ft.uint8, ft.int64, ft.float16])
@pytest.mark.parametrize("drop", [F.dropout, F.alpha_dropout, F.feature_alpha_dropout])
def test_nothing_is_left_of_any_dtype(drop, dtype):
    out = drop(ft.ones(2, 3, dtype=dtype), 1.0, True)
    assert out.dtype is dtype and not out.any()


def test_inplace():
    ft.manual_seed(0)
    expected = F.dropout(ft.ones(100), 0.5)
    ft.manual_seed(0)
    x = ft.ones(100)
    assert F.dropout(x, 0.5, inplace=True) is x and (x == expected).all()


def test_examples_that_share_the_input_have_their_own_noise():  # literal
    def batch(function, randomness, *sizes):
        ft.manual_seed(0)
        examples = vmap(lambda x, _: function(x, 0.5), in_dims=(None, 0), randomness=randomness)
        return examples(ft.ones(*sizes), ft.ones(4)).reshape(4, -1).tolist()

    different = [[0, 0, 2, 0], [0, 0, 2, 2], [0, 2, 2, 2], [2, 0, 2, 2]]
    assert batch(F.dropout, "different", 4) == batch(F.dropout2d, "different", 1, 4, 1, 1) == different
    assert batch(F.dropout, "same", 4) == [different[0]] * 4
    with pytest.raises(RuntimeError, match="randomness error mode"):
        batch(F.dropout, "error", 4)


def test_gradient_is_the_mask():
    x = ft.ones(100, requires_grad=True)
    out = F.dropout(x, 0.5)
    out.sum().backward()
    assert (x.grad == out).all()


@pytest.mark.parametrize(
    ("name", "size"), [("dropout1d", (3, 40, 5)), ("dropout2d", (3, 40, 5, 4)), ("dropout3d", (3, 40, 2, 3, 4))]
)
def test_channels(name, size):
    ft.manual_seed(1)
    out = getattr(F, name)(ft.ones(*size), 0.4).numpy().reshape(120, -1)
    assert (out == out[:, :1]).all() and 0.2 < (out[:, 0] == 0).mean() < 0.6
    module = getattr(nn, name.capitalize())(0.4)
    assert set(module(ft.ones(*size)).unique().tolist()) <= {0.0, ft.tensor(1 / 0.6).item()}
    if name != "dropout2d":
        x = ft.ones(*size[1:])
        assert getattr(F, name)(x, 0.4).shape == size[1:] and (x == 1).all()
        assert getattr(F, name)(x, 0.4, inplace=True) is x and (x != 1).any()


def test_alpha_dropout_keeps_mean_and_variance():
    ft.manual_seed(2)
    x = F.selu(ft.randn(200, 1000))
    out = F.alpha_dropout(x, 0.2, training=True)
    assert abs(out.mean().item() - x.mean().item()) < 0.02 and abs(out.var().item() - x.var().item()) < 0.03
    assert F.alpha_dropout(x, 0.2) is x
    whole = F.feature_alpha_dropout(ft.zeros(4, 50, 7), 0.5, training=True).numpy()
    assert (whole == whole[:, :, :1]).all() and len(np.unique(whole)) == 2
    kept, dropped = sorted(np.unique(whole), reverse=True)
    alpha = 1.7580993408473766
    a = 1 / math.sqrt((alpha**2 * 0.5 + 1) * 0.5)
    np.testing.assert_allclose([kept, dropped], [a * alpha * 0.5, a * alpha * 0.5 - a * alpha], rtol=1e-5)


@pytest.mark.parametrize(
    "call",
    [lambda: F.dropout(ft.ones(1), 2.0), lambda: nn.Dropout(-0.1), lambda: F.dropout2d(ft.ones(1, 1, 1, 1), 1.5)],
)
def test_probability_is_checked(call):
    with pytest.raises(ValueError, match="dropout probability has to be between 0 and 1, but got"):
        call()


def test_dimensions_are_checked():
    with pytest.raises(RuntimeError, match="dropout1d: Expected 2D or 3D input, but received a 4D input"):
        F.dropout1d(ft.ones(1, 1, 1, 1))
    with pytest.warns(UserWarning, match="dropout2d: Received a 2-D input to dropout2d, which is deprecated"):
        F.dropout2d(ft.ones(2, 2))
    with pytest.warns(UserWarning, match="dropout2d: Received a 3D input to dropout2d and assuming that channel-wise"):
        F.dropout2d(ft.ones(1, 2, 2))


def test_printing():  # made with PyTorch 2.13
    assert repr(nn.Dropout(0.3, True)) == "Dropout(p=0.3, inplace=True)"
    assert repr(nn.AlphaDropout()) == "AlphaDropout(p=0.5, inplace=False)"


TestSamples = check_values("nn.dropout")
TestDerivatives = check_derivatives("nn.dropout")
TestBatches = check_batches("nn.dropout")


def test_dropout3d_drops_the_first_dimension_of_inputs_with_few():
    """As PyTorch, which takes every input but one of five dimensions for one without a batch."""
    ft.manual_seed(0)
    with pytest.warns(UserWarning, match="2-D input to dropout3d"):
        dropped = F.dropout3d(ft.ones(64, 4))
    rows = {tuple(row) for row in dropped.tolist()}
    assert rows == {(0.0,) * 4, (2.0,) * 4}
