"""Derivatives and batches of the family's table: rearranging."""

import flambeau_tensor as ft
from samples.derivatives import check_batches, check_derivatives

TestDerivatives = check_derivatives("tensor.rearranging")
TestBatches = check_batches("tensor.rearranging")


def test_a_rolled_tensor_is_no_view():
    """Its hooks see the gradient before a later write, as those of every result do."""
    for shift in (1, 0):
        x, seen = ft.ones(2, 3, requires_grad=True), []
        y = x.roll(shift)
        assert y._base is None
        y.register_hook(seen.append)
        y *= 2
        y.sum().backward()
        assert [g.tolist() for g in seen] == [[[2.0] * 3] * 2] == [x.grad.tolist()]
