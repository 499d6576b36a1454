"""The adaptive softmax, and modules that stand for several processes or devices, against PyTorch 2.13."""

import math

import pytest

import flambeau_nn as nn
import flambeau_tensor as ft
from flambeau_autograd import no_grad


def wave(step, *shape):
    return ft.arange(float(math.prod(shape)), dtype=ft.float64).mul(step).sin().reshape(shape)


def test_values_and_gradients(weighed):
    layer = nn.AdaptiveLogSoftmaxWithLoss(16, 10, [2, 5], head_bias=True).double()
    k = 0
    with no_grad():
        for p in layer.parameters():
            p.copy_(ft.arange(k, k + p.numel(), dtype=p.dtype).mul(0.7).sin().reshape(p.shape))
            k += p.numel()
    x = wave(0.37, 6, 16).requires_grad_()
    target = ft.tensor([0, 9, 3, 5, 1, 2])
    output, loss = layer(x, target)
    (weighed(output) + loss).backward()
    assert (weighed(output).item(), loss.item(), weighed(x.grad).item()) == pytest.approx(
        (-72.79337774, 3.125136143, 3440.398659), rel=1e-8
    )
    assert [weighed(p.grad).item() for p in layer.parameters()] == pytest.approx(
        [-110.6456928, -8.240542777, -1130.503459, -19.22988974, -80.45236957, -4.25108228], rel=1e-8
    )
    assert weighed(layer.log_prob(x)).item() == pytest.approx(-5922.155617, rel=1e-8)
    assert layer.predict(wave(1.9, 6, 16) * 3).tolist() == [3, 4, 1, 1, 0, 0]
    one = layer(x[1], target[1])
    assert one.output.item() == pytest.approx(output[1].item()) and one.loss.item() == -one.output.item()
    assert layer.log_prob(x).gather(1, target.unsqueeze(1))[:, 0].tolist() == pytest.approx(output.tolist())


def test_weights_at_the_start_follow_the_seed():
    ft.manual_seed(0)
    layer = nn.AdaptiveLogSoftmaxWithLoss(4, 5, [2])
    assert layer.tail[0][1].weight.flatten().tolist() == pytest.approx(
        [0.39533519744873047, 0.6000227928161621, -0.677941083908081], rel=1e-5
    )
    assert list(layer.state_dict()) == ["head.weight", "tail.0.0.weight", "tail.0.1.weight"]


SORTED = (
    "cutoffs should be a sequence of unique, positive integers sorted in an increasing order, where each value "
    "is between 1 and n_classes-1"
)
ERRORS = {
    "none": (
        lambda: nn.AdaptiveLogSoftmaxWithLoss(4, 10, []),
        ValueError,
        "cutoffs should be a sequence of length larger than 0",
    ),
    "equal": (lambda: nn.AdaptiveLogSoftmaxWithLoss(4, 10, [3, 3]), ValueError, SORTED),
    "large": (lambda: nn.AdaptiveLogSoftmaxWithLoss(4, 10, [12]), ValueError, SORTED),
    "half": (lambda: nn.AdaptiveLogSoftmaxWithLoss(4, 10, [2.5]), ValueError, SORTED),
    "sizes": (
        lambda: nn.AdaptiveLogSoftmaxWithLoss(4, 10, [2])(ft.ones(2, 4), ft.tensor([1, 2, 3])),
        RuntimeError,
        "Input and target should have the same size in the batch dimension.",
    ),
    "targets": (
        lambda: nn.AdaptiveLogSoftmaxWithLoss(4, 10, [2])(ft.ones(2, 4), ft.tensor([1, 12])),
        RuntimeError,
        "Target values should be in [0, 9], but values in range [1, 12] were found. ",
    ),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors(name, check_error):
    check_error(*ERRORS[name])


def test_one_process_synchronizes_with_itself():
    model = nn.Sequential(nn.Conv2d(1, 3, 1), nn.BatchNorm2d(3), nn.Sequential(nn.BatchNorm1d(3))).eval()
    converted = nn.SyncBatchNorm.convert_sync_batchnorm(model)
    assert converted is model and type(model[1]) is type(model[2][0]) is nn.SyncBatchNorm and not model[1].training
    layer, plain = nn.SyncBatchNorm(3), nn.BatchNorm1d(3)
    x = wave(1.0, 2, 3, 4).float()
    assert layer(x).equal(plain(x)) and layer.running_var.equal(plain.running_var)
    with pytest.raises(ValueError, match=r"expected at least 2D input \(got 1D input\)"):
        layer(x[0, 0])


def test_one_device_runs_all():
    model = nn.DataParallel(nn.Linear(2, 1))
    assert list(model.state_dict()) == ["module.weight", "module.bias"]
    assert model(ft.ones(3, 2)).equal(model.module(ft.ones(3, 2)))


def test_normalization_across_maps():
    x = wave(1.0, 1, 5, 2, 2)
    assert nn.CrossMapLRN2d(3)(x).equal(nn.LocalResponseNorm(3)(x))
    assert ft.allclose(nn.CrossMapLRN2d(4, alpha=0.4)(x), nn.LocalResponseNorm(3, alpha=0.3)(x))
    assert repr(nn.CrossMapLRN2d(3)) == "CrossMapLRN2d(3, alpha=0.0001, beta=0.75, k=1.0)"
