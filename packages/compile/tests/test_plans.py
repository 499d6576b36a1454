"""Plans: what one run makes of a trace, others find."""

import os
import subprocess
import sys
import textwrap

import pytest

import flambeau_compile
import flambeau_nn as nn
import flambeau_tensor as ft
from flambeau_autograd.func import hessian
from flambeau_compile import compile, explain, plans
from flambeau_compile.lowering import Builder


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("FLAMBEAU_EXTENSIONS_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def lowered(monkeypatch):
    """The names of the operators that were lowered."""
    found = []
    lower = Builder.lower

    def noted(self, op, *rest):
        found.append(op.name)
        return lower(self, op, *rest)

    monkeypatch.setattr(Builder, "lower", noted)
    return found


def files(cache, kind):
    return sorted(os.path.join(d, n) for d, _, names in os.walk(cache) for n in names if n.endswith(kind))


def training():
    ft.manual_seed(0)
    net = nn.Sequential(nn.Linear(3, 5), nn.Tanh(), nn.Linear(5, 2))
    optimizer = nn.optim.Adam(net.parameters(), 0.1)
    x, y = ft.randn(4, 3), ft.randn(4, 2)

    def step(x, y):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(net(x), y)
        loss.backward()
        optimizer.step()
        return loss.detach()

    return step, (x, y)


def with_history():
    ft.manual_seed(0)
    net = nn.Sequential(nn.Linear(3, 5), nn.Softmax(-1), nn.Linear(5, 1))

    def loss(x):
        return (net(x) ** 2).mean()

    def called(x, of):
        value = of(x)
        value.backward()
        found = [value.detach(), *(p.grad for p in net.parameters())]
        net.zero_grad()
        return found

    return loss, (ft.randn(4, 3),), called


def branching(x):
    return x * 2 if x.sum() > 0 else x - 1


def kernels(x):
    values, order = x.repeat(400).sort()  # with memory that kernels allocate
    return (values * 2).cumsum(0) + 1, order, ft.randn(2)


def number(x):
    return (x * x).sum().item()


def flattened(o):
    if isinstance(o, (tuple, list)):
        return [t for each in o for t in flattened(each)]
    return [o if isinstance(o, ft.Tensor) else ft.tensor(o)]


X = ft.tensor([0.5, 1.5, -1.0], dtype=ft.float64)
CASES = {
    "hessian": lambda: (hessian(lambda x: (x.sin() * x.prod()).sum()), (X,)),
    "training": training,
    "history": with_history,
    "branch": lambda: (branching, (X,)),
    "kernels": lambda: (kernels, (X,)),
    "number": lambda: (number, (X,)),
    "clamped": lambda: (lambda x: nn.functional.elu(x.clamp(-0.5, 0.75), 0.1), (X,)),  # with parameters of loops
}


@pytest.mark.parametrize("case", CASES)
def test_the_second_trace_lowers_nothing(case, cache, lowered):
    results = []
    for _ in range(3):
        function, arguments, *how = CASES[case]()
        compiled = compile(function) if results else function
        called = how[0] if how else lambda x, of: of(x)
        runs = []
        ft.manual_seed(3)
        for _ in range(3):
            runs += flattened(called(*arguments, compiled) if how else compiled(*arguments))
        results.append(runs)
        if len(results) == 2:
            assert explain(compiled).startswith("compiled") and lowered
            before = len(files(cache, ".so")), len(files(cache, ".plan"))
            lowered.clear()
    assert explain(compiled).startswith("compiled") and not lowered
    assert (len(files(cache, ".so")), len(files(cache, ".plan"))) == before
    for runs in results[1:]:
        assert all(ft.allclose(a, b, rtol=1e-6, equal_nan=True) for a, b in zip(runs, results[0], strict=True))
    assert all(ft.equal(a, b) for a, b in zip(results[1], results[2], strict=True))


SCRIPT = textwrap.dedent("""
    import flambeau_tensor as ft
    from flambeau_compile import compile, explain
    from flambeau_compile.lowering import Builder
    lower, calls = Builder.lower, []
    Builder.lower = lambda self, *given: calls.append(1) or lower(self, *given)
    f = compile(lambda x: (ft.tanh(x) * ft.exp(x)).sum())
    print([f(ft.arange(3.0)).item().hex() for _ in range(3)], explain(f), len(calls) > 0)
""")


def test_another_process_finds_it(cache):
    found = []
    for _ in range(2):
        done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True)
        found.append(done.stdout.rpartition(" ")[::2])
    assert found[0][0] == found[1][0]
    assert [made for _, made in found] == ["True\n", "False\n"]


def lowers(lowered, function, *arguments):
    lowered.clear()
    compiled = compile(function)
    first = compiled(*arguments)
    assert explain(compiled).startswith("compiled")
    assert ft.equal(first, compiled(*arguments))
    return bool(lowered)


def test_what_changes_the_steps_changes_the_key(lowered, monkeypatch):
    def scaled(factor):
        return lambda x: (x * factor).sum()

    assert lowers(lowered, scaled(2.0), X)
    assert not lowers(lowered, scaled(2.0), X)
    assert lowers(lowered, scaled(3.0), X)  # a number
    assert lowers(lowered, scaled(2), X)  # another type
    assert lowers(lowered, scaled(2.0), X.float())
    assert lowers(lowered, scaled(2.0), X.expand(2, 3))
    assert lowers(lowered, scaled(2.0), X[:2])
    assert lowers(lowered, scaled(2.0), ft.cat([X, X])[::2])
    assert lowers(lowered, lambda x: (x + 2.0).sum(), X)
    assert lowers(lowered, lambda x: [x * 2.0, (x * 2.0).sum()][1], X)
    assert lowers(lowered, lambda x: ft.arange(3) / 2 + x.sum(), X)
    with default_double():
        assert lowers(lowered, lambda x: ft.arange(3) / 2 + x.sum(), X)
    monkeypatch.setattr(flambeau_compile, "__version__", "0.0.test")
    plans._packages.cache_clear()
    assert lowers(lowered, scaled(2.0), X)
    monkeypatch.undo()
    plans._packages.cache_clear()


class default_double:  # noqa: N801
    def __enter__(self):
        ft.set_default_dtype(ft.float64)

    def __exit__(self, *exc):
        ft.set_default_dtype(ft.float32)


def start(path):
    with open(path, "r+b") as file:
        file.write(b"damaged")


def half(path):
    os.truncate(path, os.path.getsize(path) // 2)


def other(path):
    with open(path, "r+b") as file:
        file.seek(os.path.getsize(path) // 2)
        file.write(b"#")


@pytest.mark.parametrize("damage", [start, half, other, os.unlink])
def test_a_damaged_plan_is_made_again(cache, lowered, damage):
    assert lowers(lowered, ft.cos, X)
    (path,) = files(cache, ".plan")
    damage(path)
    assert lowers(lowered, ft.cos, X)
    assert not lowers(lowered, ft.cos, X)
    assert len(files(cache, ".plan")) == 1


def test_a_plan_whose_library_is_gone_builds_it_again(cache, lowered):
    assert lowers(lowered, ft.cos, X)
    plans_before = files(cache, ".plan")
    for path in files(cache, ".so"):
        os.unlink(path)
    flambeau_compile.build._loaded.clear()
    assert not lowers(lowered, ft.cos, X)
    assert len(files(cache, ".so")) == 1 and files(cache, ".plan") == plans_before


def test_what_cannot_be_compiled_has_no_plan(cache):
    with pytest.warns(RuntimeWarning, match="nonzero"):
        compile(lambda x: x.nonzero())(X)
    assert not files(cache, ".plan")
