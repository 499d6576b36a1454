"""Gradients through brackets, gathering and scattering, to second order, against finite differences."""

import numpy as np
import pytest

import flambeau_tensor as torch
from flambeau_autograd import grad, gradcheck, gradgradcheck
from samples.derivatives import check_batches, check_derivatives

I = torch.tensor([2, 0, 2])  # noqa: E741
MASK = torch.tensor([True, False, True, True])
PLACES = torch.tensor([[0, 0, 1], [1, 2, 2], [0, 0, 0]])


def test_a_cumulative_product_through_zeros():
    x = torch.tensor([1.5, 0.0, 2.0, 0.0, 3.0], dtype=torch.float64, requires_grad=True)
    assert gradcheck(lambda t: torch.cumprod(t, 0), x)
    assert gradcheck(lambda t: torch.prod(t), x)


@pytest.mark.parametrize("values", [[1000.0, -1000.0, 50.0, 1001.0], [-2000.0, 3000.0, 2999.0, -5.0]])
def test_a_recorded_derivative_of_logcumsumexp_does_not_overflow(values):
    """The gradient and its own derivative, against the sums written out: x_i's share in sum j is exp(x_i - r_j)."""
    x = torch.tensor(values, dtype=torch.float64, requires_grad=True)
    weights, others = np.array([1.0, 0.0, -2.0, 0.5]), np.array([1.0, 2.0, -3.0, 4.0])
    result = torch.logcumsumexp(x, 0)
    (gradient,) = grad((torch.from_numpy(weights) * result).sum(), x, create_graph=True)
    (second,) = grad((torch.from_numpy(others) * gradient).sum(), x)

    log_shares = np.array(values)[:, None] - result.detach().numpy()
    shares = np.where(np.triu(np.ones((4, 4))) > 0, np.exp(np.minimum(log_shares, 0)), 0)
    np.testing.assert_allclose(gradient.detach().numpy(), shares @ weights, rtol=1e-10)
    # d gradient_i / d x_k = sum over j of w_j share_ij ((i = k) - share_kj)
    hessian = np.diag(shares @ weights) - (shares * weights) @ shares.T
    np.testing.assert_allclose(second.numpy(), hessian @ others, rtol=1e-10, atol=1e-12)


def test_the_derivative_of_a_complex_logcumsumexp():
    x = torch.tensor([1 + 2j, -1 + 1j, 0.5, 0.3 - 2j], dtype=torch.complex128, requires_grad=True)
    assert gradcheck(lambda t: torch.logcumsumexp(t, 0), x)
    assert gradgradcheck(lambda t: torch.logcumsumexp(t, 0), x)


@pytest.mark.parametrize("include_self", [True, False])
def test_a_scattered_product_through_zeros(include_self):
    x = torch.tensor([1.5, 0.0, 2.0, 3.0], dtype=torch.float64, requires_grad=True)
    src = torch.tensor([2.0, 0.5, 0.0, 4.0, 0.0, 0.0], dtype=torch.float64, requires_grad=True)
    places = torch.tensor([0, 1, 0, 1, 2, 2])

    def product(x, src):
        return torch.scatter_reduce(x, 0, places, src, "prod", include_self=include_self)

    assert gradcheck(product, (x, src))
    assert gradgradcheck(product, (x, src))


def test_what_is_scattered_may_be_larger_than_the_indices(random, check):
    places = torch.tensor([[0], [1], [1]])
    for how in ("sum", "prod", "mean", "amax"):
        check(lambda x, s, how=how: torch.scatter_reduce(x, 1, places, s, how), random(3, 2), random(3, 2))


def test_extremes_share_and_what_is_not_included_gets_nothing():
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    src = torch.tensor([1.0, 1.0, 0.0, 2.0], requires_grad=True)
    places = torch.tensor([0, 0, 1, 1])
    torch.scatter_reduce(x, 0, places, src, "amax", include_self=False).sum().backward()
    assert x.grad.tolist() == [0, 0, 1] and src.grad.tolist() == [0.5, 0.5, 0, 1]


def test_filling_one_place_twice_counts_once():
    x, value = torch.zeros(3), torch.tensor(2.0, requires_grad=True)
    torch.index_fill(x, 0, torch.tensor([1, 1]), value).sum().backward()
    assert value.grad.item() == 1


def test_an_old_empty_piece_gets_an_empty_gradient():
    empty, x = torch.empty(0, requires_grad=True), torch.ones(2, 2, requires_grad=True)
    torch.cat((empty, x)).sum().backward()
    assert empty.grad.shape == (0,) and x.grad.tolist() == [[1, 1], [1, 1]]


def test_a_strided_view_of_an_expanded_tensor():
    x = torch.tensor([2.0], dtype=torch.float64, requires_grad=True)
    x.expand(3).as_strided((1,), (1,)).sum().backward()
    assert x.grad.item() == 1
    y = torch.tensor([[1.0, 2.0], [3.0, 4.0]], dtype=torch.float64, requires_grad=True)
    assert gradcheck(lambda y: y.as_strided((2, 2), (1, 1)), y)


