"""Reductions against NumPy for dtypes, layouts, dimensions and sizes; PyTorch's own rules as literals.

Literals were printed by PyTorch 2.13 on the CPU.
"""

import itertools
import math
import operator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import flambeau_tensor as ft
from flambeau_tensor.ops import reductions as ops
from samples.values import check_values

INTEGERS = ("uint8", "int8", "int16", "int32", "int64")
FLOATS = ("float16", "float32", "float64")
COMPLEX = ("complex64", "complex128")
NAN, INF = float("nan"), float("inf")
TOLERANCE = {"float16": 2e-3, "float32": 1e-6, "float64": 1e-13, "complex64": 1e-6, "complex128": 1e-13}


def data(dtype, shape, seed=0):
    """Return values of both signs, with duplicates, and small enough that products do not overflow."""
    rng = np.random.default_rng(seed)
    values = rng.integers(-5, 6, shape)
    if dtype == "bool":
        return values > 0
    if dtype in INTEGERS:
        return (values % 5 if dtype == "uint8" else values).astype(dtype)
    noise = rng.standard_normal(shape) * 0.5
    return (noise + values * 0.25 + (1j * rng.standard_normal(shape) if dtype in COMPLEX else 0)).astype(dtype)


def layouts(a):
    """Yield the same elements in several layouts."""
    yield "contiguous", a
    if a.ndim:
        yield "reversed order", np.ascontiguousarray(a.T).T
        wide = np.zeros([2 * n + 1 for n in a.shape], a.dtype)
        window = wide[tuple(slice(1, 2 * n, 2) for n in a.shape)]
        window[...] = a
        yield "every other", window
    if a.ndim > 2:
        rolled = np.ascontiguousarray(np.moveaxis(a, 0, -1))
        yield "rolled", np.moveaxis(rolled, -1, 0)


def dims_of(ndim):
    every = [None]
    for n in range(1, ndim + 1):
        every += itertools.combinations(range(ndim), n)
    return every


def check(result, expected, dtype):
    got = result.numpy()
    assert got.dtype == np.dtype(dtype)
    assert got.shape == expected.shape
    if dtype in TOLERANCE:
        scale = np.abs(expected[np.isfinite(expected)]).max(initial=1)
        np.testing.assert_allclose(got, expected, rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype] * scale)
    else:
        np.testing.assert_array_equal(got, expected)


def exact(a):
    """Convert to the precision in which the reference is computed."""
    return a.astype({"f": "float64", "c": "complex128"}.get(a.dtype.kind, "int64"))


def wide(dtype):
    return dtype if dtype in TOLERANCE else "int64"


def same(dtype):
    return dtype


# name: (operation, dtypes, NumPy's function, result's dtype)
BY_NUMPY = {
    "sum": (ops.sum, ("bool", *INTEGERS, *FLOATS, *COMPLEX), lambda a, **k: exact(a).sum(**k), wide),
    "nansum": (ops.nansum, ("bool", *INTEGERS, *FLOATS), lambda a, **k: exact(a).sum(**k), wide),
    "mean": (ops.mean, (*FLOATS, *COMPLEX), lambda a, **k: exact(a).mean(**k), same),
    "amax": (ops.amax, ("bool", *INTEGERS, *FLOATS), np.max, same),
    "amin": (ops.amin, ("bool", *INTEGERS, *FLOATS), np.min, same),
    "all": (ops.all, ("bool", *INTEGERS[1:], *FLOATS, *COMPLEX), np.all, lambda dtype: "bool"),
    "any": (ops.any, ("bool", *INTEGERS[1:], *FLOATS, *COMPLEX), np.any, lambda dtype: "bool"),
    "var": (ft.var, FLOATS, lambda a, **k: exact(a).var(ddof=1, **k), same),
    "std": (ft.std, FLOATS, lambda a, **k: exact(a).std(ddof=1, **k), same),
    "logsumexp": (
        lambda x, dim=None, keepdim=False: ops.logsumexp(x, () if dim is None else dim, keepdim),
        FLOATS,
        lambda a, **k: np.log(np.exp(exact(a)).sum(**k)),
        same,
    ),
}


