"""Derivatives of special functions, to second order, against finite differences."""

import pytest

import flambeau_tensor as torch
from flambeau_tensor import special
from samples.derivatives import check_batches, check_derivatives


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


TestDerivatives = check_derivatives("tensor.special")
TestBatches = check_batches("tensor.special")
