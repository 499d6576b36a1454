"""Loops of compiled functions are loops in C."""

import subprocess

import pytest

import flambeau as torch
from flambeau._higher_order_ops import scan
from flambeau.compiler import explain
from flambeau.utils._pytree import tree_flatten, tree_map
from flambeau_compile.lowering import Builder


def test_while_loop():
    def root(x):
        def going(i, y):
            return torch.logical_and(i < 50, ((y * y - x).abs() > 1e-12).any())

        def turn(i, y):
            return i + 1, 0.5 * (y + x / y)

        return torch.while_loop(going, turn, (torch.tensor(0), torch.ones_like(x)))

    compiled = torch.compile(root)
    for values in ([2.0, 3.0], [1.0, 1.0], [1e6, 0.25], [2.0, 2.0]):
        x = torch.tensor(values, dtype=torch.float64)
        (i, y), (j, z) = compiled(x), root(x)
        assert i.equal(j) and y.equal(z)
    assert explain(compiled).startswith("compiled") and "\n" not in explain(compiled)


def test_values_that_change_places():
    def fibonacci(n):
        def turn(i, a, b):
            return i + 1, b, a + b

        return torch.while_loop(lambda i, a, b: i < n, turn, (torch.tensor(0), torch.tensor(0), torch.tensor(1)))[1]

    compiled = torch.compile(fibonacci)
    assert [compiled(torch.tensor(n)).item() for n in (5, 0, 1, 10, 30)] == [5, 0, 1, 55, 832040]
    assert "\n" not in explain(compiled)


def test_an_integration_is_one_call():
    def decay(y, end):
        def going(t, y):
            return t < end

        def turn(t, y):
            k = torch.stack([y[1], -torch.sin(y[0]) - 0.1 * y[1]])
            return t + 0.01, y + 0.01 * k

        return torch.while_loop(going, turn, (torch.zeros((), dtype=y.dtype), y))[1]

    compiled = torch.compile(decay)
    y = torch.tensor([1.0, 0.0], dtype=torch.float64)
    for end in (0.5, 2.0, 10.0):
        end = torch.tensor(end, dtype=torch.float64)
        assert torch.allclose(compiled(y, end), decay(y, end), rtol=1e-12)
    assert "\n" not in explain(compiled)


def test_loops_in_loops():
    def f(x):
        def outer(i, y):
            inner = torch.while_loop(lambda j, z: j < i, lambda j, z: (j + 1, z + x), (torch.tensor(0), y))
            return i + 1, inner[1] * 2

        return torch.while_loop(lambda i, y: i < 4, outer, (torch.tensor(0), torch.zeros(3)))[1]

    compiled = torch.compile(f)
    for value in (1.0, 2.0):
        assert compiled(torch.full((3,), value)).equal(f(torch.full((3,), value)))


def _rows(*sizes):
    torch.manual_seed(0)
    return torch.randn(*sizes)


SCANS = {
    "running": (lambda c, x: (c + x, c * x), lambda: torch.zeros(3), lambda: _rows(50, 3), {}),
    "reversed": (lambda c, x: (c * 0.5 + x, c), lambda: torch.zeros(3), lambda: _rows(50, 3), {"reverse": True}),
    "dimension": (lambda c, x: (torch.relu(c - x), c.sum()), lambda: torch.zeros(3), lambda: _rows(3, 50), {"dim": 1}),
    "nested": (
        lambda c, x: ({"a": c["b"], "b": c["a"] + x[0] * x[1]}, (c["a"], [x[0].t(), c["b"]])),
        lambda: {"a": torch.zeros(2, 3), "b": torch.ones(2, 3)},
        lambda: (_rows(40, 2, 3), _rows(40, 2, 3)),
        {},
    ),
    "nothing": (lambda c, x: (c + x, ()), lambda: torch.zeros(3), lambda: _rows(50, 3), {}),
    "kernels": (lambda c, x: (c + x.sort()[0], c.cumsum(0)), lambda: torch.zeros(3), lambda: _rows(50, 3), {}),
    "integers": (lambda c, x: (c + 1, c * x), lambda: torch.tensor(0), lambda: torch.arange(40), {}),
    "columns": (lambda c, x: (c + x, x), lambda: torch.zeros(4, 3).t(), lambda: _rows(40, 3, 4), {}),
    "short": (lambda c, x: (c + x, c * x), lambda: torch.zeros(3), lambda: _rows(5, 3), {}),
}


