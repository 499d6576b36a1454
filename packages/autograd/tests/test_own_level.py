"""A level that is declared here alone: it counts the calls on its tensors, among transforms of every other kind."""

from collections import Counter

import pytest

import flambeau_tensor as torch
from flambeau_autograd.extend import Layer, OwnLevel, add_layer, call, remove_layer
from flambeau_autograd.func import grad, jvp, vmap


class Counting(OwnLevel):
    kind = "count"

    def __init__(self):
        self.calls = Counter()

    def enter(self, tensor):
        return add_layer(tensor, Counted(self))

    def process_call(self, op, args, layers):
        self.calls[op.name] += 1
        return self.enter(call(op, *args))

    def leave(self, tensor):
        return remove_layer(tensor, self)[0]


class Counted(Layer):
    """A tensor whose calls are counted."""


@pytest.fixture
def x():
    return torch.tensor([0.5, 1.5, 2.5])


def f(x):
    return (x * x).sin().sum()


def test_it_counts(x):
    with Counting() as level:
        out = level.leave(f(level.enter(x)))
    assert torch.equal(out, f(x))
    assert level.calls == {"mul": 1, "sin": 1, "sum": 1}


def test_inside_of_it(x):
    with Counting() as level:
        out = level.leave(grad(f)(level.enter(x)))
    assert torch.equal(out, grad(f)(x))
    assert level.calls["cos"] == 1


def test_inside_of_other_transforms(x):
    seen = []

    def counted(x):
        with Counting() as level:
            out = level.leave(f(level.enter(x)))
        seen.append(level.calls)
        return out

    assert torch.equal(vmap(counted)(x.reshape(3, 1)), vmap(f)(x.reshape(3, 1)))
    assert torch.equal(grad(counted)(x), grad(f)(x))
    value, tangent = jvp(counted, (x,), (torch.ones(3),))
    assert torch.equal(torch.stack([value, tangent]), torch.stack(jvp(f, (x,), (torch.ones(3),))))
    assert seen == [{"mul": 1, "sin": 1, "sum": 1}] * 3


def test_what_is_left_of_it_when_it_is_over(x):
    with Counting() as level:
        counted = level.enter(x)
    assert torch.equal(counted + 1, x + 1)
    assert not level.calls
    assert repr(level) == "<count level 1, left>"
