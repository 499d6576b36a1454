"""Pooling undone, and over windows at random places. What is literal PyTorch 2.13 printed."""

import numpy as np
import pytest

import flambeau_nn as nn
import flambeau_tensor as ft
from flambeau_autograd.func import vmap
from flambeau_autograd.gradcheck import gradcheck, gradgradcheck
from flambeau_nn import functional as F
from samples.derivatives import check_batches, check_derivatives
from samples.values import check_values

RNG = np.random.default_rng(0)
POOL = {1: F.max_pool1d, 2: F.max_pool2d, 3: F.max_pool3d}
UNPOOL = {1: F.max_unpool1d, 2: F.max_unpool2d, 3: F.max_unpool3d}


def floats(*shape):
    return ft.from_numpy(RNG.standard_normal(shape))


@pytest.mark.parametrize("dims", [1, 2, 3])
def test_maxima_go_where_they_were(dims):
    x = floats(2, 3, *(6, 4, 8)[:dims])
    pooled, indices = POOL[dims](x, 2, return_indices=True)
    found = UNPOOL[dims](pooled, indices, 2)
    assert found.shape == x.shape
    kept = found != 0
    assert ft.equal(found[kept], x[kept]) and kept.sum().item() == pooled.numel()
    assert ft.equal(POOL[dims](found.abs(), 2), pooled.abs())
    assert ft.equal(UNPOOL[dims](pooled[0], indices[0], 2), found[0])
    y = pooled.detach().requires_grad_()
    assert gradcheck(lambda y: UNPOOL[dims](y, indices, 2), [y], check_forward_ad=True, check_batched_grad=True)
    assert ft.equal(vmap(lambda p, i: UNPOOL[dims](p, i, 2))(pooled, indices), found)


def test_sizes_that_pool_to_the_same():
    x = floats(2, 3, 6, 7)
    pooled, indices = F.max_pool2d(x, 2, return_indices=True)
    assert F.max_unpool2d(pooled, indices, 2, output_size=(6, 7)).shape == (2, 3, 6, 7)
    assert F.max_unpool2d(pooled, indices, 2, output_size=x.shape).shape == (2, 3, 6, 7)
    last = pooled.to(memory_format=ft.channels_last)
    assert F.max_unpool2d(last, indices, 2, output_size=(6, 7)).stride() == (126, 1, 21, 3)
    with pytest.raises(ValueError, match=r'invalid output_size "\(6, 9\)" \(dim 1 must be between 4 and 8\)'):
        F.max_unpool2d(pooled, indices, 2, output_size=(6, 9))
    with pytest.raises(ValueError, match="should be a sequence containing 2 or 4 elements, but it has a length of '1'"):
        F.max_unpool2d(pooled, indices, 2, output_size=(6,))
    with pytest.raises(RuntimeError, match=r"Found an invalid max index: 99 \(output volumes are of size 6x6\)"):
        F.max_unpool2d(pooled, ft.full_like(indices, 99), 2)
    with pytest.raises(RuntimeError, match="elements in indices should be type int64 but got: Float"):
        F.max_unpool2d(pooled, indices.float(), 2)


