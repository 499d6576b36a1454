"""Means of models, and the schedule to their rate."""

import pytest

import flambeau_nn as nn
import flambeau_tensor as ft
from flambeau_nn import optim
from flambeau_nn.optim import swa_utils


def trained(steps=4, **options):
    """A model that goes 1, 2, 3, …, and its mean."""
    model = nn.Sequential(nn.Linear(1, 1), nn.BatchNorm1d(1))
    mean = swa_utils.AveragedModel(model, **options)
    for i in range(1, steps + 1):
        for p in model.parameters():
            nn.init.constant_(p, float(i))
        model[1].running_mean.fill_(10.0 * i)
        model[1].num_batches_tracked.fill_(i)
        mean.update_parameters(model)
    return model, mean


def test_equal_weights():
    _, mean = trained()
    assert mean.module[0].weight.item() == 2.5 and mean.n_averaged.item() == 4
    assert mean.module[1].running_mean.item() == 40 and mean.module[1].num_batches_tracked.item() == 4
    assert list(mean.state_dict())[:2] == ["n_averaged", "module.0.weight"]
    assert ft.equal(mean(ft.ones(2, 1)), mean.module(ft.ones(2, 1)))


def test_buffers_too():
    _, mean = trained(use_buffers=True)
    assert mean.module[1].running_mean.item() == 25
    assert mean.module[1].num_batches_tracked.item() == 1  # integers are cut off at every step, as in PyTorch


@pytest.mark.parametrize(
    "options",
    [
        {"avg_fn": swa_utils.get_ema_avg_fn(0.5)},
        {"multi_avg_fn": swa_utils.get_ema_multi_avg_fn(0.5)},
    ],
)
def test_exponential_weights(options):
    assert trained(**options)[1].module[0].weight.item() == 3.125  # ((1 + 2) / 2 + 3) / 2 = 2.25, (2.25 + 4) / 2


def test_functions():
    a, b = ft.tensor([1.0]), ft.tensor([4.0])
    assert swa_utils.get_swa_avg_fn()(a, b, 2).item() == 2
    swa_utils.get_swa_multi_avg_fn()([a], [b], ft.tensor(2))
    assert a.item() == 2
    counts = ft.tensor([1, 5])
    swa_utils.get_ema_multi_avg_fn(0.9)([counts], [ft.tensor([4, 9])], 3)
    assert counts.tolist() == [1, 5]
    for make in (swa_utils.get_ema_avg_fn, swa_utils.get_ema_multi_avg_fn):
        with pytest.raises(ValueError, match=r"Invalid decay value 2 provided. Please provide a value in \[0,1\]"):
            make(2)
    with pytest.raises(AssertionError, match="Only one of avg_fn and multi_avg_fn should be provided"):
        swa_utils.AveragedModel(nn.Linear(1, 1), avg_fn=max, multi_avg_fn=max)


def test_update_bn():
    model = nn.Sequential(nn.BatchNorm1d(1)).eval()
    model[0].running_mean.fill_(100.0)
    swa_utils.update_bn([(ft.tensor([[0.0], [2.0]]), "label"), ft.tensor([[4.0], [6.0]])], model)
    assert model[0].running_mean.item() == 3 and model[0].momentum == 0.1 and not model.training
    plain = nn.Linear(1, 1)
    swa_utils.update_bn([None], plain)  # nothing to update, nothing is read


@pytest.mark.parametrize(
    ("strategy", "want"),
    [
        ("linear", [0.1, 0.075, 0.05, 0.05]),
        ("cos", [0.1, 0.075, 0.05, 0.05]),
    ],
)
def test_schedule(strategy, want):
    o = optim.SGD([ft.zeros(1, requires_grad=True)], lr=0.1)
    schedule = swa_utils.SWALR(o, 0.05, anneal_epochs=2, anneal_strategy=strategy)
    got = []
    for _ in range(4):
        got.append(o.param_groups[0]["lr"])
        o.step()
        schedule.step()
    assert got == pytest.approx(want)
    assert "anneal_func" not in schedule.state_dict()
    other = swa_utils.SWALR(o, 0.05)
    other.load_state_dict(schedule.state_dict())
    assert other.anneal_func is schedule.anneal_func and other.anneal_epochs == 2
    with pytest.raises(ValueError, match="anneal_strategy must be one of 'cos' or 'linear', instead got x"):
        swa_utils.SWALR(o, 0.1, anneal_strategy="x")
    with pytest.raises(ValueError, match="anneal_epochs must be equal or greater than 0, got -1"):
        swa_utils.SWALR(o, 0.1, anneal_epochs=-1)
