"""Derivatives and batches of the family's table: joining."""

import pytest

import flambeau_tensor as torch
from flambeau_autograd import func, gradcheck, gradgradcheck
from samples.derivatives import check_batches, check_derivatives

TestDerivatives = check_derivatives("tensor.joining")
TestBatches = check_batches("tensor.joining")


@pytest.mark.parametrize(
    "pieces",
    [
        lambda x: torch.unsafe_chunk(x, 2),
        lambda x: torch.unsafe_split(x, 2),
        lambda x: torch.unsafe_split_with_sizes(x, (2, 2)),
    ],
)
def test_unsafe_pieces_can_be_written_to(pieces):
    """They share memory, but each has a history of its own."""
    x = torch.ones(4, requires_grad=True)
    a, b = pieces(x)
    assert not a._is_view()
    a.mul_(3)
    assert x.tolist() == [3.0, 3.0, 1.0, 1.0] and x.is_leaf
    (a.sum() + b.sum()).backward()
    assert x.grad.tolist() == [3.0, 3.0, 1.0, 1.0]
    t = torch.rand(4, dtype=torch.float64, requires_grad=True)
    for check in (gradcheck, gradgradcheck):
        check(lambda t: torch.cat([p * p for p in pieces(t)]), (t,))
    rows = torch.rand(3, 4)
    assert torch.equal(func.vmap(lambda t: pieces(t)[1].sin())(rows), rows[:, 2:].sin())
