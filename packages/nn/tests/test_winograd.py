"""Convolution in tiles against the same in double precision, which sums over windows."""

import random

import pytest

import flambeau_tensor as ft
from flambeau_autograd import grad
from flambeau_nn import functional as F


def case(seed):
    """A convolution, or a transposed one, with enough channels for tiles."""
    draw = random.Random(seed)
    ft.manual_seed(seed)
    groups, c, o, n = draw.choice([1, 1, 2]), draw.choice([24, 33, 70]), draw.choice([24, 41]), draw.choice([1, 2, 7])
    height, width = draw.randint(6, 21), draw.randint(6, 21)
    transposed, padding = draw.random() < 0.3, (draw.randint(0, 2), draw.randint(0, 2))
    shape = (c * groups, o, 3, 3) if transposed else (o * groups, c, 3, 3)
    bias = ft.randn(o * groups, requires_grad=True) if draw.random() < 0.5 else None
    operands = [ft.randn(n, c * groups, height, width, requires_grad=True), ft.randn(*shape, requires_grad=True), bias]
    function = F.conv_transpose2d if transposed else F.conv2d
    return lambda *given: function(*given, padding=padding, groups=groups), operands


def computed(convolve, operands, weights):
    result = convolve(*operands)
    return [result, *grad(result, [t for t in operands if t is not None], weights.to(result.dtype))]


@pytest.mark.parametrize("seed", range(24))
def test_results_and_gradients(seed):
    convolve, operands = case(seed)
    weights = ft.randn(*convolve(*operands).shape)
    exact = [None if t is None else t.detach().double().requires_grad_() for t in operands]
    for ours, right in zip(computed(convolve, operands, weights), computed(convolve, exact, weights), strict=True):
        assert ours.shape == right.shape
        assert (ours.double() - right).abs().max().item() <= 3e-6 * right.abs().max().item()


def test_infinities_and_nan_stay_in_their_windows():
    """Each is seen by the windows that meet it, and not by others that are not in a tile with them."""
    x, w = ft.ones(1, 32, 16, 16), ft.ones(32, 32, 3, 3)
    x[0, 3, 2, 2] = ft.nan
    y = F.conv2d(x, w, padding=1)
    assert y[0, :, 1:4, 1:4].isnan().all() and not y[0, :, 6:].isnan().any() and not y[0, :, :, 6:].isnan().any()


def test_wide_images_and_one_row():
    for height, width in ((5, 300), (64, 4), (1, 90)):
        x, w = ft.randn(1, 24, height, width), ft.randn(24, 24, 3, 3)
        right = F.conv2d(x.double(), w.double(), padding=1)
        assert ft.allclose(F.conv2d(x, w, padding=1).double(), right, atol=1e-4)
