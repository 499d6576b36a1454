"""Walking the graph, what it saves, hooks on that, gradient edges, anomaly mode."""

import math
import warnings

import pytest

import flambeau_autograd as autograd
import flambeau_tensor as torch
from flambeau_autograd import grad, graph


def test_walking(leaf):
    x = leaf(1.0, 2.0)
    y = x * 2
    node, nr = y.grad_fn.next_functions[0]
    assert (node.name(), nr) == ("torch::autograd::AccumulateGrad", 0) and node.variable is x
    assert type(node).__name__ == "AccumulateGrad"
    assert y.grad_fn.next_functions[1] == (None, 0)
    assert type(y.grad_fn).__name__ == y.grad_fn.name() == "MulBackward0"
    assert isinstance(y.grad_fn, graph.Node)
    assert repr(y.grad_fn).startswith("<MulBackward0 object at 0x")
    y.grad_fn.metadata["note"] = 1
    assert y.grad_fn.metadata == {"note": 1}
    with pytest.raises(AttributeError, match="'MulBackward0' object has no attribute 'other'"):
        y.grad_fn.other  # noqa: B018
    with pytest.raises(TypeError, match="cannot create 'MulBackward0' instances"):
        type(y.grad_fn)()


def test_saved_attributes(leaf):
    x = leaf(1.0, 2.0)
    y = x * x
    assert y.grad_fn._saved_self is x and y.grad_fn._saved_other is x
    e = x.exp()
    assert e.grad_fn._saved_result.tolist() == e.tolist()
    assert (x * torch.ones(2, dtype=torch.float64)).grad_fn._saved_self is None  # only its factor is needed
    y.sum().backward()
    with pytest.raises(RuntimeError, match="second time"):
        y.grad_fn._saved_self  # noqa: B018


def test_hooks_on_saved_tensors(leaf):
    packed = []
    x = leaf(1.0, 2.0)
    with graph.saved_tensors_hooks(
        lambda t: packed.append(t.tolist()) or len(packed) - 1, lambda i: torch.tensor(packed[i], dtype=torch.float64)
    ):
        y = (x * x).exp()
    z = y * 1.0
    y.sum().backward()
    assert packed[0] == packed[1] == [1.0, 2.0] and len(packed) == 3
    assert x.grad.tolist() == [2 * packed[2][0], 4 * packed[2][1]]
    assert z is not None


def test_saved_tensors_that_hooks_rebuilt_can_be_differentiated(leaf):
    x = leaf(0.5, 1.0)

    def second(wrap):
        with wrap():
            y = (x * x * x).exp()
        (g,) = grad(y.sum(), x, create_graph=True)
        return grad(g.sum(), x)[0].tolist()

    plain = second(autograd.enable_grad)
    assert second(graph.save_on_cpu) == pytest.approx(plain)
    assert second(lambda: graph.saved_tensors_hooks(lambda t: t.clone(), lambda t: t)) == pytest.approx(plain)


def test_hooks_nest_and_end(leaf):
    log = []
    x = leaf(1.0)
    with graph.saved_tensors_hooks(lambda t: log.append("outer") or t, lambda t: t):
        with graph.saved_tensors_hooks(lambda t: log.append("inner") or t, lambda t: t):
            x.exp()
        x.exp()
    x.exp()
    assert log == ["inner", "outer"]


def test_what_hooks_may_not_do(leaf):
    x = leaf(1.0, 2.0)
    with graph.saved_tensors_hooks(lambda t: 7, lambda t: 8):
        y = x * x
    with pytest.raises(TypeError, match="unpack_hook expected to be a Tensor but got result of type int"):
        y.sum().backward()
    with pytest.raises(RuntimeError, match="pack hook is modifying its input in place"):
        with graph.saved_tensors_hooks(lambda t: t.mul_(2), lambda t: t):
            (x * 2).exp()
    with pytest.raises(RuntimeError, match="not here"):
        with graph.disable_saved_tensors_hooks("not here"):
            with graph.saved_tensors_hooks(lambda t: t, lambda t: t):
                pass
    with graph.saved_tensors_hooks(lambda t: t, lambda t: t):
        x.exp()


