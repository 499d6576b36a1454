"""Integrals and derivatives of samples against NumPy; PyTorch's rules as literals (2.13, CPU)."""

import numpy as np
import pytest

import flambeau_tensor as ft
from samples.values import check_values

RNG = np.random.default_rng(2)
Y, X = RNG.standard_normal((3, 4, 5)), RNG.standard_normal(4).cumsum()


@pytest.mark.parametrize("dim", [0, 1, -1])
def test_integrals(dim):
    y = ft.tensor(Y)
    np.testing.assert_allclose(ft.trapezoid(y, dim=dim), np.trapezoid(Y, axis=dim), rtol=1e-14)
    np.testing.assert_allclose(ft.trapz(y, dx=0.5, dim=dim), np.trapezoid(Y, dx=0.5, axis=dim), rtol=1e-14)
    x = RNG.standard_normal(Y.shape[dim])
    for points in x, RNG.standard_normal(Y.shape):
        found = ft.cumulative_trapezoid(y, ft.tensor(points), dim=dim)
        np.testing.assert_allclose(found.select(dim, -1), np.trapezoid(Y, points, axis=dim), rtol=1e-12)
        np.testing.assert_allclose(
            ft.trapezoid(y, ft.tensor(points), dim=dim), np.trapezoid(Y, points, axis=dim), rtol=1e-12
        )
    even = ft.cumulative_trapezoid(y, dx=2, dim=dim)
    np.testing.assert_allclose(even.select(dim, -1), np.trapezoid(Y, dx=2, axis=dim), rtol=1e-12)


def test_integrals_of_few_samples_and_of_integers():
    assert ft.trapezoid(ft.ones(2, 0)).tolist() == ft.trapezoid(ft.ones(2, 0), ft.ones(5)).tolist() == [0, 0]
    assert ft.trapezoid(ft.ones(2, 1)).tolist() == [0, 0]
    assert ft.cumulative_trapezoid(ft.ones(2, 0)).shape == ft.cumulative_trapezoid(ft.ones(2, 1)).shape == (2, 0)
    i = ft.arange(6).view(2, 3)
    for found in ft.trapezoid(i), ft.trapezoid(i, i), ft.trapz(i):
        assert found.dtype is ft.float32 and found.tolist() == [2, 8]
    assert ft.cumulative_trapezoid(i).tolist() == [[0.5, 2], [3.5, 8]]


@pytest.mark.parametrize("order", [1, 2])
def test_slopes(order):
    y = ft.tensor(Y)
    for found, expected in zip(ft.gradient(y, edge_order=order), np.gradient(Y, edge_order=order), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-14)
    for found, expected in zip(
        ft.gradient(y, spacing=(2, 0.5), dim=(1, -1), edge_order=order),
        np.gradient(Y, 2, 0.5, axis=(1, 2), edge_order=order),
        strict=True,
    ):
        np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-14)
    (found,) = ft.gradient(y, spacing=(ft.tensor(X),), dim=1, edge_order=order)
    np.testing.assert_allclose(found, np.gradient(Y, X, axis=1, edge_order=order), rtol=1e-11, atol=1e-12)


def test_slopes_of_other_dtypes():
    assert ft.gradient(ft.tensor([1, 3, 7]))[0].tolist() == [2, 3, 4]
    assert ft.gradient(ft.tensor([1.0, 3.0]), spacing=1j)[0].tolist() == [-2j, -2j]
    assert ft.gradient(ft.ones(3, dtype=ft.float16))[0].dtype is ft.float16
    assert ft.gradient(ft.ones(())) == ft.gradient(ft.ones(2), dim=()) == ()


@pytest.mark.parametrize(
    "call, error, text",
    [
        (lambda y: ft.trapezoid(y > 0), RuntimeError, "trapezoid: received a bool input for `y`, but bool is not"),
        (lambda y: ft.cumulative_trapezoid(y, y > 0), RuntimeError, "received a bool input for `x` or `y`"),
        (lambda y: ft.trapezoid(y, ft.ones(4)), RuntimeError, "There must be one `x` value for each sample point"),
        (lambda y: ft.trapezoid(y, dx=1j), RuntimeError, "we only support dx as a real number"),
        (lambda y: ft.trapezoid(ft.ones(())), IndexError, "Dimension specified as -1 but tensor has no dimensions"),
        (lambda y: ft.gradient(y, edge_order=3), RuntimeError, "only supports edge_order=1 and edge_order=2"),
        (lambda y: ft.gradient(y, edge_order=2), RuntimeError, "each dimension size to be at least edge_order"),
        (lambda y: ft.gradient(y, dim=(1, -1)), RuntimeError, "dim 1 appears multiple times in the list of dims"),
        (lambda y: ft.gradient(y, spacing=(2, 3, 4)), RuntimeError, "got a list of length 3"),
        (
            lambda y: ft.gradient(y, dim=1, spacing=(2, 3)),
            RuntimeError,
            "spacing argument of length 2 and a dim argument",
        ),
        (
            lambda y: ft.gradient(y, spacing=(ft.ones(1, 2), ft.ones(3))),
            RuntimeError,
            "got an element with 2 dimensions!",
        ),
        (lambda y: ft.gradient(y.to(ft.uint8)), RuntimeError, "torch.gradient does not support uint8 input."),
        (lambda y: ft.gradient(y > 0), RuntimeError, "Subtraction, the `-` operator, with two bool tensors"),
        (
            lambda y: ft.gradient(y, dim=0, spacing=(ft.arange(3.0),)),
            RuntimeError,
            "but got 3 places for the 2 samples along dimension 0",
        ),
        (lambda y: ft.gradient(y, dim=5), IndexError, "Dimension out of range"),
    ],
)
def test_errors(call, error, text):
    with pytest.raises(error, match=text):
        call(ft.ones(2, 3))


TestSamples = check_values("tensor.calculus")
