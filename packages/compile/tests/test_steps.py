"""Whole training steps: gradients, optimizers and their options, equal to eager's to the bit."""

import pytest

import flambeau_nn as nn
import flambeau_tensor as ft
from flambeau_compile import compile, explain
from flambeau_nn import functional as F
from flambeau_nn import optim


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("FLAMBEAU_EXTENSIONS_DIR", str(tmp_path))


def training(make, sizes=(16, 32, 4), set_to_none=True):
    """A step, its arguments, and the network and optimizer behind it."""
    ft.manual_seed(0)
    net = nn.Sequential(nn.Linear(sizes[0], sizes[1]), nn.Tanh(), nn.Linear(sizes[1], sizes[2]))
    optimizer = make(net.parameters())

    def step(x, y):
        optimizer.zero_grad(set_to_none=set_to_none)
        loss = F.mse_loss(net(x), y)
        loss.backward()
        optimizer.step()
        return loss.detach()

    return step, (ft.randn(8, sizes[0]), ft.randn(8, sizes[2])), net, optimizer


OPTIMIZERS = {
    "sgd": lambda p: optim.SGD(p, 0.1),
    "momentum": lambda p: optim.SGD(p, 0.1, momentum=0.9, nesterov=True, weight_decay=0.01),
    "adam": lambda p: optim.Adam(p, 0.01),
    "amsgrad": lambda p: optim.Adam(p, 0.01, amsgrad=True, weight_decay=0.1),
    "adamw": lambda p: optim.AdamW(p, 0.01),
    "rmsprop": lambda p: optim.RMSprop(p, 0.01, momentum=0.5, centered=True),
    "adagrad": lambda p: optim.Adagrad(p, 0.01),
}


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_steps_of_optimizers(name):
    step, args, net, _ = training(OPTIMIZERS[name])
    other, _, twin, _ = training(OPTIMIZERS[name])
    compiled = compile(step)
    for _ in range(20):
        assert compiled(*args).equal(other(*args))
    for a, b in zip(net.parameters(), twin.parameters(), strict=True):
        assert a.equal(b) and a.grad.equal(b.grad)
    assert explain(compiled).count("compiled") <= 2 and "eagerly" not in explain(compiled)


def test_a_thousand_steps_with_another_learning_rate_on_the_way():
    step, args, net, optimizer = training(OPTIMIZERS["adam"])
    other, _, twin, reference = training(OPTIMIZERS["adam"])
    compiled = compile(step)
    for i in range(1000):
        if i in (300, 600):
            optimizer.param_groups[0]["lr"] = reference.param_groups[0]["lr"] = 0.01 / i
        assert compiled(*args).equal(other(*args))
    for a, b in zip(net.parameters(), twin.parameters(), strict=True):
        assert a.equal(b)
    assert explain(compiled).count("compiled") <= 2


def test_state_is_that_of_the_optimizer():
    step, args, net, optimizer = training(OPTIMIZERS["adam"])
    compiled = compile(step)
    for _ in range(5):
        compiled(*args)
    state = optimizer.state_dict()["state"]
    assert [entry["step"].item() for entry in state.values()] == [5.0] * 4
    other, _, twin, reference = training(OPTIMIZERS["adam"])
    twin.load_state_dict(net.state_dict())
    reference.load_state_dict(optimizer.state_dict())
    assert compiled(*args).equal(other(*args))


def test_gradients_in_place():
    step, args, net, _ = training(OPTIMIZERS["sgd"], set_to_none=False)
    other, _, twin, _ = training(OPTIMIZERS["sgd"], set_to_none=False)
    compiled = compile(step)
    for _ in range(10):
        assert compiled(*args).equal(other(*args))
    for a, b in zip(net.parameters(), twin.parameters(), strict=True):
        assert a.grad.equal(b.grad)


def test_a_gradient_that_somebody_keeps_is_not_written_to():
    step, args, net, _ = training(OPTIMIZERS["sgd"])
    compiled = compile(step)
    compiled(*args)
    compiled(*args)
    kept = net[0].weight.grad
    copy = kept.clone()
    compiled(*args)
    assert kept.equal(copy) and net[0].weight.grad is not kept


def test_the_step_alone():
    def make(compiled):
        ft.manual_seed(0)
        net = nn.Linear(4, 3)
        optimizer = optim.Adam(net.parameters(), 0.1)
        return net, compile(optimizer.step) if compiled else optimizer.step, optimizer

    (net, step, optimizer), (twin, other, reference) = make(True), make(False)
    for i in range(6):
        x = ft.full((2, 4), float(i))
        for model, update, o in ((net, step, optimizer), (twin, other, reference)):
            o.zero_grad()
            model(x).pow(2).sum().backward()
            update()
        assert net.weight.equal(twin.weight)


def test_gradients_add_up_over_calls():
    ft.manual_seed(0)
    net, twin = nn.Linear(3, 2), nn.Linear(3, 2)
    twin.load_state_dict(net.state_dict())

    def accumulate(model):
        return lambda x: model(x).pow(2).sum().backward()

    compiled, plain = compile(accumulate(net)), accumulate(twin)
    for i in range(4):
        compiled(ft.full((2, 3), 1.0 + i))
        plain(ft.full((2, 3), 1.0 + i))
        assert ft.allclose(net.weight.grad, twin.weight.grad, rtol=1e-6)


def test_closures_of_line_searches_differ_by_rounding_alone():
    """Branches of the search amplify rounding: in double precision the differences begin at 1e-16."""

    def make(compiled):
        ft.manual_seed(0)
        net = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1)).double()
        x = ft.randn(20, 2, dtype=ft.float64)
        optimizer = optim.LBFGS(net.parameters(), line_search_fn="strong_wolfe", max_iter=5)

        def closure():
            optimizer.zero_grad()
            loss = F.mse_loss(net(x), x.prod(1, keepdim=True))
            loss.backward()
            return loss

        return net, optimizer, compile(closure) if compiled else closure

    (net, optimizer, closure), (twin, reference, plain) = make(True), make(False)
    for _ in range(5):
        optimizer.step(closure)
        reference.step(plain)
    for a, b in zip(net.parameters(), twin.parameters(), strict=True):
        assert ft.allclose(a, b, rtol=0, atol=1e-11)
    assert explain(closure).count("compiled") <= 2  # the optimizer's state does not matter to the closure
