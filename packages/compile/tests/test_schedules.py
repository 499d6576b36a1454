"""Steps of learning rate schedules inside compiled functions."""

import pytest

import flambeau_nn as nn
import flambeau_nn.functional as F
import flambeau_tensor as ft
from flambeau_compile import compile, explain
from flambeau_nn.optim import SGD, Adam, lr_scheduler


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("FLAMBEAU_EXTENSIONS_DIR", str(tmp_path))


def world(schedule, rule=Adam, metric=False, **options):
    ft.manual_seed(0)
    net = nn.Linear(2, 1)
    optimizer = rule(net.parameters(), 0.1, **options)
    schedule = schedule(optimizer)

    def step(x):
        optimizer.zero_grad()
        loss = F.mse_loss(net(x), x[:, :1])
        loss.backward()
        optimizer.step()
        schedule.step(*(loss.detach(),) * metric)
        return loss.detach()

    return net, optimizer, schedule, step


def agree(one, other, compiled, calls=8, change=None):
    for i in range(calls):
        x = ft.randn(4, 2)
        assert ft.allclose(compiled(x), other[3](x))
        assert ft.allclose(one[0].weight, other[0].weight)
        states = [{**world[2].state_dict(), "step": None, "_schedulers": None} for world in (one, other)]
        assert repr(states[0]) == repr(states[1])
        assert one[1].param_groups[0]["lr"] == other[1].param_groups[0]["lr"]
        if change is not None and i == calls // 2:
            change(one)
            change(other)


SCHEDULES = {
    "LambdaLR": lambda o: lr_scheduler.LambdaLR(o, lambda epoch: 1 / (1 + epoch)),
    "StepLR": lambda o: lr_scheduler.StepLR(o, 3),
    "CosineAnnealingWarmRestarts": lambda o: lr_scheduler.CosineAnnealingWarmRestarts(o, 3),
    "OneCycleLR": lambda o: lr_scheduler.OneCycleLR(o, 0.2, total_steps=9),
    "SequentialLR": lambda o: lr_scheduler.SequentialLR(
        o, [lr_scheduler.LinearLR(o, total_iters=3), lr_scheduler.ExponentialLR(o, 0.9)], [3]
    ),
    "ChainedScheduler": lambda o: lr_scheduler.ChainedScheduler(
        [lr_scheduler.ConstantLR(o, 0.5, 2), lr_scheduler.ExponentialLR(o, 0.9)]
    ),
}


@pytest.mark.parametrize("name", SCHEDULES)
def test_schedules_step_after_the_program(name):
    one, other = world(SCHEDULES[name]), world(SCHEDULES[name])
    compiled = compile(one[3])
    agree(one, other, compiled)
    assert explain(compiled).count("\n") == 0 and "eagerly" not in explain(compiled)


def test_a_schedule_that_receives_the_loss():
    def plateau(optimizer):
        return lr_scheduler.ReduceLROnPlateau(optimizer, patience=0, threshold=0.5)

    one, other = world(plateau, metric=True), world(plateau, metric=True)
    compiled = compile(one[3])
    agree(one, other, compiled)
    assert one[1].param_groups[0]["lr"] < 0.1 and explain(compiled).count("\n") == 0


def test_changes_of_a_schedule_between_calls():
    def change(world):
        world[2].gamma, world[2].step_size = 0.5, 2

    one, other = (world(lambda o: lr_scheduler.StepLR(o, 3)) for _ in range(2))
    compiled = compile(one[3])
    agree(one, other, compiled, calls=10, change=change)
    assert explain(compiled).count("\n") == 0


def test_a_schedule_whose_step_is_replaced():
    def change(world):
        world[2].step = lambda: None

    one, other = world(SCHEDULES["LambdaLR"]), world(SCHEDULES["LambdaLR"])
    compiled = compile(one[3])
    agree(one, other, compiled, change=change)
    assert one[2].last_epoch == 5 and "eagerly" not in explain(compiled)


def test_what_reads_the_rate_runs_in_python():
    one, other = world(SCHEDULES["LambdaLR"]), world(SCHEDULES["LambdaLR"])

    def compiled_step(x):
        return one[3](x), one[2].get_last_lr()[0]

    compiled = compile(compiled_step)
    for _ in range(4):
        x = ft.randn(4, 2)
        if not explain(compiled).startswith("runs"):
            with pytest.warns(RuntimeWarning, match="names get_last_lr, which a schedule's step sets"):
                found = compiled(x)
        else:
            found = compiled(x)
        assert ft.equal(found[0], other[3](x)) and found[1] == other[2].get_last_lr()[0]


@pytest.mark.parametrize("order", ["schedule first", "momentum"])
def test_other_schedules_run_in_python(order):
    def pair():
        if order == "momentum":
            return world(lambda o: lr_scheduler.OneCycleLR(o, 0.2, total_steps=9), SGD, momentum=0.9)
        net, optimizer, schedule, step = world(SCHEDULES["LambdaLR"])

        def turned(x):
            loss = step(x)
            optimizer.step()
            return loss

        return net, optimizer, schedule, turned

    one, other = pair(), pair()
    compiled = compile(one[3])
    with pytest.warns(RuntimeWarning, match="schedule's step (comes before|sets momentum)"):
        agree(one, other, compiled)
