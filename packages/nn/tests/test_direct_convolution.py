"""Convolution in rows of positions against the same in double precision, which sums over windows."""

import random

import pytest

import flambeau_tensor as ft
from flambeau_autograd import grad
from flambeau_nn import functional as F


def case(seed):
    """A convolution, or a transposed one: any number of dimensions, strides, dilation, groups, odd sizes."""
    draw = random.Random(seed)
    ft.manual_seed(seed)
    dims = draw.choice([1, 2, 2, 2, 3])

    def several(*choices):
        return [draw.choice(choices) for _ in range(dims)]

    groups, c, o = draw.choice([1, 1, 2, 5]), draw.choice([1, 1, 2, 7]), draw.choice([1, 2, 3, 9, 13])
    kernel, dilation = several(1, 2, 3, 4, 5), several(1, 1, 2)
    sizes = [draw.randint(5, 14 if dims > 1 else 60) + k * d for k, d in zip(kernel, dilation, strict=True)]
    transposed = draw.random() < 0.4
    weight = ft.randn(*((c * groups, o, *kernel) if transposed else (o * groups, c, *kernel)))
    operands = [
        ft.randn(draw.choice([1, 2, 5]), c * groups, *sizes),
        weight,
        ft.randn(o * groups) if draw.random() < 0.5 else None,
    ]
    given = {"stride": several(1, 1, 2, 3), "padding": several(0, 1, 2, 3), "dilation": dilation, "groups": groups}
    function = getattr(F, f"conv_transpose{dims}d" if transposed else f"conv{dims}d")
    return lambda *operands: function(*operands, **given), operands


def computed(convolve, operands, weights=None):
    operands = [None if t is None else t.detach().requires_grad_() for t in operands]
    result = convolve(*operands)
    weights = ft.randn(*result.shape) if weights is None else weights.to(result.dtype)
    return [result, *grad(result, [t for t in operands if t is not None], weights)], weights


def close(convolve, operands):
    ours, weights = computed(convolve, operands)
    exact, _ = computed(convolve, [None if t is None else t.double() for t in operands], weights)
    for got, right in zip(ours, exact, strict=True):
        assert got.shape == right.shape
        assert (got.double() - right).abs().max().item() <= 3e-6 * right.abs().max().item() + 1e-30


@pytest.mark.parametrize("seed", range(60))
def test_results_and_gradients(seed):
    close(*case(seed))


@pytest.mark.parametrize(
    ("shape", "weight", "given"),
    [
        ((2, 3, 160, 150), (5, 3, 7, 7), {"stride": 2, "padding": 3}),  # a sample in blocks of rows
        ((1, 1, 40000), (9, 1, 25), {"stride": 4}),  # in blocks of a row
        ((1, 12, 9, 70, 75), (4, 12, 3, 3, 3), {"padding": 1}),
        ((33, 40, 7, 7), (40, 1, 3, 3), {"padding": 1, "groups": 40}),  # samples together
        ((3, 20, 31, 33), (20, 1, 5, 5), {"padding": 2, "stride": 2, "groups": 20}),
    ],
)
def test_blocks(shape, weight, given):
    ft.manual_seed(1)
    convolve = getattr(F, f"conv{len(shape) - 2}d")
    close(lambda x, w: convolve(x, w, **given), [ft.randn(*shape), ft.randn(*weight)])


def test_operands_that_are_not_contiguous():
    ft.manual_seed(2)
    x, w = ft.randn(19, 17, 6, 2).permute(3, 2, 0, 1), ft.randn(8, 6, 5, 3).transpose(2, 3)
    close(lambda x, w: F.conv2d(x, w, padding=1), [x, w])
    close(lambda x, w: F.conv2d(x[:, :, ::2, 1:], w, padding=1), [x, w])


def test_infinities_and_nan_stay_in_their_windows():
    x = ft.ones(2, 4, 16, 16)
    x[0, 3, 0, 0], x[0, 0, 8, 15] = ft.nan, ft.inf
    y = F.conv2d(x, ft.ones(4, 4, 3, 3), padding=1)
    assert y[0, :, :2, :2].isnan().all() and y[0, :, 7:10, 14:].isinf().all()
    assert int(y.isfinite().sum()) == y.numel() - 4 * (4 + 6)
