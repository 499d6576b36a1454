"""Lifetime: graphs of any depth are freed, nothing leaks, cycles are collected."""

import gc
import weakref

import pytest

import flambeau_autograd as autograd
import flambeau_tensor as torch

DEEP = 1_000_000


def chain(x, n):
    for _ in range(n):
        x = x * 1.0000001
    return x


@pytest.mark.measures
def test_a_million_nodes(resident):
    x = torch.ones(2, requires_grad=True)
    chain(x, 1000).sum().backward()
    before = resident()
    y = chain(x, DEEP)
    y.sum().backward()
    assert x.grad is not None
    del y
    assert resident() - before < 20e6


@pytest.mark.measures
def test_a_million_nodes_freed_without_running(resident):
    x = torch.ones(2, requires_grad=True)
    before = resident()
    y = chain(x, DEEP)
    del y
    assert resident() - before < 20e6


class Keeps(autograd.Function):
    """Its context refers to its input, the only thing that does."""

    @staticmethod
    def forward(ctx, x):
        ctx.x = x
        ctx.save_for_backward(x)
        return x * 1.0

    @staticmethod
    def backward(ctx, g):
        return g


@pytest.mark.measures
@pytest.mark.parametrize(
    "step",
    [
        lambda x: Keeps.apply(x * 1.0),
        lambda x: x * x,
        lambda x: x.view(1, 2).view(2),
        lambda x: torch.stack((x, x)).sum(0),
    ],
    ids=["context", "saved", "view", "list"],
)
def test_deep_graphs_of_other_kinds_are_freed(step, resident):
    x = torch.zeros(2, requires_grad=True)
    for _ in range(100):
        y = step(x)
    before = resident()
    y = x
    for _ in range(100_000):
        y = step(y)
    del y
    assert resident() - before < 20e6


def test_deep_graphs_held_by_hooks_are_freed():
    y = torch.zeros(2, requires_grad=True)
    for _ in range(100_000):
        z = y * 1.0
        z.register_hook(lambda g, kept=y: None)
        y = z
    del y, z


@pytest.mark.measures
def test_steps_do_not_grow(resident):
    w = torch.ones(8, 8, requires_grad=True)
    x = torch.ones(4, 8)

    def steps(n):
        for _ in range(n):
            (torch.tanh(x.mm(w)) * x).sum().backward()
            w.grad = None

    steps(200)
    before = resident()
    steps(10_000)
    assert resident() - before < 2e6


def test_saved_tensors_go_as_backward_passes_them():
    x = torch.ones(2, requires_grad=True)
    alive = []

    class Witness(autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1.0

        @staticmethod
        def backward(ctx, g):
            alive.append([r() is not None for r in references])
            return g

    references = []
    first = x * 1.0
    between = Witness.apply(first * first)
    last = between * 2.0
    result = last * last
    references = [weakref.ref(first), weakref.ref(last)]
    del first, last, between
    result.sum().backward()
    assert alive == [[True, False]]
    assert [r() is not None for r in references] == [False, False]


def test_cycles_are_collected():
    class Cycle(autograd.Function):
        @staticmethod
        def forward(ctx, x):
            y = x * 2
            ctx.y = y
            return y

        @staticmethod
        def backward(ctx, g):
            return g

    x = torch.ones(2, requires_grad=True)
    y = Cycle.apply(x)
    node = weakref.ref(y.grad_fn)
    del y
    gc.collect()
    assert node() is None
    y = x * 2
    y.register_hook(lambda g, held=[y]: None)  # noqa: B006
    node = weakref.ref(y.grad_fn)
    del y
    gc.collect()
    assert node() is None


def test_no_cycle_through_a_saved_result():
    gc.disable()
    try:
        y = torch.ones(2, requires_grad=True).exp()
        node = weakref.ref(y.grad_fn)
        del y
        assert node() is None
    finally:
        gc.enable()


def test_a_leaf_outlives_its_graph_and_the_graph_its_leaf():
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    accumulate = y.grad_fn.next_functions[0][0]
    assert accumulate is (x * 3).grad_fn.next_functions[0][0]
    del y, accumulate
    (x * 2).sum().backward()
    assert x.grad.tolist() == [2.0, 2.0]
    y = x * 2
    accumulate = y.grad_fn.next_functions[0][0]
    reference = weakref.ref(x)
    del x
    assert reference() is accumulate.variable
    y.sum().backward()
    assert accumulate.variable.grad.tolist() == [4.0, 4.0]


def test_a_leaf_keeps_its_node_for_the_next_graph(leaf):
    x = leaf(1.0, 2.0)
    y = x * 2
    node = y.grad_fn.next_functions[0][0]
    here = weakref.ref(node)
    del y, node
    gc.collect()
    assert here() is None  # nobody sees that it is kept
    (x * 3).sum().backward()
    assert x.grad.tolist() == [3, 3]
    node = (x * 2).grad_fn.next_functions[0][0]
    assert node.variable is x and node.next_functions == ()
    del x
    assert node.variable.tolist() == [1, 2]


def test_a_leaf_whose_data_changed_between_graphs(leaf):
    x = leaf(1.0, 2.0)
    (x * 2).sum().backward()
    x.grad = None
    x.data = torch.ones(3, 2, dtype=torch.float32)
    with pytest.raises(RuntimeError, match="expected.*shape|shape.*3, 2|Mismatch in shape"):
        autograd.backward((x * 2,), (torch.ones(2),))
    y = x * 2
    assert y.grad_fn.next_functions[0][0]._input_metadata[0].shape == (3, 2)
    y.sum().backward()
    assert x.grad.dtype == torch.float32 and x.grad.tolist() == [[2, 2]] * 3
    x.grad = None
    x.data = torch.ones(1, dtype=torch.float64)  # while the graph of y lives
    with pytest.raises(RuntimeError):
        autograd.backward((x * 2,), (torch.ones(3, 2),))
    (x * 2).backward()
    assert x.grad.tolist() == [2]
    deep = torch.ones([1] * 9, requires_grad=True)
    for _ in range(3):
        (deep * 2).sum().backward()
    assert deep.grad.item() == 6


def test_hooks_on_a_leafs_node_go_with_the_graph(leaf):
    x, seen = leaf(1.0), []
    y = x * 2
    y.grad_fn.next_functions[0][0].register_prehook(lambda grads: seen.append(grads[0].item()))
    y.backward()
    assert seen == [2]
    del y
    (x * 5).backward()
    assert seen == [2] and x.grad.item() == 7


@pytest.mark.measures
def test_leaves_that_were_used_are_freed(resident):
    before = resident()
    for _ in range(200_000):
        x = torch.ones(2, requires_grad=True)
        y = x * 2
        del y
    freed = weakref.ref(x)
    del x
    assert freed() is None and resident() - before < 5e6


def test_a_leaf_may_be_used_while_its_node_goes(leaf):
    x, seen = leaf(3.0), []
    y = x * 2
    node = y.grad_fn.next_functions[0][0]
    reference = weakref.ref(node, lambda _: seen.append(x * 5))
    del y, node
    assert reference() is None and seen[0].item() == 15
    (x * 2).backward()
    seen[0].backward()
    assert x.grad.item() == 7
    seen.clear()
    (x * 4).backward()
    assert x.grad.item() == 11
