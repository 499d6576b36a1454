"""Order statistics against NumPy for dtypes, layouts and sizes; PyTorch's rules as literals (2.13, CPU)."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import flambeau_tensor as ft
from samples.values import check_values

NAN, INF = float("nan"), float("inf")
INTEGERS = ("uint8", "int8", "int16", "int32", "int64")
FLOATS = ("float16", "float32", "float64")
# Around insertion sort (32), small and large digits (8192), and sizes that are split over threads.
SHAPES = [(1,), (5,), (32,), (33,), (300,), (4, 40), (40, 4), (3, 5, 7), (20, 300), (20_000,), (2, 9000)]


def data(dtype, shape, seed=0):
    """Return the whole range of the dtype, with duplicates, both zeros, infinities and NaN."""
    rng = np.random.default_rng(seed)
    if dtype == "bool":
        return rng.random(shape) < 0.5
    if dtype in INTEGERS:
        info = np.iinfo(dtype)
        a = rng.integers(info.min, info.max, shape, dtype, endpoint=True)
        return np.where(rng.random(shape) < 0.3, a % 5, a).astype(dtype)
    with np.errstate(over="ignore"):
        a = (rng.standard_normal(shape) * 10.0 ** rng.integers(-3, 4, shape)).astype(dtype)
    choice = rng.random(shape)
    for i, special in enumerate((0.0, -0.0, INF, -INF, NAN, -NAN, 1.0)):
        a[(choice > i * 0.02) & (choice < (i + 1) * 0.02)] = special
    return a


def layouts(a):
    yield a
    yield np.ascontiguousarray(a.T).T
    yield np.repeat(a, 2, -1)[..., ::2]


def stable_order(a, dim, descending):
    """Return NumPy's stable argsort; in descending order, equal elements keep their order, too."""
    if not descending:
        return np.argsort(a, dim, kind="stable")
    back = np.flip(a, dim)
    return np.flip(a.shape[dim] - 1 - np.argsort(back, dim, kind="stable"), dim)


@pytest.mark.parametrize("dtype", ["bool", *INTEGERS, *FLOATS])
@pytest.mark.parametrize("descending", [False, True])
def test_sort(dtype, descending):
    for shape in SHAPES:
        a = data(dtype, shape)
        for dim in range(a.ndim):
            order = stable_order(a, dim, descending)
            for view in layouts(a):
                values, indices = ft.sort(ft.from_numpy(view), dim, descending)
                np.testing.assert_array_equal(indices.numpy(), order)
                got, expected = values.numpy(), np.take_along_axis(a, order, dim)
                assert got.dtype == a.dtype
                np.testing.assert_array_equal(got, expected)
                np.testing.assert_array_equal(np.signbit(got), np.signbit(expected)) if dtype in FLOATS else None
            np.testing.assert_array_equal(ft.argsort(ft.from_numpy(a), dim, descending).numpy(), order)


