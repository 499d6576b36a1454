"""Derivatives of reductions and running ones where they need care: complex numbers, zeros, nothing to reduce."""

import math

import pytest

import flambeau_autograd.forward_ad as fw
import flambeau_tensor as torch
from flambeau_autograd import func, grad
from flambeau_autograd.func import vmap
from samples.derivatives import check_batches, check_derivatives

COMPLEX = {
    "logsumexp": lambda x: torch.logsumexp(x, 0),
    "logcumsumexp": lambda x: torch.logcumsumexp(x, 0),
    "logcumsumexp of rows": lambda x: torch.logcumsumexp(x.reshape((2, 2)), 1),
    "cumprod": lambda x: torch.cumprod(x, 0),
    "prod": torch.prod,
    "mean": torch.mean,
    "var": torch.var,
    "norm": torch.norm,
    "norm 1": lambda x: torch.norm(x, 1),
    "norm 3": lambda x: torch.norm(x, 3),
    "norm inf": lambda x: torch.norm(x, float("inf")),
}


@pytest.mark.parametrize("name", COMPLEX)
def test_complex(name, random, check):
    check(COMPLEX[name], random(4, low=0.3, high=1.4, complex=True))


def test_infinite_factors_of_products_beside_rows_with_zeros():
    x = torch.tensor([[float("inf"), -1.0], [0.0, 2.0]], requires_grad=True)
    x.prod(1).sum().backward()
    assert x.grad.tolist() == [[-1.0, float("inf")], [2.0, 0.0]]


def test_a_product_of_nothing(leaf):
    x = torch.empty(3, 0, dtype=torch.float64, requires_grad=True)
    torch.prod(x, 1).sum().backward()
    assert x.grad.shape == (3, 0)


def test_the_number_of_nonzeros_has_no_gradient(leaf):
    x = leaf(1.0, 0.0)
    torch.norm(x, 0).backward()
    assert x.grad is None


@pytest.mark.parametrize("order", [float("inf"), float("-inf")])
def test_a_norm_that_is_nan_has_the_gradient_of_the_nan(leaf, order):  # whose sign is 0
    x = leaf(1.0, float("nan"), -2.0)
    torch.norm(x, order).backward()
    assert x.grad.tolist() == [0, 0, 0]


@pytest.mark.parametrize("name", ["quantile", "nanquantile"])
def test_quantiles(name, random, check, leaf):
    function = getattr(torch, name)
    x = leaf(0.3, -1.2, 0.8, 2.1, 1.5)
    check(lambda x, q: function(x, q), x, leaf(0.3, 0.6, 0.9))
    check(lambda x: function(x, 0.3, interpolation="midpoint"), x)
    check(lambda x: function(x.reshape((1, 5)), 0.7, 1, interpolation="lower"), x)


def test_quantiles_of_rows_with_nan(leaf):
    # Printed by PyTorch 2.13.
    nan = float("nan")
    x, q = leaf(1.0, nan, 3.0), leaf(0.3, 0.5, 0.25)
    torch.quantile(x, q).sum().backward()
    assert x.grad.tolist() == [0, 3, 0] and q.grad.tolist() == [0, 0, 0]
    y = leaf(1.0, nan, 3.0)
    torch.nanquantile(y, q).sum().backward()
    assert y.grad.tolist() == pytest.approx([1.95, 0, 1.05]) and q.grad.tolist() == [2, 2, 2]


def test_equal_extremes_of_all_elements_share_the_gradient():
    """Medians, and NaN, too, as in PyTorch 2.13; along a dimension the chosen element has all of it."""
    nan = float("nan")
    for name, values, expected in (
        ("max", [3.0, 1.0, 3.0, 2.0], [0.5, 0, 0.5, 0]),
        ("min", [3.0, 1.0, 3.0, 1.0], [0, 0.5, 0, 0.5]),
        ("max", [3.0, nan, 3.0, nan], [0, 0.5, 0, 0.5]),
        ("min", [3.0, nan, 3.0, nan], [0, 0.5, 0, 0.5]),
        ("median", [2.0, 1.0, 2.0, 3.0], [0.5, 0, 0.5, 0]),
        ("median", [2.0, nan, 2.0, nan], [0, 0.5, 0, 0.5]),
        ("nanmedian", [2.0, nan, 2.0, 2.0], [1 / 3, 0, 1 / 3, 1 / 3]),
    ):
        x = torch.tensor(values, dtype=torch.float64, requires_grad=True)
        getattr(torch, name)(x).backward()
        assert x.grad.tolist() == expected, name
        x.grad = None
        (slope,) = grad(getattr(torch, name)(x) ** 3, x, create_graph=True)
        if not any(v != v for v in values):
            assert slope.sum().item() == 3 * getattr(torch, name)(x).item() ** 2
        with fw.dual_level():
            along = torch.arange(4.0, dtype=torch.float64)
            dual = getattr(torch, name)(fw.make_dual(x.detach(), along))
            assert fw.unpack_dual(dual).tangent.item() == pytest.approx(
                sum(a * e for a, e in zip(along.tolist(), expected, strict=True))
            )
    x = torch.tensor([1.0, 2.0, 2.0], requires_grad=True)
    x.max().backward(torch.tensor(float("inf")))
    assert x.grad.tolist() == [0, float("inf"), float("inf")]  # the others have none of it, not even NaN
    rows = torch.tensor([[2.0, 2.0, 1.0], [3.0, 5.0, 5.0]])
    for name in ("max", "min", "median", "nanmedian"):
        assert vmap(getattr(torch, name))(rows).tolist() == [getattr(torch, name)(r).item() for r in rows]


