"""Derivatives and batches of the family's table: factories."""

import pytest

import flambeau_tensor as ft
from samples.derivatives import check_batches, check_derivatives

TestDerivatives = check_derivatives("tensor.factories")
TestBatches = check_batches("tensor.factories")


@pytest.mark.parametrize("name", ["eye", "zeros", "ones", "arange", "range", "linspace", "logspace", "rand", "full"])
def test_a_factory_that_writes_to_out_makes_it_require_grad(name):
    arguments = {"linspace": (0, 1, 3), "logspace": (0, 1, 3), "range": (0, 2), "full": ((3,), 2.0)}.get(name, (3,))
    out = ft.empty(0)
    made = getattr(ft, name)(*arguments, out=out, requires_grad=True)
    assert made is out and out.requires_grad and out.is_leaf
    (out * 2).sum().backward()
    assert out.grad.eq(2).all()


@pytest.mark.parametrize("name", ["zeros", "ones", "arange", "rand", "full"])
def test_a_factory_that_writes_to_out_counts_as_a_write(name):
    saved = ft.ones(3)
    y = (saved * ft.ones(3).requires_grad_()).sum()
    getattr(ft, name)(*(((3,), 2.0) if name == "full" else (3,)), out=saved)
    assert saved._version == 1
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.backward()
