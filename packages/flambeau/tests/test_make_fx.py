"""`make_fx`: graphs of what is called below autograd and transforms."""

import copy

import pytest

import flambeau as torch
from flambeau.fx.experimental.proxy_tensor import make_fx
from samples import families, flat, table
from samples.derivatives import _moving, _put, _real, has_derivative

aten = torch.ops.aten


def code(module):
    return [line.split(";")[0].strip() for line in module.code.strip().splitlines()]


def targets(module):
    return [node.target for node in module.graph.nodes if node.op == "call_function"]


def test_what_a_function_calls():
    traced = make_fx(lambda x, y: ((x.sin() + y * 2).sum(), torch.ones(2)))(torch.randn(3), torch.randn(3))
    assert code(traced) == [
        "def forward(self, x_1, y_1):",
        "sin = torch.ops.aten.sin.default(x_1)",
        "mul = torch.ops.aten.mul.Tensor(y_1, 2)",
        "add = torch.ops.aten.add.Tensor(sin, mul)",
        "sum_1 = torch.ops.aten.sum.default(add)",
        "ones = torch.ops.aten.ones.default([2], device = device(type='cpu'), pin_memory = False)",
        "return (sum_1, ones)",
    ]
    x, y = torch.randn(3), torch.randn(3)
    assert torch.equal(traced(x, y)[0], (x.sin() + y * 2).sum())
    assert torch.equal(copy.deepcopy(traced)(x, y)[0], traced(x, y)[0])


def test_batched():
    traced = make_fx(torch.func.vmap(lambda x: x.sin() * x.sum()))(torch.randn(3, 2))
    x = torch.randn(3, 2)
    assert torch.allclose(traced(x), x.sin() * x.sum(1, keepdim=True))


def test_backward():
    def slope(x):
        y = x.detach().requires_grad_()
        return torch.autograd.grad((y * y).sum(), y)

    traced = make_fx(slope)(torch.randn(3))
    assert [str(t) for t in targets(traced)][:5] == [
        "aten.detach.default",
        "aten.mul.Tensor",
        "aten.sum.default",
        "aten.ones_like.default",
        "aten.expand.default",
    ]
    x = torch.randn(3)
    assert torch.equal(traced(x)[0], 2 * x)
    curved = make_fx(torch.func.grad(lambda a: (a.exp() ** 2).sum()))(torch.randn(3))
    assert torch.allclose(curved(x), 2 * (2 * x).exp())
    net = torch.nn.Linear(3, 2)
    trained = make_fx(lambda p, x: torch.func.grad(lambda p: torch.func.functional_call(net, p, x).sum())(p))(
        dict(net.named_parameters()), torch.ones(4, 3)
    )
    weights = {"weight": torch.zeros(2, 3), "bias": torch.zeros(2)}
    assert trained(weights, x.expand(4, 3))["weight"].allclose((4 * x).expand(2, 3))


def test_writes_constants_and_containers():
    held = torch.randn(3)

    def function(inputs):
        x = inputs["x"] + held
        x.mul_(inputs["factors"][0])
        a, b = x.split([1, 2])
        return {"a": a, "b": b}

    traced = make_fx(function)({"x": torch.randn(3), "factors": [torch.ones(1)]})
    x, two = torch.randn(3), torch.full((1,), 2.0)
    found = traced({"x": x.clone(), "factors": [two]})
    assert torch.equal(traced._tensor_constant0, held)
    assert torch.equal(torch.cat([found["a"], found["b"]]), (x + held) * 2)


def test_unused_steps_and_decompositions():
    def function(x):
        x.exp()
        return torch.addmm(x, x, x)

    x = torch.randn(2, 2)
    assert targets(make_fx(function)(x)) == [aten.addmm.default]
    table = {aten.addmm.default: lambda bias, a, b: a @ b + bias}
    assert targets(make_fx(function, table)(x)) == [aten.mm.default, aten.add.Tensor]


def test_shapes_only():
    traced = make_fx(lambda x, n: (x @ x.T) * n, tracing_mode="fake")(torch.randn(2, 3), 2)
    (product,) = traced.graph.find_nodes(op="call_function", target=aten.mm.default)
    assert product.meta["val"].is_meta and product.meta["tensor_meta"].shape == (2, 2)
    x = torch.randn(2, 3)
    assert torch.equal(traced(x, 2), (x @ x.T) * 2)


