"""What programs compute for every operator's sample calls, to the bit: both printers, dtypes, layouts, special values.

All calls of a family that need no kernel are one program, so a new formula is tested by the samples that are there.
"""

import pytest

import flambeau_nn
import flambeau_tensor as ft
from flambeau_compile import compile, explain, plans
from flambeau_compile.graph import Map, Opaque, Product, Uncompilable
from flambeau_compile.lowering import Builder
from flambeau_compile.scalars import TooLarge
from flambeau_tensor.extend import Tracer
from samples import families, flat, table
from samples.values import _spread, _transposed

assert flambeau_nn  # its operators are declared
FAMILIES = [f"{package}.{family}" for package in ("tensor", "nn") for family in families(package)]
FAMILIES.remove("tensor.storages")  # about objects
SEVERAL = 16  # calls in one program
ZEROS = {"nn.functional.dropout, of all"}  # times a zero that stands in the program: zero, whatever the factor
SPECIAL = (float("inf"), -float("inf"), float("nan"), -0.0, 0.0)
ROUNDED = ("sin", "cos", "tan", "exp", "log", "tanh", "pow", "gelu_backward")  # where elements are variables


@pytest.fixture(autouse=True)
def cache(tmp_path_factory, monkeypatch):
    monkeypatch.setenv("FLAMBEAU_EXTENSIONS_DIR", str(tmp_path_factory.getbasetemp() / "programs"))


def too_large(program, source):
    raise TooLarge


def steps_of(sample, tensors):
    """The steps of a call's program; none where there is no program, or it calls a kernel."""
    try:
        with Tracer() as tracer:
            sample(*tensors)
    except (RuntimeError, TypeError, ValueError, IndexError, NotImplementedError):
        return []
    builder = Builder()
    try:
        for record in tracer.records:
            if not hasattr(record[0], "schema"):
                return []
            builder.call(*record)
    except Uncompilable:
        return []
    steps = builder.program.steps
    return [] if any(isinstance(step, Opaque) for step in steps) else steps


def is_rounded(steps):
    """Whether a program has products, whose sums BLAS orders as it likes, or functions of the C library."""
    return any(
        isinstance(step, Product) or (isinstance(step, Map) and step.function.startswith(ROUNDED)) for step in steps
    )


def special(t):
    """The same tensor with what is not finite, and both zeros, among its elements."""
    if not t.is_floating_point() or t.numel() < 2:
        return t
    values = ft.empty(t.shape, dtype=t.dtype).copy_(t)
    flattened = values.view(-1)
    for i, value in enumerate(SPECIAL[: t.numel()]):
        flattened[(7 * i) % t.numel()] = value
    return values


def runs(sample, tensors):
    try:
        sample(*tensors)
        return True
    except (RuntimeError, ValueError, IndexError):
        return False


def bits(t):
    return (
        t.resolve_conj().contiguous().numpy().tobytes() if t.dtype is not ft.bfloat16 else t.float().numpy().tobytes()
    )


def strides(t):
    return [stride for stride, size in zip(t.stride(), t.shape, strict=True) if size > 1] if t.numel() else []


def same(found, expected):
    if (found.shape, found.dtype, strides(found)) != (expected.shape, expected.dtype, strides(expected)):
        return False
    return bits(found) == bits(expected) or (
        found.is_floating_point() and bits(canonical(found)) == bits(canonical(expected))
    )


def close(found, expected):
    return ft.allclose(found, expected, rtol=1e-12 if found.dtype is ft.float64 else 1e-5, atol=1e-14, equal_nan=True)


def canonical(t):
    """Every NaN the same one: which of two operands' passes on is not promised."""
    return ft.where(ft.isnan(t), ft.full_like(t, float("nan")), t)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("printer", ["scalars", "loops"])
