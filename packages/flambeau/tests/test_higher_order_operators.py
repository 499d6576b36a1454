"""``torch._ops.HigherOrderOperator``: operators that take functions. Expectations are from PyTorch 2.13."""

import pytest

import flambeau as torch
from flambeau._ops import HigherOrderOperator
from flambeau.utils._python_dispatch import TorchDispatchMode

Key = torch._C.DispatchKey


class Applied(HigherOrderOperator):
    def __call__(self, function, x):
        return super().__call__(function, x)


@pytest.fixture
def applied():
    op = Applied("applied")
    op.py_impl(Key.CompositeExplicitAutograd)(lambda function, x: function(x))
    return op


def test_recording_needs_an_implementation(applied):
    assert applied(len, [1, 2]) == 2  # no tensors
    with torch.inference_mode():
        x = torch.ones(2)
        assert applied(torch.exp, x).tolist() == x.exp().tolist()
    with pytest.raises(NotImplementedError, match="applied at dispatch key DispatchKey.AutogradCPU"):
        applied(torch.exp, torch.ones(2))

    @applied.py_impl(Key.Autograd)
    def _(function, x):
        with torch._C._AutoDispatchBelowAutograd():
            return applied(function, x)

    y = applied(torch.exp, torch.ones(2, requires_grad=True))
    assert not y.requires_grad and y.tolist() == torch.ones(2).exp().tolist()
    with pytest.raises(RuntimeError, match="override a python impl for DispatchKey.Autograd on operator applied"):
        applied.py_impl(Key.Autograd)(lambda function, x: x)


def test_falling_through(applied):
    applied.fallthrough(Key.AutogradCPU)
    x = torch.zeros(2, requires_grad=True)
    applied(torch.exp, x).sum().backward()
    assert x.grad.tolist() == [1.0, 1.0]


def test_an_implementation_for_calls_that_record(applied):
    applied.py_autograd_impl(lambda function, x: "recorded")
    assert applied(torch.exp, torch.ones(1, requires_grad=True)) == "recorded"
    assert applied(torch.exp, torch.zeros(1)).tolist() == [1.0]


def test_modes_and_subclasses_have_their_own(applied):
    class Mode(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            return ("handled", str(func)) if func is applied else func(*args, **(kwargs or {}))

    class Wrapper(torch.Tensor):
        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            return NotImplemented

    wrapper = torch.Tensor._make_wrapper_subclass(Wrapper, (2,))
    with pytest.raises(NotImplementedError, match="no rule registered for HOP applied and subclass"):
        applied(torch.exp, wrapper)
    applied.py_impl(Wrapper)(lambda function, x: "wrapped")
    assert applied(torch.exp, wrapper) == "wrapped"
    with (
        Mode(),
        pytest.raises(NotImplementedError, match="no rule registered for HigherOrderOperator"),
    ):
        applied(torch.exp, torch.ones(2))
    Mode.supports_higher_order_operators = True
    with Mode():
        assert applied(torch.exp, torch.ones(2)) == ("handled", "applied")
    applied.py_impl(Mode)(lambda mode, function, x: type(mode))
    with Mode():
        assert applied(torch.exp, torch.ones(2)) is Mode


def test_names_and_handlers(applied):
    assert (str(applied), applied.name(), applied.__name__, applied.namespace) == (*["applied"] * 3, "higher_order")
    assert torch.ops.higher_order.applied is applied

    class Heard(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            return func is applied

    with torch.inference_mode(), Heard():
        assert applied(len, [1]) is True
    with pytest.raises(TypeError, match="abstract"):
        HigherOrderOperator("none")