def test_what_cannot_be_traced():
    def function(x):
        return x if x.sum() > 0 else -x

    with pytest.raises(RuntimeError, match="trying to get value out of a tracing tensor with aten._local_scalar_dense"):
        make_fx(function)(torch.ones(2))
    with pytest.raises(NotImplementedError, match="there are no symbolic shapes"):
        make_fx(function, tracing_mode="symbolic")
    torch.zeros(1)  # no mode is left behind
    assert not torch.utils._python_dispatch.is_in_torch_dispatch_mode()


CURVED = [
    lambda x: x.sin() * x.sum(),
    lambda x: (x.exp() @ x) * x[:2].cumsum(0),
    lambda x: torch.stack([x.prod(), (x[0] * x[1]).tanh()]),
]


@pytest.mark.parametrize("f", CURVED)
@pytest.mark.parametrize("derivative", ["jacrev", "jacfwd", "hessian"])
def test_derivatives_by_transforms(f, derivative):
    taken = getattr(torch.func, derivative)(f)
    traced = make_fx(taken)(torch.randn(3))
    for _ in range(2):
        x = torch.randn(3)
        torch.testing.assert_close(traced(x), taken(x))


def test_writes_stay_where_nobody_uses_their_value():
    def fill(x, y):
        y = y.clone()
        y[0] = x[0]
        y.add_(1)
        torch.mul(x, 2, out=y[1:2])
        return y

    x, y = torch.tensor([3.0]), torch.tensor([5.0, 7.0])
    assert make_fx(fill)(torch.ones(1), torch.ones(2))(x, y).tolist() == [4.0, 6.0]

    def update(x, y, memory):
        y.add_(x)
        memory["last"].copy_(y)
        return x * 2

    traced = make_fx(update)(torch.ones(1), torch.ones(1), {"last": torch.ones(1)})
    y, last = torch.tensor([1.0]), torch.zeros(1)
    assert traced(x, y, {"last": last}).item() == 6.0
    assert (y.item(), last.item()) == (4.0, 4.0)
    count = torch.zeros(1)
    traced = make_fx(lambda x: (count.add_(1), x + count)[1])(torch.ones(1))
    assert [traced(x).item() for _ in range(2)] == [5.0, 6.0]


def test_random_draws_stay_so_that_the_following_ones_are_the_same():
    def function(x):
        torch.rand(2)
        torch.nn.functional.dropout(x, 0.5)
        return x + torch.randn(3)

    traced = make_fx(function)(torch.ones(3))
    torch.manual_seed(3)
    wanted = function(torch.ones(3))
    torch.manual_seed(3)
    assert torch.equal(traced(torch.ones(3)), wanted)


STEPS = {
    "SGD": [{}, {"momentum": 0.9, "weight_decay": 0.1}, {"momentum": 0.8, "dampening": 0.3, "weight_decay": 0.1},
            {"momentum": 0.8, "nesterov": True, "maximize": True}],
    "Adam": [{}, {"amsgrad": True, "weight_decay": 0.1}, {"lr": torch.tensor(0.02)}],
    "AdamW": [{"maximize": True}],
    "NAdam": [{"momentum_decay": 0.1}],
    "RAdam": [{"betas": (0.5, 0.9)}],
    "Adamax": [{"weight_decay": 0.1}],
    "Adagrad": [{"lr_decay": 0.1, "initial_accumulator_value": 0.5}],
    "Adadelta": [{}],
    "RMSprop": [{"centered": True, "momentum": 0.5}],
    "Rprop": [{}],
    "ASGD": [{"t0": 2, "weight_decay": 0.1}],
}  # fmt: skip


@pytest.mark.parametrize("before", [0, 2])
@pytest.mark.parametrize(("name", "options"), [(name, o) for name, several in STEPS.items() for o in several])
def test_graphs_of_training_steps_train(name, options, before):
    """The graph of one step is run for others, and they are those of the optimizer."""
    torch.manual_seed(4)
    net = torch.nn.Sequential(torch.nn.Linear(3, 4, bias=False), torch.nn.Tanh(), torch.nn.Linear(4, 2, bias=False))
    data = torch.randn(before + 6, 5, 3)

    def training(net):
        optimizer = getattr(torch.optim, name)(net.parameters(), **{"lr": 0.05, **copy.deepcopy(options)})

        def step(x):
            optimizer.zero_grad()
            loss = (net(x) - x[:, :2].sin()).pow(2).mean()
            loss.backward()
            optimizer.step()
            return loss.detach()

        return step

    other = copy.deepcopy(net)
    eager, traced = training(net), training(other)
    wanted = [eager(x) for x in data]
    found = [traced(x) for x in data[:before]]
    graph = make_fx(traced)(data[before])
    with torch.no_grad():
        found += [graph(x) for x in data[before + 1 :]]
    torch.testing.assert_close(found[before:], wanted[before + 1 :])
    torch.testing.assert_close(list(other.parameters()), list(net.parameters()))
    assert torch.equal(graph._param_constant0, other[0].weight)


