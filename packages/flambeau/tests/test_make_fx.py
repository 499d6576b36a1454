"""`make_fx`: graphs of what is called below autograd and transforms."""

import copy

import pytest

import flambeau as torch
from flambeau.fx.experimental.proxy_tensor import make_fx

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
