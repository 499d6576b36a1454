"""Graphs for backends: what a function calls above autograd, with its parameters as attributes."""

import copy

import pytest

import flambeau_fx as fx
import flambeau_tensor as torch
from flambeau_autograd import Function, no_grad
from flambeau_autograd.func import grad, vmap
from flambeau_fx.capture import capture
from flambeau_fx.proxy import TraceError
from flambeau_nn import BatchNorm1d, Linear, ReLU, Sequential
from flambeau_nn.optim import SGD
from flambeau_tensor.extend import Tracer


def identity(module, inputs):
    assert isinstance(module, fx.GraphModule) and all(isinstance(t, torch.Tensor) for t in inputs)
    module.graph.lint()
    return module.forward


def test_programs_in_and_out_of_containers():
    torch.manual_seed(0)
    net = Sequential(Linear(3, 4), ReLU(), BatchNorm1d(4), Linear(4, 2))
    other = copy.deepcopy(net)

    def program(net):
        def f(x, d, k=2):
            y = 2 - net(x)
            y[0] = 1.0
            y += 1
            with no_grad():
                mean = y.mean()
            return {"loss": (y * d["w"]).sum() * k - mean, "n": y.shape[0], "all": [y]}

        return f

    found = capture(program(net), (torch.randn(5, 3), {"w": torch.ones(2)}))
    other.load_state_dict(net.state_dict())
    assert [node.name for node in found.module.graph.nodes if node.op == "placeholder"] == ["x", "d"]
    assert found.module._param_constant0 is net[0].weight and found.problem is None
    compiled, x, w = found.compiled(identity), torch.randn(5, 3), torch.randn(2)
    for _ in range(2):
        results, wanted = compiled(x, {"w": w}), program(other)(x, {"w": w})
        assert torch.equal(results["loss"], wanted["loss"]) and torch.equal(results["all"][0], wanted["all"][0])
        assert results["n"] == 5 and list(results) == list(wanted)
        results["loss"].backward()
        wanted["loss"].backward()
        for a, b in zip(net.parameters(), other.parameters(), strict=True):
            assert torch.equal(a.grad, b.grad)
        for a, b in zip(net.buffers(), other.buffers(), strict=True):
            assert torch.equal(a, b)  # the means that batch norm keeps


def test_the_code_names_functions_and_operators():
    found = capture(
        lambda x, y: (torch.relu(x) @ y.T - 1, -x, x.sum(dim=0), x > 0), (torch.ones(2, 2), torch.ones(2, 2))
    )
    lines = [line.split(";")[0].strip() for line in found.module.code.strip().splitlines()]
    assert lines == [
        "def forward(self, x, y):",
        "relu = torch.relu(x)",
        "getattr_1 = y.T",
        "matmul = relu @ getattr_1",
        "sub = matmul - 1",
        "neg = -x",
        "sum_1 = x.sum(dim = 0)",
        "gt = x > 0",
        "return (sub, neg, sum_1, gt)",
    ]


def test_backward_inside_and_attributes_that_are_set():
    net = Linear(2, 1)

    def step(x):
        net.weight.grad = None
        loss = net(x).pow(2).sum()
        loss.backward()
        return loss

    compiled = capture(step, (torch.ones(1, 2),)).compiled(identity)
    x = torch.tensor([[1.0, -2.0]])
    compiled(x)
    found, net.weight.grad = net.weight.grad, None
    step(x)
    assert torch.equal(found, net.weight.grad)


class Doubled(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g * 3


W = torch.ones(2, requires_grad=True)


@pytest.mark.parametrize(
    ("function", "why"),
    [
        (lambda x: x if x.sum() > 0 else -x, "decides by elements"),
        (lambda x: x * float(x.sum()), "decides by elements"),
        (lambda x: x * x.argmax().item(), "decides by elements"),
        (lambda x: x * len(x.tolist()), "tolist reads"),
        (lambda x: x + torch.from_numpy(x.numpy()), "numpy reads"),
        (lambda x: vmap(lambda row: row.sin())(x), "transform"),
        (lambda x: grad(lambda x: x.sin().sum())(x), "transform"),
        (lambda x: Doubled.apply(W) + x, "custom"),
        (lambda x: Doubled.apply(W), "custom"),
    ],
)
def test_what_has_no_graph_runs_to_its_end(function, why):
    x = torch.tensor([2.0, 3.0])
    found = capture(function, (x,))
    assert why in found.problem and found.module is None
    assert torch.equal(found.result, function(x))
    with pytest.raises(TraceError, match=why):
        found.compiled(identity)


def test_an_optimizers_step_is_done_once():
    w = torch.ones(2, requires_grad=True)
    optimizer = SGD([w], lr=0.5)

    def step(x):
        optimizer.zero_grad()
        loss = (w * x).sum()
        loss.backward()
        optimizer.step()
        return loss

    found = capture(step, (torch.ones(2),))
    assert "optimizer's step" in found.problem and w.tolist() == [0.5, 0.5]


def test_random_numbers_are_drawn_anew():
    compiled = capture(lambda x: x + torch.rand(2), (torch.zeros(2),)).compiled(identity)
    x = torch.zeros(2)
    assert not torch.equal(compiled(x), compiled(x))


def test_errors():
    with Tracer(), pytest.raises(RuntimeError, match="a Tracer is at work"):
        capture(lambda x: x, (torch.ones(1),))
    with pytest.raises(TypeError, match="returns a function of the graph's inputs, not int"):
        capture(lambda x: x + 1, (torch.ones(1),)).compiled(lambda module, inputs: 3)
    with pytest.raises(ZeroDivisionError):
        capture(lambda x: x + 1 / 0, (torch.ones(1),))
    assert torch.ones(1).add(1).item() == 2.0  # no mode is left behind
