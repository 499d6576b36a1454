"""Derivatives and batches of the family's table: segments."""

import pytest

import flambeau_tensor as torch
from samples.derivatives import check_batches, check_derivatives

TestDerivatives = check_derivatives("tensor.segments")
TestBatches = check_batches("tensor.segments")


@pytest.mark.parametrize("reduce, sign", [("max", 1.0), ("min", -1.0)])
def test_gradients_go_to_elements_and_not_to_an_equal_initial_value(reduce, sign):
    infinity, lengths = float("inf"), torch.tensor([1, 2, 0])
    x = torch.tensor([-infinity * sign, sign, sign], requires_grad=True)
    torch.segment_reduce(x, reduce, lengths=lengths).sum().backward()
    assert x.grad.tolist() == [1.0, 0.5, 0.5]
    x.grad = None
    torch.segment_reduce(x, reduce, lengths=lengths, initial=sign).sum().backward()
    assert x.grad.tolist() == [0.0, 0.5, 0.5]
