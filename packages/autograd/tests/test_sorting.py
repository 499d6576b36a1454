"""Derivatives and batches of the family's table: sorting."""

import pytest

import flambeau_tensor as torch
from flambeau_autograd import func
from samples.derivatives import check_batches, check_derivatives

TestDerivatives = check_derivatives("tensor.sorting")
TestBatches = check_batches("tensor.sorting")


@pytest.mark.parametrize("keepdim", [False, True])
@pytest.mark.parametrize("dim", [0, -1])
@pytest.mark.parametrize("name", ["max", "min", "median", "nanmedian", "mode", "kthvalue", "topk", "sort"])
def test_examples_without_dimensions(name, dim, keepdim):
    """They count as having one, as in calls without ``vmap``."""
    x = torch.tensor([3.0, 1.0, 2.0])
    args = {"kthvalue": (1, dim, keepdim), "topk": (1, dim), "sort": (dim,)}.get(name, (dim, keepdim))
    values, places = func.vmap(lambda x: tuple(getattr(torch, name)(x, *args)))(x)
    assert values.tolist() == [3.0, 1.0, 2.0] and places.tolist() == [0, 0, 0]
