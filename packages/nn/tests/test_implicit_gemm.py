"""Convolution by products without columns, against the same in double precision, which has columns."""

import random

import pytest

import flambeau_tensor as ft
from flambeau_autograd import grad
from flambeau_nn import functional as F


def computed(convolve, operands, weights):
    result = convolve(*operands)
    return [result, *grad(result, [t for t in operands if t is not None], weights.to(result.dtype))]


def compare(convolve, operands, format=ft.contiguous_format):
    """Results and gradients, with the image in a memory format."""
    image = operands[0].detach().contiguous(memory_format=format).requires_grad_()
    operands = [image, *(None if t is None else t.detach().requires_grad_() for t in operands[1:])]
    weights = ft.randn(*convolve(*operands).shape)
    exact = [None if t is None else t.detach().double().requires_grad_() for t in operands]
    found = computed(convolve, operands, weights)
    for ours, right in zip(found, computed(convolve, exact, weights), strict=True):
        assert ours.shape == right.shape
        assert (ours.double() - right).abs().max().item() <= 2e-6 * right.abs().max().item()
    assert found[0].is_contiguous(memory_format=format) and found[1].is_contiguous(memory_format=format)


def case(seed):
    draw = random.Random(seed)
    ft.manual_seed(seed)
    groups, c, o, n = draw.choice([1, 1, 2]), draw.choice([16, 33, 70]), draw.choice([16, 41]), draw.choice([1, 3])
    size = (draw.randint(9, 17), draw.randint(9, 17))
    kernel = (draw.randint(1, 5), draw.randint(1, 5))
    options = {
        "stride": (draw.randint(1, 3), draw.randint(1, 3)),
        "padding": tuple(draw.randint(0, k) for k in kernel),
        "dilation": (draw.randint(1, 2), draw.randint(1, 2)),
        "groups": groups,
    }
    transposed = draw.random() < 0.3
    shape = (c * groups, o, *kernel) if transposed else (o * groups, c, *kernel)
    bias = ft.randn(o * groups) if draw.random() < 0.5 else None
    function = F.conv_transpose2d if transposed else F.conv2d
    if transposed:
        options["output_padding"] = tuple(
            draw.randint(0, max(s, d) - 1) for s, d in zip(options["stride"], options["dilation"], strict=True)
        )
    return lambda *given: function(*given, **options), [ft.randn(n, c * groups, *size), ft.randn(*shape), bias]


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("format", [ft.contiguous_format, ft.channels_last], ids=str)
def test_results_and_gradients(seed, format):
    compare(*case(seed), format)


@pytest.mark.parametrize("format", [ft.contiguous_format, ft.channels_last], ids=str)
@pytest.mark.parametrize("width", [1, 2, 6, 7, 12, 13, 14, 15, 28, 29])
def test_borders_of_tiles(width, format):
    ft.manual_seed(width)
    compare(
        lambda *given: F.conv2d(*given, padding=2, stride=(2, 1)),
        [ft.randn(2, 24, 9, width), ft.randn(20, 24, 5, 5)],
        format,
    )


@pytest.mark.parametrize("features", [16, 17, 31, 32, 33, 64, 65])
def test_borders_of_panels(features):
    ft.manual_seed(features)
    compare(
        lambda *given: F.conv2d(*given, stride=2),
        [ft.randn(2, 81 - features, 9, 9), ft.randn(features, 81 - features, 3, 3)],
    )


@pytest.mark.parametrize("format", [ft.contiguous_format, ft.channels_last], ids=str)
@pytest.mark.parametrize("channels", [64, 128, 256])
def test_many_channels(channels, format):
    """Whose rows would compete for places in the cache, and whose gradients are summed in chunks."""
    ft.manual_seed(channels)
    x, w = ft.randn(2, channels, 6, 6), ft.randn(32, channels, 3, 3)
    compare(lambda *given: F.conv2d(*given, stride=2, padding=1), [x, w], format)


