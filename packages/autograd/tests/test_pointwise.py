"""Derivatives of elementwise operations, to second order, against finite differences."""

import pytest

import flambeau_tensor as torch

UNARY = {  # operation: the range to draw from
    "abs": (0.5, 2), "acos": (-0.8, 0.8), "acosh": (1.5, 3), "asin": (-0.8, 0.8), "asinh": (-2, 2), "atan": (-2, 2),
    "atanh": (-0.8, 0.8), "ceil": (0.1, 0.9), "cos": (-2, 2), "cosh": (-2, 2), "deg2rad": (-2, 2),
    "erf": (-2, 2), "erfc": (-2, 2), "erfinv": (-0.8, 0.8), "exp": (-2, 2), "exp2": (-2, 2),
    "expm1": (-2, 2), "floor": (0.1, 0.9), "frac": (0.1, 0.9), "lgamma": (0.5, 3), "log": (0.5, 2), "log10": (0.5, 2),
    "log1p": (-0.5, 2), "log2": (0.5, 2), "logit": (0.2, 0.8), "neg": (-2, 2), "rad2deg": (-2, 2),
    "reciprocal": (0.5, 2), "relu": (0.5, 2), "round": (0.1, 0.4), "rsqrt": (0.5, 2), "sigmoid": (-2, 2),
    "sign": (0.5, 2), "sin": (-2, 2), "sinc": (0.5, 2), "sinh": (-2, 2), "sqrt": (0.5, 2), "square": (-2, 2),
    "tan": (-1, 1), "tanh": (-2, 2), "trunc": (0.1, 0.9),
}
COMPLEX = ["abs", "acos", "asin", "asinh", "atan", "atanh", "conj", "cos", "cosh", "exp", "expm1", "log", "log10",
           "log2", "neg", "reciprocal", "rsqrt", "sgn", "sigmoid", "sin", "sinh", "sqrt", "square", "tan", "tanh"]


@pytest.mark.parametrize("name", UNARY)
def test_unary(name, random, check):
    low, high = UNARY[name]
    check(getattr(torch, name), random(2, 3, low=low, high=high), second=name != "lgamma")


@pytest.mark.parametrize("name", COMPLEX)
def test_unary_complex(name, random, check):
    check(getattr(torch, name), random(3, low=0.3, high=0.9, complex=True))


@pytest.mark.parametrize("name", [
    "add", "sub", "mul", "div", "pow", "maximum", "minimum", "fmax", "fmin", "atan2", "hypot", "copysign", "logaddexp",
    "logaddexp2", "remainder", "fmod", "xlogy"])
def test_binary(name, random, check):
    operation = getattr(torch, name)
    check(operation, random(2, 3, low=0.5, high=2), random(3, low=0.6, high=1.9))  # the second is broadcast


@pytest.mark.parametrize("name", ["add", "sub", "mul", "div", "pow"])
def test_binary_complex(name, random, check):
    operation = getattr(torch, name)
    check(operation, random(3, low=0.5, high=1, complex=True), random(3, low=0.5, high=1, complex=True))
    check(operation, random(3, low=0.5, high=1), random(3, low=0.5, high=1, complex=True))


@pytest.mark.parametrize("expression", [
    lambda x: x + 2, lambda x: 2 - x, lambda x: x * 3.0, lambda x: 3.0 / x, lambda x: x / 3, lambda x: x ** 3,
    lambda x: x ** 0, lambda x: x ** 0.5, lambda x: 2.0 ** x, lambda x: torch.sub(x, 2, alpha=3),
    lambda x: torch.add(x, x, alpha=2.5), lambda x: torch.div(x, 0.7, rounding_mode="floor"),
    lambda x: torch.div(x, 0.7, rounding_mode="trunc"), lambda x: x % 0.7, lambda x: -x,
], ids=range(15))
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


@pytest.mark.parametrize(("function", "expected"), [
    (torch.abs, 0.0), (torch.relu, 0.0), (lambda x: x ** 2, 0.0), (lambda x: x ** 1, 1.0), (torch.sinc, 0.0),
])
def test_at_zero(function, expected, leaf):
    x = leaf(0.0)
    function(x).sum().backward()
    assert x.grad.item() == pytest.approx(expected)


def test_power_of_zero(leaf):
    exponent = leaf(2.0, 0.0)
    (torch.zeros(2, dtype=torch.float64) ** exponent).sum().backward()
    assert exponent.grad.tolist() == [0.0, 0.0]
