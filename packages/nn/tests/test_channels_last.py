"""Convolution where channels lie beside each other, against the same convolution of contiguous operands."""

import pytest

import flambeau_tensor as ft
from flambeau_autograd import grad
from flambeau_nn import functional as F

CASES = {  # name: channels, features, kernel, options
    "one element": (5, 7, (1, 1), {}),
    "one element of one feature": (6, 1, (1, 1), {}),
    "one element, wide": (70, 130, (1, 1), {}),
    "depthwise": (16, 16, (3, 3), {"padding": 1}),
    "depthwise of odd channels": (23, 23, (3, 3), {"padding": 1}),
    "depthwise, two apart": (24, 24, (3, 3), {"padding": 1, "stride": 2}),
    "depthwise, apart by axes": (8, 8, (5, 2), {"padding": (1, 2), "stride": (3, 2), "dilation": (1, 3)}),
    "depthwise, windows beyond the image": (9, 9, (7, 7), {"padding": 6}),
    "depthwise, far apart": (4, 4, (2, 3), {"stride": (5, 4)}),
}


def results(x, w, b, options):
    x, w, b = (t.detach().requires_grad_() for t in (x, w, b))
    y = F.conv2d(x, w, b, **options)
    by = ft.linspace(-1, 2, y.numel(), dtype=x.dtype).reshape(y.shape)
    return [y, *grad((y * by).sum(), [x, w, b])]


@pytest.mark.parametrize("dtype", [ft.float32, ft.float64], ids=str)
@pytest.mark.parametrize("size", [(2, 9, 14), (1, 7, 7), (3, 30, 33)], ids=str)
@pytest.mark.parametrize("case", CASES)
def test_same_as_contiguous(case, size, dtype):
    channels, features, kernel, options = CASES[case]
    ft.manual_seed(0)
    depthwise = case.startswith("depthwise")
    x = ft.randn(size[0], channels, *size[1:], dtype=dtype)
    w = ft.randn(features, 1 if depthwise else channels, *kernel, dtype=dtype)
    b = ft.randn(features, dtype=dtype)
    options = {**options, "groups": channels if depthwise else 1}
    beside = x.contiguous(memory_format=ft.channels_last)
    ours, right = results(beside, w, b, options), results(x, w, b, options)
    for a, c in zip(ours, right, strict=True):
        assert a.shape == c.shape
        assert (a - c).abs().max().item() <= (1e-5 if dtype == ft.float32 else 1e-12) * (1 + c.abs().max().item())
    for a in ours[:2]:  # the result and the gradient of the input
        assert a.is_contiguous(memory_format=ft.channels_last)


def test_volumes_of_one_element():
    ft.manual_seed(0)
    x, w, b = ft.randn(2, 6, 3, 4, 5), ft.randn(8, 6, 1, 1, 1), ft.randn(8)
    y = F.conv3d(x.contiguous(memory_format=ft.channels_last_3d), w, b)
    assert ft.allclose(y, F.conv3d(x, w, b), rtol=1e-5, atol=1e-5)
    assert y.is_contiguous(memory_format=ft.channels_last_3d)


@pytest.mark.parametrize("kernel", [1, 3])
def test_threads_agree(kernel):
    """Tasks are rows of the result, and channels of the weights' gradient."""
    ft.manual_seed(0)
    x = ft.randn(4, 40, 20, 21).contiguous(memory_format=ft.channels_last)
    w, b, threads = ft.randn(40, 40 if kernel == 1 else 1, kernel, kernel), ft.randn(40), ft.get_num_threads()
    options, found = {"groups": 1 if kernel == 1 else 40}, []
    try:
        for n in (1, 2, 3):
            ft.set_num_threads(n)
            found.append(results(x, w, b, options))
    finally:
        ft.set_num_threads(threads)
    for other in found[1:]:
        for a, c in zip(found[0], other, strict=True):
            assert ft.allclose(a, c, rtol=1e-4, atol=1e-3)


def test_infinity_stays_in_its_channel():
    """Zeros of the padding are no factors: what is outside takes no part."""
    x = ft.ones(1, 3, 4, 4).contiguous(memory_format=ft.channels_last)
    w = ft.ones(3, 1, 3, 3)
    w[1] = ft.inf
    y = F.conv2d(x, w, padding=1, groups=3)
    assert y[0, 0].tolist() == [[4, 6, 6, 4], [6, 9, 9, 6], [6, 9, 9, 6], [4, 6, 6, 4]]
    assert (y[0, 1] == ft.inf).all() and ft.equal(y[0, 2], y[0, 0])
