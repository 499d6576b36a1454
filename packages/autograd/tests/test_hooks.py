"""Hooks on tensors, on nodes and on several gradients at once; their order, and what they may return."""

import functools
import pickle

import pytest

import flambeau_autograd as autograd
import flambeau_tensor as torch
from flambeau_autograd import grad, graph


def test_order(leaf):
    """The order is PyTorch 2.13's for the same program."""
    log = []
    x = leaf(1.0, 2.0)
    y = x * 2
    z = y * 3
    x.register_hook(lambda g: log.append(("x", g.tolist())))
    y.register_hook(lambda g: log.append(("y first", g.tolist())) or g * 2)
    y.retain_grad()
    y.register_hook(lambda g: log.append(("y second", g.tolist())))
    y.grad_fn.register_hook(lambda gi, go: log.append(("node", gi[0].tolist(), gi[1], go[0].tolist())))
    y.grad_fn.register_prehook(lambda go: log.append(("node pre", go[0].tolist())))
    x.register_post_accumulate_grad_hook(lambda p: log.append(("accumulated", p.grad.tolist())))
    z.register_hook(lambda g: log.append("removed")).remove()
    z.sum().backward()
    assert log == [
        ("y first", [3.0, 3.0]),
        ("y second", [6.0, 6.0]),
        ("node pre", [6.0, 6.0]),
        ("node", [12.0, 12.0], None, [6.0, 6.0]),
        ("x", [12.0, 12.0]),
        ("accumulated", [12.0, 12.0]),
    ]
    assert x.grad.tolist() == [12.0, 12.0] and y.grad.tolist() == [6.0, 6.0]


def test_a_tensor_hook_replaces_the_gradient(leaf):
    x = leaf(1.0, 2.0)
    x.register_hook(lambda g: g * 5)
    assert grad((x * 2).sum(), x)[0].tolist() == [10.0, 10.0]
    (x * 2).sum().backward()
    assert x.grad.tolist() == [10.0, 10.0]


def test_node_hooks_replace_gradients(leaf):
    x = leaf(1.0, 2.0)
    y = x * 2
    y.grad_fn.register_prehook(lambda outs: (outs[0] * 10,))
    y.grad_fn.register_hook(lambda ins, outs: (ins[0] * 7, *ins[1:]))
    y.sum().backward()
    assert x.grad.tolist() == [140.0, 140.0]


@pytest.mark.parametrize(
    ("answer", "error", "message"),
    [
        (3, TypeError, "expected Variable, but hook returned 'int'"),
        (torch.ones(3, dtype=torch.float64), RuntimeError, "has changed the size of value"),
        (torch.ones(2), RuntimeError, r"changed the type of value \(was torch.DoubleTensor got torch.FloatTensor\)"),
    ],
)
def test_what_a_hook_may_not_return(leaf, answer, error, message):
    y = leaf(1.0, 2.0) * 2
    y.register_hook(lambda g: answer)
    with pytest.raises(error, match=message):
        y.sum().backward()


@pytest.mark.parametrize(
    ("answer", "error", "message"),
    [
        (lambda g: (g,) * 3, RuntimeError, r"incorrect number of values \(got 3, but expected 2\)"),
        (lambda g: g, TypeError, "expected tuple, but hook returned 'Tensor'"),
        (lambda g: [g, None], TypeError, "expected tuple, but hook returned 'list'"),
        (lambda g: (g.float(), None), RuntimeError, "has changed the type of value"),
        (lambda g: (torch.ones(4, dtype=torch.float64), None), RuntimeError, "has changed the size of value"),
    ],
)
def test_what_a_nodes_hook_may_not_return(leaf, answer, error, message):
    y = leaf(1.0) * 2
    y.grad_fn.register_hook(lambda ins, outs: answer(ins[0]))
    with pytest.raises(error, match=message):
        y.sum().backward()


def test_nodes_hooks_may_say_none(leaf):
    x = leaf(1.0)
    y = x * 2
    y.grad_fn.register_prehook(lambda outs: (None,))
    y.sum().backward()
    assert x.grad is None


