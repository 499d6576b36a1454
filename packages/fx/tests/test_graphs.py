"""Graphs are built, changed, copied, pickled and run."""

import copy
import operator
import pickle
import warnings

import pytest

import flambeau_fx as fx
import flambeau_tensor as torch
from flambeau_fx.immutable_collections import immutable_dict, immutable_list
from flambeau_fx.passes.shape_prop import ShapeProp
from flambeau_nn import Linear, Module, Parameter, ReLU, Sequential


def chain():
    """relu(x + 1), by hand."""
    graph = fx.Graph()
    x = graph.placeholder("x", type_expr=torch.Tensor, default_value=3)
    y = graph.call_function(operator.add, (x, 1))
    z = graph.call_method("relu", (y,))
    graph.output(z)
    return graph, x, y, z


def test_text_in_arguments_stands_without_quotes():
    graph, x, *_ = chain()
    with graph.inserting_after(x):
        graph.call_function(getattr, (x, "shape"), {"of": ["a", {"k": "v"}]})
    assert "target=builtins.getattr](args = (%x, shape), kwargs = {of: [a, {k: v}]})" in str(graph)


def test_graphs_by_hand():
    graph, x, y, z = chain()
    assert (
        str(graph)
        == """graph():
    %x : torch.Tensor [num_users=1] = placeholder[target=x](default=3)
    %add : [num_users=1] = call_function[target=operator.add](args = (%x, 1), kwargs = {})
    %relu : [num_users=1] = call_method[target=relu](args = (%add,), kwargs = {})
    return relu"""
    )
    module = fx.GraphModule({}, graph)
    assert "def forward(self, x : torch.Tensor = 3):\n    add = x + 1;  x = None\n" in module.code
    assert module(torch.tensor([-3.0, 1.0])).tolist() == [0.0, 2.0]
    with graph.inserting_after(y):
        doubled = graph.call_function(torch.mul, (y, 2), {}, torch.Tensor)
    assert y.replace_all_uses_with(doubled, lambda n: n is not doubled) == [z]
    module.recompile()
    assert "mul : torch.Tensor = torch.mul(add, 2);  add = None" in module.code
    assert module(torch.tensor([1.0])).tolist() == [4.0]
    graph.lint()
    assert [n.name for n in reversed(graph.nodes)] == ["output", "relu", "mul", "add", "x"] and len(graph.nodes) == 5


def test_users_follow_arguments():
    graph, x, y, z = chain()
    assert list(x.users) == [y] and y.all_input_nodes == [x]
    y.args = (1, 2)
    assert not x.users and y.args == (1, 2)
    y.update_arg(0, x)
    y.insert_arg(1, z)
    y.update_kwarg("alpha", x)
    assert y.args == (x, z, 2) and list(y.all_input_nodes) == [x, z] and list(z.users) == [graph.output_node(), y]
    y.replace_input_with(x, z)
    assert not x.users and y.kwargs == {"alpha": z}


def test_erasing_and_dead_code():
    graph, x, y, z = chain()
    with pytest.raises(RuntimeError, match="Tried to erase Node add but it still had 1 users in the graph: {relu"):
        graph.erase_node(y)
    with graph.inserting_before(z):
        graph.call_function(torch.neg, (x,))
        graph.call_function(print, ("kept",))
        graph.call_method("add_", (x, 1))
    assert graph.eliminate_dead_code() and not graph.eliminate_dead_code()
    assert [n.name for n in graph.nodes] == ["x", "add", "print_1", "add_", "relu", "output"]


def test_lint_finds_what_cannot_run():
    graph, x, y, z = chain()
    y.prepend(z)
    with pytest.raises(RuntimeError, match="Argument 'add' of Node 'relu' was used before it has been defined!"):
        graph.lint()
    other = fx.Graph()
    other.output(x)
    with pytest.raises(RuntimeError, match="does not belong to this Graph"):
        other.lint()
    module = fx.GraphModule({}, fx.Graph())
    with pytest.warns(UserWarning, match="no underlying reference"):
        module.graph.get_attr("nothing.here")
    with pytest.raises(RuntimeError, match="references nonexistent attribute nothing"):
        module.graph.lint()


