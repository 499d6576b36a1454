"""The old name for tensors."""

import pytest

import flambeau_tensor as torch
from flambeau_autograd import Variable
from flambeau_autograd.variable import Variable as FromModule


def test_variables_are_tensors():
    data = torch.ones(2)
    x = Variable(data, requires_grad=True)
    assert type(x) is torch.Tensor and x.requires_grad and not data.requires_grad
    assert x.data_ptr() == data.data_ptr() and FromModule is Variable
    assert isinstance(data, Variable) and not isinstance(3, Variable)
    with pytest.raises(TypeError, match="Variable data has to be a tensor, but got int"):
        Variable(3)


def test_callbacks_at_the_end_of_backward(leaf):
    log = []
    queue = Variable._execution_engine.queue_callback
    x = leaf(1.0)
    x.register_hook(lambda g: queue(lambda: log.append(x.grad is not None)))
    (x * 2).backward()
    assert log == [True]
    with pytest.raises(RuntimeError, match="Final callbacks can only be installed during backward pass"):
        queue(print)


def test_asarray():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    assert torch.asarray(x) is x and torch.asarray(x, copy=True).grad_fn.name() == "CloneBackward0"
    bare = torch.asarray(x * 2, requires_grad=False)
    assert not bare.requires_grad and bare.tolist() == [2.0, 4.0]
