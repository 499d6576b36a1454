"""Memory formats through functions of images and volumes: strides are PyTorch 2.13's."""

import pytest

import flambeau_tensor as torch
from flambeau_autograd import grad as grad_of
from flambeau_nn import functional as F

IMAGES = torch.arange(144.0).div(144).view(2, 3, 4, 6).to(memory_format=torch.channels_last)
VOLUMES = torch.arange(288.0).div(288).view(2, 3, 4, 6, 2).to(memory_format=torch.channels_last_3d)
STRIDES = {
    "max_pool2d": (lambda x: F.max_pool2d(x, 2, 1), IMAGES, (45, 1, 15, 3)),
    "its indices": (lambda x: F.max_pool2d(x, 2, 1, return_indices=True)[1], IMAGES, (45, 1, 15, 3)),
    "avg_pool2d": (lambda x: F.avg_pool2d(x, 2, 1), IMAGES, (45, 1, 15, 3)),
    "adaptive_avg_pool2d": (lambda x: F.adaptive_avg_pool2d(x, 2), IMAGES, (12, 1, 6, 3)),
    "adaptive_max_pool2d": (lambda x: F.adaptive_max_pool2d(x, 2), IMAGES, (12, 1, 6, 3)),
    "max_pool3d": (lambda x: F.max_pool3d(x, 2, 1), VOLUMES, (45, 1, 15, 3, 3)),
    "avg_pool3d": (lambda x: F.avg_pool3d(x, 2, 1), VOLUMES, (45, 15, 5, 1, 1)),
    "adaptive_avg_pool3d": (lambda x: F.adaptive_avg_pool3d(x, 2), VOLUMES, (24, 8, 4, 2, 1)),
    "batch_norm": (lambda x: F.batch_norm(x, None, None, training=True), IMAGES, (72, 1, 18, 3)),
    "batch_norm of volumes": (lambda x: F.batch_norm(x, None, None, training=True), VOLUMES, (144, 1, 36, 6, 3)),
    "group_norm": (lambda x: F.group_norm(x, 1, torch.ones(3)), IMAGES, (72, 1, 18, 3)),
    "group_norm of volumes": (lambda x: F.group_norm(x, 1), VOLUMES, (144, 1, 36, 6, 3)),
    "instance_norm": (lambda x: F.instance_norm(x), IMAGES, (72, 24, 6, 1)),
    "layer_norm": (lambda x: F.layer_norm(x, x.shape[1:]), IMAGES, (72, 24, 6, 1)),
    "local_response_norm": (lambda x: F.local_response_norm(x, 2), IMAGES, (72, 1, 18, 3)),
    "pad": (lambda x: F.pad(x, (1, 1)), IMAGES, (96, 1, 24, 3)),
    "pad of volumes": (lambda x: F.pad(x, (1, 1)), VOLUMES, (288, 1, 72, 12, 3)),
    "reflect": (lambda x: F.pad(x, (1, 1, 1, 1), mode="reflect"), IMAGES, (144, 1, 24, 3)),
    "circular": (lambda x: F.pad(x, (1, 1, 1, 1), mode="circular"), IMAGES, (144, 48, 8, 1)),
    "relu and more": (lambda x: F.relu(x) + 1, IMAGES, (72, 1, 18, 3)),
    "dropout": (lambda x: F.dropout(x), IMAGES, (72, 1, 18, 3)),
    "softmax": (lambda x: F.softmax(x, 1), IMAGES, (72, 24, 6, 1)),
    "a factor for each channel": (lambda x: x * torch.ones(1, 3, 1, 1), IMAGES, (72, 1, 18, 3)),
}


@pytest.mark.parametrize("name", STRIDES)
def test_strides(name):
    function, x, expected = STRIDES[name]
    result = function(x)
    assert result.stride() == expected
    if name != "dropout":
        assert torch.allclose(result.double(), function(x.contiguous()).double(), atol=1e-6)


@pytest.mark.parametrize("function", [lambda x: F.max_pool2d(x, 2, 1), lambda x: F.group_norm(x, 1), F.relu])
def test_gradients_lie_like_their_leaves(function):
    x = IMAGES.clone().requires_grad_()
    function(x).sum().backward()
    assert x.grad.stride() == (72, 1, 18, 3)


BESIDE = {
    "max_pool2d": (lambda x: F.max_pool2d(x, 3, 2, 1), IMAGES),
    "max_pool3d": (lambda x: F.max_pool3d(x, 2), VOLUMES),
    "avg_pool2d": (lambda x: F.avg_pool2d(x, 2), IMAGES),
    "adaptive_avg_pool2d": (lambda x: F.adaptive_avg_pool2d(x, 3), IMAGES),
    "nearest": (lambda x: F.interpolate(x, scale_factor=2), IMAGES),
    "bilinear": (lambda x: F.interpolate(x, (5, 9), mode="bilinear"), IMAGES),
    "bicubic": (lambda x: F.interpolate(x, (5, 3), mode="bicubic", antialias=True), IMAGES),
    "the same size": (lambda x: F.interpolate(x, scale_factor=1, mode="bilinear"), IMAGES),
    "trilinear": (lambda x: F.interpolate(x, scale_factor=2, mode="trilinear"), VOLUMES),
    "half precision": (lambda x: F.interpolate(x.half(), scale_factor=2, mode="bilinear"), IMAGES),
    "bytes": (lambda x: F.interpolate((x.detach() * 255).byte(), (5, 9), mode="bilinear"), IMAGES),
}


@pytest.mark.parametrize("name", BESIDE)
def test_channels_beside_each_other_stay_so_and_change_nothing(name):
    function, x = BESIDE[name]
    format = torch.channels_last if x.ndim == 4 else torch.channels_last_3d
    last, plain = x.clone().requires_grad_(), x.contiguous().requires_grad_()
    y, expected = function(last), function(plain)
    assert y.is_contiguous(memory_format=format) and torch.allclose(y.double(), expected.double(), rtol=1e-6)
    if y.requires_grad:
        weights = torch.arange(float(y.numel())).view(y.shape).to(y.dtype)
        (grad,) = grad_of(y, last, weights.to(memory_format=format))
        assert grad.is_contiguous(memory_format=format)
        assert torch.allclose(grad, grad_of(expected, plain, weights)[0])


@pytest.mark.parametrize(
    "change_nothing",
    [
        lambda x: F.pad(x, (0, 0, 0, 0), mode="replicate"),
        lambda x: F.pad(x, (0, 0, 0, 0), mode="circular"),
        lambda x: F.pad(x, (0, 0)),
        lambda x: F.pixel_shuffle(x, 1),
        lambda x: F.pixel_unshuffle(x, 1),
        lambda x: F.channel_shuffle(x, 1),
        lambda x: F.interpolate(x, scale_factor=1),
        lambda x: F.pixel_shuffle(x.reshape(6, 4, 1, 1), 2),
    ],
)
def test_results_share_no_memory_with_the_input(change_nothing):
    x = torch.arange(24.0).reshape(2, 3, 2, 2)
    before = x.clone()
    result = change_nothing(x)
    assert result.untyped_storage().data_ptr() != x.untyped_storage().data_ptr()
    result.zero_()
    assert x.equal(before)
