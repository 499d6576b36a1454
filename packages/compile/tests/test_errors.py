"""Errors of kernels inside compiled programs: raised, caught and after writes, as in eager calls."""

import pytest

import flambeau_nn as nn
import flambeau_nn.functional as F
import flambeau_tensor as ft
from flambeau_compile import compile, explain


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("FLAMBEAU_EXTENSIONS_DIR", str(tmp_path))


@pytest.mark.parametrize("scales", [(-1.0, 2.0, -1.0, 3.0), (1.0, 2.0, -1.0, 3.0)])
def test_a_caught_error_is_another_branch(scales):
    def factor(x):
        try:
            return ft.linalg.cholesky(x)
        except RuntimeError:
            return x * 0

    compiled = compile(factor)
    for scale in scales:
        x = scale * ft.eye(2)
        assert ft.equal(compiled(x), factor(x))
    assert explain(compiled).count("compiled") == 1 and "it catches an error" in explain(compiled)


def test_retries_with_a_growing_number():
    def factor(x):
        jitter = 0.0
        for _ in range(4):
            try:
                return ft.linalg.cholesky(x + jitter * ft.eye(2)), jitter
            except RuntimeError:
                jitter = max(1e-3, jitter * 10)
        raise ValueError("not positive-definite")

    compiled = compile(factor)
    for scale in (1.0, 0.5, -0.005, 2.0, -0.05, 3.0):
        found, expected = compiled(scale * ft.eye(2)), factor(scale * ft.eye(2))
        assert ft.equal(found[0], expected[0]) and found[1] == expected[1]
    with pytest.raises(ValueError, match="not positive-definite"):
        compiled(-50 * ft.eye(2))


def test_attributes_set_before_an_error():
    class Solver:
        def __init__(self):
            self.calls = 0

        def solve(self, matrix):
            self.calls += 1
            return ft.linalg.cholesky(matrix)

    solver = Solver()
    solve = compile(solver.solve)
    for n, scale in enumerate((1.0, 2.0, -1.0, 3.0, -1.0, 4.0), 1):
        if scale < 0:
            with pytest.raises(RuntimeError, match="not positive-definite"):
                solve(scale * ft.eye(2))
        else:
            solve(scale * ft.eye(2))
        assert solver.calls == n


def test_a_training_step_that_fails_has_changed_what_eager_changes():
    def world():
        ft.manual_seed(0)
        net = nn.Sequential(nn.Embedding(5, 4), nn.Flatten(), nn.Linear(8, 2), nn.BatchNorm1d(2))
        optimizer = nn.optim.SGD(net.parameters(), 0.1)

        def step(x, target):
            optimizer.zero_grad()
            loss = F.cross_entropy(net(x), target)
            loss.backward()
            optimizer.step()
            return loss.detach()

        return net, step

    net, step = world()
    twin, twin_step = world()
    step = compile(step)
    for i in range(8):
        x, target = ft.tensor([[0, i % 5], [1, 2], [3, 4]]), ft.tensor([0, 1, i % 2])
        if i == 3:
            target[1] = 3
        if i == 5:
            x[0, 0] = 7
        for each in (step, twin_step):
            if i in (3, 5):
                with pytest.raises(IndexError):
                    each(x, target)
            else:
                each(x, target)
        for a, b in zip(net.parameters(), twin.parameters(), strict=True):
            assert ft.allclose(a, b) and (a.grad is None) == (b.grad is None)
        assert ft.allclose(net[3].running_mean, twin[3].running_mean)


def test_an_error_that_may_be_caught_after_a_write_runs_in_python():
    weight = ft.ones(2, 2)

    def step(x):
        weight.add_(1)
        try:
            return ft.linalg.cholesky(weight * x)
        except RuntimeError:
            return x * 0

    compiled = compile(step)
    with pytest.warns(RuntimeWarning, match="may catch an error of torch.linalg.cholesky_ex"):
        compiled(ft.eye(2))
    assert ft.equal(compiled(-ft.eye(2)), -ft.eye(2) * 0)
    assert weight[0, 0] == 3


@pytest.mark.parametrize("name", ["floor_divide", "remainder", "fmod"])
@pytest.mark.parametrize("sizes", [(3,), (40, 30)])
def test_integer_division_by_zero(name, sizes):
    compiled = compile(lambda x, y: getattr(ft, name)(x, y))
    x, y = ft.full(sizes, 7), ft.full(sizes, 2)
    for _ in range(2):
        assert ft.equal(compiled(x, y), getattr(ft, name)(x, y))
    y.view(-1)[-1] = 0
    for _ in range(2):
        with pytest.raises(RuntimeError, match="ZeroDivisionError"):
            compiled(x, y)
    assert ft.equal(compiled(x, y + 1), getattr(ft, name)(x, y + 1))
    assert explain(compiled).count("compiled") == 1


def test_draws_that_may_fail_keep_their_order():
    def sample(p, x):
        first = F.dropout(x, 0.5)
        second = ft.multinomial(p, 2, replacement=True)
        return first, second, ft.bernoulli(p), F.dropout(x, 0.25), ft.multinomial(p * 2, 1)

    compiled = compile(sample)
    p, x = ft.tensor([0.2, 0.3, 0.5]), ft.ones(8)
    for seed in range(3):
        results = []
        for f in (compiled, sample):
            ft.manual_seed(seed)
            results.append([*f(p, x), ft.rand(1)])
        assert all(map(ft.equal, *results))
    for _ in range(2):
        with pytest.raises(RuntimeError):
            compiled(-p, x)
    ft.manual_seed(5)
    found = compiled(p, x)
    ft.manual_seed(5)
    assert all(map(ft.equal, found, sample(p, x)))
