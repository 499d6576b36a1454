"""Kernels, paddings and factors whose sums or products have no room in 64 bits: refused, not wrapped around."""

import pytest

import flambeau_nn.functional as F
import flambeau_tensor as ft

MOST = 2**63 - 1


@pytest.mark.parametrize("mode", ["constant", "reflect", "replicate", "circular"])
@pytest.mark.parametrize(
    "pad", [(MOST, MOST), (MOST, 1), (-MOST - 1, MOST), (-MOST, -MOST), (-MOST - 1, -MOST - 1), (2**62, 2**62)]
)
def test_padding(mode, pad):
    with pytest.raises(RuntimeError):
        F.pad(ft.ones(1, 1, 3), pad, mode=mode)


@pytest.mark.parametrize("factor", [2**31, 2**32, 2**62, MOST])
def test_shuffling(factor):
    with pytest.raises(RuntimeError, match="overflowed"):
        F.pixel_shuffle(ft.ones(1, 0, 3, 3), factor)
    with pytest.raises(RuntimeError, match="overflowed"):
        F.pixel_unshuffle(ft.ones(1, 3, 0, 0), factor)


@pytest.mark.parametrize(
    "call",
    [
        lambda n: F.unfold(ft.ones(1, 1, 3, 3), 1, padding=n),
        lambda n: F.unfold(ft.ones(1, 1, 3, 3), 2, dilation=n),
        lambda n: F.fold(ft.ones(1, 4, 4), (3, 3), 2, padding=n),
        lambda n: F.conv2d(ft.ones(1, 1, 3, 3), ft.ones(1, 1, 2, 2), padding=n),
        lambda n: F.conv2d(ft.ones(1, 1, 3, 3), ft.ones(1, 1, 2, 2), dilation=n),
        lambda n: F.conv_transpose2d(ft.ones(1, 1, 3, 3), ft.ones(1, 1, 2, 2), stride=n),
        lambda n: F.conv_transpose2d(ft.ones(1, 1, 3, 3), ft.ones(1, 1, 2, 2), stride=n, padding=n // 2),
        lambda n: F.fractional_max_pool2d(ft.ones(1, 1, 5, 5), n, output_size=n),
        lambda n: F.fractional_max_pool2d(ft.ones(1, 1, 5, 5), n, output_size=2),
        lambda n: F.max_unpool2d(ft.ones(1, 1, 2, 2), ft.zeros(1, 1, 2, 2, dtype=ft.int64), 2, stride=n),
        lambda n: F.interpolate(ft.ones(1, 1, 3, 3), size=n),
    ],
)
@pytest.mark.parametrize("n", [2**61 + 1, 2**62, MOST])
def test_windows(call, n):
    with pytest.raises((RuntimeError, MemoryError, TypeError)):
        call(n)