def test_random_windows():
    """Literal."""
    x = ft.arange(49.0).reshape(1, 1, 7, 7)
    values, indices = F.fractional_max_pool2d(
        x, 2, (4, 3), return_indices=True, _random_samples=ft.tensor([[[0.3, 0.7]]])
    )
    assert values[0, 0].tolist() == [[8, 11, 13], [15, 18, 20], [29, 32, 34], [43, 46, 48]]
    assert ft.equal(indices, values.long())
    found = F.fractional_max_pool2d(x, 3, (5, 5), _random_samples=ft.tensor([[[0.9, 0.1]]]))
    assert found[0, 0, :, 0].tolist() == [16, 23, 30, 37, 44]
    x = ft.arange(343.0).reshape(1, 1, 7, 7, 7)
    found = F.fractional_max_pool3d(x, 2, (3, 2, 4), _random_samples=ft.tensor([[[0.3, 0.7, 0.1]]]))
    assert found.shape == (1, 1, 3, 2, 4)
    starts = [v // 49 - 1 for v in found[0, 0, :, 0, 0].long().tolist()]
    assert starts == [0, 3, 5]
    y = floats(1, 2, 5, 5).requires_grad_()
    samples = ft.rand(1, 2, 2, dtype=ft.float64)
    assert gradcheck(
        lambda y: F.fractional_max_pool2d(y, 2, output_ratio=0.5, _random_samples=samples), [y], check_forward_ad=True
    )
    assert gradgradcheck(lambda y: F.fractional_max_pool2d(y, 2, (3, 3), _random_samples=samples) ** 2, [y])
    assert F.fractional_max_pool2d(floats(0, 2, 5, 5), 2, 3).shape == (0, 2, 3, 3)
    with pytest.raises(RuntimeError, match="pool height 2 too large relative to input height 5"):
        F.fractional_max_pool2d(y, 2, (5, 3))
    with pytest.raises(ValueError, match="requires output_ratio to either be a single Int or tuple of Ints"):
        F.fractional_max_pool2d(ft.ones(1, 5, 5), 2, output_ratio=(0.5, 0.5, 0.5))
    with pytest.raises(ValueError, match="requires specifying either an output_size or an output_ratio"):
        F.fractional_max_pool2d(y, 2)


def test_layers():
    x = floats(2, 3, 6, 6)
    pooled, indices = nn.MaxPool2d(2, return_indices=True)(x)
    unpool = nn.MaxUnpool2d(2)
    assert repr(unpool) == "MaxUnpool2d(kernel_size=(2, 2), stride=(2, 2), padding=(0, 0))"
    assert ft.equal(unpool(pooled, indices), F.max_unpool2d(pooled, indices, 2))
    assert repr(nn.MaxUnpool1d(2, 3, 1)) == "MaxUnpool1d(kernel_size=(2,), stride=(3,), padding=(1,))"
    lp = nn.LPPool2d(2, 3)
    assert repr(lp) == "LPPool2d(norm_type=2, kernel_size=3, stride=None, ceil_mode=False)"
    assert ft.equal(lp(x), F.lp_pool2d(x, 2.0, 3)) and nn.LPPool1d(2, 3)(x[0]).shape == (3, 6, 2)
    assert nn.FractionalMaxPool2d(2, output_ratio=0.5)(x).shape == (2, 3, 3, 3)
    assert nn.FractionalMaxPool3d(2, 2, return_indices=True)(x)[1].shape == (2, 2, 2, 2)
    for make, text in (
        (lambda: nn.FractionalMaxPool2d(2), "specifying either an output size, or a pooling ratio"),
        (lambda: nn.FractionalMaxPool2d(2, 3, 0.5), "only one of output_size and output_ratio"),
        (lambda: nn.FractionalMaxPool2d(2, output_ratio=1.5), r"between 0 and 1 \(got 1.5\)"),
    ):
        with pytest.raises(ValueError, match=text):
            make()


def test_samples_of_fractional_pooling_may_be_more_than_needed():
    x, samples = ft.rand(4, 5, 5, 5), ft.rand(2, 4, 3)
    one = F.fractional_max_pool3d(x, 2, output_size=2, _random_samples=samples[:1])
    assert ft.equal(F.fractional_max_pool3d(x, 2, output_size=2, _random_samples=samples), one)
    for shape, said in (
        ((1, 3, 3), r"size\(1\) equals to input channel size"),
        ((0, 4, 3), r"size\(0\) no less then"),
        ((1, 4, 2), r"size\(2\) equals to 3; got 2"),
        ((4, 3), "to have 3 dimensions, got 2"),
    ):
        with pytest.raises(RuntimeError, match=said):
            F.fractional_max_pool3d(x, 2, output_size=2, _random_samples=ft.rand(shape))


TestSamples = check_values("nn.unpooling")
TestDerivatives = check_derivatives("nn.unpooling")
TestBatches = check_batches("nn.unpooling")


def test_fractional_pooling_of_no_channels():
    for shape, pool in (((1, 0, 8, 8), F.fractional_max_pool2d), ((0, 8, 8, 8), F.fractional_max_pool3d)):
        with pytest.raises(RuntimeError, match="Expected input to have non-zero size for non-batch dimensions"):
            pool(ft.ones(shape), 2, output_size=1)


def test_kernels_of_other_dimensions():
    with pytest.raises(RuntimeError, match="exactly three elements .depth, height, width. in output_size, but got 2"):
        F.max_unpool3d(ft.ones(1, 3, 1, 1, 1), ft.zeros(1, 3, 1, 1, 1, dtype=ft.int64), [1, 1])
    with pytest.raises(IndexError, match="tuple index out of range"):
        F.max_unpool1d(ft.ones(1, 3, 1), ft.zeros(1, 3, 1, dtype=ft.int64), [1, 1])


@pytest.mark.parametrize("dims", [2, 3])
def test_sizes_of_fractional_pooling(dims):
    pool = {2: F.fractional_max_pool2d, 3: F.fractional_max_pool3d}[dims]
    x = ft.ones((1, 2, *(7,) * dims))
    for sizes in ((), (1,), (1,) * (dims - 1)):
        with pytest.raises(RuntimeError, match="kernel_size must either be a single Int or tuple of Ints"):
            pool(x, sizes, output_size=3)
        with pytest.raises(RuntimeError, match="output_size must either be a single Int or tuple of Ints"):
            pool(x, 2, output_size=sizes)