def test_saved_by_a_function(leaf):
    class Exp(autograd.Function):
        @staticmethod
        def forward(ctx, x):
            y = x.exp()
            ctx.save_for_backward(y)
            return y

        @staticmethod
        def backward(ctx, g):
            return g * ctx.saved_tensors[0]

    x = leaf(1.0)
    with graph.saved_tensors_hooks(lambda t: t * 2, lambda t: t):
        y = Exp.apply(x)
    y.sum().backward()
    assert x.grad.item() == pytest.approx(2 * y.item())


def test_edges(leaf):
    x = leaf(1.0, 2.0)
    y = x * 2
    edge = graph.get_gradient_edge(y)
    assert edge.node is y.grad_fn and edge.output_nr == 0
    assert grad((y * y).sum(), edge)[0].tolist() == [4.0, 8.0]
    assert graph.get_gradient_edge(x).node.variable is x
    autograd.backward(graph.get_gradient_edge(y.sum()))
    assert x.grad.tolist() == [2.0, 2.0]
    assert y.grad_fn._input_metadata == [((2,), torch.float64)]
    ones = torch.ones(2, dtype=torch.float64)
    assert grad(graph.get_gradient_edge(x * 3), x, ones)[0].tolist() == [3.0, 3.0]
    with pytest.raises(RuntimeError, match="grad can be implicitly created only for scalar outputs"):
        grad(graph.get_gradient_edge(x * 3), x)
    with pytest.raises(RuntimeError, match=r"Mismatch in shape: grad_output\[0\] has a shape of torch.Size\(\[1\]\)"):
        grad(graph.get_gradient_edge(x * 3), x, ones[:1])
    with pytest.raises(RuntimeError, match="not possible to get the gradient edge"):
        graph.get_gradient_edge(torch.ones(1))


def test_increment_version(leaf):
    x = leaf(1.0)
    y = (x * x).sum()
    graph.increment_version([x.detach()])
    with pytest.raises(RuntimeError, match="at version 1; expected version 0"):
        y.backward()
    with pytest.raises(RuntimeError, match="increment_version expects a Tensor or an iterable of Tensors"):
        graph.increment_version(3)
    with pytest.raises(RuntimeError, match="increment_version expects a Tensor or an iterable of Tensors, got int"):
        graph.increment_version([3])


def test_anomaly_mode_shows_the_forward_call(leaf):
    x = leaf(-1.0)

    def the_culprit(x):
        return x.sqrt()

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with autograd.detect_anomaly():
            y = the_culprit(x)
            with pytest.raises(RuntimeError, match="Function 'SqrtBackward0' returned nan values in its 0th output"):
                y.sum().backward()
    texts = [str(w.message) for w in caught]
    assert "Anomaly Detection has been enabled" in texts[0]
    assert any("Error detected in SqrtBackward0. Traceback of forward call" in t and "the_culprit" in t for t in texts)
    assert not autograd.is_anomaly_enabled()
    the_culprit(x).sum().backward()


def test_anomaly_mode_without_the_check(leaf):
    x = leaf(-1.0)
    with autograd.set_detect_anomaly(True, check_nan=False):
        x.sqrt().sum().backward()
        assert autograd.is_anomaly_enabled()
    assert x.grad.isnan().all()


def test_hooks_see_the_tensor_that_is_saved(leaf):
    """Inputs are handed to pack as they are, so that a hook can tell parameters; results come without history."""
    seen = []
    x = leaf(1.0, 2.0)
    with graph.saved_tensors_hooks(lambda t: seen.append(t) or t, lambda t: t):
        y = x * 3
        e = y.exp()
        z = e * x
    result, self, other = seen
    assert {id(self), id(other)} == {id(e), id(x)}
    assert result.tolist() == e.tolist() and not result.requires_grad
    z.sum().backward()
    assert x.grad.tolist() == pytest.approx([math.exp(3) * 4, math.exp(6) * 7])