INDICES = {
    "int": 1,
    "negative": -1,
    "slice": slice(1, 3),
    "step": slice(None, None, 2),
    "ellipsis": Ellipsis,
    "none": None,
    "int and slice": (1, slice(0, 2)),
    "list": [0, 2],
    "empty list": [],
    "bools": [True, False, True],
    "mask of rows": torch.tensor([True, False, True]),
    "mask of all": torch.arange(12).reshape(3, 4) % 3 == 0,
    "tensor": torch.tensor([0, 2]),
    "tensor without dimensions": torch.tensor(1),
    "array": np.array([2, 0]),
    "NumPy integer": np.int64(2),
    "tensor in a column": (slice(None), torch.tensor([0, 2])),
    "two lists": ([0, 1], [1, 2]),
    "mask and int": (torch.tensor([True, False, True]), 1),
    "outer": (torch.tensor([[0], [2]]), torch.tensor([1, 3])),
    "ellipsis and tensor": (..., torch.tensor([0, 3])),
    "new axis and tensor": (None, torch.tensor([0, 1])),
}
VALUES = {
    "int": 0,
    "float": 1.5,
    "bool": True,
    "NumPy float": np.float64(2.5),
    "NumPy integer": np.int64(3),
    "array": np.array(0.5),
    "tensor": torch.tensor(2.5, dtype=torch.float64),
    "recorded tensor": torch.tensor(2.5, dtype=torch.float64, requires_grad=True),
    "recorded tensor of one element": torch.tensor([[[2.5]]], dtype=torch.float64, requires_grad=True),
}


@pytest.mark.parametrize("through_view", [False, True])
@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("index", INDICES)
def test_assignment(index, value, through_view, random):
    """Values, gradients of what was written to and of what was written, by NumPy's rules for the brackets."""
    x, weights = random(3, 4), random(3, 4, requires_grad=False)
    where, what = INDICES[index], VALUES[value]
    places = np.zeros((3, 4), bool)
    numpy_index = (
        tuple(np.asarray(i) if isinstance(i, (torch.Tensor, list)) else i for i in where)
        if isinstance(where, tuple)
        else np.asarray(where)
        if isinstance(where, torch.Tensor)
        else where
    )
    numpy_index = np.array([], int) if index == "empty list" else numpy_index
    places[numpy_index] = True
    z = x * 2
    target = z.view(3, 4) if through_view else z
    target[where] = what
    assert np.array_equal(z.detach().numpy(), np.where(places, float(what), 2 * x.detach().numpy()))
    (z * weights).sum().backward()
    assert np.allclose(x.grad.numpy(), np.where(places, 0, 2 * weights.numpy()))
    if value.startswith("recorded"):
        assert np.allclose(what.grad.item(), weights.numpy()[places].sum())
        what.grad = None


@pytest.mark.parametrize("index", INDICES)
def test_assignment_of_what_is_recorded_to_what_is_not(index, random):
    value = random()
    z = torch.zeros(3, 4, dtype=torch.float64)
    base = torch.zeros(24, dtype=torch.float64)
    view = base[:12].view(3, 4)
    z[INDICES[index]] = value
    view[INDICES[index]] = value
    count = (z != 0).sum().item()
    assert torch.equal(z, view)
    for written in (z, view, base):
        (slope,) = grad(written.sum(), value, retain_graph=True)
        assert slope.item() == count


@pytest.mark.parametrize("value", [0, 1.5, torch.ones(())])
@pytest.mark.parametrize(
    "index", [0, slice(1), [0], torch.tensor([True, False, True]), torch.tensor([1]), (0, 1)], ids=str
)
def test_assignment_to_a_leaf(index, value):
    x = torch.zeros(3, 4, requires_grad=True)
    view = torch.zeros(12).view(3, 4).requires_grad_()  # a leaf whose base does not require grad
    for leaf in (x, view):
        with pytest.raises(RuntimeError, match="leaf Variable that requires grad"):
            leaf[index] = value
        assert leaf.is_leaf and not leaf.count_nonzero()


def test_assignment_of_a_wrong_value(leaf):
    z = leaf(1.0, 2.0) * 1
    for value, error, message in [
        ("a", TypeError, "can't assign a str to a torch.Double"),
        (None, TypeError, "can't assign a NoneType"),
        ([1.0], TypeError, "can't assign a list"),
        (1j, RuntimeError, "cannot be converted to type"),
        (torch.ones(3, dtype=torch.float64), RuntimeError, "shape mismatch|expanded size"),
    ]:
        for index in (slice(None), torch.tensor([True, True])):
            with pytest.raises(error, match=message):
                z[index] = value
    assert z.tolist() == [1.0, 2.0] and z.grad_fn.name() == "MulBackward0"


def test_where_a_nan_is_the_extreme():
    """It equals nothing, so the gradient among the tied is 0 / 0, as for amax."""
    for reduce, extreme in (("amax", 3.0), ("amin", 1.0)):
        x = torch.tensor([1.0, float("nan"), 2.0], requires_grad=True)
        y = torch.tensor([3.0, 1.0, float("nan")], requires_grad=True)
        result = x.index_reduce(0, torch.tensor([0, 1, 2]), y, reduce)
        result.sum().backward()
        assert result[0] == extreme and result[1:].isnan().all()
        assert x.grad[1:].isnan().all() and y.grad[1:].isnan().all()
        assert (x.grad[0].item(), y.grad[0].item()) == (float(extreme == 1.0), float(extreme == 3.0))


TestDerivatives = check_derivatives("tensor.indexing")
TestBatches = check_batches("tensor.indexing")