@pytest.mark.parametrize("dtype", [*INTEGERS, *FLOATS])
@pytest.mark.parametrize("largest", [False, True])
def test_topk(dtype, largest):
    for shape in SHAPES:
        a = data(dtype, shape)
        for dim in range(a.ndim):
            order = stable_order(a, dim, largest)
            n = a.shape[dim]
            for k in {0, 1, 3, 33, 100, n // 9, n} & set(range(n + 1)):
                values, indices = ft.topk(ft.from_numpy(a), k, dim, largest)
                best = np.take(order, range(k), dim)
                np.testing.assert_array_equal(indices.numpy(), best)
                np.testing.assert_array_equal(values.numpy(), np.take_along_axis(a, best, dim))


def test_topk_in_the_worst_order():
    for n, k in ((5000, 7), (5000, 200)):
        rising = ft.arange(n)
        assert ft.topk(rising, k).indices.tolist() == list(range(n - 1, n - 1 - k, -1))
        assert ft.topk(rising, k, largest=False).values.tolist() == list(range(k))
        assert ft.topk(ft.zeros(n), k).indices.tolist() == list(range(k))


@pytest.mark.parametrize("dtype", [*INTEGERS, *FLOATS])
def test_kth_and_median(dtype):
    for shape in [(1,), (2,), (7,), (40,), (3, 300), (300, 3), (4, 5, 6), (3000,)]:
        a = data(dtype, shape)
        for dim in range(a.ndim):
            order = stable_order(a, dim, False)
            n = a.shape[dim]
            for view in layouts(a):
                x = ft.from_numpy(view)
                for k in {1, (n + 1) // 2, n}:
                    values, indices = ft.kthvalue(x, k, dim)
                    np.testing.assert_array_equal(indices.numpy(), np.take(order, k - 1, dim))
                    assert ft.kthvalue(x, k, dim, True).values.shape == tuple(
                        1 if d == dim else m for d, m in enumerate(a.shape)
                    )
                invalid = np.isnan(a).sum(dim) if dtype in FLOATS else np.zeros(np.take(a, 0, dim).shape, int)
                rank = np.where(invalid > 0, n - invalid, (n - 1) // 2)
                where = np.take_along_axis(order, np.expand_dims(rank, dim), dim)
                values, indices = ft.median(x, dim, True)
                np.testing.assert_array_equal(indices.numpy(), where)
                np.testing.assert_array_equal(values.numpy(), np.take_along_axis(a, where, dim))
                rank = np.maximum(n - invalid - 1, 0) // 2
                where = np.take_along_axis(order, np.expand_dims(rank, dim), dim).squeeze(dim)
                np.testing.assert_array_equal(ft.nanmedian(x, dim).indices.numpy(), where)


def test_median_of_all():
    x = ft.tensor([3.0, 1, 2, 1, 3, NAN])
    assert math.isnan(ft.median(x)) and ft.nanmedian(x).item() == 2
    assert ft.median(x, 0).indices.item() == 5 and ft.nanmedian(x, 0).indices.item() == 2
    assert ft.median(ft.arange(12.0).reshape(3, 4)).item() == 5
    assert math.isnan(ft.median(ft.empty(0)))
    values, indices = ft.empty(0), ft.empty(0, dtype=ft.int64)
    ft.median(ft.tensor([[1.0, 2, 3]]), 1, out=(values, indices))
    assert values.tolist() == [2] and indices.tolist() == [1]


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int32", "int64", "float32"])
def test_mode(dtype):
    rng = np.random.default_rng(0)
    for shape in [(1,), (6,), (5, 40), (40, 5), (2, 3, 100)]:
        a = rng.integers(0, 7, shape).astype(dtype)
        for dim in range(a.ndim):
            values, indices = ft.mode(ft.from_numpy(a), dim)
            for row in np.ndindex(values.shape):
                run = np.moveaxis(a, dim, -1)[row]
                distinct, counts = np.unique(run, return_counts=True)
                assert values.numpy()[row] == distinct[counts.argmax()]
                assert indices.numpy()[row] == np.flatnonzero(run == distinct[counts.argmax()])[-1]


def test_bfloat16():
    a = np.array([2.0, -1.0, NAN, 0.5, -INF], "float32")
    x = ft.from_numpy(a).to(ft.bfloat16)
    values, indices = ft.sort(x)
    assert values.dtype is ft.bfloat16 and indices.tolist() == [4, 1, 3, 0, 2]
    assert ft.unique(x).dtype is ft.bfloat16 and ft.unique(x).tolist()[:4] == [-INF, -1, 0.5, 2]
    assert ft.topk(x, 2).indices.tolist() == [2, 0]


def test_zeros_are_equal_and_nan_is_last():
    values, indices = ft.sort(ft.tensor([-NAN, 0.0, -0.0, NAN, -1.0]))
    assert indices.tolist() == [4, 1, 2, 0, 3] and values.tolist()[:3] == [-1, 0, 0]
    assert ft.sort(ft.tensor([3, 1, 2, 1, 3, 0]), descending=True).indices.tolist() == [0, 4, 2, 1, 3, 5]


@settings(max_examples=200, deadline=None)
@given(st.lists(st.floats(width=32), max_size=120), st.booleans())
def test_any_floats(values, descending):
    a = np.array(values, "float32")
    np.testing.assert_array_equal(ft.argsort(ft.from_numpy(a), 0, descending).numpy(), stable_order(a, 0, descending))


def test_sizes_at_the_edge():
    zero, nothing = ft.tensor(3.0), ft.empty(0, 3)
    for f in (ft.sort, ft.mode, lambda x: ft.topk(x, 1), lambda x: ft.kthvalue(x, 1), lambda x: ft.median(x, 0)):
        values, indices = f(zero)
        assert values.item() == 3 and indices.item() == 0 and values.shape == indices.shape == ()
    assert ft.msort(zero).item() == 3 and ft.msort(ft.tensor([[2, 1], [1, 2]])).tolist() == [[1, 1], [2, 2]]
    assert ft.sort(nothing).values.shape == ft.sort(nothing, 0).indices.shape == (0, 3)
    assert ft.kthvalue(nothing, 1).values.shape == ft.mode(nothing).values.shape == (0,)
    assert ft.topk(nothing, 2).values.shape == (0, 2)
    assert ft.unique(nothing).shape == (0,)
    assert ft.unique(zero, return_inverse=True)[1].shape == ()
    assert ft.quantile(zero, 0.5, 0, True).item() == 3


def test_unique():
    x = ft.tensor([[3, 1, 2], [1, 3, 0]])
    assert ft.unique(x).tolist() == [0, 1, 2, 3]
    values, inverse, counts = ft.unique(x, True, True, True)
    assert inverse.tolist() == [[3, 1, 2], [1, 3, 0]] and counts.tolist() == [1, 2, 1, 2]
    values, inverse, counts = ft.unique(ft.tensor([[1, 2], [0, 5], [1, 2]]), True, True, True, dim=0)
    assert values.tolist() == [[0, 5], [1, 2]] and inverse.tolist() == [1, 0, 1] and counts.tolist() == [1, 2]
    assert ft.unique(ft.tensor([NAN, 1.0, NAN])).numel() == 3
    assert ft.unique(ft.tensor([True, False, True])).tolist() == [False, True]
    a = np.random.default_rng(0).integers(0, 50, 3000)
    both = zip(ft.unique(ft.from_numpy(a), True, True, True), np.unique(a, False, True, True), strict=True)
    for got, expected in both:
        np.testing.assert_array_equal(got.numpy(), expected)
    x = ft.tensor([3, 3, 1, 1, 1, 3])
    values, inverse, counts = ft.unique_consecutive(x, True, True)
    assert values.tolist() == [3, 1, 3] and inverse.tolist() == [0, 0, 1, 1, 1, 2] and counts.tolist() == [2, 3, 1]
    assert ft.unique_consecutive(ft.tensor([[1, 1, 2], [3, 3, 4]]), dim=1).tolist() == [[1, 2], [3, 4]]


def test_searchsorted():
    edges, values = ft.tensor([0, 1, 1, 2, 3, 3]), ft.tensor([[3, 1], [2, 9]])
    for right in (False, True):
        expected = np.searchsorted(edges.numpy(), values.numpy(), "right" if right else "left")
        assert ft.searchsorted(edges, values, right=right).tolist() == expected.tolist()
        assert ft.bucketize(values, edges, right=right).tolist() == expected.tolist()
    assert ft.searchsorted(edges, values, side="right", out_int32=True).dtype is ft.int32
    assert ft.searchsorted(edges, 2).item() == 3 and ft.bucketize(2, edges, right=True).item() == 4
    rows = ft.tensor([[1.0, 3, 5], [2, 4, 6]])
    assert ft.searchsorted(rows, ft.tensor([[3.0], [7.0]])).tolist() == [[1], [3]]
    x = ft.tensor([3, 1, 2])
    assert ft.searchsorted(x, ft.tensor([2, 9]), sorter=ft.argsort(x)).tolist() == [1, 3]
    assert ft.bucketize(ft.tensor(NAN), ft.tensor([1.0, 2.0, 3.0])).item() == 3
    assert ft.bucketize(2.5, edges).item() == 4 and ft.bucketize(ft.tensor([2.5]), edges).tolist() == [4]
    for boundaries, value in ((edges.float(), ft.tensor(1j)), (edges.float(), 1j), (edges * 1j, ft.tensor(1.0))):
        with pytest.raises((NotImplementedError, TypeError), match="searchsorted_out_cpu|must be Number"):
            ft.searchsorted(boundaries, value)


def test_histograms():
    x = ft.arange(12.0)
    assert ft.histc(x, 4).tolist() == [3] * 4 and ft.histc(x, 4, 1, 5).tolist() == [1, 1, 1, 2]
    assert ft.histc(x).shape == (100,) and ft.histc(ft.ones(3), 4).tolist() == [0, 0, 3, 0]
    assert ft.histc(x.to(ft.float16), 4).dtype is ft.float16
    counts = ft.bincount(ft.tensor([3, 1, 2, 1, 3, 0]), minlength=6)
    assert counts.tolist() == [1, 2, 1, 2, 0, 0] and counts.dtype is ft.int64
    assert ft.bincount(ft.tensor([3, 1]), ft.tensor([0.5, 2.0])).tolist() == [0, 2, 0, 0.5]
    assert ft.bincount(ft.tensor([1]), ft.tensor([2])).dtype is ft.float64
    assert ft.bincount(ft.empty(0, dtype=ft.int64)).tolist() == []


def test_quantiles():
    a = np.random.default_rng(0).standard_normal((4, 9))
    x, shares = ft.from_numpy(a), np.array([0.0, 0.3, 0.5, 1.0])
    for kind in ("linear", "lower", "higher", "midpoint", "nearest"):
        for dim in (None, 0, 1):
            expected = np.quantile(a, shares, dim, method=kind)
            got = ft.quantile(x, ft.from_numpy(shares), dim, interpolation=kind)
            np.testing.assert_allclose(got.numpy(), expected)
            got = ft.quantile(x, 0.3, dim, True, interpolation=kind)
            np.testing.assert_allclose(got.numpy(), np.quantile(a, 0.3, dim, method=kind, keepdims=True))
    y = ft.tensor([3.0, 1, 2, 1, 3, NAN])
    assert math.isnan(ft.quantile(y, 0.3)) and ft.nanquantile(y, 0.3).item() == pytest.approx(1.2)


@pytest.mark.parametrize(
    "call, error, text",
    [
        (lambda x: ft.sort(x, 2), IndexError, r"Dimension out of range \(expected .* range of \[-2, 1\], but got 2\)"),
        (lambda x: ft.sort(x.to(ft.complex64)), RuntimeError, "Sort does not support complex dtypes on CPU"),
        (lambda x: ft.topk(x, 4), RuntimeError, "selected index k out of range"),
        (lambda x: ft.topk(x, -1), RuntimeError, "selected index k out of range"),
        (lambda x: ft.topk(x.to(ft.bool), 1), RuntimeError, "topk does not support bool dtypes on CPU"),
        (lambda x: ft.topk(x, 1.5), TypeError, r"topk\(\): argument 'k' \(position 2\) must be int, not float"),
        (lambda x: ft.kthvalue(x, 0), RuntimeError, r"kthvalue\(\): selected number k out of range for dimension 1"),
        (
            lambda x: ft.kthvalue(x[:, :0] if False else ft.empty(2, 0), 1),
            IndexError,
            r"kthvalue\(\): Expected reduction dim 1 to have non-zero size\.",
        ),
        (
            lambda x: ft.median(x.to(ft.complex64), 0),
            NotImplementedError,
            "\"median_cpu\" not implemented for 'ComplexFloat'",
        ),
        (
            lambda x: ft.unique(x.to(ft.complex64)),
            NotImplementedError,
            "\"unique\" not implemented for 'ComplexFloat'",
        ),
        (lambda x: ft.searchsorted(x, x, side="up"), RuntimeError, "side can only be 'left' or 'right' but got up"),
        (lambda x: ft.searchsorted(x, x, side="left", right=True), RuntimeError, "can't be set to opposites"),
        (lambda x: ft.searchsorted(x, ft.ones(3)), RuntimeError, "the first N-1 dimensions"),
        (lambda x: ft.searchsorted(x, 1.0), RuntimeError, "only when boundaries tensor dimension is 1"),
        (lambda x: ft.bucketize(x, x), RuntimeError, r"boundaries tensor must be 1 dimension, but got dim\(2\)"),
        (lambda x: ft.histc(x, 0), RuntimeError, r"bins must be > 0, but got 0"),
        (lambda x: ft.histc(x, 4, 5, 1), RuntimeError, "torch.histc: max must be larger than min"),
        (
            lambda x: ft.bincount(ft.tensor([-1])),
            RuntimeError,
            "bincount only supports 1-d non-negative integral inputs.",
        ),
        (lambda x: ft.bincount(ft.tensor([1.0])), NotImplementedError, "\"bincount_cpu\" not implemented for 'Float'"),
        (lambda x: ft.bincount(ft.tensor([1]), ft.ones(2)), RuntimeError, "weights should be 1-d and have the same"),
        (lambda x: ft.quantile(x, 1.3), RuntimeError, r"quantile\(\) q must be in the range \[0, 1\] but got 1.3"),
        (lambda x: ft.quantile(x, 0.5, interpolation="no"), RuntimeError, "interpolation must be one of linear, lower"),
        (lambda x: ft.quantile(x.to(ft.int64), 0.5), RuntimeError, "input tensor must be either float or double dtype"),
    ],
)
def test_bad_input(call, error, text):
    x = ft.ones(2, 3)
    with pytest.raises(error, match=text):
        call(x)
    assert x.tolist() == [[1, 1, 1], [1, 1, 1]]


@pytest.mark.parametrize(
    "name",
    [
        "sort",
        "argsort",
        "msort",
        "topk",
        "kthvalue",
        "median",
        "nanmedian",
        "mode",
        "quantile",
        "nanquantile",
        "unique",
        "unique_consecutive",
        "histc",
        "bincount",
    ],
)
def test_methods_are_the_operators(name):
    assert getattr(ft, name).overloads == getattr(ft.Tensor, name).overloads


def test_quantiles_take_tensors_of_shares():
    a = np.array([[0.3, -1.2, 0.8, 2.1], [1.0, 1.5, math.nan, 0.2]])
    for q in (0.25, [0.0, 0.4, 1.0]):
        result = ft.quantile(ft.tensor(a), ft.tensor(q, dtype=ft.float64), 1)
        np.testing.assert_allclose(result.numpy(), np.quantile(a, q, 1))
        np.testing.assert_allclose(
            ft.nanquantile(ft.tensor(a), ft.tensor(q, dtype=ft.float64), 1).numpy(), np.nanquantile(a, q, 1)
        )


def test_out_takes_tensors_only():
    with pytest.raises(TypeError, match="expected Tensor as element 0 in argument 5, but got NoneType"):
        ft.topk(ft.rand(3), 1, out=(None, ft.empty(1, dtype=ft.int64)))


@pytest.mark.parametrize("weights", [None, ft.ones((0,)), ft.ones((0,), dtype=ft.float64), ft.ones((3,))])
def test_nothing_counted_is_int64_whatever_the_weights(weights):
    found = ft.bincount(ft.empty((0,), dtype=ft.int32), weights, minlength=2)
    assert found.tolist() == [0, 0] and found.dtype is ft.int64


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: ft.unique(ft.ones(3), dim=1), IndexError, "Dimension out of range"),
        (lambda: ft.unique_consecutive(ft.ones(3), dim=2**40), IndexError, "Dimension out of range"),
        (lambda: ft.searchsorted(ft.ones(3), 1.0, sorter=ft.tensor([0, 1, 3])), RuntimeError, "sorter index out of"),
        (lambda: ft.searchsorted(ft.ones(3), 1.0, sorter=ft.tensor([0, -1, 2])), RuntimeError, "sorter index out of"),
        (lambda: ft.searchsorted(ft.ones(3), 1.0, sorter=ft.ones(3)), RuntimeError, "sorter must be a tensor of long"),
    ],
)
def test_dimensions_and_orders_that_are_not_there(call, error, text):
    with pytest.raises(error, match=text):
        call()


TestSamples = check_values("tensor.sorting")