def test_unpack_hooks_are_recorded_when_backward_is(leaf):
    modes = []
    x = leaf(2.0)
    with graph.saved_tensors_hooks(
        lambda t: modes.append(autograd.is_grad_enabled()) or t, lambda t: modes.append(autograd.is_grad_enabled()) or t
    ):
        y = x.exp()
    y.backward(retain_graph=True)
    grad(y, x, create_graph=True)
    assert modes == [False, False, True]


def test_hooks_on_one_saved_tensor(leaf):
    x = leaf(2.0)
    y = x * x
    y.grad_fn._raw_saved_self.register_hooks(lambda t: t * 3, lambda t: t)
    y.backward(retain_graph=True)
    assert x.grad.tolist() == [8.0]
    with pytest.raises(RuntimeError, match="hooks have already been set"):
        y.grad_fn._raw_saved_self.register_hooks(lambda t: t, lambda t: t)
    with pytest.raises(TypeError, match="incompatible function arguments: .* got int"):
        y.grad_fn._raw_saved_other.register_hooks(1, 2)
    with pytest.raises(RuntimeError, match="is modifying its input in place"):
        (x * 1).exp().grad_fn._raw_saved_result.register_hooks(lambda t: t.mul_(3), lambda t: t)
    with pytest.raises(RuntimeError, match="with value None is forbidden"):
        (x * torch.ones(1, dtype=torch.float64)).grad_fn._raw_saved_self.register_hooks(lambda t: t, lambda t: t)
    y = x * x
    saved = y.grad_fn._raw_saved_self
    y.backward()
    with pytest.raises(RuntimeError, match="after it has been freed"):
        saved.register_hooks(lambda t: t, lambda t: t)


def test_hooks_on_one_tensor_that_a_function_saved(leaf):
    x = leaf(2.0)

    class Double(autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, g):
            return g * 2 * ctx.saved_tensors[0]

    z = Double.apply(x)
    (first,) = z.grad_fn._raw_saved_tensors
    first.register_hooks(lambda t: t.numpy(force=True).copy(), lambda a: torch.from_numpy(a) * 10)
    z.backward()
    assert x.grad.tolist() == [40.0]


def test_mutating_what_was_saved(leaf):
    x = leaf(1.0, 2.0)
    with graph.allow_mutation_on_saved_tensors() as context:
        y = x.clone()
        z = (y * y).sum() + y.exp().sum()
        y.mul_(3)
        e = x.exp()
        w = e.sum()
        e[:1].zero_()
        z.backward()
        w.backward()
        assert x.grad.tolist() == pytest.approx([2 + 2 * math.exp(1), 4 + 2 * math.exp(2)])
        y = x.clone()
        z = (y**3).sum()
        y.zero_()
        (slope,) = grad(z, x, create_graph=True)
        assert slope.tolist() == [3.0, 12.0] and grad(slope.sum(), x)[0].tolist() == [6.0, 12.0]
        y = x.clone()
        z = (y * y).sum()
        context.clear()
        with pytest.raises(AssertionError, match="outside of the 'allow_mutation_on_saved_tensors' context"):
            z.backward()
        y = x.clone()
        z = (y * y).sum()
        with pytest.raises(RuntimeError, match="cannot be nested"):
            with graph.allow_mutation_on_saved_tensors():
                pass
    with pytest.raises(AssertionError, match="outside of the 'allow_mutation_on_saved_tensors' context"):
        z.backward()
    z = (y * y).sum()
    y.mul_(3)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        z.backward()