@pytest.mark.parametrize("name, dtype", [(n, d) for n, row in BY_NUMPY.items() for d in row[1]])
def test_against_numpy(name, dtype):
    operation, _, reference, result = BY_NUMPY[name]
    for shape in [(7,), (2, 9), (3, 4, 5), (2, 3, 1, 4)]:
        a = data(dtype, shape)
        for _layout, view in layouts(a):
            x = ft.from_numpy(view)
            for dim, keepdim in itertools.product(dims_of(a.ndim), (False, True)):
                count = a.size if dim is None else math.prod(a.shape[d] for d in dim)
                if name in ("var", "std") and count == 1:
                    continue
                expected = np.asarray(reference(a, axis=dim, keepdims=keepdim))
                check(
                    operation(x, dim=dim, keepdim=keepdim)
                    if dim is not None
                    else operation(x, keepdim=keepdim)
                    if keepdim
                    else operation(x),
                    expected,
                    result(dtype),
                )


# Sizes that are split over threads, by results and by parts, and sizes at the edges of blocks and tiles.
@pytest.mark.parametrize(
    "shape",
    [
        (70_000,),
        (300_001,),
        (3, 100_003),
        (100_003, 3),
        (200_000, 1),
        (700, 601),
        (2, 70_000, 2),
        (40, 50, 61),
        (1025, 513),
    ],
)
@pytest.mark.parametrize("name", BY_NUMPY)
def test_large(name, shape):
    operation, dtypes, reference, result = BY_NUMPY[name]
    for dtype in {"float32", dtypes[1]}:
        a = data(dtype, shape)
        for _layout, view in layouts(a):
            x = ft.from_numpy(view)
            for dim in dims_of(a.ndim):
                if name in ("var", "std") and dim is not None and math.prod(a.shape[d] for d in dim) == 1:
                    continue
                expected = np.asarray(reference(a, axis=dim))
                check(operation(x) if dim is None else operation(x, dim), expected, result(dtype))


def test_threads_do_not_change_results():
    x = ft.from_numpy(np.random.default_rng(1).standard_normal(500_000).astype("float32"))
    threads = ft.get_num_threads()
    results = []
    for n in (1, 2, 3):
        ft.set_num_threads(n)
        results.append([f(x).item() for f in (ops.sum, ft.var, ops.mean, ft.norm)])
    ft.set_num_threads(threads)
    assert results[0] == results[1] == results[2]


def test_expanded():
    a = np.lib.stride_tricks.as_strided(np.arange(4.0), (3, 4, 5), (0, 8, 0))
    x = ft.from_numpy(a)
    for dim in dims_of(3):
        np.testing.assert_allclose(ops.sum(x, dim).numpy(), a.sum(dim))
        np.testing.assert_array_equal(ops.amax(x, () if dim is None else dim).numpy(), a.max(dim))
        if dim is not None and len(dim) == 1:
            values, indices = ft.max(x, dim[0])
            np.testing.assert_array_equal(values.numpy(), a.max(dim[0]))
            np.testing.assert_array_equal(indices.numpy(), a.argmax(dim[0]))


def test_short_rows_that_are_repeated():
    a = np.lib.stride_tricks.as_strided(np.arange(12.0), (3, 100, 2), (32, 0, 8))
    x = ft.from_numpy(a)
    for dim in dims_of(3):
        np.testing.assert_allclose(ops.sum(x, dim).numpy(), a.sum(dim))
        np.testing.assert_allclose(ft.var(x, dim, correction=0).numpy(), a.var(dim))
        np.testing.assert_array_equal(ops.amin(x, () if dim is None else dim).numpy(), a.min(dim))
    assert ops.prod(ft.from_numpy(a.astype(np.int64) - 1), None).item() == 0
    huge = ft.from_numpy(np.arange(4)).as_strided((2**24, 2), (0, 2))
    assert ops.sum(huge).item() == 2**25


@pytest.mark.parametrize("dtype", [*INTEGERS, *FLOATS, "bool"])
@pytest.mark.parametrize("name", ["max", "min"])
def test_extremes_and_places(name, dtype):
    operation, place = getattr(ft, name), getattr(ops, "arg" + name)
    reference, where = getattr(np, name), getattr(np, "arg" + name)
    for shape in [(7,), (2, 9), (3, 40, 5), (130, 500), (300, 3)]:
        a = data(dtype, shape)
        for _layout, view in layouts(a):
            x = ft.from_numpy(view)
            np.testing.assert_array_equal(operation(x).numpy(), reference(a))
            if dtype != "bool":
                assert place(x).item() == where(a)
                assert place(x, keepdim=True).shape == (1,) * a.ndim
            for dim in range(-a.ndim, a.ndim):
                for keepdim in (False, True):
                    values, indices = operation(x, dim, keepdim)
                    np.testing.assert_array_equal(values.numpy(), reference(a, axis=dim, keepdims=keepdim))
                    np.testing.assert_array_equal(indices.numpy(), where(a, axis=dim, keepdims=keepdim))
                    if dtype != "bool":
                        np.testing.assert_array_equal(
                            place(x, dim, keepdim).numpy(), where(a, axis=dim, keepdims=keepdim)
                        )


