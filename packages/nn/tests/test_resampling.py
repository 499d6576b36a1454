"""Resampling, grids, shuffles and windows as columns against NumPy; derivatives. What is literal PyTorch printed."""

import itertools
import warnings

import numpy as np
import pytest

import flambeau_nn as nn
import flambeau_tensor as ft
from flambeau_autograd.func import vmap
from flambeau_autograd.gradcheck import gradcheck, gradgradcheck
from flambeau_nn import functional as F
from flambeau_tensor.extend import find_operator
from samples.derivatives import check_batches, check_derivatives
from samples.values import check_values

RNG = np.random.default_rng(0)


def floats(*shape, dtype="float64"):
    return ft.from_numpy(RNG.standard_normal(shape).astype(dtype))


# --- another size ---------------------------------------------------------------------------------------------------


def matrix(n, m, mode, align, factor=None, antialias=False):
    """(m, n): how the m elements of a result follow from n along an axis."""
    step = ((n - 1) / (m - 1) if m > 1 else 0) if align else 1 / factor if factor else n / m
    out = np.zeros((m, n))
    shapes = {
        "linear": (1, lambda x: max(1 - abs(x), 0)),
        "cubic": (2, lambda x: cubic(x, -0.5)),
        "lanczos": (3, lambda x: np.sinc(x) * np.sinc(x / 3) if abs(x) < 3 else 0),
    }
    for i in range(m):
        at = step * i if align else step * (i + 0.5) - 0.5
        if antialias:
            reach, shape = shapes[mode]
            wide = max(step, 1)
            at = step * (i + 0.5)
            places = range(max(int(at - reach * wide + 0.5), 0), min(int(at + reach * wide + 0.5), n))
            weights = [shape((k - at + 0.5) / wide) for k in places]
            for k, w in zip(places, weights, strict=True):
                out[i, k] += w / sum(weights)
        elif mode == "nearest":
            out[i, min(int(step * i), n - 1)] = 1
        elif mode == "nearest-exact":
            out[i, min(int(step * (i + 0.5)), n - 1)] = 1
        elif mode == "linear":
            if n == m:
                out[i, i] = 1
                continue
            at = max(at, 0)
            k = min(int(at), n - 1)
            out[i, k] += 1 - min(at - k, 1)
            out[i, min(k + 1, n - 1)] += min(at - k, 1)
        else:
            k = int(np.floor(at))
            for t in range(-1, 3):
                out[i, min(max(k + t, 0), n - 1)] += cubic(at - k - t, -0.75)
    return out


def cubic(x, a):
    x = abs(x)
    return (a + 2) * x**3 - (a + 3) * x**2 + 1 if x < 1 else a * (x**3 - 5 * x**2 + 8 * x - 4) if x < 2 else 0


def resampled(x, matrices):
    for d, m in enumerate(matrices):
        x = np.moveaxis(np.tensordot(x, m, ([2 + d], [1])), -1, 2 + d)
    return x


NAMES = {"linear": {1: "linear", 2: "bilinear", 3: "trilinear"}, "cubic": {2: "bicubic"}, "lanczos": {2: "lanczos"}}


@pytest.mark.parametrize(
    "mode, align, antialias",
    [
        ("nearest", None, False),
        ("nearest-exact", None, False),
        ("linear", False, False),
        ("linear", True, False),
        ("cubic", False, False),
        ("cubic", True, False),
        ("linear", False, True),
        ("cubic", False, True),
        ("lanczos", None, True),
    ],
)
def test_sizes(mode, align, antialias):
    for dims in (1, 2, 3):
        name = NAMES.get(mode, {}).get(dims, mode)
        if (mode in ("cubic", "lanczos") or antialias) and dims != 2:
            continue
        for sizes, target in (
            ((4, 5, 3), (7, 3, 5)),
            ((6, 2, 4), (2, 9, 4)),
            ((1, 7, 2), (3, 1, 1)),
            ((9, 8, 3), (4, 8, 6)),
        ):
            x = floats(2, 3, *sizes[:dims])
            found = F.interpolate(x, target[:dims], mode=name, align_corners=align, antialias=antialias)
            matrices = [matrix(n, m, mode, align, None, antialias) for n, m in zip(sizes, target[:dims], strict=False)]
            np.testing.assert_allclose(found.numpy(), resampled(x.numpy(), matrices), atol=1e-12)
            assert found.is_contiguous()
            single = F.interpolate(x.float(), target[:dims], mode=name, align_corners=align, antialias=antialias)
            np.testing.assert_allclose(single.numpy(), found.numpy(), atol=2e-5)


