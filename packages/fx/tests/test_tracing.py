"""Programs become graphs. Texts of graphs and code are those of PyTorch 2.13."""

import math

import pytest

import flambeau_fx as fx
import flambeau_tensor as torch
from flambeau_fx import GraphModule
from flambeau_fx.experimental.rewriter import RewritingTracer
from flambeau_fx.proxy import TraceError
from flambeau_nn import Linear, Module, Parameter, ReLU, Sequential
from flambeau_nn import functional as F


class Net(Module):
    def __init__(self):
        super().__init__()
        self.param = Parameter(torch.arange(12.0).reshape(3, 4))
        self.linear = Linear(4, 5)
        self.seq = Sequential(Linear(5, 5), ReLU())

    def forward(self, x, y=2, *, z=None):
        a = self.seq(self.linear(x + self.param).clamp(min=0.0, max=1.0))
        b, c = torch.split(F.relu(a, inplace=False)[:, 0:2], 1, 1)
        d = torch.cat([b, c], dim=1)
        d += 1
        e = 2 - d @ d.t()
        return {"e": e.view(e.size(0), -1), "m": torch.max(e, dim=0)[0]}, [e**2, z], ~(e > 0) & True


CODE = """


def forward(self, x, y = 2, z = None):
    param = self.param
    add = x + param;  x = param = None
    linear = self.linear(add);  add = None
    clamp = linear.clamp(min = 0.0, max = 1.0);  linear = None
    seq_0 = getattr(self.seq, "0")(clamp);  clamp = None
    seq_1 = getattr(self.seq, "1")(seq_0);  seq_0 = None
    relu = torch.nn.functional.relu(seq_1, inplace = False);  seq_1 = None
    getitem = relu[(slice(None, None, None), slice(0, 2, None))];  relu = None
    split = torch.functional.split(getitem, 1, dim = 1);  getitem = None
    getitem_1 = split[0]
    getitem_2 = split[1];  split = None
    cat = torch.cat([getitem_1, getitem_2], dim = 1);  getitem_1 = getitem_2 = None
    add_1 = cat + 1;  cat = None
    t = add_1.t()
    matmul = add_1 @ t;  add_1 = t = None
    sub = 2 - matmul;  matmul = None
    size = sub.size(0)
    view = sub.view(size, -1);  size = None
    max_1 = torch.max(sub, dim = 0)
    getitem_3 = max_1[0];  max_1 = None
    pow_1 = sub ** 2
    gt = sub > 0;  sub = None
    invert = ~gt;  gt = None
    and_ = invert & True;  invert = None
    return ({'e': view, 'm': getitem_3}, [pow_1, z], and_)
    """
GRAPH = """graph():
    %x : [num_users=1] = placeholder[target=x]
    %y : [num_users=0] = placeholder[target=y](default=2)
    %z : [num_users=1] = placeholder[target=z](default=None)
    %param : [num_users=1] = get_attr[target=param]
    %add : [num_users=1] = call_function[target=operator.add](args = (%x, %param), kwargs = {})
    %linear : [num_users=1] = call_module[target=linear](args = (%add,), kwargs = {})
    %clamp : [num_users=1] = call_method[target=clamp](args = (%linear,), kwargs = {min: 0.0, max: 1.0})"""


def same(a, b):
    if isinstance(a, torch.Tensor):
        return torch.equal(a, b)
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    return all(map(same, a, b)) if isinstance(a, list | tuple) else a == b


def test_code_and_graph_are_pytorchs():
    traced = fx.symbolic_trace(Net())
    assert traced.code == CODE
    assert str(traced.graph).startswith(GRAPH)
    assert type(traced).__name__ == "Net" and isinstance(traced, fx.GraphModule)
    assert repr(traced).splitlines()[0] == "Net(" and str(traced).endswith(
        "# To see more debug info, please use `graph_module.print_readable()`"
    )


def test_a_traced_module_computes_the_same_with_the_same_parameters():
    net = Net()
    traced = fx.symbolic_trace(net)
    x = torch.linspace(-1, 1, 12).reshape(3, 4)
    assert same(net(x, z=3), traced(x, z=3))
    assert traced.linear is net.linear and traced.param is net.param
    traced(x)[0]["e"].sum().backward()
    assert net.param.grad is not None


def test_modules_are_as_fast_to_call_after_a_trace_as_before():
    """The functions that stand in while a trace lasts are gone, also where a trace fails."""

    def slots():
        from flambeau_nn.interception import intercepted

        seen = []
        with intercepted(lambda m, args, kwargs, run: seen.append(m) or run(*args, **kwargs), lambda m, n, v: v):
            pass
        Linear(1, 1)(torch.ones(1, 1))
        return seen

    with pytest.raises(TraceError):
        fx.symbolic_trace(lambda x: 1 if x else 2)
    assert slots() == [] and "__getattr__" not in Module.__dict__
    assert isinstance(Linear(1, 1).weight, Parameter)


REFUSED = {
    "decisions": (
        lambda x: x if x.sum() > 0 else -x,
        TraceError,
        "symbolically traced variables cannot be used as inputs to control flow",
    ),
    "loops": (lambda x: [y for y in x], TraceError, "Proxy object cannot be iterated"),
    "len": (lambda x: x.__len__(), RuntimeError, "'len' is not supported in symbolic tracing by default"),
    "range": (lambda x: range(x), TypeError, "'Proxy' object cannot be interpreted as an integer"),
    "keys": (lambda x: x.foo({x: 1}), RuntimeError, "Keys for dictionaries used as an argument"),
    "objects": (lambda x: x.foo(object()), NotImplementedError, "argument of type: <class 'object'>"),
}


