"""Convolution in tiles against the same in double precision, which sums over windows."""

import random

import pytest

import flambeau_nn as nn
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


def compare(convolve, operands):
    """Results and gradients against those of double precision."""
    weights = ft.randn(*convolve(*operands).shape)
    exact = [None if t is None else t.detach().double().requires_grad_() for t in operands]
    for ours, right in zip(computed(convolve, operands, weights), computed(convolve, exact, weights), strict=True):
        assert ours.shape == right.shape
        assert (ours.double() - right).abs().max().item() <= 3e-6 * right.abs().max().item()


@pytest.mark.parametrize("seed", range(24))
def test_results_and_gradients(seed):
    compare(*case(seed))


@pytest.mark.parametrize("height", [4, 5, 7, 8, 9, 13])
@pytest.mark.parametrize("width", [4, 6, 7, 8, 11, 17])
def test_borders_of_tiles(height, width):
    ft.manual_seed(height * width)
    x, w = ft.randn(3, 24, height, width, requires_grad=True), ft.randn(40, 24, 3, 3, requires_grad=True)
    compare(lambda *given: F.conv2d(*given, padding=1), [x, w])


@pytest.mark.parametrize("features", [24, 31, 32, 33, 48, 49, 64, 65])
def test_borders_of_panels(features):
    ft.manual_seed(features)
    x, w = ft.randn(2, 97 - features, 9, 9, requires_grad=True), ft.randn(features, 97 - features, 3, 3)
    compare(F.conv2d, [x, w.requires_grad_()])


@pytest.mark.parametrize("mode", ["zeros", "reflect", "replicate", "circular"])
def test_padding_modes(mode):
    ft.manual_seed(0)
    layer = nn.Conv2d(32, 24, 3, padding=1, padding_mode=mode)
    x = ft.randn(2, 32, 10, 13)
    right = nn.Conv2d(32, 24, 3, padding=1, padding_mode=mode, dtype=ft.float64)
    right.load_state_dict(layer.state_dict())
    assert ft.allclose(layer(x).double(), right(x.double()), rtol=1e-5, atol=1e-5)


def test_strided_operands():
    ft.manual_seed(0)
    x, w = ft.randn(2, 12, 30, 32).transpose(1, 3)[:, :, ::2, 1:], ft.randn(3, 3, 32, 40).permute(3, 2, 0, 1)
    compare(lambda *given: F.conv2d(*given, padding=1), [x.requires_grad_(), w.requires_grad_()])


def test_threads_agree():
    ft.manual_seed(0)
    x, w, threads = ft.randn(5, 40, 30, 21, requires_grad=True), ft.randn(36, 40, 3, 3, requires_grad=True), []
    before = ft.get_num_threads()
    try:
        for n in (1, 2, 3):
            ft.set_num_threads(n)
            threads.append(computed(F.conv2d, [x, w], ft.ones(5, 36, 28, 19)))
    finally:
        ft.set_num_threads(before)
    for other in threads[1:]:
        for a, b in zip(threads[0], other, strict=True):
            assert ft.allclose(a, b, rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize("odd", [ft.inf, -ft.inf, ft.nan], ids=str)
def test_what_is_not_finite_stays_in_its_windows(odd):
    """And an infinity remains one: as in double precision, whose sums are direct."""
    ft.manual_seed(0)
    x, w = ft.randn(2, 32, 16, 16), ft.randn(24, 32, 3, 3)
    x[0, 3, 2, 2] = odd
    y, right = F.conv2d(x, w, padding=1), F.conv2d(x.double(), w.double(), padding=1)
    assert ft.allclose(y.double(), right, rtol=1e-4, atol=1e-4, equal_nan=True)
    assert not y[0, :, :, 4:].isnan().any() and y[0, :, :, 4:].isfinite().all() and y[1].isfinite().all()


def test_an_infinite_slope_stays_in_its_windows():
    ft.manual_seed(0)
    x, w = ft.randn(2, 32, 16, 16, requires_grad=True), ft.randn(24, 32, 3, 3, requires_grad=True)
    slopes = ft.randn(2, 24, 14, 14)
    slopes[1, 5, 7, 7] = ft.inf
    of_x, of_w = grad(F.conv2d(x, w), [x, w], slopes)
    assert of_x[0].isfinite().all() and of_x[1, :, 7:10, 7:10].isinf().all()
    assert of_x.isfinite().sum() == of_x.numel() - 32 * 9
    assert of_w.isfinite().sum() == of_w.numel() - 32 * 9 and not of_w[5].isfinite().any()


def test_sums_that_overflow_only_in_between():
    """Transforms of numbers near the largest one exceed it where a direct sum does not."""
    x, w = ft.zeros(1, 24, 8, 8), ft.zeros(24, 24, 3, 3)
    x[:, 0, 2:6, 2:6], w[:, 0, 1, 1] = 3e38, 1.0
    assert ft.equal(F.conv2d(x, w, padding=1), x[:, :1].expand(1, 24, 8, 8))


def test_wide_images_and_one_row():
    ft.manual_seed(0)
    for height, width in ((5, 600), (64, 4), (1, 90)):
        x, w = ft.randn(1, 24, height, width), ft.randn(24, 24, 3, 3)
        right = F.conv2d(x.double(), w.double(), padding=1)
        assert ft.allclose(F.conv2d(x, w, padding=1).double(), right, atol=1e-4)