@pytest.mark.parametrize("n", [1, 5, 64, 70, 129, 1000, 300_000])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_nan_wins(n, dtype):
    rng = np.random.default_rng(n)
    for at in {0, n // 2, n - 1}:
        a = rng.standard_normal((n, 2)).astype(dtype)
        a[at, 0] = NAN
        for view in (a, np.ascontiguousarray(a.T).T):
            x = ft.from_numpy(view)
            for operation in (ft.max, ft.min):
                values, indices = (r.tolist() for r in operation(x, 0))
                assert math.isnan(values[0]) and indices[0] == at
                assert values[1] == (a[:, 1].max() if operation is ft.max else a[:, 1].min())
                assert math.isnan(operation(x))
            assert math.isnan(ops.amax(x)) and math.isnan(ops.amin(x))
            assert ops.argmax(x) == ops.argmin(x) == 2 * at
            expected = np.nansum(a.astype("float64"), 0)
            np.testing.assert_allclose(ops.nansum(x, 0).numpy(), expected, rtol=1e-5, atol=1e-5)
            assert math.isnan(ops.sum(x)) and math.isnan(ft.var(x)) and math.isnan(ops.logsumexp(x, (0, 1)))


def test_first_of_equals():
    x = ft.tensor([[3, 1, 3], [1, 3, 3]])
    assert ft.max(x, 1).indices.tolist() == [0, 1]
    assert ft.min(x, 0).indices.tolist() == [1, 0, 0]
    assert ops.argmax(x).item() == 0
    assert ops.argmax(ft.tensor([1.0, NAN, 3.0, NAN])).item() == 1
    assert ft.max(ft.full((200_000,), -INF), 0).indices.item() == 0


def test_max_is_three_operations():
    x, y = ft.tensor([[1.0, 4.0], [3.0, 2.0]]), ft.tensor([2.0, 3.0])
    assert ft.max(x).item() == x.max().item() == 4
    for result in (ft.max(x, 1), x.max(1), x.max(dim=1), x.max(axis=-1), x.max(np.int64(1))):
        assert result.values.tolist() == [4, 3]
        assert result.indices.tolist() == [1, 0]
    for result in (ft.max(x, y), x.max(y), ft.max(x, other=y)):
        assert result.tolist() == [[2, 4], [3, 3]]
    values, indices = ft.empty(0), ft.empty(0, dtype=ft.int64)
    assert ft.min(x, 0, out=(values, indices)).values is values
    assert values.tolist() == [1, 2] and indices.tolist() == [0, 1]
    assert repr(type(x.max(0))) == "<class 'torch.return_types.max'>"
    for wrong in ("a", (0, 1), 1.0, True):
        with pytest.raises(TypeError, match=r"max\(\) received an invalid combination of arguments"):
            ft.max(x, wrong)


def test_aminmax():
    x = ft.tensor([[1.0, 4.0], [3.0, 2.0]])
    assert [r.item() for r in ops.aminmax(x)] == [1, 4]
    assert ops.aminmax(x, dim=0).max.tolist() == [3, 4]
    assert ops.aminmax(x, dim=0, keepdim=True).min.shape == (1, 2)


def test_prod():
    for dtype in ("bool", *INTEGERS, *FLOATS, *COMPLEX):
        a = data(dtype, (3, 4, 5))
        for _layout, view in layouts(a):
            x = ft.from_numpy(view)
            check(ops.prod(x), np.asarray(exact(a).prod()), wide(dtype))
            for dim in range(3):
                check(ops.prod(x, dim, keepdim=True), exact(a).prod(dim, keepdims=True), wide(dtype))
    assert ops.prod(ft.empty(0)).item() == 1


def test_dtype_argument():
    x = ft.tensor([[1.75, 2.5], [-3.5, 4.25]])
    assert ops.sum(x, dtype=ft.int64).item() == 1 + 2 - 3 + 4
    assert ops.sum(x, 1, dtype=ft.float64).dtype is ft.float64
    assert ops.mean(ft.tensor([1, 2]), dtype=ft.float64).item() == 1.5
    assert ops.prod(ft.tensor([2, 3]), dtype=ft.float32).dtype is ft.float32
    assert ops.sum(ft.tensor([200, 100], dtype=ft.uint8), dtype=ft.uint8).item() == 300 % 256
    assert ops.sum(ft.tensor([200, 100], dtype=ft.uint8)).item() == 300


@pytest.mark.parametrize("name", ["float16", "bfloat16"])
def test_halves(name):
    dtype = getattr(ft, name)
    x = ft.from_numpy(data("float32", (40, 70))).to(dtype)
    a = x.to(ft.float32).numpy()
    for operation, reference in (
        (ops.sum, a.sum(1)),
        (ops.mean, a.mean(1)),
        (ops.amax, a.max(1)),
        (ft.var, a.var(1, ddof=1)),
        (ft.norm, None),
    ):
        if reference is None:
            got, reference = ft.norm(x, 2, 1), np.sqrt((a * a).sum(1))
        else:
            got = operation(x, 1)
        assert got.dtype is dtype
        np.testing.assert_allclose(got.to(ft.float32).numpy(), reference, rtol=8e-3, atol=8e-3)
    assert ops.sum(ft.full((3000,), 1.0, dtype=dtype)).item() == 3008 if name == "bfloat16" else 3000


def test_accuracy_of_sums():
    # A running float32 sum is off by a hundredth here; the exact result comes from math.fsum.
    rng = np.random.default_rng(2)
    for a in (
        rng.random((1 << 20), "float32"),
        (rng.standard_normal(100_000) * 10.0 ** rng.integers(-6, 6, 100_000)).astype("float32"),
        np.full(10_000_000, 0.1, "float32"),
    ):
        exact_sum = math.fsum(a.tolist())
        spread = np.abs(a.astype("float64")).sum()
        assert abs(ops.sum(ft.from_numpy(a)).item() - exact_sum) <= 3e-7 * abs(exact_sum) + 1e-8 * spread
    a = rng.standard_normal((1 << 18, 2)) + 1e8
    for dim in (0, None):
        np.testing.assert_allclose(ft.var(ft.from_numpy(a), dim).numpy(), a.var(dim, ddof=1), rtol=1e-9)


def test_deviations_have_three_signatures():
    x = ft.arange(12.0).reshape(3, 4)
    std0, std1 = 3.4520525295, 3.6055512755
    for result, expected in (
        (x.std(), std1),
        (x.std(True), std1),
        (x.std(False), std0),
        (x.std(unbiased=False), std0),
        (x.std(correction=0), std0),
        (x.std(None), std1),
        (x.var([], correction=0), std0**2),
        (x.std((0, 1), False), std0),
        (x.var(dim=None, correction=1.5), 13.6190476190),
    ):
        assert result.item() == pytest.approx(expected, rel=1e-6)
    assert x.std(0, False).tolist() == pytest.approx([3.2659863237] * 4)
    assert x.std(0, False, True).shape == x.var(0, keepdim=True).shape == (1, 4)
    assert [r.tolist() for r in ft.var_mean(x, 0)] == [[16] * 4, [4, 5, 6, 7]]
    spread, mean = ft.std_mean(x, dim=(0, 1), correction=0, keepdim=True)
    assert spread.shape == mean.shape == (1, 1) and spread.item() == pytest.approx(std0)
    z = ft.from_numpy(x.numpy() * (1 + 2j))
    assert z.var().item() == pytest.approx(13 * 5) and z.std().item() == pytest.approx(65**0.5)
    assert not ft.var(z).is_complex()


def test_no_degrees_of_freedom():
    with pytest.warns(UserWarning, match=r"var\(\): degrees of freedom is <= 0"):
        assert ft.var(ft.tensor([1.0, 2.0]), 0, correction=5).item() == INF
    with pytest.warns(UserWarning):
        assert math.isnan(ft.std(ft.tensor(1.0)))
    with pytest.warns(UserWarning):
        assert ft.var(ft.tensor([[1.0, 2.0]]), 1, correction=3).tolist() == [INF]


@pytest.mark.parametrize("order", [0, 1, 2, 3, 0.5, -1, -2.5, INF, -INF])
def test_norms(order):
    for dtype in ("float32", "float64", *COMPLEX):
        a = data(dtype, (3, 4, 5)) + 0.01
        for _layout, view in layouts(a.astype(dtype)):
            for dim in (0, 2, None):
                got = ops.vector_norm(ft.from_numpy(view), order, dim).numpy()
                expected = np.linalg.norm(exact(view).ravel() if dim is None else exact(view), order, dim)
                np.testing.assert_allclose(got, expected, rtol=1e-5 if dtype in ("float32", "complex64") else 1e-12)
                assert got.dtype == np.abs(view).dtype
    for single in (-3.0, 0.0, -0.0, NAN):  # for a single number, its absolute value, whatever the order
        for x in (ft.tensor(single), ft.tensor([single]), ft.tensor([[single]] * 40)):
            got = ops.vector_norm(x, order or 7e4, -1 if x.ndim else None)
            assert ft.signbit(got).sum() == 0 and got.equal(x.abs().reshape(got.shape)) or got.isnan().all()
            assert not math.isnan(single) or got.isnan().all()
    x = ft.ones(2, 2)
    assert ft.norm(x).item() == ft.norm(x, "fro", (0, 1)).item() == x.norm(None).item() == 2
    assert x.norm(1, 0, True).tolist() == [[2, 2]]
    assert ops.vector_norm(x, dtype=ft.float64).dtype is ft.float64
    assert ops.dist(x, x + 2, 1).item() == 8


@pytest.mark.parametrize("shape", ((3000,), (7,), (0,), (60, 50), (5, 3, 70), (3, 100, 2)))
def test_sums_of_complex_numbers(shape):
    rng = np.random.default_rng(0)
    x = (rng.standard_normal(shape) + 1j * rng.standard_normal(shape)).astype("complex64")
    for part in (x, x[1:], x[::2], x.swapaxes(0, -1)):
        for dim in (None, *range(x.ndim)):
            found = ft.from_numpy(part).sum(dim).numpy()
            np.testing.assert_allclose(found, part.astype("complex128").sum(dim), rtol=1e-5, atol=1e-5)
            assert found.dtype == "complex64"
    assert ft.tensor([complex(0, np.inf), complex(1, 2)]).sum().real == 1


def test_logsumexp_does_not_overflow():
    assert ops.logsumexp(ft.tensor([1000.0, 1000.0]), 0).item() == pytest.approx(1000.6931471806)
    assert ops.logsumexp(ft.tensor([-1000.0, -1001.0]), 0).item() == pytest.approx(-999.6867383125)
    for values, expected in (
        ([-INF, -INF], -INF),
        ([INF, 1.0], INF),
        ([INF, -INF], INF),
        ([-INF, 2.0], 2.0),
        ([INF, INF], INF),
    ):
        assert ops.logsumexp(ft.tensor(values), 0).item() == expected
        assert ops.logsumexp(ft.tensor([values, values]).t(), 0).tolist() == [expected] * 2
    far = np.full((100_000, 2), -INF, "float32")
    far[70_000] = -300
    assert ops.logsumexp(ft.from_numpy(far), 0).tolist() == [-300, -300]
    assert ops.logsumexp(ft.tensor([0, 0]), 0).item() == pytest.approx(math.log(2))
    assert ops.logsumexp(ft.empty(0, 3), 0).tolist() == [-INF] * 3


def test_complex_logsumexp():
    a = data("complex128", (3, 4, 5))
    for dim in (0, 1, 2, (0, 2), (0, 1, 2)):
        for keepdim in (False, True):
            got = ops.logsumexp(ft.from_numpy(a), dim, keepdim).numpy()
            np.testing.assert_allclose(got, np.log(np.exp(a).sum(dim, keepdims=keepdim)), rtol=1e-12)
    assert ops.logsumexp(ft.tensor([1000 + 1j, 1000 + 1j]), 0).item() == pytest.approx(1000 + math.log(2) + 1j)


@pytest.mark.parametrize("dtype", [ft.int64, ft.int8, ft.uint8])
def test_integers_of_numbers_without_nan(dtype):
    x = ft.tensor([[NAN, 2.5, 1.5], [NAN, NAN, NAN]], dtype=ft.float16)
    assert ops.nansum(x, 1, dtype=dtype).tolist() == [3, 0]  # 2 and 1 elements
    assert ops.nansum(x[1], dtype=ft.bool).item() is False
    assert ops.nansum(x[0, 0], out=ft.ones((), dtype=dtype)).item() == 0


def test_nanmean():
    a = data("float64", (4, 6))
    a[0, 1] = a[2] = NAN
    for dim, reference in ((None, np.nanmean(a)), (0, np.nanmean(a, 0))):
        np.testing.assert_allclose(ops.nanmean(ft.from_numpy(a), dim).numpy(), reference)
    assert math.isnan(ops.nanmean(ft.from_numpy(a), 1).tolist()[2])
    with pytest.raises(RuntimeError, match="expected input to have floating point or complex dtype but got Long"):
        ops.nanmean(ft.tensor([1]))


def test_sum_to_size():
    x = ft.ones(2, 3, 4)
    for size in ((2, 3, 4), (3, 1), (1, 1, 4), (), (4,)):
        got = x.sum_to_size(size)
        assert got.shape == size and got.sum().item() == 24
    assert x.sum_to_size(3, 4).shape == (3, 4) and x.sum_to_size(4).shape == (4,)
    with pytest.raises(RuntimeError, match="is not expandable to size"):
        x.sum_to_size(2, 4)


def test_counts_and_truth():
    x = ft.tensor([[0, 3], [1, 2]], dtype=ft.uint8)
    assert ops.all(x, 0).dtype is ft.uint8 and ops.all(x, 0).tolist() == [0, 1]
    assert ops.any(x).item() == 1
    assert ops.any(ft.tensor([NAN])).item() is True
    assert ops.all(ft.tensor([[1.0, 0.0]]), ()).tolist() == [[True, False]]  # no dimensions: elementwise
    assert ops.all(ft.empty(0)).item() is True and ops.any(ft.empty(0, 2), 0).tolist() == [False, False]
    assert ops.count_nonzero(ft.tensor([[0, 1j], [2, 0]])).item() == 2
    assert ops.count_nonzero(x, 1).tolist() == [1, 2] and ops.count_nonzero(x, (0, 1)).item() == 3


def test_nothing():
    nothing = ft.empty(0, 3)
    assert ops.sum(nothing).item() == 0 and ops.sum(nothing, 0).tolist() == [0, 0, 0]
    assert ops.sum(nothing, 1).shape == (0,) and ops.sum(nothing, 1, True).shape == (0, 1)
    assert math.isnan(ops.mean(nothing)) and math.isnan(ops.mean(nothing, 0).tolist()[2])
    assert ops.vector_norm(nothing, 2, 0).tolist() == [0, 0, 0]
    assert ops.amax(nothing, 1).shape == ft.max(nothing, 1).indices.shape == ops.argmin(nothing, 1).shape == (0,)
    for operation in (ops.amax, ft.max, ops.argmax):
        with pytest.raises(
            IndexError if operation is ops.argmax else RuntimeError,
            match="Expected reduction dim to be specified for input.numel",
        ):
            operation(nothing)
        with pytest.raises(IndexError, match=r"Expected reduction dim 0 to have non-zero size\."):
            operation(nothing, 0)
    with pytest.raises(RuntimeError, match="does not have an identity"):
        ops.vector_norm(nothing, INF)


def test_zero_dimensions():
    x = ft.tensor(3.0)
    for operation in (ops.sum, ops.mean, ops.amax, ops.prod):
        for dim in (0, -1):
            assert operation(x, dim).item() == 3 and operation(x, dim, True).shape == ()
    assert ft.max(x, 0).indices.item() == 0 and ops.logsumexp(x, 0).item() == 3
    with pytest.raises(IndexError, match=r"Dimension out of range \(expected to be in range of \[-1, 0\], but got 1\)"):
        ops.sum(x, 1)


def test_out():
    x, out = ft.ones(2, 3), ft.empty(3)
    assert ops.sum(x, 0, out=out) is out and out.tolist() == [2, 2, 2]
    strided = ft.zeros(3, 2).select(1, 0)
    ops.mean(x, 0, out=strided)
    assert strided.tolist() == [1, 1, 1]
    assert ops.sum(x * 1.5, 0, out=ft.empty(3, dtype=ft.int64)).tolist() == [2, 2, 2]  # converted before summing
    with pytest.raises(RuntimeError, match="result type Float can't be cast to the desired output type Long"):
        ops.amax(x, 0, out=ft.empty(3, dtype=ft.int64))


@pytest.mark.parametrize(
    "call, error, text",
    [
        (lambda x: ops.sum(x, 5), IndexError, r"Dimension out of range \(expected .* range of \[-2, 1\], but got 5\)"),
        (lambda x: ops.sum(x, (0, -2)), RuntimeError, "dim 0 appears multiple times in the list of dims"),
        (lambda x: ops.sum(x, 0, 1), TypeError, r"sum\(\): argument 'keepdim' \(position 3\) must be bool, not int"),
        (
            lambda x: ops.sum(x, 0.5),
            TypeError,
            r"sum\(\): argument 'dim' \(position 2\) must be tuple of ints, not float",
        ),
        (lambda x: ops.mean(x.to(ft.int64)), RuntimeError, r"mean\(\): could not infer output dtype\. .* Got: Long"),
        (lambda x: ft.var(x.to(ft.int64)), RuntimeError, "std and var only support floating point and complex dtypes"),
        (
            lambda x: ft.var_mean(x.to(ft.int64)),
            RuntimeError,
            "var_mean only support floating point and complex dtypes",
        ),
        (lambda x: ops.amax(x.to(ft.complex64)), NotImplementedError, "not implemented for 'ComplexFloat'"),
        (lambda x: ft.max(x.to(ft.complex64), 0), RuntimeError, r"max\(\): does not support complex input"),
        (lambda x: ops.argmax(x.to(ft.bool)), RuntimeError, r"argmax\(\): does not support \w+ input"),
        (lambda x: ops.nansum(x.to(ft.complex64)), RuntimeError, "nansum on CPU does not support complex inputs"),
        (lambda x: ops.logsumexp(x), TypeError, r'logsumexp\(\) missing 1 required positional arguments: "dim"'),
        (
            lambda x: ops.vector_norm(x.to(ft.int64)),
            RuntimeError,
            "linalg.vector_norm: Expected a floating point or complex tensor as input. Got Long",
        ),
        (lambda x: ops.vector_norm(x, dtype=ft.float16), RuntimeError, "convertible without narrowing"),
        (lambda x: ops.vector_norm(x, dtype=ft.complex64), RuntimeError, "dtype should be real for real inputs"),
        (lambda x: ops.prod(x, (0, 1)), TypeError, r"prod\(\): argument 'dim' \(position 2\) must be int, not tuple"),
        (lambda x: ft.max(x, 0, out=(ft.empty(0),)), TypeError, "argument 'out' must be a tuple of 2 Tensors"),
        (lambda x: ft.max(x, out="x"), TypeError, r"max\(\) received an invalid .* got \(Tensor, out=str\)"),
    ],
)
def test_bad_input(call, error, text):
    x = ft.ones(2, 3)
    with pytest.raises(error, match=text):
        call(x)
    assert x.tolist() == [[1, 1, 1], [1, 1, 1]]


@st.composite
def windows(draw):
    """Draw any window on a block: permuted, with steps, expanded."""
    ndim = draw(st.integers(0, 5))
    shape = draw(st.lists(st.integers(0, 7), min_size=ndim, max_size=ndim))
    steps = draw(st.lists(st.sampled_from((1, 1, 1, 2, 3, 0)), min_size=ndim, max_size=ndim))
    order = draw(st.permutations(range(ndim)))
    block = np.arange(math.prod(max(n * max(s, 1), 1) for n, s in zip(shape, steps, strict=True)) + 1)
    block = (block * 7919 % 23 - 11).astype(draw(st.sampled_from(("float32", "float64", "int32", "int64", "bool"))))
    strides, stride = [0] * ndim, block.itemsize
    for d in order:
        strides[d] = stride * steps[d]
        stride *= max(shape[d] * max(steps[d], 1), 1)
    window = np.lib.stride_tricks.as_strided(block, shape, strides)
    dims = draw(st.one_of(st.none(), st.sets(st.integers(0, ndim - 1), min_size=1))) if ndim else None
    return window, tuple(dims) if dims is not None else None, draw(st.booleans())


@settings(max_examples=400, deadline=None)
@given(windows())
def test_any_window(case):
    a, dim, keepdim = case
    x = ft.from_numpy(a)
    np.testing.assert_allclose(ops.sum(x, dim, keepdim).numpy(), exact(a).sum(dim, keepdims=keepdim), rtol=1e-6)
    np.testing.assert_array_equal(ops.any(x, dim, keepdim).numpy(), a.any(dim, keepdims=keepdim))
    if a.size:
        np.testing.assert_array_equal(
            ops.amin(x, () if dim is None else dim, keepdim).numpy(), a.min(dim, keepdims=keepdim)
        )
        if a.dtype.kind == "f":
            count = a.size // max(ops.sum(x, dim).numel(), 1)
            if count > 1:
                np.testing.assert_allclose(
                    ft.var(x, dim, keepdim=keepdim).numpy(),
                    exact(a).var(dim, ddof=1, keepdims=keepdim),
                    rtol=1e-5,
                    atol=1e-6,
                )
        if dim is not None and len(dim) == 1:
            values, indices = ft.max(x, dim[0], keepdim)
            np.testing.assert_array_equal(values.numpy(), a.max(dim, keepdims=keepdim))
            np.testing.assert_array_equal(indices.numpy(), a.argmax(dim[0], keepdims=keepdim))


@pytest.mark.parametrize(
    "name",
    [
        "sum",
        "nansum",
        "prod",
        "mean",
        "amax",
        "amin",
        "max",
        "min",
        "argmax",
        "argmin",
        "all",
        "any",
        "std",
        "var",
        "norm",
        "dist",
        "logsumexp",
        "count_nonzero",
        "aminmax",
    ],
)
def test_methods_are_the_operators(name):
    assert getattr(ft, name).overloads == getattr(ft.Tensor, name).overloads
    assert operator.attrgetter("__doc__")(getattr(ft, name))


def test_sum_to_size_counts_truth_only_where_it_sums():
    # Printed by PyTorch 2.13.
    b = ft.tensor([True, True])
    assert b.sum_to_size(2).tolist() == [True, True] and b.sum_to_size(1).tolist() == [2]
    assert ft.tensor(True).sum_to_size(()).dtype is ft.int64


def test_the_nuclear_norm_is_that_of_matrices():
    assert abs(float(ft.norm(ft.ones(2, 2), "nuc")) - 2) < 1e-6


@pytest.mark.parametrize("p", [0.5, 1, 2, 3.5, float("inf")])
@pytest.mark.parametrize("dim", [0, -1])
def test_renorm(p, dim):
    x = ft.tensor(np.random.default_rng(1).standard_normal((3, 2, 4)))
    for slice_, found in zip(x.unbind(dim), ft.renorm(x, p, dim, 1.5).unbind(dim), strict=True):
        norm = ft.norm(slice_, p).item()
        np.testing.assert_allclose(found, slice_ * (1.5 / norm if norm > 1.5 else 1), rtol=1e-6)
    assert ft.allclose(x.clone().renorm_(p, dim, 1.5), ft.renorm(x, p, dim, 1.5))
    assert ft.renorm(x.half(), p, dim, 1.5).dtype is ft.float16
    assert ft.renorm(x.to(ft.complex64), p, dim, 1.5).dtype is ft.complex64


@pytest.mark.parametrize(
    "arguments, text",
    [
        ((2, 0, -1), "renorm: expected maxnorm to be >= 0 but got -1"),
        ((0, 0, 1), "non-positive-norm not supported"),
        ((1j, 0, 1), "renorm: p must be real-valued"),
    ],
)
def test_errors_of_renorm(arguments, text):
    with pytest.raises(RuntimeError, match=text):
        ft.renorm(ft.ones(2, 3), *arguments)
    with pytest.raises(RuntimeError, match="renorm: input needs at least 2 dimensions, got 1 dimensions"):
        ft.renorm(ft.ones(2), 2, 0, 1)


TestSamples = check_values("tensor.reductions")


@pytest.mark.parametrize("name", ["var", "std", "var_mean", "std_mean"])
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 2.0])
def test_moments_read_what_they_are_of(name, dtype, value):
    """n equal numbers, from n = 1, along and across memory: the deviation is 0, or NaN if they are not finite."""
    expected = 0.0 if math.isfinite(value) else math.nan
    for n, shape in itertools.product((1, 2, 40), ((3, -1), (-1, 3))):
        dim = shape.index(-1)
        x = ft.ones([n if s == -1 else s for s in shape], dtype=getattr(ft, dtype))
        x.select(1 - dim, 0).fill_(value)
        found = getattr(ft, name)(x, dim, correction=0)
        found = found[0] if isinstance(found, tuple) else found
        np.testing.assert_equal(found.tolist(), [expected, 0.0, 0.0])


