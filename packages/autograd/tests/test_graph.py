"""Walking the graph, what it saves, hooks on that, gradient edges, anomaly mode."""

import warnings

import pytest

import flambeau_autograd as autograd
import flambeau_tensor as torch
from flambeau_autograd import grad, graph


def test_walking(leaf):
    x = leaf(1.0, 2.0)
    y = x * 2
    node, nr = y.grad_fn.next_functions[0]
    assert (node.name(), nr) == ("AccumulateGrad", 0) and node.variable is x
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
    with graph.saved_tensors_hooks(lambda t: packed.append(t.tolist()) or len(packed) - 1,
                                   lambda i: torch.tensor(packed[i], dtype=torch.float64)):
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
        g, = grad(y.sum(), x, create_graph=True)
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


def test_not_built():
    with pytest.raises(NotImplementedError, match="allow_mutation_on_saved_tensors"):
        graph.allow_mutation_on_saved_tensors()
    with pytest.raises(NotImplementedError, match="torch.autograd.functional.jacobian"):
        autograd.functional.jacobian(None, None)
