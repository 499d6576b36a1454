"""Ordinary programs: what they compute with `compile` is what they compute without."""

import copy
import io
import math
import pickle
import threading
import warnings

import pytest

import flambeau_nn as nn
import flambeau_tensor as ft
from flambeau_autograd import enable_grad, func, grad, no_grad
from flambeau_compile import compile, products
from flambeau_compile.build import processor
from flambeau_nn import functional as F
from flambeau_nn import optim


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("FLAMBEAU_EXTENSIONS_DIR", str(tmp_path))


def network(*sizes, norm=False, drop=0.0):
    ft.manual_seed(0)
    layers = []
    for a, b in zip(sizes, sizes[1:], strict=False):
        layers += [nn.Linear(a, b), *([nn.BatchNorm1d(b)] if norm else []), nn.Tanh(), nn.Dropout(drop)]
    return nn.Sequential(*layers)


def examples(n=50):
    ft.manual_seed(1)
    return ft.randn(n, 4), ft.randn(n, 1)


def batches_of_two_sizes(c):
    net = network(4, 8, 1, norm=True, drop=0.3)
    model = c(net)
    optimizer = optim.SGD(model.parameters(), 0.05, momentum=0.9)
    schedule = optim.lr_scheduler.StepLR(optimizer, 1, 0.5)
    x, y = examples()
    out = []
    for _ in range(3):
        model.train()
        for i in range(0, 50, 16):
            optimizer.zero_grad()
            loss = F.mse_loss(model(x[i : i + 16]), y[i : i + 16])
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 0.5)
            optimizer.step()
            out.append(loss.item())
        schedule.step()
        model.eval()
        with no_grad():
            out.append(model(x))
    return [*out, *net.state_dict().values()]


def step_with_clipping(c):
    net = network(4, 8, 1)
    optimizer = optim.AdamW(net.parameters(), 0.01)
    schedule = optim.lr_scheduler.CosineAnnealingLR(optimizer, 10)
    x, y = examples()

    @c
    def step(x, y):
        optimizer.zero_grad()
        loss = F.mse_loss(net(x), y)
        loss.backward()
        norm = nn.utils.clip_grad_norm_(net.parameters(), 0.1)
        optimizer.step()
        return loss.detach(), norm

    out = []
    for _ in range(12):
        out += step(x, y)
        schedule.step()
    return [*out, *net.state_dict().values()]


def accumulated_gradients(c):
    net = network(4, 8, 1)
    optimizer = optim.SGD(net.parameters(), 0.1)
    x, y = examples()

    @c
    def step(x, y, last):
        loss = F.mse_loss(net(x), y) / 2
        loss.backward()
        if last:
            optimizer.step()
            optimizer.zero_grad()
        return loss.detach()

    return [step(x, y, bool(i % 2)) for i in range(8)]


def results_kept_for_backward(c):
    out = []
    for function in (ft.tanh, ft.sigmoid, lambda x: x.exp().tanh(), lambda x: F.softmax(x, 0)):
        compiled = c(function)
        for i in range(3):
            x = ft.linspace(-1, 1 + i, 6).requires_grad_()
            y = compiled(x)
            out += [y.detach(), *grad(y.square().sum(), x)]
    return out


def derivatives_around(c):
    f = c(lambda x: ft.stack([x[0] * x[1].sin(), x[1] ** 2 / x[0]]))
    x = ft.tensor([1.0, 2.0])
    return [transform(f)(x * i) for i in (1, 2, 3) for transform in (func.jacrev, func.jacfwd)]


def second_derivatives(c):
    f = c(lambda x: (x**3).sum())
    out = []
    for i in range(3):
        x = ft.tensor([1.0, 2.0 + i], requires_grad=True)
        (first,) = grad(f(x), x, create_graph=True)
        out += [first.detach(), *grad(first.sum(), x)]
    return out


def integration(c):
    def motion(s):
        return ft.stack([s[1], -s[0] - 0.1 * s[1]])

    @c
    def integrate(s, n, h):
        out = [s]
        for _ in range(n):
            s = s + h * motion(s + h / 2 * motion(s))
            out.append(s)
        return ft.stack(out)

    return [integrate(ft.tensor([1.0, 0.0]) * i, n, 0.1) for i, n in ((1, 10), (2, 10), (3, 10), (1, 5))]


def integration_with_chosen_steps(c):
    @c
    def step(s, h):
        first = -(s**3)
        second = -((s + h * first) ** 3)
        if (h * (second - first) / 2).abs().sum() < 1e-3:
            return s + h * (first + second) / 2, h * 1.5
        return s, h * 0.5

    s, h = ft.tensor([1.0, 2.0]), ft.tensor(0.5)
    out = []
    for _ in range(20):
        s, h = step(s, h)
        out += [s, h]
    return out


class Cell(nn.Module):
    def __init__(self):
        super().__init__()
        self.input, self.hidden = nn.Linear(2, 4), nn.Linear(4, 4)
        self.state, self.calls = ft.zeros(1, 4), 0

    def forward(self, x):
        self.state = ft.tanh(self.input(x) + self.hidden(self.state))
        self.calls += 1
        return self.state


def recurrent_state(c):
    ft.manual_seed(0)
    cell = Cell()
    compiled = c(cell)
    out = []
    with no_grad():
        for i in range(5):
            out.append(compiled(ft.ones(1, 2) * i))
        cell.state = ft.zeros(1, 4)
        out += [compiled(ft.ones(1, 2) * i) for i in range(3)]
    return [*out, cell.state, cell.calls]


