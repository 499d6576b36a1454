"""Derivatives of integrals, slopes, distances and covariances, in both modes, to second order, and for examples."""

import pytest

import flambeau_tensor as torch
from flambeau_autograd import func, grad

CASES = {
    "trapezoid": (lambda y, x: torch.trapezoid(y, x), (2, 4), (4,)),
    "trapezoid, even": (lambda y: torch.trapezoid(y, dx=0.5, dim=0), (3, 2)),
    "cumulative_trapezoid": (lambda y, x: torch.cumulative_trapezoid(y, x), (2, 4), (2, 4)),
    "gradient": (lambda y: torch.gradient(y, spacing=2.0), (3, 3)),
    "gradient, uneven": (
        lambda y: torch.gradient(y, spacing=(torch.tensor([0.0, 1.0, 3.0]).double(),), dim=0, edge_order=2)[0],
        (3, 2),
    ),
    "cov": (lambda x: torch.cov(x), (2, 4)),
    "cov, weighted": (lambda x: torch.cov(x, aweights=torch.tensor([0.5, 1.0, 2.0]).double()), (2, 3)),
    "corrcoef": (lambda x: torch.corrcoef(x)[0, 1:], (3, 4)),
    "segments": (lambda x: torch.segment_reduce(x, "mean", lengths=torch.tensor([1, 3])), (4, 2)),
    "largest of segments": (lambda x: torch.segment_reduce(x, "max", offsets=torch.tensor([0, 2, 4])), (4, 2)),
    "padded": (lambda x: torch.constant_pad_nd(x, (1, -1, 2, 0)), (2, 3)),
    "pdist": (lambda x: torch.pdist(x, 3.0), (3, 2)),
    "cdist, by products": (lambda a, b: torch.cdist(a, b, 2.0, "use_mm_for_euclid_dist"), (2, 3), (2, 2, 3)),
} | {
    f"cdist, p = {p}": (lambda a, b, p=p: torch.cdist(a, b, p), (2, 3, 2), (4, 2)) for p in (1, 1.5, 2, 3, float("inf"))
}


@pytest.mark.parametrize("name", CASES)
def test_derivatives(name, random, check):
    function, *shapes = CASES[name]
    check(function, *(random(*shape) for shape in shapes))


@pytest.mark.parametrize("name", CASES)
def test_examples(name, random):
    function, *shapes = CASES[name]
    stacked = [random(3, *shape).detach() for shape in shapes]
    found = func.vmap(function)(*stacked)
    for i in range(3):
        expected = function(*[t[i] for t in stacked])
        pairs = zip(found, expected, strict=True) if isinstance(expected, tuple) else [(found, expected)]
        for mine, theirs in pairs:
            assert torch.allclose(mine[i], theirs, rtol=1e-9)


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
