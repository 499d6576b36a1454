"""Derivatives of elementwise operations, to second order, against finite differences."""

import math

import pytest

import flambeau_tensor as torch

UNARY = {  # operation: the range to draw from
    "abs": (0.5, 2),
    "acos": (-0.8, 0.8),
    "acosh": (1.5, 3),
    "asin": (-0.8, 0.8),
    "asinh": (-2, 2),
    "atan": (-2, 2),
    "atanh": (-0.8, 0.8),
    "ceil": (0.1, 0.9),
    "cos": (-2, 2),
    "cosh": (-2, 2),
    "deg2rad": (-2, 2),
    "erf": (-2, 2),
    "erfc": (-2, 2),
    "erfinv": (-0.8, 0.8),
    "exp": (-2, 2),
    "exp2": (-2, 2),
    "expm1": (-2, 2),
    "floor": (0.1, 0.9),
    "frac": (0.1, 0.9),
    "lgamma": (0.5, 3),
    "log": (0.5, 2),
    "log10": (0.5, 2),
    "log1p": (-0.5, 2),
    "log2": (0.5, 2),
    "logit": (0.2, 0.8),
    "neg": (-2, 2),
    "rad2deg": (-2, 2),
    "reciprocal": (0.5, 2),
    "relu": (0.5, 2),
    "round": (0.1, 0.4),
    "rsqrt": (0.5, 2),
    "sigmoid": (-2, 2),
    "sign": (0.5, 2),
    "sin": (-2, 2),
    "sinc": (0.5, 2),
    "sinh": (-2, 2),
    "sqrt": (0.5, 2),
    "square": (-2, 2),
    "tan": (-1, 1),
    "tanh": (-2, 2),
    "trunc": (0.1, 0.9),
    "digamma": (0.5, 3),
    "nan_to_num": (-2, 2),
}
COMPLEX = [
    "abs",
    "acos",
    "asin",
    "asinh",
    "atan",
    "atanh",
    "conj",
    "cos",
    "cosh",
    "exp",
    "expm1",
    "log",
    "log10",
    "log2",
    "neg",
    "reciprocal",
    "rsqrt",
    "sgn",
    "sigmoid",
    "sin",
    "sinc",
    "sinh",
    "sqrt",
    "square",
    "tan",
    "tanh",
    "angle",
]


@pytest.mark.parametrize("name", UNARY)
def test_unary(name, random, check):
    low, high = UNARY[name]
    check(getattr(torch, name), random(2, 3, low=low, high=high))


@pytest.mark.parametrize("name", COMPLEX)
def test_unary_complex(name, random, check):
    check(getattr(torch, name), random(3, low=0.3, high=0.9, complex=True))


@pytest.mark.parametrize(
    "name",
    [
        "add",
        "sub",
        "mul",
        "div",
        "pow",
        "maximum",
        "minimum",
        "fmax",
        "fmin",
        "atan2",
        "hypot",
        "copysign",
        "logaddexp",
        "logaddexp2",
        "remainder",
        "fmod",
        "xlogy",
    ],
)
def test_binary(name, random, check):
    operation = getattr(torch, name)
    check(operation, random(2, 3, low=0.5, high=2), random(3, low=0.6, high=1.9))  # the second is broadcast


@pytest.mark.parametrize("name", ["add", "sub", "mul", "div", "pow", "logaddexp"])
def test_binary_complex(name, random, check):
    operation = getattr(torch, name)
    check(operation, random(3, low=0.5, high=1, complex=True), random(3, low=0.5, high=1, complex=True))
    if name != "logaddexp":
        check(operation, random(3, low=0.5, high=1), random(3, low=0.5, high=1, complex=True))


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