def test_tall_images_go_by_blocks():
    ft.manual_seed(0)
    compare(lambda *given: F.conv2d(*given, stride=2, padding=1), [ft.randn(1, 32, 150, 40), ft.randn(32, 32, 3, 3)])


def test_one_axis():
    ft.manual_seed(0)
    x, w = ft.randn(2, 20, 50), ft.randn(24, 20, 5)
    right = F.conv1d(x.double(), w.double(), padding=2, stride=2)
    assert ft.allclose(F.conv1d(x, w, padding=2, stride=2).double(), right, atol=1e-4)


def test_strided_operands():
    ft.manual_seed(0)
    x, w = ft.randn(2, 12, 30, 32).transpose(1, 3)[:, :, ::2, 1:], ft.randn(3, 3, 32, 40).permute(3, 2, 0, 1)
    right = F.conv2d(x.double(), w.double(), padding=1, stride=2)
    assert ft.allclose(F.conv2d(x, w, padding=1, stride=2).double(), right, atol=1e-4)


def test_threads_agree():
    ft.manual_seed(0)
    x, w, found = ft.randn(5, 40, 30, 21, requires_grad=True), ft.randn(36, 40, 3, 3, requires_grad=True), []
    before = ft.get_num_threads()
    try:
        for n in (1, 2, 3):
            ft.set_num_threads(n)
            found.append(computed(lambda *given: F.conv2d(*given, stride=2), [x, w], ft.ones(5, 36, 14, 10)))
    finally:
        ft.set_num_threads(before)
    for other in found[1:]:
        for a, b in zip(found[0], other, strict=True):
            assert ft.allclose(a, b, rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize("odd", [ft.inf, ft.nan], ids=str)
def test_what_is_not_finite_stays_in_its_windows(odd):
    ft.manual_seed(0)
    x, w = ft.randn(2, 32, 16, 16, requires_grad=True), ft.randn(24, 32, 3, 3, requires_grad=True)
    x.detach()[0, 3, 3, 3] = odd
    y = F.conv2d(x, w, padding=1, stride=2)
    assert not y[0, :, 1:3, 1:3].isfinite().any() and y.isfinite().sum() == y.numel() - 24 * 4
    (of_w,) = grad(y, [w], ft.ones(*y.shape))
    assert of_w.isfinite().sum() == of_w.numel() - 24 * 4


DEPTHWISE = {  # channels, height, width, kernel, options
    "of 7 x 7": (512, 7, 7, (3, 3), {"padding": 1}),
    "of odd channels": (41, 9, 13, (3, 3), {"padding": 1}),
    "two apart": (32, 14, 14, (3, 3), {"padding": 1, "stride": 2}),
    "without padding": (24, 8, 17, (5, 3), {}),
    "apart by axes": (19, 15, 12, (5, 2), {"padding": (1, 2), "stride": (3, 2), "dilation": (1, 3)}),
    "beyond the image": (40, 12, 12, (7, 7), {"padding": 6}),
    "of one column": (64, 28, 1, (3, 1), {"padding": (1, 0)}),
    "wide": (16, 5, 28, (3, 5), {"padding": 2}),
    "too wide for them": (16, 5, 60, (3, 5), {"padding": 2}),
}


@pytest.mark.parametrize("batch", [1, 5])
@pytest.mark.parametrize("name", DEPTHWISE)
def test_depthwise(name, batch):
    channels, height, width, kernel, options = DEPTHWISE[name]
    ft.manual_seed(0)
    operands = [ft.randn(batch, channels, height, width), ft.randn(channels, 1, *kernel), ft.randn(channels)]
    compare(lambda *given: F.conv2d(*given, **options, groups=channels), operands)


def test_depthwise_turned_round():
    ft.manual_seed(0)
    operands = [ft.randn(3, 33, 7, 9), ft.randn(33, 1, 3, 3), ft.randn(33)]
    compare(lambda *given: F.conv_transpose2d(*given, stride=2, output_padding=1, padding=1, groups=33), operands)
