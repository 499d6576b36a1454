"""Covariances, correlations and histograms against NumPy; PyTorch's rules as literals (2.13, CPU)."""

import numpy as np
import pytest

import flambeau_tensor as ft
from samples.values import check_values

RNG = np.random.default_rng(6)
A = RNG.standard_normal((3, 6))
FREQUENCIES, WEIGHTS = np.array([1, 2, 3, 0, 1, 4]), RNG.random(6)


@pytest.mark.parametrize(
    "a",
    [A, A[0], A[:1], A + 1j * RNG.standard_normal((3, 6)), (A * 9).astype(int)],
    ids=["matrix", "vector", "one row", "complex", "integers"],
)
def test_covariances(a):
    x = ft.tensor(a)
    tolerance = 1e-5 if a.dtype == int else 1e-12
    np.testing.assert_allclose(ft.corrcoef(x), np.corrcoef(a), rtol=tolerance)
    for correction in 0, 1, 2:
        for f in None, FREQUENCIES:
            for w in None, WEIGHTS:
                found = ft.cov(
                    x,
                    correction=correction,
                    fweights=None if f is None else ft.tensor(f),
                    aweights=None if w is None else ft.tensor(w),
                )
                np.testing.assert_allclose(found, np.cov(a, ddof=correction, fweights=f, aweights=w), rtol=tolerance)


def test_too_few_observations():
    for x in ft.ones(()), ft.ones(2, 0), ft.ones(2, 1):
        with pytest.warns(UserWarning, match="degrees of freedom is <= 0"):
            assert ft.cov(x).isnan().all()
        with pytest.warns(UserWarning, match="degrees of freedom is <= 0"):
            assert ft.corrcoef(x).isnan().all()
    with pytest.warns(UserWarning, match="degrees of freedom is <= 0"):
        assert ft.cov(ft.tensor([1.0, 2.0, 4.0]), correction=5).item() == float("inf")