@pytest.mark.parametrize("dtype", [ft.float64, ft.float32, ft.int64], ids=str)
@pytest.mark.parametrize("family", FAMILIES)
def test_samples(family, dtype, printer, monkeypatch):
    if printer == "loops":
        monkeypatch.setattr(plans, "print_scalars", too_large)
        monkeypatch.setattr(plans, "FORM", "loops")  # has keys of its own
    for layout in (lambda t: t, _transposed, _spread) if dtype is ft.float64 else (lambda t: t,):
        calls = []
        for sample in table(family).values():
            if sample.drawn or dtype is ft.float64:
                tensors = [layout(t) for t in sample.one(dtype)]
                if steps := steps_of(sample, tensors):
                    calls.append((sample, tensors, is_rounded(steps)))
        for at in range(0, len(calls), SEVERAL):
            check(calls[at : at + SEVERAL], layout)


def check(calls, layout):
    chosen = [sample for sample, _, _ in calls]

    def function(given, chosen=chosen):
        return [flat(sample(*tensors)) for sample, tensors in zip(chosen, given, strict=True)]

    compiled = compile(function, fullgraph=True)
    plain = [tensors for _, tensors, _ in calls]
    odd = [
        changed if runs(sample, changed := [layout(special(t)) for t in tensors]) else tensors
        for sample, tensors, _ in calls
    ]
    wrong = []
    for given in (plain, plain, odd):
        found, expected = compiled(given), function(given)
        for (sample, _, rounded), a, b in zip(calls, found, expected, strict=True):
            for x, y in zip(a, b, strict=True):
                if not (same(x, y) or (rounded and close(x, y)) or sample.name in ZEROS):
                    wrong.append(f"{sample.name}: {x} for {y}")
    assert not wrong
    assert not any(entry.eager for entry in compiled.entries)


def test_numbers_that_become_truth_values():
    def f(x, n):
        x.fill_(n)
        return x.float() + ft.full((2,), n, dtype=ft.bool)

    compiled = compile(f, recompile_limit=64)
    for n in (2, 2, 2, 0, 0.5, 0.5, float("nan"), 3, -1, 0):
        for size in (2, 3000):
            x, twin = ft.zeros(size, 1, dtype=ft.bool), ft.zeros(size, 1, dtype=ft.bool)
            assert compiled(x, n).equal(f(twin, n))
            assert x.view(ft.uint8).equal(twin.view(ft.uint8))


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x * 0,
        lambda x: 0.0 / x,
        lambda x: 1 / (x + 0.0),
        lambda x: 1 / (0.0 - x),
        lambda x: ft.addr(x[:, None], x, x, beta=0, alpha=0),
    ],
)
def test_zeros_written_in_the_function_are_computed_with(function):
    x = ft.tensor([*SPECIAL, 2.0])
    compiled = compile(function, fullgraph=True)
    compiled(x)
    assert compiled(x).numpy().tobytes() == function(x).numpy().tobytes()


@pytest.mark.parametrize("dims", [0, 1, (0,), (0, 1), ()])
def test_flips(dims):
    x = ft.arange(6.0).reshape(2, 3)
    compiled = compile(lambda x: x.flip(dims), fullgraph=True)
    compiled(x)
    assert compiled(x).equal(x.flip(dims))


@pytest.mark.parametrize("dtype", [ft.int8, ft.int16, ft.int32, ft.uint8, ft.bool])
@pytest.mark.parametrize("size", [5, 5000])
def test_sums_and_products_of_small_integers(dtype, size):
    def f(x):
        return x.sum(), x.sum(0, dtype=ft.int32), x.sum(-1, keepdim=True), x.prod(), x[:, 1:].sum(0), x.amax()

    compiled = compile(f)
    x = (ft.arange(2 * size) % 3).reshape(2, size).to(dtype)
    for _ in range(2):
        for found, expected in zip(compiled(x), f(x), strict=True):
            assert found.dtype is expected.dtype and ft.equal(found, expected)
    assert "eagerly" not in explain(compiled)
