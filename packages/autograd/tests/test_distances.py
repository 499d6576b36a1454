"""Derivatives of distances between rows, and of rows that are equal or are not there."""

import pytest

import flambeau_tensor as torch
from flambeau_autograd import grad
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
