"""What copying and pickling keep of a tensor's part in autograd: as in PyTorch, of leaves only, and never the graph."""

import copy
import pickle

import pytest

import flambeau_tensor as torch
from flambeau_autograd import grad, no_grad


def pickled(t, protocol=pickle.HIGHEST_PROTOCOL):
    return pickle.loads(pickle.dumps(t, protocol))


@pytest.fixture
def leaf_with_gradient():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    (x * x).sum().backward()
    return x


def test_deepcopy_of_a_leaf_copies_its_gradient(leaf_with_gradient):
    x = leaf_with_gradient
    y = copy.deepcopy(x)
    assert y.requires_grad and y.is_leaf and y.grad_fn is None and y.data_ptr() != x.data_ptr()
    assert y.tolist() == [1, 2] and y.grad.tolist() == [2, 4]
    assert y.grad is not x.grad and not y.grad.requires_grad
    (3 * y).sum().backward()  # the copy accumulates apart
    assert y.grad.tolist() == [5, 7] and x.grad.tolist() == [2, 4]
    with no_grad():
        assert copy.deepcopy(x).requires_grad


def test_deepcopy_keeps_identities(leaf_with_gradient):
    x = leaf_with_gradient
    first, second, gradient = copy.deepcopy((x, x, x.grad))
    assert first is second and first.grad is gradient
    whole = torch.zeros(3)
    copied, view = copy.deepcopy((whole, whole[1:]))
    copied[1] = 5
    assert view.tolist() == [5, 0]


@pytest.mark.parametrize(
    "make",
    [
        lambda x: x * 2,
        lambda x: x[:1],
        lambda x: torch.zeros(2).mul_(x),
        lambda x: x.view(2, 1),
    ],
    ids=["result", "view", "written to", "reshaped"],
)
def test_deepcopy_of_what_was_computed_is_refused(make, leaf_with_gradient):
    y = make(leaf_with_gradient)
    with pytest.raises(
        RuntimeError,
        match="^Only Tensors created explicitly by the user .graph leaves. support the deepcopy protocol at the moment",
    ):
        copy.deepcopy([y])
    assert y.grad_fn is not None and copy.deepcopy(y.detach()).tolist() == y.tolist()


def test_deepcopy_refuses_a_gradient_with_history():
    x = torch.tensor([1.0], requires_grad=True)
    (x.grad,) = grad((x**3).sum(), x, create_graph=True)
    with pytest.raises(RuntimeError, match="support the deepcopy protocol"):
        copy.deepcopy(x)


def test_copy_shares_memory_and_becomes_a_leaf(leaf_with_gradient):
    for t in (leaf_with_gradient, leaf_with_gradient * 2, leaf_with_gradient[:1]):
        y = copy.copy(t)
        assert y.requires_grad and y.is_leaf and y.grad is None and y.data_ptr() == t.data_ptr()
    assert not copy.copy(leaf_with_gradient.detach()).requires_grad


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_pickle_keeps_requires_grad_but_no_gradient(protocol, leaf_with_gradient):
    for t in (leaf_with_gradient, leaf_with_gradient * 2, leaf_with_gradient[:1]):
        y = pickled(t, protocol)
        assert y.requires_grad and y.is_leaf and y.grad is None and y.tolist() == t.tolist()
        assert y.data_ptr() != t.data_ptr()
    assert not pickled(leaf_with_gradient.detach(), protocol).requires_grad


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, pickled])
def test_attributes_stay_and_hooks_do_not(again):
    x = torch.ones(2, requires_grad=True)
    x.note = ["kept"]
    x.register_hook(lambda g: g * 2)
    y = again(x)
    assert y.note == ["kept"]
    y.sum().backward()
    assert y.grad.tolist() == [1, 1] and x.grad is None
