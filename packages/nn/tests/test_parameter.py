"""Parameters and buffers: what they are, what operations on them give. Printed ones were made with PyTorch 2.13."""

import copy
import pickle

import pytest

import flambeau_nn as nn
import flambeau_tensor as ft


def test_making():
    data = ft.ones(2)
    p = nn.Parameter(data)
    assert isinstance(p, ft.Tensor) and type(p) is nn.Parameter and p.requires_grad and p.is_leaf
    assert p.data_ptr() == data.data_ptr() and not data.requires_grad
    assert not nn.Parameter(data, requires_grad=False).requires_grad
    assert nn.Parameter().shape == (0,)
    assert not nn.Parameter(ft.ones(1, dtype=ft.int64), requires_grad=False).requires_grad
    with pytest.raises(RuntimeError, match="floating point"):
        nn.Parameter(ft.ones(1, dtype=ft.int64))
    with pytest.raises(TypeError, match=r"Parameter\(\): argument 'data' \(position 1\) must be Tensor, not int"):
        nn.Parameter(3)


def test_cuts_history():
    made = ft.ones(2, requires_grad=True) * 2
    p = nn.Parameter(made)
    assert p.is_leaf and p.grad_fn is None


def test_printing():
    assert repr(nn.Parameter(ft.ones(2))) == "Parameter containing:\ntensor([1., 1.], requires_grad=True)"
    assert repr(nn.Parameter(ft.tensor([1]), requires_grad=False)) == "Parameter containing:\ntensor([1])"


@pytest.mark.parametrize(
    "operation",
    [
        lambda p: p + p,
        lambda p: 2 * p,
        lambda p: p.sum(),
        lambda p: p.detach(),
        lambda p: p.data,
        lambda p: p.clone(),
        lambda p: p[0],
        lambda p: p.view(2, 1),
        lambda p: ft.cat([p, p]),
        lambda p: ft.add(p, p, alpha=2),
        lambda p: p.double(),
        lambda p: p > 0,
        lambda p: ft.stack((p, ft.ones(2))),
        lambda p: p.T,
        lambda p: nn.functional.relu(p),
    ],
)
def test_results_are_plain_tensors(operation):
    assert type(operation(nn.Parameter(ft.ones(2)))) is ft.Tensor


def test_in_place_stays_a_parameter():
    p = nn.Parameter(ft.ones(2), requires_grad=False)
    assert p.add_(1) is p and p.tolist() == [2, 2]


def test_gradient():
    p = nn.Parameter(ft.tensor([1.0, 2.0]))
    (p * p).sum().backward()
    assert p.grad.tolist() == [2, 4] and type(p.grad) is ft.Tensor


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda p: pickle.loads(pickle.dumps(p))])
def test_copies(duplicate):
    p = nn.Parameter(ft.ones(2), requires_grad=False)
    p.note = "kept"
    c = duplicate(p)
    assert type(c) is nn.Parameter and c is not p and c.tolist() == [1, 1] and not c.requires_grad
    assert c.data_ptr() != p.data_ptr()


def test_other_tensors_that_are_parameters():
    class Named(ft.Tensor):
        pass

    p = nn.Parameter(ft.ones(2).as_subclass(Named))
    assert type(p) is Named and isinstance(p, nn.Parameter) and p.requires_grad
    m = nn.Module()
    m.p = p
    assert list(m.parameters()) == [p] or list(m.parameters())[0] is p
    assert not isinstance(ft.ones(1), nn.Parameter)


def test_subclass_of_parameter():
    class Own(nn.Parameter):
        pass

    p = Own(ft.ones(2))
    assert type(p) is Own and isinstance(p, nn.Parameter) and type(copy.deepcopy(p)) is Own
    assert type(p * 2) is ft.Tensor
    m = nn.Module()
    m.p = p
    assert m.p is p and "p" in m._parameters


def test_overrides_do_not_see_parameters():
    class Logging(ft.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return types

    types = ft.add(nn.Parameter(ft.ones(2)), ft.ones(2).as_subclass(Logging))
    assert list(types) == [Logging]


def test_buffers():
    data = ft.ones(2)
    b = nn.Buffer(data, persistent=False)
    assert isinstance(b, nn.Buffer) and not isinstance(b, nn.Parameter) and not b.persistent and not b.requires_grad
    assert not isinstance(data, nn.Buffer) and not isinstance(nn.Parameter(data), nn.Buffer)

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.kept, self.passing = nn.Buffer(ft.ones(1)), b

    m = Net()
    assert list(m.state_dict()) == ["kept"] and [n for n, _ in m.named_buffers()] == ["kept", "passing"]


def test_texts_of_parameters_of_other_classes():
    class Angle(nn.Parameter):
        pass

    class Unit(ft.Tensor):
        pass

    assert repr(Angle(ft.ones(2))) == "Parameter containing:\nParameter(Angle([1., 1.], requires_grad=True))"
    assert repr(nn.Parameter(ft.ones(2).as_subclass(Unit))) == "Parameter(Unit([1., 1.], requires_grad=True))"
    assert repr(ft.ones(2).as_subclass(Unit)) == "Unit([1., 1.])"
