"""Programs give what eager gives: functions, derivatives, writes, and autograd around."""

import warnings

import numpy as np
import pytest

import flambeau_autograd as fa
import flambeau_nn as nn
import flambeau_tensor as ft
from flambeau_autograd import func
from flambeau_compile import compile, explain


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("FLAMBEAU_EXTENSIONS_DIR", str(tmp_path))


def pendulum(state, force):
    angle, speed = state.unbind(-1)
    return ft.stack([speed, force - 9.81 * ft.sin(angle) - 0.1 * speed], -1)


def flat(o):
    return [o] if isinstance(o, ft.Tensor) else [t for each in o for t in flat(each)]


STATE, FORCE = ft.tensor([0.5, -0.25], dtype=ft.float64), ft.tensor(0.75, dtype=ft.float64)


@pytest.mark.parametrize(
    "function",
    [
        pendulum,
        func.jacrev(pendulum, argnums=(0, 1)),
        func.jacfwd(pendulum, argnums=(0, 1)),
        func.hessian(lambda s, u: (pendulum(s, u) ** 2).sum(), argnums=(0, 1)),
    ],
    ids=["function", "jacrev", "jacfwd", "hessian"],
)
def test_functions_and_their_derivatives(function):
    compiled = compile(function)
    for scale in (1.0, 0.5, -2.0):
        found, expected = (f(STATE * scale, FORCE) for f in (compiled, function))
        for a, b in zip(flat(found), flat(expected), strict=True):
            assert ft.allclose(a, b, rtol=1e-13, atol=1e-15)
    assert explain(compiled).startswith("compiled: ")


def test_writes_in_place_and_views():
    def f(x):
        y = x * 2
        y[0] = 7.0
        y.add_(1)
        y.t()[1, 0] = -1.0
        return y, y[1]

    compiled = compile(f)
    for seed in range(3):
        ft.manual_seed(seed)
        x = ft.randn(3, 2)
        (a, row), (b, other) = compiled(x), f(x)
        assert a.equal(b) and row.equal(other) and row._base is a


def test_order_of_writes_to_what_shows_an_element_twice():
    def f(memory):
        memory.as_strided((4, 3), (2, 1), 1).add_(memory.as_strided((4, 3), (2, 1)))

    compiled = compile(f)
    with pytest.warns(RuntimeWarning, match="shows an element twice"):
        compiled(ft.ones(64))
    for _ in range(2):
        ours, plain = ft.ones(64), ft.ones(64)
        compiled(ours)
        f(plain)
        assert ours.equal(plain)


def test_arguments_are_written_to():
    def f(x, y):
        x.mul_(2).add_(y)

    compiled = compile(f)
    for _ in range(3):
        x, z = ft.ones(4), ft.ones(4)
        before = x._version
        assert compiled(x, ft.arange(4.0)) is None
        f(z, ft.arange(4.0))
        assert x.equal(z) and x._version > before


def test_results_are_new_each_time():
    compiled = compile(lambda x: x + 1)
    first, second, third = (compiled(ft.zeros(2)) for _ in range(3))
    second.fill_(5.0)
    assert first.tolist() == third.tolist() == [1.0, 1.0]


@pytest.mark.parametrize("sizes", [(8, 16, 3), (5, 7, 2), (64, 64, 1), (1, 3)])
def test_autograd_around(sizes):
    ft.manual_seed(0)
    net = nn.Sequential(
        *[layer for a, b in zip(sizes, sizes[1:], strict=False) for layer in (nn.Linear(a, b), nn.Tanh())]
    )
    compiled = compile(lambda x: (net(x) ** 2).mean())
    for _ in range(3):
        x = ft.randn(5, sizes[0], requires_grad=True)
        targets = [x, *net.parameters()]
        found, expected = (fa.grad(f(x), targets) for f in (compiled, lambda x: (net(x) ** 2).mean()))
        for a, b in zip(found, expected, strict=True):
            assert ft.allclose(a, b, rtol=1e-5, atol=1e-7)


