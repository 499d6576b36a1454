"""Gradients of compiled calls of every operator, by the samples of its family, against those of eager calls and against
finite differences; and the gradients of these gradients.

Calls of a family are one program, several at a time.
"""

import itertools
import warnings

import pytest

import flambeau_autograd as fa
import flambeau_nn as nn
import flambeau_tensor as ft
from flambeau_compile import compile, explain
from samples import families, table
from samples.derivatives import _moving, _put, _real, has_derivative

SEVERAL = 8  # calls in one program
FAMILIES = [f"{package}.{family}" for package in ("tensor", "nn") for family in families(package)]


@pytest.fixture(autouse=True)
def cache(tmp_path_factory, monkeypatch):
    monkeypatch.setenv("FLAMBEAU_EXTENSIONS_DIR", str(tmp_path_factory.getbasetemp() / "programs"))


def samples_of(family):
    """A sample of each operator of a family that has a derivative."""
    found = {}
    for name, sample in table(family).items():
        if sample.drawn and not sample.cut and has_derivative(sample):
            found.setdefault(name.partition(",")[0], sample)
    return list(found.values())


class Calls:
    """Calls of samples as one function of all tensors that gradients are computed for."""

    def __init__(self, samples):
        self.samples = samples
        self.stacked = [sample.draw() for sample in samples]
        self.where = [_moving(sample) for sample in samples]

    def inputs(self, example):
        """Fresh leaves with the elements of an example."""
        return [
            stacked[i][example].clone().detach().requires_grad_()
            for stacked, where in zip(self.stacked, self.where, strict=True)
            for i in where
        ]

    def __call__(self, *given):
        results, left = [], iter(given)
        for sample, stacked, where in zip(self.samples, self.stacked, self.where, strict=True):
            values = _put([t[0] for t in stacked], where, list(itertools.islice(left, len(where))))
            results.extend(r * 1.5 for r in _real(sample, *values))
        return tuple(results)


def derivatives(function, inputs, second):
    """First derivatives of a weighted sum of results, and those of the sum of their squares."""
    total = sum(
        ((1 + i) * (t * t.cos()).sum() for i, t in enumerate(function(*inputs))), ft.zeros((), dtype=ft.float64)
    )
    first = fa.grad(total, inputs, create_graph=second, allow_unused=True)
    if not second:
        return list(first)
    moving = [g for g in first if g is not None and g.requires_grad]
    return (
        [*first, *fa.grad(sum((g * g).sum().real for g in moving), inputs, allow_unused=True)]
        if moving
        else list(first)
    )


def agree(found, expected):
    return all(
        (a is None and b is None) or ft.allclose(a, b, rtol=1e-9, atol=1e-9, equal_nan=True)
        for a, b in zip(found, expected, strict=True)
    )


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("family", FAMILIES)
def test_gradients(family):
    with warnings.catch_warnings(action="ignore"):
        samples = samples_of(family)
    for part in (samples[i : i + SEVERAL] for i in range(0, len(samples), SEVERAL)):
        calls = Calls(part)
        compiled = compile(lambda *given, calls=calls: calls(*given))
        for example in (0, 1, 0):
            names = [str(sample) for sample in part]
            found = derivatives(compiled, calls.inputs(example), False)
            assert agree(found, derivatives(calls, calls.inputs(example), False)), names
        second = [sample for sample in part if sample.second]
        if second and "eagerly" not in explain(compiled):
            calls = Calls(second)
            compiled = compile(lambda *given, calls=calls: calls(*given))
            compiled(*calls.inputs(0))
            assert agree(derivatives(compiled, calls.inputs(1), True), derivatives(calls, calls.inputs(1), True)), names
            inputs = calls.inputs(1)
            assert fa.gradcheck(compiled, inputs, fast_mode=True), names
            assert fa.gradgradcheck(compiled, inputs, atol=1e-4, fast_mode=True), names


def test_backward_runs_again_where_nothing_is_saved():
    a = ft.ones(3, requires_grad=True)
    f = compile(lambda a: ft.ones(()) + a.sum())
    for _ in range(3):
        result = f(a)
        result.backward()
        result.backward()
    assert a.grad.tolist() == [6.0] * 3


def test_gradients_inside_have_the_strides_of_eager_ones():
    f = compile(lambda x: fa.func.grad(lambda v: (v * v).sum())(x))
    x = ft.ones(6, 2).t()
    for _ in range(2):
        assert f(x).stride() == fa.func.grad(lambda v: (v * v).sum())(x).stride()


def test_gradients_of_compiled_calls_have_the_strides_of_eager_ones():
    functions = [lambda x: (x.double() @ x.double().t()).softmax(0).float(), lambda x: x.sin(), lambda x: x.t().exp()]
    for function in functions:
        f, x = compile(function), ft.randn(6, 4).requires_grad_()
        for _ in range(2):
            found, expected = (fa.grad(g(x).sum(), x)[0] for g in (f, function))
            assert ft.equal(found, expected) and found.stride() == expected.stride()


VIEWS = {
    "an argument": lambda x: (x, x.sin()),
    "a part": lambda x: (x.sin()[1:],),
    "a whole and a part": lambda x: ((y := x.sin())[1:], y),
    "two parts": lambda x: ((y := x.sin())[1:], y[:1]),
    "a part of an argument": lambda x: (x[1:], x.sin()),
    "a turned argument": lambda x: (x.t(), x.sin()),
    "without a history": lambda x: (y := x.sin(), y.detach(), y.detach()[1:], x.detach()),
}


@pytest.mark.parametrize("name", VIEWS)
def test_views_beside_results_with_a_history(name):
    function = VIEWS[name]
    compiled = compile(function, fullgraph=True)

    def run(f, written):
        x = (ft.arange(6.0) / 3).view(3, 2).requires_grad_()
        results = f(x)
        seen = [(t.shape, t.stride(), t.requires_grad, t._is_view()) for t in results]
        if written is not None and results[written].grad_fn is not None and not name.endswith("argument"):
            results[written].mul_(2)
        numbers = [t.detach().clone() for t in results]
        loss = sum((i * t * t).sum() for i, t in enumerate(results, 1))
        gradient = fa.grad(loss, x, create_graph=True)[0]
        return seen, [*numbers, gradient.detach(), fa.grad(gradient.square().sum(), x)[0]]

    for written in (None, 0, -1):
        expected = run(function, written)
        for _ in range(2):
            seen, numbers = run(compiled, written)
            assert seen == expected[0]
            for a, b in zip(numbers, expected[1], strict=True):
                assert a.allclose(b)


@pytest.mark.parametrize("dtype", [ft.float64, ft.float16])
def test_parameters_with_another_dtype_before_the_backward(dtype):
    def run(compiled):
        weight = nn.Parameter(ft.tensor([0.5, -1.25, 2.0]))
        x = ft.tensor([[1.0, -0.5, 0.25], [0.75, 2.0, -1.5]], requires_grad=True)
        f = compile(lambda x: (x * weight).tanh()) if compiled else lambda x: (x * weight).tanh()
        f(x)
        loss = f(x).sum()
        weight.data = weight.data.to(dtype)
        loss.backward()
        return weight.grad, x.grad

    for ours, eager in zip(run(True), run(False), strict=True):
        assert ours.dtype is eager.dtype
        assert ft.allclose(ours, eager, rtol=1e-3 if dtype is ft.float16 else 1e-6)