def test_factors():
    x = floats(1, 2, 5, 7)
    for factors in ((2.0, 2.0), (1.7, 0.6), (0.51, 1.99)):
        target = [int(n * f) for n, f in zip((5, 7), factors, strict=True)]
        found = F.interpolate(x, scale_factor=factors, mode="bilinear")
        expected = resampled(
            x.numpy(), [matrix(n, m, "linear", False, f) for n, m, f in zip((5, 7), target, factors, strict=True)]
        )
        np.testing.assert_allclose(found.numpy(), expected, atol=1e-12)
        again = F.interpolate(x, scale_factor=factors, mode="bilinear", recompute_scale_factor=True)
        assert ft.equal(again, F.interpolate(x, target, mode="bilinear"))
    assert F.interpolate(x, scale_factor=2).shape == (1, 2, 10, 14)
    assert ft.equal(F.interpolate(x, 3, mode="area"), F.adaptive_avg_pool2d(x, 3))


def test_dtypes_and_layout():
    x = floats(2, 3, 5, 6).to(memory_format=ft.channels_last)
    for mode in ("nearest", "bilinear", "bicubic", "area"):
        assert F.interpolate(x, scale_factor=2, mode=mode).stride() == (360, 1, 36, 3)
    for dtype in (ft.float16, ft.bfloat16):
        half = floats(1, 2, 4, 4).to(dtype)
        expected = F.interpolate(half.float(), 7, mode="bilinear").to(dtype)
        assert ft.equal(F.interpolate(half, 7, mode="bilinear"), expected)
    pixels = ft.tensor([[[[0, 255, 0, 255], [10, 20, 30, 40]]]], dtype=ft.uint8)
    assert F.interpolate(pixels, (2, 8), mode="bicubic")[0, 0].tolist() == [  # literal
        [0, 67, 224, 215, 40, 31, 188, 255],
        [9, 12, 17, 23, 27, 33, 38, 41],
    ]
    same = F.interpolate(x, (5, 6), mode="bilinear")
    assert ft.equal(same, x) and same.data_ptr() != x.data_ptr()
    with pytest.raises(NotImplementedError, match="\"compute_indices_weights_nearest\" not implemented for 'Int'"):
        F.interpolate(x.int(), 4)
    with pytest.raises(NotImplementedError, match="\"compute_indices_weights_linear\" not implemented for 'Byte'"):
        F.interpolate(pixels[0], 4, mode="linear")


@pytest.mark.parametrize(
    "mode, options",
    [("nearest", {}), ("bilinear", {}), ("bicubic", {"align_corners": True}), ("bilinear", {"antialias": True})],
)
def test_derivatives_of_sizes(mode, options):
    x = floats(1, 2, 4, 3).requires_grad_()
    assert gradcheck(
        lambda x: F.interpolate(x, (3, 5), mode=mode, **options), [x], check_forward_ad=True, check_batched_grad=True
    )
    assert gradgradcheck(lambda x: F.interpolate(x, (3, 5), mode=mode, **options), [x])


