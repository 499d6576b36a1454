"""What tensors get: requires_grad, grad, grad_fn, is_leaf, data."""

import warnings

import pytest

import flambeau_tensor as torch
from samples.derivatives import check_batches, check_derivatives


def test_requires_grad():
    x = torch.ones(2)
    assert not x.requires_grad and x.is_leaf and x.grad_fn is None and x.grad is None
    assert x.requires_grad_() is x and x.requires_grad
    x.requires_grad = False
    assert not (x * 2).requires_grad
    x.requires_grad = True
    y = x * 2
    assert y.requires_grad and not y.is_leaf and y.output_nr == 0
    assert not (y > 0).requires_grad and not y.long().requires_grad
    with pytest.raises(RuntimeError, match="you can only change requires_grad flags of leaf variables"):
        y.requires_grad = False
    with pytest.raises(RuntimeError, match="only Tensors of floating point dtype can require gradients"):
        torch.ones(2, dtype=torch.int64).requires_grad_()
    with pytest.raises(RuntimeError, match="requires_grad must be a bool"):
        x.requires_grad = 1
    with pytest.raises(AttributeError, match="grad_fn"):
        x.grad_fn = None


def test_assigning_grad():
    x = torch.ones(2, requires_grad=True)
    g = torch.ones(2)
    x.grad = g
    assert x.grad is g
    x.grad = None
    assert x.grad is None
    with pytest.raises(RuntimeError, match=r"gradient of size '\[3\]' to a tensor of size '\[2\]'"):
        x.grad = torch.ones(3)
    with pytest.raises(RuntimeError, match="gradient with dtype 'float64' to a tensor with dtype 'float32'"):
        x.grad = torch.ones(2, dtype=torch.float64)
    with pytest.raises(TypeError, match="expected to be a Tensor or None but got grad of type int"):
        x.grad = 3
    assert x.grad is None


def test_reading_grad_of_an_inner_tensor_warns():
    y = torch.ones(2, requires_grad=True) * 2
    with pytest.warns(UserWarning, match="not a leaf Tensor"):
        assert y.grad is None
    y.retain_grad()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert y.grad is None and y.retains_grad


def test_subclasses_keep_their_history():
    class Sub(torch.Tensor):
        pass

    x = torch.ones(2, requires_grad=True)
    s = (x * 2).as_subclass(Sub)
    assert type(s) is Sub and s.requires_grad
    t = s * 3
    assert type(t) is Sub
    t.sum().backward()
    assert x.grad.tolist() == [6.0, 6.0] and type(x.grad) is torch.Tensor


def test_formulas_do_not_ask_subclasses():
    asked = []

    class Loud(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            asked.append(func.__name__)
            return super().__torch_function__(func, types, args, kwargs or {})

    x = torch.ones(2, requires_grad=True)
    y = x * torch.ones(2).as_subclass(Loud)
    total = y.sum()
    asked.clear()
    total.as_subclass(torch.Tensor).backward()
    assert x.grad.tolist() == [1.0, 1.0]
    assert "mul" not in asked


def test_the_gradient_has_a_second_name(leaf):
    x = leaf(1.0)
    x._grad = torch.ones(1, dtype=torch.float64)
    assert x.grad.tolist() == [1.0] and x._grad is x.grad
    with pytest.raises(RuntimeError, match="attempting to assign a gradient of size"):
        x._grad = torch.ones(3, dtype=torch.float64)
    del x._grad
    assert x.grad is None


def test_data_cannot_be_deleted():
    x = torch.ones(2)
    with pytest.raises(RuntimeError, match="Deleting tensor data is not allowed. Delete tensor instead!"):
        del x.data
    with pytest.raises(TypeError, match="Variable data has to be a tensor, but got NoneType"):
        x.data = None
    assert x.tolist() == [1, 1]


TestDerivatives = check_derivatives("tensor.attributes")
TestBatches = check_batches("tensor.attributes")
