"""Distances between rows against the definition; PyTorch's rules as literals (2.13, CPU)."""

import numpy as np
import pytest

import flambeau_tensor as ft
from samples.values import check_values

RNG = np.random.default_rng(4)
ORDERS = (0, 0.5, 1, 1.5, 2, 3, float("inf"))


def expected(a, b, p):
    d = np.abs(a[..., :, None, :] - b[..., None, :, :])
    if p == 0:
        return (d != 0).sum(-1).astype(a.dtype)
    return d.max(-1) if p == float("inf") else (d**p).sum(-1) ** (1 / p)


@pytest.mark.parametrize("p", ORDERS)
@pytest.mark.parametrize("shapes", [((3, 4), (5, 4)), ((2, 1, 3, 4), (4, 5, 4)), ((30, 4), (2, 4)), ((0, 4), (2, 4))])
def test_distances_of_rows(shapes, p):
    a, b = (RNG.standard_normal(shape) for shape in shapes)
    for mode in "use_mm_for_euclid_dist_if_necessary", "use_mm_for_euclid_dist", "donot_use_mm_for_euclid_dist":
        found = ft.cdist(ft.tensor(a), ft.tensor(b), p, mode)
        np.testing.assert_allclose(found, expected(a, b, p), rtol=1e-10, atol=1e-7)
    single = ft.cdist(ft.tensor(a).float(), ft.tensor(b).float(), p)
    assert single.dtype is ft.float32
    np.testing.assert_allclose(single, expected(a, b, p), rtol=2e-4, atol=2e-4)


@pytest.mark.parametrize("p", ORDERS)
def test_distances_within_a_matrix(p):
    a = RNG.standard_normal((6, 3))
    np.testing.assert_allclose(ft.pdist(ft.tensor(a), p), expected(a, a, p)[np.triu_indices(6, 1)], rtol=1e-12)
    assert ft.pdist(ft.ones(1, 2), p).shape == ft.pdist(ft.ones(0, 2), p).shape == (0,)
    assert ft.pdist(ft.ones(2, 0), p).tolist() == [0]


def test_blocks(monkeypatch):
    """Many rows are computed in blocks."""
    from flambeau_tensor.ops import distances

    monkeypatch.setattr(distances, "_AT_ONCE", 50)
    a, b = RNG.standard_normal((7, 4)), RNG.standard_normal((5, 4))
    assert distances.blocks(ft.tensor(a), ft.tensor(b)) == [(0, 2), (2, 2), (4, 2), (6, 1)]
    np.testing.assert_allclose(ft.cdist(ft.tensor(a), ft.tensor(b), 1.0), expected(a, b, 1), rtol=1e-12)


def test_nothing():
    assert ft.cdist(ft.ones(2, 0), ft.ones(3, 0)).tolist() == [[0, 0, 0]] * 2
    assert ft.cdist(ft.ones(2, 0, 4), ft.ones(2, 3, 4)).shape == (2, 0, 3)


Y = ft.ones(2, 3)


@pytest.mark.parametrize("dtype", [ft.float16, ft.bfloat16])
def test_half_types_by_products(dtype):
    x = (ft.arange(60.0).reshape(30, 2) % 7).to(dtype)
    for got in (ft.cdist(x, x), ft.cdist(x[:3], x[:3], compute_mode="use_mm_for_euclid_dist")):
        expected = ft.cdist(x.float(), x.float(), compute_mode="donot_use_mm_for_euclid_dist")
        assert got.dtype is dtype and (got.float() - expected[: len(got), : len(got)]).abs().max() < 0.05


@pytest.mark.parametrize(
    "call, error, text",
    [
        (lambda: ft.cdist(Y.int(), Y), RuntimeError, "cdist only supports floating-point dtypes, X1 got: Int"),
        (lambda: ft.cdist(Y, Y.to(ft.complex64)), RuntimeError, "dtypes, X2 got: ComplexFloat"),
        (lambda: ft.cdist(Y, Y.double()), RuntimeError, "expected scalar type Float but found Double"),
        (lambda: ft.cdist(Y.half(), Y.half(), 1), NotImplementedError, "\"cdist\" not implemented for 'Half'"),
        (lambda: ft.cdist(Y[0], Y), RuntimeError, "at least 2D tensors, X1 got: 1D"),
        (lambda: ft.cdist(Y, Y[:, :2]), RuntimeError, "same number of columns. X1: 3 X2: 2"),
        (lambda: ft.cdist(Y, Y, -1), RuntimeError, "cdist only supports non-negative p values"),
        (lambda: ft.cdist(Y, Y, compute_mode="x"), ValueError, "x is not a valid value for compute_mode"),
        (lambda: ft.pdist(Y.int()), RuntimeError, "pdist only supports floating-point dtypes"),
        (lambda: ft.pdist(Y[0]), RuntimeError, "pdist only supports 2D tensors, got: 1D"),
        (lambda: ft.pdist(Y, float("nan")), RuntimeError, "pdist only supports non-negative p values"),
        (lambda: ft.pdist(Y.half()), NotImplementedError, "\"pdist\" not implemented for 'Half'"),
    ],
)
def test_errors(call, error, text):
    with pytest.raises(error, match=text):
        call()


TestSamples = check_values("tensor.distances")
