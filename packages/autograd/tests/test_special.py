"""Derivatives of special functions, to second order, against finite differences."""

import pytest

import flambeau_tensor as torch
from flambeau_tensor import special

UNARY = {  # operation: the range to draw from
    "i0": (-2, 2),
    "i0e": (0.5, 2),
    "i1": (0.5, 2),
    "i1e": (0.5, 2),
    "ndtr": (-2, 2),
    "log_ndtr": (-2, 2),
    "ndtri": (0.2, 0.8),
    "erfcx": (-1, 2),
    "entr": (0.5, 2),
    "expit": (-2, 2),
    "gammaln": (0.5, 3),
    "psi": (0.5, 3),
}


def _order(x):
    return torch.tensor([1.5, 0.7, 4.0], dtype=x.dtype)


SECOND = {  # with a derivative for the second argument alone
    "igamma": lambda x: torch.igamma(_order(x), x),
    "igammac": lambda x: torch.igammac(_order(x), x),
    "zeta": lambda x: special.zeta(_order(x) + 1, x),
    "igamma_": lambda x: torch.ones_like(x).igamma_(x),
    "igammac_": lambda x: torch.ones_like(x).igammac_(x),
}


@pytest.mark.parametrize("name", UNARY)
def test_unary(name, random, check):
    low, high = UNARY[name]
    check(getattr(special, name), random(2, 3, low=low, high=high))


@pytest.mark.parametrize("name", SECOND)
def test_second_arguments(name, random, check):
    check(SECOND[name], random(2, 3, low=0.6, high=1.9))


def test_binary(random, check):
    check(special.xlog1py, random(2, 3, low=0.5, high=2), random(3, low=0.5, high=2))
    check(lambda x: torch.mvlgamma(x, 2), random(3, low=1, high=3))


def test_at_zero():
    x = torch.zeros(1, dtype=torch.float64, requires_grad=True)
    for function, wanted in ((special.i0, 0), (special.i0e, 0), (special.i1, 0.5), (special.i1e, 0.5)):
        x.grad = None
        function(x).sum().backward()
        assert x.grad.item() == wanted
    y = torch.tensor([-1.0, -1.0], dtype=torch.float64)
    x = torch.tensor([0.0, 1.0], dtype=torch.float64, requires_grad=True)
    special.xlog1py(x, y).sum().backward()
    assert x.grad.tolist() == [0.0, -float("inf")]


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (lambda x: torch.igamma(x, x), "igamma: input"),
        (lambda x: torch.igammac(x, x), "igammac: input"),
        (lambda x: special.zeta(x, 2), "zeta"),
    ],
)
def test_what_has_no_derivative_says_so(function, said):
    x = torch.tensor([1.5, 2.5], requires_grad=True)
    with pytest.raises(NotImplementedError, match=f"the derivative for '{said}' is not implemented."):
        function(x).sum().backward()


@pytest.mark.parametrize("name", ["airy_ai", "bessel_j0", "bessel_y1", "modified_bessel_k0", "spherical_bessel_j0"])
def test_what_has_no_history(name):
    x = torch.tensor([1.5, 2.5], requires_grad=True)
    assert not getattr(special, name)(x).requires_grad
    assert not special.legendre_polynomial_p(x, 2).requires_grad


def test_names_of_nodes():
    x = torch.tensor([0.5], requires_grad=True)
    assert [f(x).grad_fn.name() for f in (special.i0e, special.log_ndtr, special.gammaln)] == [
        "SpecialI0EBackward0",
        "SpecialLogNdtrBackward0",
        "LgammaBackward0",
    ]