@pytest.mark.parametrize(("program", "error", "message"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_traced_says_so(program, error, message):
    with pytest.raises(error, match=message.replace("(", r"\(")):
        fx.symbolic_trace(program)


def test_stars_attributes_and_unpacking():
    def program(*args, **kw):
        a, b = args[0]
        return a.foo.bar(1) + b * kw["scale"]

    assert (
        fx.symbolic_trace(program).code
        == """


def forward(self, *args, **kw):
    _args = args
    _kw = kw
    getitem = _args[0];  _args = None
    getitem_1 = getitem[0]
    getitem_2 = getitem[1];  getitem = None
    getattr_1 = getitem_1.foo;  getitem_1 = None
    bar = getattr_1.bar(1);  getattr_1 = None
    getitem_3 = _kw['scale'];  _kw = None
    mul = getitem_2 * getitem_3;  getitem_2 = getitem_3 = None
    add = bar + mul;  bar = mul = None
    return add
    """
    )


def rows(x, n):
    return x * n if n > 2 else x


fx.wrap("rows")
fx.wrap("len")
fx.wrap("getattr")


def test_wrapped_functions_are_single_steps():
    traced = fx.symbolic_trace(lambda x: rows(x, len(x)) + math.sqrt(x.sum()))
    assert [n.name for n in traced.graph.nodes] == ["x", "len_1", "rows", "sum_1", "sqrt", "add", "output"]
    assert traced(torch.tensor([1.0, 1.0, 7.0])).tolist() == [6.0, 6.0, 24.0]
    assert len([1, 2]) == 2 and rows(2, 1) == 2 and math.sqrt(4) == 2
    with pytest.raises(NotImplementedError, match="top level of a module"):
        fx.wrap("rows")


def test_a_wrapped_getattr_is_a_step_and_is_restored():
    traced = fx.symbolic_trace(lambda x: getattr(x, "mT"))  # noqa: B009
    assert [n.target for n in traced.graph.nodes][1] is getattr
    assert "getattr" not in globals() and traced(torch.ones(2, 3)).shape == (3, 2)


def test_concrete_arguments_decide():
    traced = fx.symbolic_trace(lambda x, flip: -x if flip else x, concrete_args={"flip": True})
    assert traced(torch.tensor([1.0])).tolist() == [-1.0]
    with pytest.raises(RuntimeError, match="names y, which"):
        fx.symbolic_trace(lambda x: x, concrete_args={"y": 1})


def test_tensors_outside_and_buffers_become_attributes():
    outside = torch.tensor([1.0, 2.0])

    class Scaled(Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("scale", torch.tensor(3.0))
            self.plain = [outside]

        def forward(self, x):
            return x * self.scale + outside

    traced = fx.symbolic_trace(Scaled())
    assert [n.target for n in traced.graph.find_nodes(op="get_attr")] == ["scale", "_tensor_constant0"]
    assert traced(torch.tensor([1.0, 1.0])).tolist() == [4.0, 5.0]
    assert list(traced.state_dict()) == ["scale", "_tensor_constant0"]


def test_a_tracer_decides_what_a_leaf_is():
    class Whole(fx.Tracer):
        def is_leaf_module(self, m, qualified_name):
            return isinstance(m, Sequential)

    graph = Whole().trace(Net())
    assert [n.target for n in graph.find_nodes(op="call_module")][-1] == "seq"
    shapes = fx.Tracer(param_shapes_constant=True).trace(Net())
    assert not [n for n in shapes.nodes if n.target == "shape"]


def test_functions_with_tensor_methods_as_targets():
    traced = fx.symbolic_trace(lambda x: torch.Tensor.add(x, 1).shape[0])
    assert [(n.op, n.target if isinstance(n.target, str) else n.target.__name__) for n in traced.graph.nodes] == [
        ("placeholder", "x"),
        ("call_method", "add"),
        ("call_function", "getattr"),
        ("call_function", "getitem"),
        ("output", "output"),
    ]
    assert traced(torch.zeros(4)) == 4


def test_assertions_are_recorded():
    limit = 4

    class Halves(Module):
        def __init__(self):
            super().__init__()
            self.layer = Linear(2, 2)

        def forward(self, x, n=2):
            assert x.shape[0] < limit, "too long"
            assert n == 2
            return self.layer(x)

    module = Halves()
    tracer = RewritingTracer()
    graph = tracer.trace(module)
    program = GraphModule(tracer.root, graph)
    assert [node.target for node in graph.nodes].count(torch._assert) == 2 and tracer.root is module
    assert torch.equal(program(torch.ones(3, 2)), module(torch.ones(3, 2)))
    with pytest.raises(AssertionError, match="too long"):
        program(torch.ones(5, 2))

    def plain(x):
        assert x.sum() > 0
        return x + 1

    program = GraphModule(Module(), RewritingTracer().trace(plain))
    assert program(torch.ones(1)).item() == 2.0
    with pytest.raises(AssertionError):
        program(-torch.ones(1))
    assert len(RewritingTracer().trace(lambda x: x + 1).nodes) == 3  # nothing to rewrite