def test_former_names():
    x = floats(1, 2, 4, 4)
    for function, expected in (
        (F.upsample, F.interpolate(x, 7)),
        (F.upsample_nearest, F.interpolate(x, 7)),
        (F.upsample_bilinear, F.interpolate(x, 7, mode="bilinear", align_corners=True)),
    ):
        with pytest.warns(UserWarning, match="is deprecated. Use `nn.functional.interpolate` instead."):
            assert ft.equal(function(x, 7), expected)


# --- places ---------------------------------------------------------------------------------------------------------


def sampled(x, grid, mode, padding, align):
    """`grid_sample` of images, one place at a time."""
    n, c, *sizes = x.shape
    out = np.zeros((n, c, *grid.shape[1:-1]))

    def inside(v, size):
        if padding == "reflection":
            low, span = (0, size - 1) if align else (-0.5, size)
            if span == 0:
                return 0.0
            v = abs(v - low)
            turns, rest = divmod(v, span)
            v = rest + low if turns % 2 == 0 else span - rest + low
        return v if padding == "zeros" else min(max(v, 0), size - 1)

    for i, *at in itertools.product(*map(range, (n, *grid.shape[1:-1]))):
        taps = []
        for d, size in enumerate(sizes):
            v = grid[(i, *at, len(sizes) - 1 - d)]
            v = (v + 1) / 2 * (size - 1) if align else ((v + 1) * size - 1) / 2
            if mode == "bicubic":
                k = int(np.floor(v))
                taps.append([(inside(k + t, size), cubic(v - k - t, -0.75)) for t in range(-1, 3)])
                continue
            v = inside(v, size)
            k = int(np.floor(v))
            taps.append([(np.rint(v), 1)] if mode == "nearest" else [(k, 1 - (v - k)), (k + 1, v - k)])
        for corner in itertools.product(*taps):
            if all(0 <= k < size for (k, _), size in zip(corner, sizes, strict=True)):
                where = tuple(int(k) for k, _ in corner)
                out[(i, slice(None), *at)] += np.prod([w for _, w in corner]) * x[(i, slice(None), *where)]
    return out


@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("mode", ["bilinear", "nearest", "bicubic"])
def test_grids(mode, padding):
    for sizes, out, align in (
        ((4, 5), (3, 2), True),
        ((4, 5), (3, 2), False),
        ((1, 3), (2, 4), True),
        ((3, 2, 4), (2, 1, 3), False),
    ):
        if mode == "bicubic" and len(sizes) == 3:
            continue
        x, grid = floats(2, 3, *sizes), floats(2, *out, len(sizes)) * 1.3
        found = F.grid_sample(x, grid, mode, padding, align)
        np.testing.assert_allclose(found.numpy(), sampled(x.numpy(), grid.numpy(), mode, padding, align), atol=1e-12)
    x, grid = x[:1, :1, :, :2].requires_grad_(), grid[:1, :1].requires_grad_()
    assert gradcheck(lambda x, g: F.grid_sample(x, g, mode, padding, align), [x, grid], check_forward_ad=True)


def test_affine_grids():
    theta = ft.tensor([[[1.0, 0.0, 0.25], [0.0, 2.0, 0.0]]])
    assert F.affine_grid(theta, (1, 1, 2, 2), True).tolist() == [
        [[[-0.75, -2.0], [1.25, -2.0]], [[-0.75, 2.0], [1.25, 2.0]]]
    ]
    assert F.affine_grid(theta, (1, 1, 2, 2), False).tolist() == [
        [[[-0.25, -1.0], [0.75, -1.0]], [[-0.25, 1.0], [0.75, 1.0]]]
    ]
    x = floats(2, 3, 4, 5, 3)
    identity = ft.eye(3, 4, dtype=ft.float64).expand(2, 3, 4)
    for align in (True, False):
        again = F.grid_sample(x, F.affine_grid(identity, x.shape, align), align_corners=align)
        np.testing.assert_allclose(again.numpy(), x.numpy(), atol=1e-12)
    with pytest.warns(UserWarning, match="align_corners=False since 1.3.0"):
        F.affine_grid(theta, (1, 1, 2, 2))