def switched_modes(c):
    net = network(3, 3)
    model = c(net)
    x = ft.ones(2, 3)
    out = []
    for _ in range(3):
        with no_grad():
            y = model(x)
            out += [y, y.requires_grad]
            with enable_grad():
                out.append(model(x).requires_grad)
        model(x).sum().backward()
        out.append(net[0].weight.grad.clone())
    return out


def frozen_and_exchanged_layers(c):
    net = network(3, 4, 1)
    model = c(net)
    x = ft.ones(2, 3)
    out = [model(x).detach()]
    net[0].weight.requires_grad_(False)
    model(x).sum().backward()
    out += [net[0].weight.grad is None, net[0].bias.grad.clone()]
    net[1] = nn.ReLU()
    out.append(model(x).detach())
    net.append(nn.Sigmoid())
    out.append(model(x).detach())
    net.double()
    return [*out, model(x.double()).detach()]


def states_saved_and_copied(c):
    net = network(3, 4, 1)
    model = c(net)
    x = ft.ones(2, 3)
    kept = {name: t.clone() for name, t in model.state_dict().items()}
    out = [model(x).detach(), list(kept)]
    twin = copy.deepcopy(model)
    with no_grad():
        for p in net.parameters():
            p.mul_(2)
    out += [model(x).detach(), twin(x).detach()]
    model.load_state_dict(kept)
    again = pickle.loads(pickle.dumps(model))
    return [*out, model(x).detach(), again(x).detach(), twin(x).detach()]


def threads(c):
    model = c(network(3, 8, 1))
    found = {}

    def work(i):
        for _ in range(20):
            found[i] = model(ft.ones(2, 3) * i).detach()

    workers = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return [found[i] for i in range(4)]


def one_inside_another(c):
    inner = c(lambda x: x.sin() * 2)
    outer = c(lambda x: inner(x) + inner(x * 2))
    return [*(outer(ft.ones(3) * i) for i in range(4)), inner(ft.ones(3))]


def printing(c):
    text = io.StringIO()

    @c
    def f(x):
        print("a call", file=text)
        return x + 1

    return [*(f(ft.ones(2)) for _ in range(3)), text.getvalue()]


def numbers_in_a_loop(c):
    f = c(lambda x: sum(x[i].item() for i in range(len(x))))
    return [f(ft.arange(4.0) + i) for i in range(10)]


RATE, FACTORS = 0.1, [1.0, 2.0]


def changed_globals(c):
    global RATE
    f = c(lambda x: x * RATE + sum(FACTORS))
    out = [f(ft.ones(2))]
    RATE = 0.2
    out.append(f(ft.ones(2)))
    FACTORS.append(9.0)
    out.append(f(ft.ones(2)))
    FACTORS[0] = 7.0
    out.append(f(ft.ones(2)))
    RATE, FACTORS[:] = 0.1, [1.0, 2.0]
    return [*out, f(ft.ones(2))]


PROGRAMS = [
    batches_of_two_sizes, step_with_clipping, accumulated_gradients, results_kept_for_backward, derivatives_around,
    second_derivatives, integration, integration_with_chosen_steps, recurrent_state, switched_modes,
    frozen_and_exchanged_layers, states_saved_and_copied, threads, one_inside_another, printing, numbers_in_a_loop,
    changed_globals,
]  # fmt: skip


def flat(o):
    return [leaf for each in o for leaf in flat(each)] if isinstance(o, (list, tuple)) else [o]


def agree(a, b):
    if isinstance(a, ft.Tensor):
        return a.dtype == b.dtype and a.shape == b.shape and ft.allclose(a, b, rtol=1e-4, atol=1e-6)
    return math.isclose(a, b, rel_tol=1e-4, abs_tol=1e-6) if isinstance(a, float) else a == b


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_a_program(program):
    expected = flat(program(lambda f: f))
    with warnings.catch_warnings():
        if program in (printing, numbers_in_a_loop):
            warnings.filterwarnings("ignore", "torch.compile: .* runs eagerly: ", RuntimeWarning)
        found = flat(program(compile))
    assert len(found) == len(expected)
    assert [i for i, (a, b) in enumerate(zip(expected, found, strict=True)) if not agree(a, b)] == []


@pytest.mark.parametrize("written", ["result", "argument"])
def test_backward_notices_what_was_written_to(written):
    w = ft.ones(3)
    f = compile(lambda x: (x * w).tanh()) if written == "result" else compile(lambda x, w: x * w)
    for _ in range(2):
        x = ft.tensor([0.1, 0.2, 0.3], requires_grad=True)
        y = f(x) if written == "result" else f(x, w)
    (y.detach() if written == "result" else w).mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


@pytest.mark.parametrize("flags", [processor(), "flags : avx2 fma"])
@pytest.mark.parametrize("dtype", [ft.float32, ft.float64])
def test_products_with_turned_factors(monkeypatch, dtype, flags):
    monkeypatch.setattr(products, "processor", lambda: flags)
    ft.manual_seed(0)
    compiled = compile(lambda x, weight, bias: F.linear(x, weight, bias).relu())
    for rows, inner, columns in ((3, 16, 16), (8, 17, 33), (5, 40, 9)):
        x, weight = ft.randn(rows, inner, dtype=dtype), ft.randn(columns, inner, dtype=dtype)
        bias = ft.randn(columns, dtype=dtype)
        compiled(x, weight, bias)
        exact = F.linear(x.double(), weight.double(), bias.double()).relu()
        near = 1e-5 if dtype == ft.float32 else 1e-13
        assert ft.allclose(compiled(x, weight, bias).double(), exact, rtol=near, atol=near)