def test_retained_gradients_follow_the_tensor(leaf):
    """retain_grad is a wish about the tensor: it holds after the tensor, its base or its view was written to."""
    x = leaf(1.0, 2.0)
    y = x * 2
    y.retain_grad()
    y.mul_(3)
    (y * 5).sum().backward()
    assert y.grad.tolist() == [5.0, 5.0] and x.grad.tolist() == [30.0, 30.0]
    base = x * 1
    base.retain_grad()
    base[:1].mul_(2)
    (base * 3).sum().backward()
    assert base.grad.tolist() == [3.0, 3.0]
    base = x * 1
    view = base[:1]
    view.retain_grad()
    base.mul_(2)
    (view * 3).sum().backward()
    assert view.grad.tolist() == [3.0]


def test_refused(leaf):
    with pytest.raises(RuntimeError, match="cannot register a hook on a tensor that doesn't require gradient"):
        torch.ones(1).register_hook(print)
    with pytest.raises(RuntimeError, match="can't retain_grad on Tensor that has requires_grad=False"):
        torch.ones(1).retain_grad()
    with pytest.raises(RuntimeError, match="post accumulate grad hooks cannot be registered on non-leaf tensors"):
        (leaf(1.0) * 2).register_post_accumulate_grad_hook(print)
    x = leaf(1.0)
    x.register_hook(3)
    with pytest.raises(TypeError, match="not callable"):
        x.sum().backward()


def test_post_accumulate_hook_may_step(leaf):
    x = leaf(1.0)

    def step(p):
        with autograd.no_grad():
            p.sub_(p.grad)
        p.grad = None

    handle = x.register_post_accumulate_grad_hook(step)
    (x * 3).sum().backward()
    assert x.tolist() == [-2.0] and x.grad is None
    handle.remove()
    x.register_post_accumulate_grad_hook(lambda p: 3)
    with pytest.raises(TypeError, match="expected Variable, but hook returned 'int'"):
        (x * 3).sum().backward()


def test_hooks_stay_with_the_node_and_retain_moves(leaf):
    x = leaf(1.0, 2.0)
    y = x * 2
    y.retain_grad()
    log = []
    y.register_hook(lambda g: log.append("before"))
    z = y * 1
    y.mul_(3)
    y.register_hook(lambda g: log.append("after"))
    (y.sum() + z.sum()).backward()
    assert log == ["after", "before"]
    assert y.grad.tolist() == [1.0, 1.0] and x.grad.tolist() == [8.0, 8.0]


def test_handles(leaf):
    x = leaf(1.0)
    log = []
    with x.register_hook(lambda g: log.append(1)):
        (x * 2).sum().backward()
    (x * 2).sum().backward()
    assert log == [1]
    handle = x.register_hook(test_handles)
    again = pickle.loads(pickle.dumps(handle))
    assert again.id == handle.id


def test_multi_grad_hook(leaf):
    x = leaf(1.0, 2.0)
    y, z = x * 2, x * 3
    together, first = [], []
    handle = graph.register_multi_grad_hook([x, y, z], together.append)
    graph.register_multi_grad_hook([y, z], lambda g: first.append(g.tolist()), mode="any")
    (y + z).sum().backward(retain_graph=True)
    y.sum().backward(retain_graph=True)
    assert [[g if g is None else g.tolist() for g in gs] for gs in together] == [
        [[5.0, 5.0], [1.0, 1.0], [1.0, 1.0]],
        [[2.0, 2.0], [1.0, 1.0], None],
    ]
    assert first == [[1.0, 1.0], [1.0, 1.0]]
    handle.remove()
    y.sum().backward()
    assert len(together) == 2
    with pytest.raises(ValueError, match="Expects mode to be one of"):
        graph.register_multi_grad_hook([x], print, mode="some")


# --- hooks where histories change: what PyTorch 2.13 does -------------------------------------------------------------


def test_hooks_on_a_view_that_was_written_to(leaf):
    x, seen = leaf(1.0, 1.0, 1.0, 1.0), []
    base = x * 1
    view, other = base[:2], base[1:]
    view.register_hook(lambda g: seen.append(("before", g.tolist())))
    used = view * 7
    view.mul_(3)
    view.register_hook(lambda g: seen.append(("after", g.tolist())))
    other.register_hook(lambda g: seen.append(("other", g.tolist())))
    ((view * 2).sum() + (other * 5).sum() + used.sum()).backward()
    assert seen == [("other", [5.0, 5.0, 5.0]), ("after", [2.0, 2.0]), ("before", [7.0, 7.0])]
    assert x.grad.tolist() == [13.0, 28.0, 5.0, 5.0]