# --- shuffles and columns -------------------------------------------------------------------------------------------


def test_shuffles():
    x = floats(2, 12, 3, 4)
    found = F.pixel_shuffle(x, 2)
    for c, i, j in itertools.product(range(3), range(2), range(2)):
        assert ft.equal(found[:, c, i::2, j::2], x[:, 4 * c + 2 * i + j])
    assert ft.equal(F.pixel_unshuffle(found, 2), x)
    mixed = F.channel_shuffle(x, 3)
    assert ft.equal(mixed[:, 1], x[:, 4]) and ft.equal(mixed[:, 3], x[:, 1])
    last = x.to(memory_format=ft.channels_last)
    assert F.pixel_shuffle(last, 2).stride() == (144, 1, 24, 3)
    assert F.channel_shuffle(last, 3).stride() == (144, 1, 48, 12)
    assert F.pixel_shuffle is find_operator("torch.pixel_shuffle")


def test_columns():
    x = floats(2, 3, 5, 6)
    found = F.unfold(x, (2, 3), dilation=(1, 2), padding=(1, 0), stride=(2, 1))
    padded = np.pad(x.numpy(), [(0, 0), (0, 0), (1, 1), (0, 0)])
    expected = [
        padded[:, :, 2 * i + a, j + 2 * b] for i, j, a, b in itertools.product(range(3), range(2), range(2), range(3))
    ]
    expected = np.array(expected).reshape(6, 6, 2, 3).transpose(2, 3, 1, 0).reshape(2, 18, 6)
    assert np.array_equal(found.numpy(), expected)
    back = F.fold(found, (5, 6), (2, 3), dilation=(1, 2), padding=(1, 0), stride=(2, 1))
    counted = F.fold(F.unfold(ft.ones_like(x), (2, 3), (1, 2), (1, 0), (2, 1)), (5, 6), (2, 3), (1, 2), (1, 0), (2, 1))
    np.testing.assert_allclose(back.numpy(), (x * counted).numpy(), atol=1e-12)
    assert ft.equal(F.unfold(x[0], 2), F.unfold(x, 2)[0])
    assert ft.equal(F.fold(found[0], (5, 6), (2, 3), (1, 2), (1, 0), (2, 1)), back[0])
    # A convolution is a product with columns.
    w = floats(4, 3, 3, 2)
    product = (w.reshape(4, -1) @ F.unfold(x, (3, 2))).reshape(2, 4, 3, 5)
    np.testing.assert_allclose(product.numpy(), F.conv2d(x, w).numpy(), atol=1e-12)
    y = floats(1, 2, 3, 3).requires_grad_()
    assert gradcheck(lambda y: F.unfold(y, 2, padding=1), [y], check_forward_ad=True, check_batched_grad=True)
    assert gradgradcheck(lambda y: F.fold(F.unfold(y, 2) ** 2, 3, 2), [y])
    stacked = floats(3, 2, 3, 4, 4)
    assert ft.equal(vmap(lambda t: F.unfold(t, 2))(stacked), ft.stack([F.unfold(t, 2) for t in stacked]))
    assert ft.equal(vmap(lambda t: F.unfold(t, 2))(stacked[0]), ft.stack([F.unfold(t, 2) for t in stacked[0]]))
    assert ft.equal(
        vmap(lambda t: F.interpolate(t, 3, mode="bilinear"), 1)(stacked),
        ft.stack([F.interpolate(stacked[:, i], 3, mode="bilinear") for i in range(2)]),
    )


# --- errors and layers ----------------------------------------------------------------------------------------------

