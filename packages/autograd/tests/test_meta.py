"""Derivatives and transforms of tensors that have no memory, on device 'meta'."""

import pytest

import flambeau_autograd as autograd
import flambeau_tensor as torch
from flambeau_autograd import func


def leaf(*size):
    return torch.empty(size, device="meta", requires_grad=True)


def test_backward():
    x, w = leaf(3, 4), leaf(4, 5)
    y = (x @ w).relu().sum()
    assert y.is_meta and repr(y) == "tensor(..., device='meta', size=(), grad_fn=<SumBackward0>)"
    y.backward()
    for t in (x, w):
        assert t.grad.is_meta and t.grad.shape == t.shape and t.grad.stride() == t.stride()
    (x * 2).mean().backward()
    assert x.grad.shape == (3, 4)


def test_outputs_without_gradients():
    x = leaf(6, 2)
    first, *_ = x.unbind()
    values, _ = x.max(0)
    (first.sum() + values.sum() + x.split(2)[1].sum()).backward()
    assert x.grad.is_meta and x.grad.shape == (6, 2)


def test_second_derivatives_and_writes():
    x = leaf(3)
    (g,) = autograd.grad((x**3).sum(), x, create_graph=True)
    (h,) = autograd.grad(g.sum(), x)
    assert g.is_meta and h.is_meta and h.shape == (3,)
    y = x * 1
    y[0] = 2
    y[1:].mul_(3)
    y.sum().backward()
    assert x.grad.is_meta


def test_transforms():
    x, w = torch.empty(5, 3, device="meta"), torch.empty(3, 4, device="meta")
    assert func.vmap(lambda row: (row @ w).tanh())(x).shape == (5, 4)
    assert func.jacrev(lambda a: (a @ w).sum(0))(x).shape == (4, 5, 3)
    assert func.jacfwd(lambda a: (a @ w).sum(0))(x).shape == (4, 5, 3)
    assert func.hessian(lambda a: a.exp().sum())(x[0]).shape == (3, 3)
    assert func.vmap(func.grad(lambda row: (row @ w).sum()))(x).is_meta


def test_there_is_no_way_back():
    x = torch.ones(3, requires_grad=True)
    y = x.to("meta")
    assert y.requires_grad and y.is_meta
    with pytest.raises(NotImplementedError, match="Cannot copy out of meta tensor; no data!"):
        y.sum().backward()
