"""no_grad and its kin, as contexts, as decorators, around generators, one thread at a time."""

import threading

import pytest

import flambeau_autograd as autograd
import flambeau_tensor as torch
from flambeau_autograd import (
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)


def test_contexts(leaf):
    x = leaf(1.0)
    with no_grad():
        assert not is_grad_enabled() and not (x * 2).requires_grad
        with enable_grad():
            assert (x * 2).requires_grad
        assert not is_grad_enabled()
    assert is_grad_enabled()
    with inference_mode():
        assert is_inference_mode_enabled() and not is_grad_enabled()
        with inference_mode(False):
            assert is_grad_enabled() and not is_inference_mode_enabled()
    assert is_grad_enabled() and not is_inference_mode_enabled()


def test_nothing_is_recorded_in_inference_mode(leaf):
    x = leaf(1.0)
    with inference_mode():
        for mode in (enable_grad(), set_grad_enabled(True)):
            with mode:
                y = x * 2
                assert y.is_inference() and not y.requires_grad
        with inference_mode(False):
            assert (x * 2).requires_grad
    assert (x * 2).requires_grad


@pytest.mark.parametrize("mode", [1, None, "yes", 0.0])
def test_a_mode_that_is_no_bool(mode):
    with pytest.raises(TypeError, match=r"set_grad_enabled\(\): argument 'enabled' \(position 1\) must be bool, not"):
        set_grad_enabled(mode)
    assert is_grad_enabled()


def test_set_grad_enabled():
    set_grad_enabled(False)
    assert not is_grad_enabled()
    set_grad_enabled(True)
    with set_grad_enabled(False):
        assert not is_grad_enabled()
    assert is_grad_enabled()

    @set_grad_enabled(False)
    def inside():
        return is_grad_enabled()

    assert is_grad_enabled() and not inside() and is_grad_enabled()


def test_an_exception_restores():
    with pytest.raises(ZeroDivisionError), no_grad():
        1 / 0  # noqa: B018
    assert is_grad_enabled()


def test_one_object_entered_twice():
    mode = no_grad()
    with mode:
        with enable_grad(), mode:
            assert not is_grad_enabled()
        assert not is_grad_enabled()
    assert is_grad_enabled()


@pytest.mark.parametrize("make", [no_grad, lambda f: no_grad()(f), inference_mode, lambda f: inference_mode()(f)])
def test_decorator(make):
    def inner(a, *, b=1):
        """Says whether it records."""
        return is_grad_enabled(), a, b

    decorated = make(inner)
    assert decorated(1, b=2) == (False, 1, 2)
    assert decorated.__name__ == "inner" and decorated.__doc__ == "Says whether it records."
    assert is_grad_enabled()


def test_decorated_method():
    class Model:
        @no_grad()
        def evaluate(self):
            return self, is_grad_enabled()

    m = Model()
    assert m.evaluate() == (m, False)


def test_generator():
    log = []

    @no_grad()
    def steps():
        log.append(is_grad_enabled())
        try:
            received = yield 1
            log.append((received, is_grad_enabled()))
            yield 2
        except ValueError:
            log.append(("caught", is_grad_enabled()))
            yield 3
        finally:
            log.append(("closed", is_grad_enabled()))
        return "end"

    g = steps()
    assert next(g) == 1 and is_grad_enabled()
    assert g.send("x") == 2 and is_grad_enabled()
    assert g.throw(ValueError()) == 3 and is_grad_enabled()
    g.close()
    assert log == [False, ("x", False), ("caught", False), ("closed", False)]

    @enable_grad()
    def outer():
        return (yield from steps())

    assert list(outer()) == [1, 2]


def test_recursion():
    @no_grad()
    def down(n):
        return [is_grad_enabled()] + (down(n - 1) if n else [])

    assert down(5) == [False] * 6 and is_grad_enabled()


def test_threads_have_their_own():
    seen = []
    with no_grad():
        t = threading.Thread(target=lambda: seen.append(is_grad_enabled()))
        t.start()
        t.join()
    assert seen == [True]