def test_second_derivatives_around():
    def f(x):
        return (x**3).sum()

    compiled = compile(f)
    for _ in range(3):
        x = ft.tensor([1.0, 2.0], requires_grad=True)
        (first,) = fa.grad(compiled(x), x, create_graph=True)
        (second,) = fa.grad(first.sum(), x)
        assert first.tolist() == [3.0, 12.0] and second.tolist() == [6.0, 12.0]


def test_other_shapes_are_other_programs():
    compiled = compile(lambda x: (x * 2).sum())
    for n in (2, 3, 2, 3):
        assert compiled(ft.ones(n)).item() == 2.0 * n
    assert len(compiled.entries) == 2


def test_errors_are_those_of_eager():
    compiled = compile(lambda x, y: x + y)
    compiled(ft.ones(2), ft.ones(2))
    with pytest.raises(RuntimeError, match="must match the size"):
        compiled(ft.ones(2), ft.ones(3))


def test_random_numbers_are_those_of_eager():
    def f(x):
        return x + ft.rand(3), ft.randn(2)

    compiled = compile(f)
    for seed in range(3):
        ft.manual_seed(seed)
        a = compiled(ft.zeros(3))
        ft.manual_seed(seed)
        b = f(ft.zeros(3))
        assert all(p.equal(q) for p, q in zip(a, b, strict=True))


def test_branches_on_values():
    def f(x):
        if x.sum() > 0:
            return x * 2
        return x - 1

    compiled = compile(f)
    for value in (1.0, 2.0, -1.0, 3.0, -2.0):
        x = ft.full((3,), value)
        assert compiled(x).equal(f(x))
    assert len(compiled.entries) == 2


def test_numbers_that_are_read():
    compiled = compile(lambda x: x * x.max().item())
    for value in (1.0, 2.0, 1.0, 2.0):
        assert compiled(ft.tensor([value, 0.5])).tolist() == [value * value, 0.5 * value]


@pytest.mark.parametrize(
    "function",
    [
        ft.view_as_complex,
        lambda x: x.view(ft.int32),
        lambda x: (y := x + 1, y.view(ft.int32)),
        lambda x: (x + 1).view(ft.int32)[1:],
        lambda x: ((y := x + 1).view(ft.int32)[1:], y),
        lambda x: ft.view_as_real(ft.view_as_complex(x + 1)),
        lambda x: ft.flip(x, ()),
        lambda x: x.flip(0),
    ],
)
def test_views_of_another_dtype_and_order(function):
    x = ft.arange(6.0).view(3, 2)
    compiled = compile(function)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        found = [compiled(x) for _ in range(2)][-1]
    expected = function(x)
    for a, b in zip(*((o if isinstance(o, tuple) else (o,)) for o in (found, expected)), strict=True):
        assert (a.dtype, a.shape) == (b.dtype, b.shape) and a.numpy().tobytes() == b.numpy().tobytes()


def test_what_changes_at_each_call_is_not_traced_at_each_call():
    class Box:
        pass

    box = Box()

    @compile
    def f(x):
        return x * box.table["scale"]

    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        for i in range(400):
            box.table = {"scale": ft.tensor(float(i))}
            assert f(ft.ones(1)).item() == i
    assert ["changes nearly every time" in str(w.message) for w in seen] == [True]
    assert explain(f).count("\n") < 40
    for _ in range(2000):
        f(ft.ones(1))
    assert f.entries  # it settled, and is compiled after all


def test_a_tensor_that_no_object_leads_to():
    class Capsule:  # makes a new tensor each time, of memory that nothing shows
        def __init__(self):
            self.numbers = iter(range(100))

        def __dlpack__(self, **options):
            return np.full(2, next(self.numbers), np.float32).__dlpack__(**options)

        def __dlpack_device__(self):
            return 1, 0

    source = Capsule()
    f = compile(lambda x: x + ft.from_dlpack(source))
    with pytest.warns(RuntimeWarning, match="runs eagerly"):
        assert [f(ft.zeros(2)).tolist()[0] for _ in range(4)] == [0.0, 1.0, 2.0, 3.0]
