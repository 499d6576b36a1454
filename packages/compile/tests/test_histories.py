"""Graphs around a compiled function: arguments with a history, and results that keep one in other places."""

import pytest

import flambeau_autograd as fa
import flambeau_nn as nn
import flambeau_tensor as ft
from flambeau_compile import compile, explain


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("FLAMBEAU_EXTENSIONS_DIR", str(tmp_path))


def _draw(*sizes, seed):
    return ft.randn(sizes, generator=ft.Generator().manual_seed(seed))


def _gradients(net, loss):
    net.zero_grad()
    loss.backward()
    return [p.grad.clone() for p in net.parameters()]


def test_a_layer_that_is_applied_to_its_own_results():
    net = nn.Linear(3, 3)
    layer = compile(net)
    for seed in range(3):
        x = _draw(2, 3, seed=seed)
        expected = _gradients(net, net(net(net(x))).sum())
        for found, right in zip(_gradients(net, layer(layer(layer(x))).sum()), expected, strict=True):
            assert ft.allclose(found, right, atol=1e-6)
    assert "eagerly" not in explain(layer)


def test_a_recurrent_cell_over_time():
    cell = nn.GRUCell(2, 3)
    compiled = compile(cell)

    def run(step, xs):
        h = ft.zeros(1, 3)
        for x in xs:
            h = step(x, h)
        return h.square().sum()

    for seed in range(3):
        xs = _draw(4, 1, 2, seed=seed)
        expected = _gradients(cell, run(cell, xs))
        for found, right in zip(_gradients(cell, run(compiled, xs)), expected, strict=True):
            assert ft.allclose(found, right, atol=1e-6)


def test_arguments_that_depend_on_each_other():
    w = ft.tensor([0.5, -1.0], requires_grad=True)
    compiled = compile(lambda a, b: (a * b * w).sin())

    def both(f, x):
        a = x * w
        b = a.exp() + w
        first = fa.grad(f(a, b).sum(), (x, w), create_graph=True)
        return (*first, *fa.grad(first[0].sum() + first[1].square().sum(), (x, w)))

    for seed in range(3):
        x = _draw(2, seed=seed).requires_grad_()
        for found, right in zip(both(compiled, x), both(compiled.function, x), strict=True):
            assert ft.allclose(found, right, atol=1e-6)


def test_a_state_with_a_history_in_an_attribute():
    class Cell(nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = nn.Linear(2, 2)
            self.state = ft.zeros(1, 2)

        def forward(self, x):
            self.state = ft.tanh(self.linear(x) + self.state)
            return self.state * 2

    def run(cell, step):
        seen = []
        for seed in range(6):
            y = step(_draw(1, 2, seed=seed))
            seen.append(y.detach())
            if seed % 2:
                cell.zero_grad()
                (y.sum() + cell.state.square().sum()).backward()
                seen += [p.grad.clone() for p in cell.parameters()]
                cell.state = cell.state.detach()
        return seen

    ft.manual_seed(0)
    cell = Cell()
    expected = run(cell, cell)
    cell.state = ft.zeros(1, 2)
    compiled = compile(cell)
    for found, right in zip(run(cell, compiled), expected, strict=True):
        assert ft.allclose(found, right, atol=1e-6)
    assert "eagerly" not in explain(compiled)


@pytest.mark.parametrize("how", ["unbind", "chunk", "split"])
def test_pieces_of_what_has_a_history(how):
    def f(x):
        y = x.sin()
        return y.unbind() if how == "unbind" else y.chunk(2) if how == "chunk" else y.split(1)

    compiled = compile(f)
    for seed in range(3):
        x = _draw(2, 3, seed=seed).requires_grad_()
        for call in (f, compiled):
            first, second = call(x)
            (first.sum() + 3 * second.sum()).backward()
            with pytest.raises(RuntimeError, match="returns multiple views"):
                first.add_(1)
        assert ft.allclose(x.grad, x.detach().cos() * ft.tensor([[2.0], [6.0]]))
    assert "eagerly" not in explain(compiled)


def test_a_history_that_the_caller_does_not_record():
    w = ft.ones(2, requires_grad=True)

    @compile
    @fa.enable_grad()
    def f(x):
        return x * w

    for _ in range(3):
        with fa.no_grad():
            y = f(ft.tensor([2.0, 3.0]))
        assert y.requires_grad
        assert fa.grad(y.sum(), w)[0].tolist() == [2.0, 3.0]


def test_memory_that_is_read_through_data():
    w = ft.zeros(2)
    f = compile(lambda: w.data.add_(1))
    for _ in range(3):
        f()
    w.data = ft.full((2,), 10.0)
    f()
    assert w.tolist() == [11.0, 11.0]


@pytest.mark.filterwarnings("ignore:Anomaly", "ignore:Error detected")
def test_hooks_on_saved_tensors_and_anomaly_detection():
    @compile
    def f(x):
        return (x.sqrt() * x).sum()

    def gradient(value):
        x = ft.tensor([value], requires_grad=True)
        return fa.grad(f(x), x)[0].item()

    def double(t):
        return t * 2

    def same(t):
        return t

    for _ in range(2):
        with fa.graph.saved_tensors_hooks(double, same):
            assert gradient(4.0) != 3.0
        assert gradient(4.0) == gradient(4.0) == 3.0
    with fa.detect_anomaly(), pytest.raises(RuntimeError, match=r"MulBackward0.* returned nan"):
        gradient(-1.0)
    assert gradient(4.0) == 3.0


def test_views_of_arguments_whose_elements_share_memory():
    compiled = compile(lambda a: (a[1:], a))
    weights = ft.arange(3.0)
    with pytest.warns(RuntimeWarning, match="whose elements share memory"):
        for _ in range(3):
            a = ft.tensor([2.0]).expand(4).detach().requires_grad_()
            (compiled(a)[0] * weights).sum().backward()
            assert a.grad.tolist() == [0.0, 0.0, 1.0, 2.0]


def test_many_tensors_among_arguments_and_kept_for_backward():
    def f(xs):
        total = xs[0]
        for x in xs[1:]:
            total = (total * x).tanh()
        return total

    compiled = compile(f)
    for seed in range(3):
        xs = [_draw(3, seed=200 * seed + i).requires_grad_() for i in range(150)]
        expected = fa.grad(f(xs).sum(), xs)
        for found, right in zip(fa.grad(compiled(xs).sum(), xs), expected, strict=True):
            assert ft.allclose(found, right, atol=1e-6)
    assert compiled.entries[0].hits and "eagerly" not in explain(compiled)