def test_classes_are_deprecated():
    with pytest.warns(FutureWarning, match="Decorating classes is deprecated"):

        @autograd.no_grad()
        class Thing:
            def __init__(self):
                self.on = is_grad_enabled()

    assert Thing().on is False


def test_multithreading_is_only_noted():
    assert autograd.is_multithreading_enabled()
    with autograd.set_multithreading_enabled(False):
        assert not autograd.is_multithreading_enabled()
    assert autograd.is_multithreading_enabled()

    @autograd.set_multithreading_enabled(False)
    def inside():
        return autograd.is_multithreading_enabled()

    assert autograd.is_multithreading_enabled() and not inside()


def test_what_inference_mode_made(leaf):
    x, y = leaf(1.0), leaf(2.0) * 1
    with inference_mode():
        made = torch.ones(1, dtype=torch.float64)
        view = y[:1]
        y.add_(1)
        made.add_(1)
    assert made.is_inference() and made.clone().is_inference() is False and not view.is_inference()
    assert (x + made).requires_grad  # nothing of it is saved
    for use, message in [
        (lambda: x * made, "Inference tensors cannot be saved for backward"),
        (lambda: made.add_(1), "Inplace update to inference tensor outside InferenceMode is not allowed"),
        (lambda: made[0].add_(1), "Inplace update to inference tensor outside InferenceMode"),
        (lambda: made.add_(x), "Inplace update to inference tensor outside InferenceMode"),  # it would be recorded
        (lambda: made.view(-1).mul_(x), "Inplace update to inference tensor outside InferenceMode"),
        (lambda: made.requires_grad_(), "Setting requires_grad=True on inference tensor outside InferenceMode"),
        (lambda: made._version, "Inference tensors do not track version counter"),
        (lambda: view.add_(1), "forbidden"),
    ]:
        with pytest.raises(RuntimeError, match=message):
            use()
    assert made.tolist() == [2.0] and made.detach_() is made


def test_gradients_of_views_made_without_recording_end_there():
    leaf = torch.ones(2, 3, requires_grad=True)
    with no_grad():
        view = leaf[::2]
    assert view.requires_grad and view.is_leaf
    (view * 2).sum().backward()
    assert view.grad is None and leaf.grad is None
    with pytest.raises(RuntimeError, match="index 0 appears to not have been used in the graph"):
        autograd.grad((view * 2).sum(), view)
    assert autograd.grad((view * 2).sum(), view, allow_unused=True) == (None,)
    view.requires_grad_()
    (view * 2).sum().backward()
    assert view.grad.tolist() == [[2, 2, 2]] and leaf.grad is None


def test_inference_mode_decorates_by_keyword_too(leaf):
    assert inference_mode(mode=lambda: leaf([1.0]) * 2)().is_inference()
    with inference_mode(mode=False):
        assert not (leaf([1.0]) * 2).is_inference()


def test_inference_tensors_keep_their_memory_outside(leaf):
    with inference_mode():
        x = leaf([1.0, 2.0]) * 2
        x.set_(x.clone())
    with pytest.raises(RuntimeError, match=r"Inplace update to inference tensor.*set_\(\)"):
        x.set_(leaf([1.0]))


def test_views_of_inference_tensors_have_no_base():
    with inference_mode():
        made = torch.ones(1, 2, 3, requires_grad=True)
        inside = made.view(-1)
        assert made.requires_grad and made.resize_(1, 2) is made and made.requires_grad
    assert inside.is_inference() and not inside.requires_grad and not inside._is_view() and inside.is_leaf
    assert not made.view(-1)._is_view()


def test_detached_tensors_of_inference_mode_are_no_inference_tensors(leaf):
    x, y = torch.ones(2), leaf(1.0)
    with inference_mode():
        made = [y.data, y.detach(), x.detach(), x[0], x.reshape(2, 1)]
        new = [x.clone(), x.clone().detach(), x.clone().data, x.expand(3, 2).reshape(6)]
    assert not any(t.is_inference() for t in made) and all(t.is_inference() for t in new)
    made[2].mul_(2)
    assert x.tolist() == [2.0, 2.0] and x._version == made[2]._version == 1