def test_rows_without_weights_have_no_gradient():
    x = torch.tensor([[1.0, 2.0, -torch.inf], [-torch.inf] * 3], dtype=torch.float64, requires_grad=True)
    torch._safe_softmax(x, 1).backward(torch.tensor([[0.3, 0.2, 0.1], [1.0, 2.0, 3.0]], dtype=torch.float64))
    p = 1 / (1 + torch.tensor(1.0, dtype=torch.float64).exp())
    assert torch.allclose(x.grad[0], 0.1 * p * (1 - p) * torch.tensor([1.0, -1.0, 0.0], dtype=torch.float64))
    assert x.grad[1].tolist() == [0, 0, 0]


TestDerivatives = check_derivatives("tensor.reductions")
TestBatches = check_batches("tensor.reductions")


@pytest.mark.parametrize(("correction", "expected"), [(2, [float("-inf"), float("inf")]), (3, [1, -1])])
def test_a_variance_without_freedom(leaf, correction, expected):
    # Printed by PyTorch 2.13.
    x = leaf(1.0, 2.0)
    with pytest.warns(UserWarning, match="degrees of freedom is <= 0"):
        torch.var(x, 0, correction=correction).backward()
    assert x.grad.tolist() == expected


@pytest.mark.parametrize("correction", [2, 2.5, 3])
def test_a_variance_of_all_without_freedom(leaf, correction):
    x, y = leaf(1.0, 2.0), leaf(2.0, 2.0)
    for t in (x, y):
        with pytest.warns(UserWarning, match="degrees of freedom is <= 0"):
            torch.var(t, correction=correction).backward()
    assert x.grad.tolist() == [math.inf, math.inf]
    assert all(map(math.isnan, y.grad.tolist()))


def test_a_variance_over_no_dimensions_is_of_all(leaf):
    x, y = leaf(1.0, 2.0, 6.0), leaf(1.0, 2.0, 6.0)
    torch.var(x, ()).backward()
    torch.var(y).backward()
    assert x.grad.tolist() == y.grad.tolist() == [-2, -1, 3]


def test_a_constant_deviates_in_no_direction():
    """The gradient of its deviation is zero, as for real numbers."""
    for dtype in (torch.float64, torch.complex128):
        for of in (lambda x: x.std(0), lambda x: torch.std_mean(x, 0)[0], lambda x: x.std(unbiased=False)):
            x = torch.full((3,), 2.0, dtype=dtype, requires_grad=True)
            of(x).backward()
            assert x.grad.tolist() == [0, 0, 0]
    x = torch.tensor([1 + 2j, 1 - 1j, 1j], dtype=torch.complex128)
    assert abs(x.std().item() - (16 / 6) ** 0.5) < 1e-12


HUGE = 1e200


@pytest.mark.parametrize(
    "values, expected",
    [
        ([0.0, 0.0, HUGE, HUGE], [0, 0, 0, 0]),
        ([HUGE, HUGE, 0.0, 0.0], [0, 0, 0, 0]),
        ([0.0, HUGE, HUGE, 0.0], [0, 0, 0, 0]),
        ([0.0, HUGE, HUGE], [math.inf, 0, 0]),
        ([0.0, 2.0, 3.0], [6, 0, 0]),
        ([0.0, 0.0, math.inf], [0, 0, 0]),
    ],
)
def test_products_with_zeros_have_no_nan(values, expected):
    x = torch.tensor(values, dtype=torch.float64, requires_grad=True)
    rows = x.detach().repeat(2, 1).requires_grad_()
    assert grad(x.prod(), x)[0].tolist() == grad(x.prod(0), x)[0].tolist() == expected
    if values[:2] == [0, 0]:  # else products that overflow reach elements whose gradient is 0
        assert grad(x.cumprod(0)[-1], x)[0].tolist() == expected
    assert grad(rows.prod(1).sum(), rows)[0].tolist() == [expected] * 2
    assert func.grad(lambda x: x.prod())(x.detach()).tolist() == expected


def test_products_with_zeros_keep_second_derivatives():
    x = torch.tensor([0.0, 0.0, 5.0], dtype=torch.float64, requires_grad=True)
    for call in (lambda x: x.prod(), lambda x: x.cumprod(0)[-1]):
        hessian = func.jacrev(func.jacrev(call))(x.detach())
        assert hessian.tolist() == [[0, 5, 0], [5, 0, 0], [0, 0, 0]]