def test_arguments_are_immutable():
    graph = fx.Graph()
    x = graph.placeholder("x")
    node = graph.call_function(torch.cat, ([x, x],), {"dim": 0, "more": {"a": x}})
    assert type(node.args[0]) is immutable_list and type(node.kwargs["more"]) is immutable_dict
    for change in (
        lambda: node.args[0].append(x),
        lambda: node.kwargs.update(dim=1),
        lambda: node.args[0].__setitem__(0, x),
    ):
        with pytest.raises(NotImplementedError, match="does not support mutation"):
            change()
    assert pickle.loads(pickle.dumps(immutable_list([1, immutable_dict(a=2)]))) == [1, {"a": 2}]


class Net(Module):
    def __init__(self):
        super().__init__()
        self.inner = Linear(2, 2)
        self.scale = Parameter(torch.tensor(2.0))

    def forward(self, x):
        return torch.sin(self.inner(x)) * self.scale + torch.sin(x)


@pytest.mark.parametrize(
    "copied", [copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m)), copy.copy], ids=["deepcopy", "pickle", "copy"]
)
def test_copies(copied):
    traced = fx.symbolic_trace(Net())
    traced.meta["who"] = "me"
    other = copied(traced)
    x = torch.ones(3, 2)
    assert torch.equal(other(x), traced(x)) and other.code == traced.code and other.meta == {"who": "me"}
    assert other.graph is not traced.graph and other.graph.owning_module is other
    assert type(other).__name__ == "Net" and type(other) is not type(traced)
    for node in other.graph.find_nodes(op="call_function", target=torch.sin):
        node.target = torch.cos
    other.recompile()
    assert not torch.equal(other(x), traced(x))


def test_subclasses_of_graph_modules_stay_what_they_are():
    class Mine(fx.GraphModule):
        def extra(self):
            return 5

    traced = fx.symbolic_trace(Net())
    mine = Mine(traced, copy.deepcopy(traced.graph), "Mine")
    assert (
        copy.deepcopy(mine).extra() == 5
        and isinstance(mine, Mine)
        and torch.equal(mine(torch.ones(1, 2)), traced(torch.ones(1, 2)))
    )


def test_submodules():
    traced = fx.symbolic_trace(Net())
    assert traced.add_submodule("a.b.c", Linear(1, 1)) and traced.get_submodule("a.b.c").in_features == 1
    assert not traced.add_submodule("scale.b", Linear(1, 1))
    traced.delete_all_unused_submodules()
    assert [name for name, _ in traced.named_modules()] == ["", "inner"]
    assert traced.delete_submodule("inner") and not traced.delete_submodule("inner")


def test_interpreters():
    traced = fx.symbolic_trace(Net())
    seen = []

    class Watching(fx.Interpreter):
        def run_node(self, n):
            result = super().run_node(n)
            seen.append((n.name, n in self.env))
            return result

    x = torch.ones(3, 2)
    assert torch.equal(Watching(traced).run(x), traced(x)) and [name for name, _ in seen] == [
        n.name for n in traced.graph.nodes
    ]
    with pytest.raises(RuntimeError, match="Expected positional argument for parameter x"):
        fx.Interpreter(traced).run()
    with pytest.raises(RuntimeError) as info:
        fx.Interpreter(traced).run(torch.ones(3, 5))
    told = "While executing %inner : [num_users=1] = call_module[target=inner](args = (%x,), kwargs = {})"
    assert info.value.__notes__[-1] == told


def test_transformers():
    class Swap(fx.Transformer):
        def call_function(self, target, args, kwargs):
            if target is torch.sin:
                return super().call_function(torch.neg, args, kwargs)
            return super().call_function(target, args, kwargs)

    net = Net()
    x = torch.ones(1, 2)
    assert torch.equal(Swap(fx.symbolic_trace(net)).transform()(x), -net.inner(x) * 2 - x)