def test_hooks_on_a_view_whose_base_was_written_to(leaf):
    x, seen = leaf(1.0, 1.0, 1.0, 1.0), []
    base = x * 1
    view = base[:2]
    view.register_hook(lambda g: seen.append(("before", g.tolist())))
    used = view * 7
    base.mul_(3)
    view.retain_grad()
    view.register_hook(lambda g: seen.append(("after", g.tolist())))
    ((view * 2).sum() + used.sum()).backward()
    assert seen == [("after", [2.0, 2.0]), ("before", [7.0, 7.0])]
    assert view.grad.tolist() == [2.0, 2.0] and x.grad.tolist() == [13.0, 13.0, 0.0, 0.0]


@pytest.mark.parametrize(
    "change",
    [
        "unsqueeze_(0)",
        "t_()",
        "transpose_(0, 1)",
        "swapaxes_(0, 1)",
        "swapdims_(0, 1)",
        "squeeze_()",
        "as_strided_((3, 2), (1, 3))",
    ],
)
def test_a_tensor_that_becomes_a_view_of_itself_keeps_hooks_and_gradient_as_it_was(leaf, change):
    x, shapes = leaf([1.0, 2.0, 3.0], [4.0, 5.0, 6.0]), []
    y = x * 2
    y.retain_grad()
    y.register_hook(lambda g: shapes.append(tuple(g.shape)))
    eval(f"y.{change}", {"y": y})
    y.register_hook(lambda g: shapes.append(tuple(g.shape)))
    (y * y.detach()).sum().backward()
    assert shapes == [(2, 3), (2, 3)] and y.grad.tolist() == (2 * x).tolist()
    assert x.grad.tolist() == (4 * x).tolist()


def test_what_is_wanted_of_a_node_that_runs_has_not_seen_its_hooks(leaf):
    x = leaf(1.0)
    y = x * 2
    y.register_hook(lambda g: g * 10)
    z = (y * 3).sum()
    assert [g.tolist() for g in autograd.grad(z, y, retain_graph=True)] == [[30.0]]
    assert [g.tolist() for g in autograd.grad(z, [y, x], retain_graph=True)] == [[3.0], [60.0]]
    z.backward(inputs=[y, x], retain_graph=True)
    assert y.grad.tolist() == [30.0] and x.grad.tolist() == [60.0]


def test_the_node_of_an_input_of_backward_runs(leaf):
    x, seen = leaf(1.0), []
    y = x * 2
    y.grad_fn.register_prehook(lambda g: (g[0] * 7,))
    y.grad_fn.register_hook(lambda a, b: seen.append((a, b[0].tolist())))
    (y * 3).sum().backward(inputs=[y])
    assert seen == [((None, None), [21.0])] and y.grad.tolist() == [3.0] and x.grad is None


def test_a_leaf_that_was_detached_gets_no_gradient(leaf):
    for change in (lambda t: t.detach_(), lambda t: t.requires_grad_(False)):
        x, seen = leaf(1.0), []
        x.register_hook(seen.append)
        x.register_post_accumulate_grad_hook(seen.append)
        y = (x * 2).sum()
        change(x)
        y.backward(retain_graph=True)
        assert x.grad is None and [g.tolist() for g in seen] == [[2.0]]
        x.requires_grad_()
        y.backward()
        assert x.grad.tolist() == [2.0]


def test_a_tensor_detached_in_place_still_retains_what_comes(leaf):
    x, seen = leaf(1.0), []
    y = x * 2
    y.retain_grad()
    y.register_hook(seen.append)
    z = (y * 3).sum()
    y.detach_()
    assert y.retains_grad and y.is_leaf and not y.requires_grad
    z.backward()
    assert y.grad.tolist() == [3.0] and [g.tolist() for g in seen] == [[3.0]] and x.grad.tolist() == [6.0]


def test_a_saved_tensor_detached_in_place_is_refused(leaf):
    x = leaf(1.0)
    for use in (lambda y: y * y, lambda y: y @ y, torch.sin):
        y = x * 2
        z = use(y).sum()
        y.detach_()
        with pytest.raises(RuntimeError, match="Trying to use a saved tensor that has been detached in-place"):
            z.backward()
    y = x.exp()  # a saved result
    z = y.sum()
    y.detach_()
    z.backward()
    w = leaf(3.0)
    z = (x * w).sum()  # a saved leaf
    x.detach_()
    w.grad = x.grad = None
    z.backward()
    assert w.grad.tolist() == [1.0] and x.grad is None


