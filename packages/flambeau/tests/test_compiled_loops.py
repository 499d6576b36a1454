"""Loops of compiled functions are loops in C."""

import flambeau as torch
from flambeau.compiler import explain


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