@pytest.mark.parametrize("name", SCANS)
def test_scan(name):
    function, init, xs, options = SCANS[name]

    def f(init, xs):
        return scan(function, init, xs, **options)

    compiled = torch.compile(f)
    for turn in range(3):
        given = tree_map(lambda x: x * (1 + turn), xs())  # noqa: B023
        found, expected = (tree_flatten(g(init(), given))[0] for g in (compiled, f))
        assert len(found) == len(expected)
        for a, b in zip(found, expected, strict=True):
            assert a.equal(b) and a.stride() == b.stride() and a.dtype == b.dtype
    assert explain(compiled).startswith("compiled") and "\n" not in explain(compiled)
    assert name in ("columns", "short") or int(explain(compiled).split()[1]) < 8


def test_gradients_through_loops():
    w = torch.tensor([0.5, 0.9, 0.7], requires_grad=True)

    def summed(w, x):
        return scan(lambda c, row: (torch.relu(c * w + row), c), torch.zeros(3), x)[0].sum()

    def repeated(w, x):
        return torch.while_loop(lambda i, y: i < 5, lambda i, y: (i + 1, y * w), (torch.tensor(0), x[0]))[1].sum()

    for f in (summed, repeated):
        compiled = torch.compile(f)
        for i in range(3):
            x = torch.arange(90.0).view(30, 3) * (i + 1)
            found, expected = (torch.autograd.grad(g(w, x), w)[0] for g in (compiled, f))
            assert torch.allclose(found, expected)
            assert torch.allclose(torch.func.grad(f)(w.detach(), x), expected)
        assert explain(compiled).startswith("compiled")


def test_a_scan_in_c_for_other_programs(tmp_path):
    def smoothed(x):
        return scan(lambda c, row: (c * 0.5 + row, c * 2), torch.zeros(3), x, reverse=True)

    torch.compiler.export_c(smoothed, (_rows(40, 3),), tmp_path, name="net")
    strict = ("-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror")
    subprocess.run(["cc", *strict, "net.c", "net_test.c", "-o", "net_test", "-lm"], cwd=tmp_path, check=True)
    assert subprocess.run([tmp_path / "net_test"], capture_output=True, text=True).stdout == "as in Python\n"
    assert "turn1 < 40" in (tmp_path / "net.c").read_text()


def test_another_process_finds_the_plans_of_loops(tmp_path, monkeypatch):
    monkeypatch.setenv("FLAMBEAU_EXTENSIONS_DIR", str(tmp_path))
    lowered = []
    monkeypatch.setattr(
        Builder, "lower", lambda self, op, *rest, lower=Builder.lower: lowered.append(op) or lower(self, op, *rest)
    )

    def run(x, steps):
        y, rows = scan(lambda c, r: (c * 0.9 + r, c.sum()), x[0], x * 2)
        return torch.while_loop(lambda i, y: i < steps, lambda i, y: (i + 1, y.sin() + rows[3]), (torch.tensor(0), y))

    x = torch.randn(20, 3)
    found = [torch.compile(lambda x, n: run(x, n))(x, torch.tensor(4)) for _ in range(2)]
    count = len(lowered)
    for steps in (4, 0, 9):
        again = torch.compile(lambda x, n: run(x, n))
        for _ in range(2):
            assert all(map(torch.equal, again(x + steps, torch.tensor(steps)), run(x + steps, torch.tensor(steps))))
    assert count and len(lowered) == count and all(map(torch.equal, *found))