def test_post_accumulate_hooks_return_none(leaf):
    x, seen = leaf(1.0), []
    x.register_post_accumulate_grad_hook(lambda p: p.grad * 5)
    x.register_post_accumulate_grad_hook(lambda p: seen.append(p.tolist()))
    with pytest.raises(RuntimeError, match="Tensor post accumulate grad hooks should return None"):
        (x * 3).sum().backward()
    assert seen == [[15.0]]
    x = leaf(1.0)
    x.register_post_accumulate_grad_hook(lambda p: torch.ones(5, dtype=p.dtype))
    with pytest.raises(RuntimeError, match="hook '<lambda>' has changed the size of value"):
        (x * 3).sum().backward()


def test_hooks_without_a_name(leaf):
    class Hook:
        def __call__(self, g):
            return torch.ones(3, dtype=g.dtype)

    for hook in (Hook(), functools.partial(Hook.__call__, None)):
        for y in (leaf(1.0), leaf(1.0) * 1):
            y.register_hook(hook)
            with pytest.raises(RuntimeError, match="hook '<unknown>' has changed the size of value"):
                y.sum().backward()


class NoGradient(autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.clone()

    @staticmethod
    def backward(ctx, grad):
        return None


def test_hooks_of_what_has_no_gradient(leaf):
    """The node runs, so its hooks do, with None: of results that are not used, and where backward returned None."""
    seen = []
    x = leaf(1.0, 2.0)
    x.register_hook(lambda g: seen.append(("x", g)))
    y = x * 2
    y.register_hook(lambda g: seen.append(("y", g)))
    NoGradient.apply(y).sum().backward()
    assert seen == [("y", None), ("x", None)] and x.grad is None
    values, vectors = torch.linalg.eigh(torch.eye(2).requires_grad_())
    vectors.register_hook(seen.append)
    values.sum().backward()
    assert seen[2:] == [None]
    z = x * 2
    z.register_hook(lambda g: torch.ones(2))
    with pytest.raises(RuntimeError, match="can't replace a None gradient with a non-None value"):
        NoGradient.apply(z).sum().backward()


def test_the_dict_of_hooks_of_a_tensor(leaf):
    from collections import OrderedDict

    seen = []
    x = leaf(1.0, 2.0)
    y = x * 3
    for name, t in (("leaf", x), ("result", y)):
        t.register_hook(lambda g: seen.append("replaced"))
        t._backward_hooks = OrderedDict({0: lambda g, name=name: seen.append((name, g.tolist()))})
    y.sum().backward()
    assert seen == [("result", [1.0, 1.0]), ("leaf", [3.0, 3.0])]
    x._backward_hooks = None
    (x * 2).sum().backward()
    assert len(seen) == 2
    torch.ones(2)._backward_hooks = OrderedDict({0: lambda g: seen.append("of no gradient")})
    with pytest.raises(TypeError, match="must be a dict"):
        x._backward_hooks = 1
    for attribute in ("_backward_hooks", "_grad_fn", "data"):
        with pytest.raises(RuntimeError, match="not allowed"):
            delattr(x, attribute)


def test_the_order_in_which_a_run_executes_nodes(leaf):
    from flambeau_autograd.extend import run_order, will_run

    x, order = leaf(1.0), []
    a = x.sin()
    b = a.cos()
    c = a.exp()
    out = b * c
    out.register_hook(lambda g: order.extend(run_order()))
    out.backward()
    names = [node.name().split(":")[-1] for node in order]
    assert names == ["MulBackward0", "ExpBackward0", "CosBackward0", "SinBackward0", "AccumulateGrad"]
    for ask in (run_order, lambda: will_run([a.grad_fn])):
        with pytest.raises(RuntimeError, match="should only be asked for during the backward pass"):
            ask()


def test_a_gradient_with_a_history_is_a_copy(leaf):
    x = leaf(1.0, 2.0)
    (x * x).sum().backward(create_graph=True)
    node = x.grad.grad_fn
    assert node.name() == "torch::autograd::CopyBackwards" and node.next_functions[0] == (None, 0)
    assert grad(x.grad.sum(), x)[0].tolist() == [2.0, 2.0]