DATA = RNG.standard_normal(200)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("density", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_histograms(dtype, density, weighted):
    a, w = DATA.astype(dtype), np.arange(200).astype(dtype)
    x, how = ft.tensor(a).view(10, 20), {"weight": ft.tensor(w).view(10, 20) if weighted else None, "density": density}
    for bins, range in (7, None), (30, (-1.0, 2.0)), (np.array([-2, -0.5, 0, 0.1, 4], dtype), None):
        given = {"range": range} if range else {}
        found = ft.histogram(x, ft.tensor(bins) if isinstance(bins, np.ndarray) else bins, **given, **how)
        expected = np.histogram(a, bins, range, density, w if weighted else None)
        np.testing.assert_allclose(found.hist, expected[0], rtol=1e-5)
        np.testing.assert_allclose(found.bin_edges, expected[1], rtol=1e-5, atol=1e-6)
        assert str(found.hist.dtype) == str(found.bin_edges.dtype) == f"torch.{dtype}"


def test_histograms_of_points():
    a, w = RNG.standard_normal((50, 3)), RNG.random(50)
    for bins, range, density in ([2, 3, 4], None, False), (3, [-1.0, 1.0] * 3, True):
        found = ft.histogramdd(ft.tensor(a), bins, range, ft.tensor(w), density)
        limits = None if range is None else [(-1, 1)] * 3
        hist, edges = np.histogramdd(a, bins, limits, density, w)
        np.testing.assert_allclose(found.hist, hist, rtol=1e-12)
        for mine, theirs in zip(found.bin_edges, edges, strict=True):
            np.testing.assert_allclose(mine, theirs, rtol=1e-12)
    edges = [np.array([-1.0, 0, 2]), np.array([0.0, 1]), np.array([-3.0, -1, 1, 3])]
    found = ft.histogramdd(ft.tensor(a), [ft.tensor(e) for e in edges])
    np.testing.assert_array_equal(found.hist, np.histogramdd(a, edges)[0])


def test_histograms_at_the_limits():
    assert ft.histogram(ft.tensor([1.0, 2.0]), 2, range=(2.0, 2.0)).bin_edges.tolist() == [1.5, 2, 2.5]
    assert ft.histogram(ft.ones(0), 2).bin_edges.tolist() == [0, 0.5, 1]
    x = ft.tensor([float("nan"), 1.0, 2.0])  # NaN is in no bin, the last edge in the last one
    assert ft.histogram(x, 2, range=(0.0, 2.0)).hist.tolist() == [0, 2]
    assert ft.histogram(x, ft.tensor([1.0, 2.0])).hist.tolist() == [2]
    hist, edges = ft.empty(0), ft.empty(0)
    ft.histogram(ft.tensor([1.0, 3.0]), 2, out=(hist, edges))
    assert hist.tolist() == [1, 1] and edges.tolist() == [1, 2, 3]


Y = ft.ones(2, 3)
POINTS = ft.ones(4, 2)


@pytest.mark.parametrize(
    "call, error, text",
    [
        (lambda: ft.cov(ft.ones(1, 1, 1)), RuntimeError, "expected input to have two or fewer dimensions"),
        (lambda: ft.corrcoef(ft.ones(1, 1, 1)), RuntimeError, r"corrcoef\(\): expected input to have two or fewer"),
        (lambda: ft.corrcoef(Y > 0), RuntimeError, r"cov\(\): bool dtype is not supported for input"),
        (
            lambda: ft.cov(Y, fweights=ft.ones(3)),
            RuntimeError,
            "fweights to have integral dtype but got .* Float dtype",
        ),
        (lambda: ft.cov(Y, fweights=ft.ones(1, 3).int()), RuntimeError, "fweights to have one or fewer dimensions"),
        (lambda: ft.cov(Y, fweights=ft.ones(2).int()), RuntimeError, "same numel as there are observations .* 2 != 3"),
        (lambda: ft.cov(Y, fweights=ft.tensor([1, -1, 0])), RuntimeError, "fweights cannot be negative"),
        (lambda: ft.cov(Y, aweights=ft.ones(3).int()), RuntimeError, "aweights to have floating point dtype but got"),
        (lambda: ft.cov(Y, aweights=ft.zeros(3)), RuntimeError, "weights sum to zero, can't be normalized"),
        (lambda: ft.histogram(Y, 0), RuntimeError, "bins must be > 0, but got 0 for dimension 0"),
        (lambda: ft.histogram(Y, ft.ones(1)), RuntimeError, "bins must be > 0, but got 0 for dimension 0"),
        (lambda: ft.histogram(Y.int(), 2), NotImplementedError, "\"histogramdd\" not implemented for 'Int'"),
        (lambda: ft.histogram(Y, 2, range=(3.0, 2.0)), RuntimeError, "min should not exceed max, but got min 3 max 2"),
        (lambda: ft.histogram(Y, 2, range=(3.0,)), RuntimeError, "range should have 2 elements, but got 1"),
        (lambda: ft.histogram(Y / 0, 2), RuntimeError, r"dimension 0's range \[inf, inf\] is not finite"),
        (
            lambda: ft.histogram(Y, 2, weight=Y[0]),
            RuntimeError,
            "weight tensor is provided it should have the same shape",
        ),
        (lambda: ft.histogram(Y, 2, weight=Y.double()), RuntimeError, r"got input\(float\), and weight\(double\)"),
        (lambda: ft.histogram(Y, ft.tensor([0, 1])), RuntimeError, "dtype float and bins .* with dtype long int"),
        (lambda: ft.histogram(Y, ft.ones(1, 2)), RuntimeError, "bins tensor should have one dimension, but got 2"),
        (lambda: ft.histogramdd(POINTS[0], [2]), RuntimeError, "input tensor should have at least 2 dimensions"),
        (lambda: ft.histogramdd(POINTS, [2]), RuntimeError, "size of bins must be equal to the innermost dimension"),
    ],
)
def test_errors(call, error, text):
    with pytest.raises(error, match=text):
        call()


def test_histograms_of_points_without_coordinates():
    counts, edges = ft.histogramdd(ft.ones(2, 0), [])
    assert counts.shape == () and edges == ()


@pytest.mark.parametrize("dtype", [ft.float16, ft.bfloat16])
def test_histograms_of_half_types(dtype):
    x, edges = ft.tensor([0.0, 1, 1, 2, 9], dtype=dtype), ft.tensor([0.0, 1, 3], dtype=dtype)
    counts, given = ft.histogram(x, edges)
    assert counts.dtype is given.dtype is dtype and counts.tolist() == [1, 3]
    assert ft.histogram(x, edges, weight=x)[0].tolist() == [0, 4]
    for range in (None, (0.0, 9.0)):
        counts, edges = ft.histogram(x, 2, range=range)
        assert counts.dtype is edges.dtype is dtype
        assert counts.tolist() == [4, 1] and edges.tolist() == [0, 4.5, 9]
    counts, edges = ft.histogramdd(ft.stack([x, x], 1), [2, 1])
    assert counts.tolist() == [[4], [1]] and edges[1].tolist() == [0, 9]


TestSamples = check_values("tensor.statistics")