ERRORS = [
    (
        lambda x: F.unfold(x, 7),
        "Given input with spatial size (5, 6), kernel_size=(7, 7), dilation=(1, 1), padding=(0, "
        "0), calculated shape of the array of sliding blocks as (-1, 0), but its components must be at least one.",
    ),
    (
        lambda x: F.unfold(x, 2, stride=0),
        "stride should be greater than zero, but got stride_height: 0 stride_width: 0",
    ),
    (lambda x: F.unfold(x, (1, 2, 3)), "It is expected kernel_size equals to 2, but got size 3"),
    (
        lambda x: F.fold(x.reshape(2, 15, 6), (5, 6), 2),
        "Expected size of input's dimension 1 to be divisible by the "
        "product of kernel_size, but got input.size(1)=15 and kernel_size=(2, 2).",
    ),
    (
        lambda x: F.fold(ft.ones(2, 12, 21), (5, 6), 2),
        "Given output_size=(5, 6), kernel_size=(2, 2), dilation=(1, 1), padding=(0, 0), stride=(1, 1), expected size "
        "of input's dimension 2 to match the calculated number of sliding blocks 4 * 5 = 20, but got input.size(2)=21.",
    ),
    (
        lambda x: F.pixel_shuffle(x, 2),
        "pixel_shuffle expects its input's 'channel' dimension to be divisible by the "
        "square of upscale_factor, but input.size(-3)=3 is not divisible by 4",
    ),
    (
        lambda x: F.pixel_unshuffle(x, 2),
        "pixel_unshuffle expects height to be divisible by downscale_factor, but "
        "input.size(-2)=5 is not divisible by 2",
    ),
    (lambda x: F.channel_shuffle(x, 2), "Number of channels must be divisible by groups. Got 3 channels and 2 groups."),
    (lambda x: F.interpolate(x), "either size or scale_factor should be defined"),
    (lambda x: F.interpolate(x, 4, 2), "only one of size or scale_factor should be defined"),
    (lambda x: F.interpolate(x, 4, mode="linear"), "Got 4D input, but linear mode needs 3D input"),
    (
        lambda x: F.interpolate(x, 4, align_corners=True),
        "align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic | trilinear",
    ),
    (
        lambda x: F.interpolate(x, (4, 0), mode="bilinear"),
        "Input and output sizes should be greater than 0, but got input (H: 5, W: 6) output (H: 4, W: 0)",
    ),
    (
        lambda x: F.grid_sample(x, ft.ones(2, 4, 4, 3), align_corners=True),
        "grid_sampler(): expected grid to have size 2 in last dimension, but got grid with sizes [2, 4, 4, 3]",
    ),
    (
        lambda x: F.grid_sample(x, ft.ones(1, 4, 4, 2), align_corners=True),
        "grid_sampler(): expected grid and input to "
        "have same batch size, but got input with sizes [2, 3, 5, 6] and grid with sizes [1, 4, 4, 2]",
    ),
    (
        lambda x: F.affine_grid(ft.ones(2, 3, 3), (2, 1, 4, 5), True),
        "Expected a batch of 2D affine matrices of shape Nx2x3 for size (2, 1, 4, 5). Got torch.Size([2, 3, 3]).",
    ),
]


@pytest.mark.parametrize("number", range(len(ERRORS)))
def test_errors(number):
    call, text = ERRORS[number]
    with pytest.raises((RuntimeError, ValueError)) as caught:
        call(ft.ones(2, 3, 5, 6))
    assert str(caught.value) == text


HUGE = (2**32, 2**33, 2**53, 2**61, 2**62, 2**63 - 1)