def test_replacing_patterns():
    def pattern(a, b):
        return torch.sin(a) * b

    def replacement(a, b):
        return torch.cos(a) + b + 1

    net = Net()
    traced = fx.symbolic_trace(net)
    matches = fx.replace_pattern(traced, pattern, replacement)
    x = torch.ones(1, 2)
    assert [m.anchor.name for m in matches] == ["mul"]
    assert torch.equal(traced(x), torch.cos(net.inner(x)) + net.scale + 1 + torch.sin(x))
    traced.graph.lint()
    used_twice = fx.symbolic_trace(lambda a, b: (torch.sin(a) * b) + torch.sin(a))
    shared = used_twice.graph.find_nodes(op="call_function", target=torch.sin)
    shared[1].replace_all_uses_with(shared[0])
    assert fx.replace_pattern(used_twice, pattern, replacement) == []


def test_shapes():
    traced = fx.symbolic_trace(Net())
    ShapeProp(traced).propagate(torch.ones(3, 2))
    meta = {n.name: n.meta["tensor_meta"] for n in traced.graph.nodes}
    assert tuple(meta["inner"].shape) == (3, 2) and meta["scale"].dtype == torch.float32
    assert meta["output"].requires_grad and meta["sin_1"].stride == (2, 1)


def test_roots_as_dicts():
    graph = fx.Graph()
    graph.output(graph.call_module("a.lin", (graph.get_attr("a.w"),)))
    with pytest.raises(RuntimeError, match="a.lin was referenced|a.w was referenced"):
        fx.GraphModule({"a.w": torch.ones(2)}, graph)
    module = fx.GraphModule({"a.w": torch.ones(2), "a.lin": Linear(2, 1)}, graph)
    assert module().shape == (1,) and list(module.state_dict()) == ["a.w", "a.lin.weight", "a.lin.bias"]


def test_values_in_code():
    graph = fx.Graph()
    x = graph.placeholder("x")
    options = {"dtype": torch.float64, "device": torch.device("cpu")}
    zeros = graph.call_function(torch.zeros, (torch.Size([2]),), options)
    graph.call_function(operator.iadd, (x, zeros))
    graph.output((float("inf"), slice(1, None), zeros, int))
    module = fx.GraphModule({}, graph)
    assert "zeros = torch.zeros((2,), dtype = torch.float64, device = device(type='cpu'))" in module.code
    assert "x += zeros;  iadd = x" in module.code
    x = torch.ones(2, dtype=torch.float64)
    out = module(x)
    assert out[0] == float("inf") and out[1] == slice(1, None) and out[2].dtype == torch.float64 and out[3] is int


def test_places_of_insertion():
    graph, x, y, z = chain()
    with graph.inserting_after(x):
        graph.call_function(torch.sin, (x,))
        graph.call_function(torch.cos, (x,))  # right after x, too
    with graph.inserting_before(y):
        graph.call_function(torch.exp, (x,))
        graph.call_function(torch.abs, (x,))
    assert [n.name for n in graph.nodes] == ["x", "cos", "sin", "exp", "abs_1", "add", "relu", "output"]
    graph.inserting_after(x)  # from now on
    tan = graph.call_function(torch.tan, (x,))
    assert x.next is tan
    with graph.inserting_after(tan):
        graph.erase_node(tan)
        neg = graph.call_function(torch.neg, (x,))
    assert x.next is neg
    with graph.inserting_before():
        graph.placeholder("first")
    assert next(iter(graph.nodes)).name == "first"
    graph.lint()


def test_nodes_without_what_they_refer_to():
    traced = fx.symbolic_trace(Sequential(Linear(2, 2)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        traced.graph.get_attr("0.weight")
        traced.graph.call_module("0", (1,))
        fx.Graph().get_attr("anything")
    for add in (lambda: traced.graph.get_attr("0.gain"), lambda: traced.graph.call_module("1.linear", (1,))):
        with pytest.warns(
            UserWarning, match="Attempted to insert a .* Node with no underlying reference in the owning"
        ):
            add()


def test_a_replica_for_data_parallel_runs():
    traced = fx.symbolic_trace(Sequential(ReLU()))
    replica = traced._replicate_for_data_parallel()
    assert replica(torch.tensor([-1.0, 2.0])).tolist() == [0.0, 2.0] and replica._is_replica