def test_anomaly_mode_knows_custom_functions_and_what_induced_them(leaf):
    class Bad(autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, g):
            raise ValueError("boom")

    class Slope(Bad):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * 1

        @staticmethod
        def backward(ctx, g):
            return (ctx.saved_tensors[0] * 0).sqrt() * g  # its own slope is inf · 0

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with autograd.detect_anomaly():
            with pytest.raises(ValueError, match="boom"):
                Bad.apply(leaf(1.0)).backward()
            x = leaf(1.0)
            (slope,) = grad(Slope.apply(x), x, create_graph=True)
            with pytest.raises(RuntimeError, match="Function 'MulBackward0' returned nan values in its 0th output"):
                slope.backward()
    texts = [str(w.message) for w in caught]
    assert any(
        "Error detected in BadBackward. Traceback of forward call" in t and "Bad.apply(leaf(1.0))" in t for t in texts
    )
    assert any("Previous calculation was induced by SlopeBackward" in t for t in texts)


def test_types_of_arguments(leaf):
    with pytest.raises(TypeError, match="MulBackward0: argument 0 is not a Variable, but int"):
        (leaf(1.0) * 2).grad_fn(3)
    with pytest.raises(TypeError, match="error_message must be str, not int"), graph.disable_saved_tensors_hooks(3):
        pass
    with pytest.raises(TypeError, match="argument 'mode' must be bool, not str"):
        autograd.set_detect_anomaly("on")
    with pytest.raises(TypeError, match="argument 'check_nan' must be bool, not str"):
        autograd.set_detect_anomaly(True, "no")
    assert not autograd.anomaly_mode.is_anomaly_enabled()


def test_the_order_of_gradients_of_one_call(leaf):
    """Of two arguments the first gets its gradient first, so a hook on any of several sees that one."""
    log = []
    x, y = leaf(1.0), leaf(2.0)
    graph.register_multi_grad_hook([y, x], lambda g: log.append(g.item()), mode="any")
    (x * y).backward()
    assert log == [2.0]


def test_multi_grad_hooks_in_runs_inside_each_other(leaf):
    """Each run has its first gradient and its last one."""
    x, y, seen = leaf(1.0), leaf(2.0), []

    class Again(autograd.Function):
        @staticmethod
        def forward(ctx, t):
            return t.clone()

        @staticmethod
        def backward(ctx, g):
            with autograd.enable_grad():
                (x * 7).sum().backward()
            return g

    graph.register_multi_grad_hook((x, y), lambda g: seen.append(g.tolist()), mode="any")
    z = (Again.apply(x * 1) * (y * 1)).sum()
    z.backward()
    assert sorted(seen) == [[1.0], [7.0]]
    (x * y).sum().backward()
    (x * y).sum().backward()
    assert len(seen) == 4
    graph.register_multi_grad_hook((x, torch.ones(1)), print, mode="any").remove()
    with pytest.raises(AssertionError, match="Expected gradient function to be set"):
        graph.register_multi_grad_hook((x, torch.ones(1)), print)


def test_hooks_on_one_saved_tensor_keep_its_history(leaf):
    x, seen = leaf(1.0), []

    def pack(t):
        seen.append((t.requires_grad, t is x))
        return t * 2

    for make, name in ((lambda: x * x, "self"), (lambda: x.exp(), "result")):
        y = make()
        getattr(y.grad_fn, f"_raw_saved_{name}").register_hooks(pack, lambda t: t / 2)
        saved = getattr(y.grad_fn, f"_saved_{name}")
        assert saved.requires_grad and seen.pop() == (False, False)
        (slope,) = grad(y.sum(), x, create_graph=True)
        assert grad(slope.sum(), x)[0].tolist() == pytest.approx([2.0 if name == "self" else math.e])


def test_contents_that_a_class_shows_and_whether_they_require_grad():
    assert torch.ones(2, requires_grad=True).__repr__(tensor_contents="abc") == "tensor(abc, requires_grad=True)"
