"""Cumulative operations against NumPy for dtypes, layouts and sizes; PyTorch's rules as literals (2.13, CPU)."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import flambeau_tensor as ft
from samples.values import check_values

NAN, INF = float("nan"), float("inf")
INTEGERS = ("bool", "uint8", "int8", "int16", "int32", "int64")
FLOATS = ("float16", "float32", "float64")
COMPLEX = ("complex64", "complex128")
TOLERANCE = {"float16": 2e-3, "float32": 1e-6, "float64": 1e-13, "complex64": 1e-6, "complex128": 1e-13}
# Around groups of eight runs and tiles of 512 columns, and sizes that are split over threads.
SHAPES = [(1,), (9,), (3, 7), (8, 5), (17, 4), (2, 3, 4), (5, 1, 6), (3, 600), (600, 90), (3, 40, 513), (50_000,)]


def layouts(a):
    yield a
    yield np.ascontiguousarray(a.T).T
    wide = np.zeros((*a.shape, 2), a.dtype)
    wide[..., 1] = a
    yield wide[..., 1]


def exact(a):
    return a.astype({"f": "float64", "c": "complex128"}.get(a.dtype.kind, "int64"))


@pytest.mark.parametrize("name", ["cumsum", "cumprod"])
@pytest.mark.parametrize("dtype", [*INTEGERS, *FLOATS, *COMPLEX])
def test_sums_and_products(name, dtype):
    rng = np.random.default_rng(0)
    for shape in SHAPES:
        a = rng.choice([1, -1], shape) if name == "cumprod" else rng.integers(-4, 5, shape)
        if dtype in ("bool", "uint8"):
            a = np.abs(a)
        if dtype in TOLERANCE:
            a = a * rng.uniform(0.9, 1.1, shape)
        if dtype == "float16" and max(shape) > 1000:
            continue
        a = a.astype(dtype)
        for dim in range(len(shape)):
            expected = getattr(np, name)(exact(a), dim)
            for view in layouts(a):
                got = getattr(ft, name)(ft.from_numpy(view), dim).numpy()
                assert got.dtype == (dtype if dtype in TOLERANCE else "int64")
                if dtype in TOLERANCE:
                    np.testing.assert_allclose(
                        got, expected, rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype] * np.abs(expected).max()
                    )
                else:
                    np.testing.assert_array_equal(got, expected)


def running_extreme(a, dim, better):
    """Return values and indices by definition: the last of equal elements counts, and NaN persists."""
    a = np.moveaxis(a, dim, -1)
    values, places = a.copy(), np.zeros(a.shape, "int64")
    for row in np.ndindex(a.shape[:-1]):
        for i in range(1, a.shape[-1]):
            x, last = a[row][i], values[row][i - 1]
            take = x != x or (last == last and better(x, last))
            values[row][i], places[row][i] = (x, i) if take else (last, places[row][i - 1])
    return np.moveaxis(values, -1, dim), np.moveaxis(places, -1, dim)


@pytest.mark.parametrize("name, better", [("cummax", np.greater_equal), ("cummin", np.less_equal)])
@pytest.mark.parametrize("dtype", [*INTEGERS, *FLOATS])
def test_extremes(name, better, dtype):
    rng = np.random.default_rng(0)
    for shape in [(1,), (30,), (9, 11), (3, 6, 5), (20, 700), (200, 150)]:
        a = rng.integers(0, 9, shape)
        a = (a > 4) if dtype == "bool" else a.astype(dtype)
        if dtype in FLOATS:
            a[rng.random(shape) < 0.02] = NAN
        for dim in range(len(shape)):
            expected = running_extreme(a, dim, better)
            for view in layouts(a):
                values, indices = getattr(ft, name)(ft.from_numpy(view), dim)
                assert values.numpy().dtype == dtype
                np.testing.assert_array_equal(values.numpy(), expected[0])
                np.testing.assert_array_equal(indices.numpy(), expected[1])


@pytest.mark.parametrize("dtype", FLOATS)
def test_logcumsumexp(dtype):
    rng = np.random.default_rng(0)
    for shape in [(1,), (20,), (9, 30), (3, 6, 5), (40, 600)]:
        a = (rng.standard_normal(shape) * 3).astype(dtype)
        for dim in range(len(shape)):
            expected = np.logaddexp.accumulate(exact(a), dim)
            for view in layouts(a):
                got = ft.logcumsumexp(ft.from_numpy(view), dim).numpy()
                np.testing.assert_allclose(got, expected, rtol=TOLERANCE[dtype], atol=2 * TOLERANCE[dtype])
    assert ft.logcumsumexp(ft.tensor([1000.0, 1000.0]), 0).tolist() == pytest.approx([1000, 1000.6931471806])
    assert ft.logcumsumexp(ft.tensor([-INF, 1.0, INF]), 0).tolist() == [-INF, 1, INF]
    assert ft.logcumsumexp(ft.tensor([-INF, -INF]), 0).tolist() == [-INF, -INF]
    assert all(map(math.isnan, ft.logcumsumexp(ft.tensor([NAN, 1.0]), 0).tolist()))


def test_complex_logcumsumexp():
    a = np.random.default_rng(0).standard_normal((4, 6)) + 0.3j
    for dim in (0, 1):
        got = ft.logcumsumexp(ft.from_numpy(a), dim).numpy()
        np.testing.assert_allclose(np.exp(got), np.exp(a).cumsum(dim), rtol=1e-12)
    assert ft.logcumsumexp(ft.tensor(1 + 2j), 0).item() == 1 + 2j


def test_nan_in_extremes():
    for f in (ft.cummax, ft.cummin):
        values, indices = f(ft.tensor([NAN, NAN, 1.0]), 0)
        assert all(map(math.isnan, values.tolist())) and indices.tolist() == [0, 1, 1]
    assert ft.cummax(ft.tensor([3, 1, 2, 1, 3, 0]), 0).indices.tolist() == [0, 0, 0, 0, 4, 4]
    assert ft.cummin(ft.tensor([3, 1, 2, 1, 3, 0]), 0).indices.tolist() == [0, 1, 1, 3, 3, 5]


def test_accuracy():
    a = np.full(1_000_000, 0.1, "float32")
    got = ft.cumsum(ft.from_numpy(a), 0).numpy()
    np.testing.assert_allclose(got, np.cumsum(a.astype("float64")), rtol=6e-8)


def test_dtype_argument():
    x = ft.tensor([100, 100, 100], dtype=ft.uint8)
    assert ft.cumsum(x, 0).tolist() == [100, 200, 300]
    assert ft.cumsum(x, 0, dtype=ft.uint8).tolist() == [100, 200, 44]
    assert ft.cumsum(x, 0, dtype=ft.float32).dtype is ft.float32
    assert ft.cumsum(ft.tensor([1.9, 1.9]), 0, dtype=ft.int64).tolist() == [1, 2]
    assert ft.cumsum(ft.tensor([1, 2], dtype=ft.bfloat16), 0).dtype is ft.bfloat16


def test_in_place_and_out():
    x = ft.tensor([1, 2, 3], dtype=ft.int32)
    assert x.cumsum_(0) is x and x.dtype is ft.int32 and x.tolist() == [1, 3, 6]
    assert x.cumprod_(0).tolist() == [1, 3, 18]
    out = ft.empty(2)
    assert ft.cumsum(ft.ones(2), 0, out=out) is out and out.tolist() == [1, 2]
    assert ft.cumsum(ft.tensor([1.5, 1.5]), 0, out=ft.empty(2, dtype=ft.int64)).tolist() == [1, 2]
    values, indices = ft.empty(0), ft.empty(0, dtype=ft.int64)
    ft.cummax(ft.tensor([1.0, 0.0]), 0, out=(values, indices))
    assert values.tolist() == [1, 1] and indices.tolist() == [0, 0]


def test_sizes_at_the_edge():
    zero = ft.tensor(3.0)
    assert ft.cumsum(zero, 0).item() == ft.cumprod(zero, -1).item() == ft.logcumsumexp(zero, 0).item() == 3
    assert ft.cummax(zero, 0).indices.item() == 0
    nothing = ft.empty(0, 3)
    for f in (ft.cumsum, ft.cumprod, ft.logcumsumexp):
        assert f(nothing, 0).shape == f(nothing, 1).shape == (0, 3)
    assert ft.cummin(nothing, 0).indices.shape == (0, 3)


def test_diff():
    a = np.random.default_rng(0).standard_normal((4, 6))
    x = ft.from_numpy(a)
    for n in range(6):
        for dim in (0, 1, -1):
            if n <= a.shape[dim]:
                np.testing.assert_allclose(ft.diff(x, n, dim).numpy(), np.diff(a, n, dim), rtol=1e-12, atol=1e-12)
    assert ft.diff(x, 9).shape == (4, 0)
    assert ft.diff(x, 0, prepend=x).shape == x.shape
    assert ft.diff(ft.tensor([True, False, False])).tolist() == [True, False]
    with pytest.raises(RuntimeError, match="diff expects input to be at least one-dimensional"):
        ft.diff(ft.tensor(1.0))
    with pytest.raises(RuntimeError, match="order must be non-negative but got -1"):
        ft.diff(x, -1)
    with pytest.raises(RuntimeError, match="diff expects prepend or append to be the same dimension as input"):
        ft.diff(x, prepend=ft.tensor(0.0))


def test_diff_with_neighbours():
    got = ft.diff(ft.tensor([1, 2, 4]), prepend=ft.tensor([0]), append=ft.tensor([9]))
    assert got.tolist() == [1, 1, 2, 5]


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.integers(0, 6), min_size=1, max_size=4).flatmap(
        lambda shape: st.tuples(st.just(shape), st.permutations(range(len(shape))), st.integers(0, len(shape) - 1))
    )
)
def test_any_shape_and_order(case):
    shape, order, dim = case
    a = (np.arange(math.prod(shape)) * 7 % 11 - 5).reshape(shape).transpose(order).astype("float32")
    np.testing.assert_allclose(ft.cumsum(ft.from_numpy(a), dim).numpy(), a.cumsum(dim), rtol=1e-6)
    values, indices = ft.cummin(ft.from_numpy(a), dim)
    expected = running_extreme(a, dim, np.less_equal)
    np.testing.assert_array_equal(values.numpy(), expected[0])
    np.testing.assert_array_equal(indices.numpy(), expected[1])


@pytest.mark.parametrize(
    "call, error, text",
    [
        (
            lambda x: ft.cumsum(x, 2),
            IndexError,
            r"Dimension out of range \(expected .* range of \[-2, 1\], but got 2\)",
        ),
        (lambda x: ft.cumsum(x), TypeError, r'cumsum\(\) missing 1 required positional arguments: "dim"'),
        (lambda x: ft.cumsum(x, 0, dtype=ft.bool), NotImplementedError, "not implemented for 'Bool'"),
        (
            lambda x: ft.cummax(x.to(ft.complex64), 0),
            NotImplementedError,
            "\"cummax_cpu\" not implemented for 'ComplexFloat'",
        ),
        (lambda x: ft.logcumsumexp(x.to(ft.int64), 0), NotImplementedError, "not implemented for 'Long'"),
    ],
)
def test_bad_input(call, error, text):
    x = ft.ones(2, 3)
    with pytest.raises(error, match=text):
        call(x)
    assert x.tolist() == [[1, 1, 1], [1, 1, 1]]


@pytest.mark.parametrize("name", ["cumsum", "cumprod", "cummax", "cummin", "logcumsumexp", "diff"])
def test_methods_are_the_operators(name):
    assert getattr(ft, name) in getattr(ft.Tensor, name).overloads


def test_logcumsumexp_of_complex_vectors():
    a = np.array([0.5 + 2j, -1 - 0.3j, 0.2 - 4j])
    expected = np.log(np.cumsum(np.exp(a)))
    result = ft.logcumsumexp(ft.tensor(a), 0).numpy()
    np.testing.assert_allclose(np.exp(result), np.exp(expected), rtol=1e-12)
    nothing = ft.tensor([complex(-math.inf, 0)] * 2)
    assert ft.logcumsumexp(nothing, 0).real.tolist() == [-math.inf] * 2


TestSamples = check_values("tensor.cumulative")


def test_diff_of_parts_that_do_not_fit():
    with pytest.raises(RuntimeError, match=r"except along the differencing dimension; input.size\(0\) = 2, but got"):
        ft.diff(ft.ones(2, 3), prepend=ft.ones(3, 1))


@pytest.mark.parametrize("name", ["cummax", "cummin"])
def test_out_has_the_exact_dtypes(name):
    f, x = getattr(ft, name), ft.tensor([1.0, 3.0, 2.0])
    out = ft.empty(3), ft.empty(3, dtype=ft.int64)
    assert f(x, 0, out=out).values is out[0] and out[1].tolist() == f(x, 0).indices.tolist()
    with pytest.raises(RuntimeError, match="expected scalar_type Float but found Double"):
        f(x, 0, out=(ft.empty(3, dtype=ft.float64), out[1]))
    with pytest.raises(RuntimeError, match="expected scalar_type Long but found Int"):
        f(x, 0, out=(out[0], ft.empty(3, dtype=ft.int32)))


def test_out_of_logcumsumexp_has_the_exact_dtype():
    x = ft.tensor([1.0, 3.0, 2.0])
    out = ft.empty(0)
    assert ft.logcumsumexp(x, 0, out=out) is out and out.tolist() == ft.logcumsumexp(x, 0).tolist()
    z = ft.tensor([1j, 2.0])
    assert ft.logcumsumexp(z, 0, out=ft.empty(2, dtype=ft.complex64)).tolist() == ft.logcumsumexp(z, 0).tolist()
    for dtype in ("Double", "Int", "ComplexFloat"):
        wrong = {"Double": ft.float64, "Int": ft.int32, "ComplexFloat": ft.complex64}[dtype]
        with pytest.raises(RuntimeError, match=f"expected scalar_type Float but found {dtype}"):
            ft.logcumsumexp(x, 0, out=ft.empty(3, dtype=wrong))