@pytest.mark.parametrize("set_to_none", [True, False])
def test_graphs_add_to_the_gradients_that_are_there(set_to_none):
    w = torch.nn.Parameter(torch.tensor([1.0, 2.0]))
    w.grad = torch.tensor([10.0, 20.0])

    def function(x):
        (w * x).sum().backward()

    graph = make_fx(function)(torch.ones(2))
    assert w.grad.tolist() == [11.0, 21.0]
    graph(torch.tensor([2.0, 3.0]))
    assert w.grad.tolist() == [13.0, 24.0]
    optimizer = torch.optim.SGD([w], lr=0.5)

    def step(x):
        optimizer.zero_grad(set_to_none=set_to_none)
        function(x)
        optimizer.step()

    graph = make_fx(step)(torch.ones(2))
    assert w.tolist() == [0.5, 1.5]
    with torch.no_grad():
        graph(torch.tensor([2.0, 3.0]))
    assert w.tolist() == [-0.5, 0.0]


def test_other_modes_hear_of_optimizer_steps():
    heard = []

    class Listening(torch.utils._python_dispatch.TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            heard.append(str(func))
            return func(*args, **(kwargs or {}))

    w = torch.nn.Parameter(torch.ones(2))
    w.grad = torch.tensor([1.0, 2.0])
    with Listening():
        torch.optim.SGD([w], lr=0.25).step()
    assert heard == ["aten.mul.Tensor", "aten.sub_.Tensor"]
    assert w.tolist() == [0.75, 0.5]


NOT_IN_GRAPHS = {
    *("apply_", "map_", "map2_"),  # Python functions that are given numbers
    "unique_consecutive",  # sizes that depend on elements
}
FAMILIES = [f"{package}.{family}" for package in ("tensor", "nn") for family in families(package)]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("family", FAMILIES)
def test_graphs_of_every_operator(family):
    """Graphs of sample calls and of their gradients give what the call gives for other elements, or are refused."""
    for name, sample in table(family).items():
        if NOT_IN_GRAPHS & set(name.partition(",")[0].split(".")) or not sample.drawn:
            continue
        stacked = sample.draw()
        check_graph(name, sample, *([t[i].clone() for t in stacked] for i in (0, 1)))
        if has_derivative(sample) and not sample.cut:
            where = _moving(sample)

            def back(*given, sample=sample, where=where):
                results, pull = torch.func.vjp(
                    lambda *moved: _real(sample, *_put(list(given), where, moved)), *[given[i] for i in where]
                )
                return pull(tuple(torch.ones_like(t) for t in results))

            check_graph(f"{name}, backward", back, *([t[i].clone() for t in stacked] for i in (0, 1)))


def check_graph(name, function, traced, given):
    def clones(tensors):
        return [t.clone() for t in tensors]

    try:
        function(*clones(given))
        graph = make_fx(function)(*clones(traced))
    except Exception:  # what has no graph says so
        return
    results = []
    for run in (graph, function):
        torch.manual_seed(1)
        results.append(flat(run(*clones(given))))
    for found, wanted in zip(*results, strict=True):
        torch.testing.assert_close(found, wanted, equal_nan=True, msg=lambda text: f"{name}: {text}")  # noqa: B023


def test_data_of_the_function_stays_as_it_was():
    def f(x):
        y = torch.tensor([3.0, 4.0])
        y.add_(1)
        return x + y

    graph = make_fx(f)(torch.zeros(2))
    assert "torch.ops.aten.lift_fresh_copy.default" in graph.code
    for _ in range(2):
        assert graph(torch.zeros(2)).tolist() == [4.0, 5.0]
    assert graph._tensor_constant0.tolist() == [3.0, 4.0]
    assert torch.ops.aten.lift_fresh_copy(torch.ones(2)).tolist() == [1.0, 1.0]
