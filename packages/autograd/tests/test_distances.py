"""Derivatives of distances between rows, and of rows that are equal or are not there."""

import itertools

import pytest

import flambeau_tensor as torch
from flambeau_autograd import func, grad
from samples.derivatives import check_batches, check_derivatives

TestDerivatives = check_derivatives("tensor.distances")
TestBatches = check_batches("tensor.distances")


@pytest.mark.parametrize("p", [0.5, 1, 1.5, 2, 3, float("inf")])
def test_rows_that_are_equal(p, random):
    """A distance of 0 has no direction."""
    x = random(3, 2)
    for mode in "donot_use_mm_for_euclid_dist", "use_mm_for_euclid_dist":
        y = x.detach().clone()
        (slope,) = grad(torch.cdist(x, y, p, mode).diagonal().sum(), x)
        assert slope.abs().max() < 1e-6, mode


def test_zeroth_norm(random):
    x = random(3, 2)
    assert not grad(torch.cdist(x, x.detach() + 1, 0.0).sum(), x)[0].any()
    assert not grad(torch.pdist(x, 0.0).sum(), x)[0].any()


def test_no_rows(random):
    none, x = torch.empty(0, 2, dtype=torch.float64, requires_grad=True), random(3, 2)
    assert [g.tolist() for g in grad(torch.cdist(none, x).sum(), (none, x))] == [[], [[0, 0]] * 3]
    assert [g.tolist() for g in grad(torch.cdist(x, none).sum(), (x, none))] == [[[0, 0]] * 3, []]


@pytest.mark.parametrize("p", [0.5, 1.5, 2.0, 3.0])
def test_second_derivatives_at_coincident_points_are_no_numbers(p):
    """The kernel exp(-d²/2) has the identity there, and other functions of d other values; 0 is wrong."""

    def kernel(x, y):
        return torch.exp(-0.5 * torch.cdist(x.reshape(1, -1), y.reshape(1, -1), p=p).squeeze() ** 2)

    x = torch.tensor([1.0, 2.0], dtype=torch.float64)
    for outer, inner in itertools.product((func.jacrev, func.jacfwd), repeat=2):
        assert func.jacrev(kernel, 0)(x, x).tolist() == [0, 0] == func.jacfwd(kernel, 1)(x, x).tolist()
        assert outer(inner(kernel, 0), 1)(x, x).isnan().all()
        apart = outer(inner(kernel, 0), 1)(x, x + 1)
        assert apart.isfinite().all() and apart.abs().max() > 0
    many = torch.arange(60.0, dtype=torch.float64).reshape(30, 2).requires_grad_()  # by products
    (first,) = grad(torch.cdist(many, many.detach(), p=p).sum(), many, create_graph=True)
    assert first.isfinite().all()
    assert grad(first.sum(), many)[0].isnan().all()