def test_numbers_beyond_an_integer_dtype_are_converted_before_they_are_added():
    """Each infinity counts as the smallest number of the dtype, as in a conversion."""
    x = ft.tensor([math.inf, 3.0, -math.inf, 1e300], dtype=ft.float64)
    for dtype in (ft.int32, ft.int16):
        for name in ("sum", "prod", "nansum"):
            expected = getattr(ft, name)(x.to(dtype), dtype=dtype)
            assert getattr(ft, name)(x, dtype=dtype).equal(expected)
            assert getattr(ft, name)(x.reshape(2, 2), 0, dtype=dtype).equal(
                getattr(ft, name)(x.to(dtype).reshape(2, 2), 0, dtype=dtype)
            )


def test_all_dimensions_by_none():
    x = ft.arange(6.0).reshape(2, 3)
    assert ft.amax(x, dim=None).item() == 5 and ft.amin(x, None, True).tolist() == [[0.0]]


@pytest.mark.parametrize("name", ["all", "any"])
def test_out_of_questions_is_bool(name):
    f, x = getattr(ft, name), ft.ones(2, 3)
    for args, shape in (((), ()), ((0,), (3,))):
        with pytest.raises(RuntimeError, match=f"{name} only supports bool tensor for result, got: Float"):
            f(x, *args, out=ft.empty(shape))
        assert f(x, *args, out=ft.empty(shape, dtype=ft.uint8)).all()
