"""Functions whose gradients are operations of their own: to third order, in both modes, and in batches."""

import pytest

import flambeau_tensor as torch
from flambeau_autograd import grad, gradcheck, gradgradcheck
from samples.derivatives import check_batches, check_derivatives


@pytest.mark.parametrize("function", [torch.tanh, torch.sigmoid, torch.relu])
def test_orders_and_modes(function, leaf):
    x = leaf(0.5, -1.0, 2.0)
    assert gradcheck(function, (x,), check_forward_ad=True, check_batched_grad=True, check_batched_forward_grad=True)
    assert gradgradcheck(function, (x,), check_fwd_over_rev=True, check_batched_grad=True)
    assert gradgradcheck(lambda x: grad(function(x).sum(), x, create_graph=True)[0], (x,))


@pytest.mark.parametrize("function", [torch.tanh, torch.sigmoid])
def test_complex(function, random):
    z = random(3, complex=True)
    assert gradcheck(function, (z,)) and gradgradcheck(function, (z,))


def test_relu_at_zero(leaf):
    x = leaf(0.0, -0.0, 1.0)
    assert grad(torch.relu(x).sum(), x)[0].tolist() == [0.0, 0.0, 1.0]


TestDerivatives = check_derivatives("tensor.activation_backward")
TestBatches = check_batches("tensor.activation_backward")
