"""Derivatives of elementwise operations, to second order, against finite differences."""

import math

import pytest

import flambeau_tensor as torch
from samples.derivatives import check_batches, check_derivatives


@pytest.mark.parametrize(
    "expression",
    [
        lambda x: x + 2,
        lambda x: 2 - x,
        lambda x: x * 3.0,
        lambda x: 3.0 / x,
        lambda x: x / 3,
        lambda x: x**3,
        lambda x: x**0,
        lambda x: x**0.5,
        lambda x: 2.0**x,
        lambda x: torch.sub(x, 2, alpha=3),
        lambda x: torch.add(x, x, alpha=2.5),
        lambda x: torch.div(x, 0.7, rounding_mode="floor"),
        lambda x: torch.div(x, 0.7, rounding_mode="trunc"),
        lambda x: x % 0.7,
        lambda x: -x,
        lambda x: torch.xlogy(x, 2),
        lambda x: torch.xlogy(3.0, x),
        lambda x: torch.polygamma(2, x),
        lambda x: torch.logit(x, eps=0.6),
        lambda x: (0.5 + 2j) ** x,
        lambda x: torch.pow(-x, torch.tensor([1 + 2j])),
    ],
    ids=range(21),
)
def test_numbers(expression, random, check):
    check(expression, random(3, low=0.5, high=1.3))


def test_three_operands(random, check):
    check(lambda a, b, c: torch.addcmul(a, b, c, value=0.5), random(2, 3), random(3), random(2, 1))
    check(lambda a, b, c: torch.addcdiv(a, b, c, value=0.5), random(2, 3), random(3), random(2, 1, low=0.5))
    check(torch.lerp, random(2, 3), random(2, 3), random(2, 3))
    check(lambda a, b: torch.lerp(a, b, 0.3), random(2, 3), random(2, 3))
    mask = torch.tensor([True, False, True])
    check(lambda a, b: torch.where(mask, a, b), random(2, 3), random(3))


def test_clamp(random, check):
    x = random(6, low=-1.9, high=1.9)
    check(lambda x: torch.clamp(x, -1.0, 1.0), x)
    check(lambda x: torch.clamp(x, min=-1.0), x)
    check(lambda x: torch.clamp(x, max=1.0), x)
    check(lambda x, a, b: torch.clamp(x, a, b), x, random(6, low=-1.5, high=-0.5), random(6, low=0.5, high=1.5))


def test_equal_extremes_share(leaf):
    a, b = leaf(1.0, 2.0), leaf(1.0, 3.0)
    torch.maximum(a, b).sum().backward()
    assert a.grad.tolist() == [0.5, 0.0] and b.grad.tolist() == [0.5, 1.0]


# Where a function has no derivative, or only one from one side, or one that is hard to compute. The gradients are those
# of PyTorch 2.13 (which has fewer right digits of that of sinc).
INF, NAN = float("inf"), float("nan")


@pytest.mark.parametrize(
    ("function", "points", "expected"),
    [
        (torch.abs, [0.0], [0.0]),
        (lambda x: x**2, [0.0], [0.0]),
        (lambda x: x**1, [0.0], [1.0]),
        (torch.sinc, [0.0, 1e-8], [0.0, -1e-8 * math.pi**2 / 3]),
        (torch.relu, [0.0, NAN], [0.0, 1.0]),
        (torch.logit, [0.0, 1.0, -1.0], [INF, INF, NAN]),
        (lambda x: torch.logit(x, 0.1), [0.05, 0.95, 0.5], [0.0, 0.0, 4.0]),
        (torch.nan_to_num, [NAN, INF, 2.0], [0.0, 0.0, 1.0]),
        (torch.angle, [NAN, -1.0], [0.0, 0.0]),
        (torch.digamma, [0.0, 1.0], [INF, math.pi**2 / 6]),
        (lambda x: x.sign() * INF, [2.0], [0.0]),
    ],
)
def test_at_the_edge(function, points, expected, leaf):
    x = leaf(*points)
    function(x).sum().backward()
    assert x.grad.tolist() == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize(
    ("function", "a", "b", "expected"),
    [
        (torch.logaddexp, INF, -INF, (1.0, 0.0)),
        (torch.logaddexp2, -INF, 1.0, (0.0, 1.0)),
        (torch.xlogy, 0.0, 0.0, (0.0, NAN)),
        (torch.xlogy, 0.0, -1.0, (0.0, 0.0)),
        (torch.xlogy, 1.0, 0.0, (-INF, INF)),
        (torch.atan2, 0.0, 0.0, (0.0, 0.0)),
        (torch.maximum, 1.0, NAN, (1.0, 1.0)),
        (torch.minimum, NAN, 1.0, (1.0, 1.0)),
        (torch.nextafter, 1.0, 2.0, (1.0, 0.0)),
        (torch.nextafter, 1.0, 1.0, (0.0, 0.0)),
    ],
)
def test_two_operands_at_the_edge(function, a, b, expected, leaf):
    x, y = leaf(a), leaf(b)
    function(x, y).sum().backward()
    assert (x.grad.item(), y.grad.item()) == pytest.approx(expected, nan_ok=True)


def test_second_derivative_of_sinc(leaf, check):
    check(torch.sinc, leaf(0.0, 0.05, -0.094, 0.0957, 0.3))


def test_power_of_zero(leaf):
    exponent = leaf(2.0, 0.0)
    (torch.zeros(2, dtype=torch.float64) ** exponent).sum().backward()
    assert exponent.grad.tolist() == [0.0, 0.0]


TestDerivatives = check_derivatives("tensor.pointwise")
TestBatches = check_batches("tensor.pointwise")