@pytest.mark.parametrize("n", HUGE)
@pytest.mark.parametrize("both", [False, True])
def test_products_of_huge_numbers_are_refused(n, both):
    """None of them may wrap around to a size that fits."""
    image, columns, pair = ft.ones(1, 4, 3, 3), ft.ones(1, 4, 4), (n, n) if both else (n, 1)
    calls = [
        lambda: F.unfold(image, pair),
        lambda: F.unfold(image, pair, padding=tuple(i - 1 for i in pair)),
        lambda: F.unfold(image, pair, padding=(n // 2, n // 2)),
        lambda: F.unfold(image, 2, dilation=pair),
        lambda: F.fold(columns, 3, pair),
        lambda: F.fold(columns, 3, pair, padding=pair),
        lambda: F.fold(columns, 3, 2, dilation=pair),
        lambda: F.fold(columns, 3, 2, padding=pair),
        lambda: F.fold(columns, 3, 2, stride=pair),
    ]
    if n >= 2**53:  # smaller ones may be had
        calls.append(lambda: F.unfold(image, 2, padding=pair))
        calls.append(lambda: F.fold(columns, pair, 2))
        calls += [
            lambda mode=mode: F.interpolate(image, pair, mode=mode) for mode in ("nearest", "bilinear", "bicubic")
        ]
        calls.append(lambda: F.interpolate(image, scale_factor=float(n)))
    for call in calls:
        with pytest.raises(RuntimeError):
            call()
    assert F.unfold(image, 1, dilation=pair).shape == (1, 4, 9)
    assert F.unfold(image, 2, stride=pair).shape == (1, 16, 1 if both else 2)


@pytest.mark.parametrize("shape", [(), (3,), (3, 3)])
def test_windows_of_too_few_dimensions(shape):
    with pytest.raises(IndexError):
        F.unfold(ft.ones(shape), 1)


def test_layers():
    x = floats(2, 4, 4, 6)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for layer, text, expected in (
            (nn.Upsample(scale_factor=2), "Upsample(scale_factor=2.0, mode='nearest')", F.interpolate(x, (8, 12))),
            (
                nn.Upsample(5, mode="bilinear"),
                "Upsample(size=5, mode='bilinear')",
                F.interpolate(x, 5, mode="bilinear"),
            ),
            (nn.UpsamplingNearest2d(4), "UpsamplingNearest2d(size=4, mode='nearest')", F.interpolate(x, 4)),
            (
                nn.UpsamplingBilinear2d(scale_factor=2),
                "UpsamplingBilinear2d(scale_factor=2.0, mode='bilinear')",
                F.interpolate(x, (8, 12), mode="bilinear", align_corners=True),
            ),
            (nn.PixelShuffle(2), "PixelShuffle(upscale_factor=2)", F.pixel_shuffle(x, 2)),
            (nn.PixelUnshuffle(2), "PixelUnshuffle(downscale_factor=2)", F.pixel_unshuffle(x, 2)),
            (nn.ChannelShuffle(2), "ChannelShuffle(groups=2)", F.channel_shuffle(x, 2)),
            (
                nn.Unfold(2, padding=1),
                "Unfold(kernel_size=2, dilation=1, padding=1, stride=1)",
                F.unfold(x, 2, padding=1),
            ),
        ):
            assert repr(layer) == text and ft.equal(layer(x), expected)
        fold = nn.Fold((4, 6), 2)
        assert repr(fold) == "Fold(output_size=(4, 6), kernel_size=2, dilation=1, padding=0, stride=1)"
        assert fold(F.unfold(x, 2)).shape == x.shape


TestSamples = check_values("nn.resampling")
TestDerivatives = check_derivatives("nn.resampling")
TestBatches = check_batches("nn.resampling")


@pytest.mark.parametrize("factor", [-1e20, 1e20, float("nan")])
def test_factors_beyond_all_sizes(factor):
    with pytest.raises(RuntimeError, match="value cannot be converted to type int64_t without overflow"):
        F.interpolate(ft.ones(1, 1, 4, 4), scale_factor=factor, mode="bilinear")


def test_grids_of_one_place_warn():
    with pytest.warns(UserWarning, match="See the documentation of affine_grid for details"):
        F.affine_grid(ft.eye(2, 3)[None], (1, 1, 2, 1), align_corners=True)
