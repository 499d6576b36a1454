"""Programs cut into pieces, put in order, fused, and passes one after the other; behaviour of PyTorch 2.13."""

import operator

import pytest

import flambeau_tensor as torch
from flambeau_fx import GraphModule, symbolic_trace
from flambeau_fx.experimental.optimization import fuse, remove_dropout
from flambeau_fx.passes.dialect.common.cse_pass import CSEPass, get_CSE_banned_ops
from flambeau_fx.passes.graph_drawer import _label
from flambeau_fx.passes.infra.pass_base import PassBase, PassResult
from flambeau_fx.passes.infra.pass_manager import (
    PassManager,
    pass_result_wrapper,
    this_before_that_pass_constraint,
)
from flambeau_fx.passes.shape_prop import ShapeProp
from flambeau_fx.passes.split_module import split_module
from flambeau_fx.passes.tools_common import get_node_target, is_node_output_tensor, legalize_graph
from flambeau_fx.passes.utils.matcher_utils import SubgraphMatcher
from flambeau_fx.subgraph_rewriter import replace_pattern_with_filters
from flambeau_nn import BatchNorm2d, Conv2d, Dropout, Linear, Module, Parameter, ReLU, Sequential


class Block(Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.bn1 = Conv2d(4, 4, 3, padding=1, bias=False), BatchNorm2d(4)
        self.conv2, self.bn2 = Conv2d(4, 4, 3, padding=1), BatchNorm2d(4)
        self.relu = ReLU(inplace=True)
        self.scale = Parameter(torch.full((1,), 2.0))

    def forward(self, x):
        before = x
        x = self.relu(self.bn1(self.conv1(x)))
        x = self.bn2(self.conv2(x))
        x = x + before * self.scale
        return self.relu(x)


def net():
    torch.manual_seed(0)
    made = Sequential(Conv2d(3, 4, 3), BatchNorm2d(4), ReLU(), Block(), Block())
    for module in made.modules():
        if isinstance(module, BatchNorm2d):
            module.running_mean.normal_()
            module.running_var.uniform_(0.5, 2)
    return made.eval()


X = torch.linspace(-1, 1, 3 * 6 * 6).reshape(1, 3, 6, 6)


@pytest.mark.parametrize("pieces", [1, 2, 4])
def test_pieces_compute_what_the_whole_does(pieces):
    model = net()
    traced = symbolic_trace(model)
    calls = [n for n in traced.graph.nodes if n.op not in ("placeholder", "get_attr", "output")]
    number = {node: i * pieces // len(calls) for i, node in enumerate(calls)}
    names = {}
    split = split_module(traced, model, number.__getitem__, names)
    assert [name for name, m in split.named_children() if isinstance(m, GraphModule)] == [
        f"submod_{i}" for i in range(pieces)
    ]
    assert torch.equal(split(X), model(X))
    assert names["submod_0.0"] == "0" and split.submod_0.get_submodule("0") is model[0]
    (split(X).sum()).backward()
    assert model[3].scale.grad is not None
    split.graph.lint()


def test_what_goes_from_piece_to_piece():
    def program(x, y):
        a = x + y
        b = a * 2
        return b - y, a

    traced = symbolic_trace(program)
    split = split_module(traced, traced, lambda node: {"add": "in", "mul": "in", "sub": "out"}[node.name])
    targets = [(n.op, n.target) for n in split.graph.nodes]
    assert targets == [
        ("placeholder", "x"),
        ("placeholder", "y"),
        ("call_module", "submod_in"),
        ("call_function", operator.getitem),
        ("call_function", operator.getitem),
        ("call_module", "submod_out"),
        ("output", "output"),
    ]
    one, two = torch.tensor([1.0]), torch.tensor([3.0])
    assert [t.item() for t in split(one, two)] == [5.0, 4.0]
    assert [n.name for n in split.submod_out.graph.find_nodes(op="placeholder")] == ["mul", "y"]
    named = split_module(traced, traced, lambda node: 0, partition_affix="gpu", tuple_return=True)
    assert [name for name, _ in named.named_children()] == ["submod_gpu_0"]


def test_pieces_that_need_each_other_are_refused():
    traced = symbolic_trace(lambda x: ((x + 1) * 2) - 3)
    with pytest.raises(RuntimeError, match="cycle exists between partitions!"):
        split_module(traced, traced, lambda node: int(node.name == "mul"))


def test_batch_norms_become_part_of_convolutions():
    model = net()
    fused = fuse(model)
    assert torch.allclose(fused(X), model(X), atol=1e-5)
    assert not any(isinstance(m, BatchNorm2d) for m in fused.modules())
    assert any(isinstance(m, BatchNorm2d) for m in model.modules())

    class Shared(Module):
        def __init__(self):
            super().__init__()
            self.conv, self.bn = Conv2d(3, 3, 1), BatchNorm2d(3)

        def forward(self, x):
            y = self.conv(x)
            return self.bn(y) + y

    shared = Shared().eval()
    kept = fuse(shared)
    assert any(isinstance(m, BatchNorm2d) for m in kept.modules()) and torch.equal(kept(X), shared(X))


def test_dropout_goes():
    model = Sequential(Linear(2, 2), Dropout(), Linear(2, 1), Dropout())
    without = remove_dropout(model)
    assert [m for m in without.modules() if isinstance(m, Dropout)] == []
    assert torch.equal(without(torch.ones(1, 2)), model.eval()(torch.ones(1, 2)))


def test_nodes_come_into_order():
    traced = symbolic_trace(lambda x: (x + 1) * 2)
    x, add, _, _ = traced.graph.nodes
    add.append(x)
    with pytest.raises(RuntimeError):
        traced.graph.lint()
    legalize_graph(traced).graph.lint()
    assert traced(torch.ones(1)).item() == 4


def test_what_nodes_call():
    model = Sequential(ReLU())
    traced = symbolic_trace(lambda x: torch.sin(x).relu())
    sin, relu = list(traced.graph.nodes)[1:3]
    assert (get_node_target({}, sin), get_node_target({}, relu)) == ("torch.sin", "relu")
    called = symbolic_trace(model).graph.find_nodes(op="call_module", target="0")[0]
    assert get_node_target(dict(model.named_modules()), called).endswith(".ReLU")
    ShapeProp(traced).propagate(torch.ones(2, 3))
    assert is_node_output_tensor(sin)
    with pytest.raises(AssertionError, match="Expect op types"):
        get_node_target({}, next(iter(traced.graph.nodes)))
    assert _label(sin, {}) == '"{name=%sin\\nop_code=call_function\\ntarget=torch.sin\\ntorch.float32[2, 3]}"'


class Renamed(PassBase):
    def __init__(self, old, new):
        self.old, self.new = old, new

    def call(self, graph_module):
        found = graph_module.graph.find_nodes(op="call_function", target=self.old)
        for node in found:
            node.target = self.new
        graph_module.recompile()
        return PassResult(graph_module, bool(found))


def test_passes_run_until_nothing_changes():
    first, second = Renamed(torch.sin, torch.cos), Renamed(torch.tan, torch.sin)
    traced = symbolic_trace(lambda x: torch.tan(x))
    seen = []
    manager = PassManager([first, second], steps=5)
    manager.add_checks(lambda gm: seen.append(gm.code))
    result = manager(traced)
    assert result.modified and "torch.cos" in result.graph_module.code and len(seen) == 1
    assert not PassManager([first])(traced).modified
    assert PassManager([pass_result_wrapper(lambda gm: None)])(traced).modified


def test_passes_in_the_wrong_order():
    first, second = Renamed(torch.sin, torch.cos), Renamed(torch.tan, torch.sin)
    manager = PassManager([first, second])
    manager.add_constraint(this_before_that_pass_constraint(second, first))
    with pytest.raises(RuntimeError, match="pass schedule constraint violated"):
        manager(symbolic_trace(lambda x: x))
    with pytest.raises(TypeError, match="should be type PassResult"):
        PassManager([lambda gm: gm])(symbolic_trace(lambda x: x))


def test_patterns_are_replaced_where_filters_say_so():
    traced = symbolic_trace(lambda x, y: torch.relu(x) + 1 + (torch.relu(y) + 1))

    def pattern(x):
        return torch.relu(x) + 1

    found = replace_pattern_with_filters(
        traced,
        pattern,
        lambda x: torch.neg(x),
        match_filters=[lambda match, graph, wanted: match.placeholder_nodes[0].name == "y"],
    )
    assert [node.target for node in found[0].replacements] == [torch.neg] and len(found) == 1
    assert traced(torch.tensor([-2.0]), torch.tensor([3.0])).item() == 1 - 3

    def chosen(match, graph, wanted):
        return symbolic_trace(lambda x: torch.abs(x)).graph

    assert len(replace_pattern_with_filters(traced, pattern, replacement_callback=chosen)) == 1
    assert traced(torch.tensor([-2.0]), torch.tensor([3.0])).item() == 2 - 3
    with pytest.raises(ValueError, match="the pattern has 1 arguments and the replacement 2"):
        replace_pattern_with_filters(traced, lambda x: torch.abs(x), lambda x, y: x)


def kinds(program):
    return [node.name for node in program.graph.nodes if node.op.startswith("call")]


def test_equal_calls_are_computed_once():
    def program(x):
        a, b = torch.cos(x), torch.cos(x)
        return a.sum(dim=1) + b.sum(dim=1) + torch.add(a, 1) + torch.add(b, 1.0) + torch.add(a, True)

    traced = symbolic_trace(program)
    result = CSEPass()(traced)
    assert result.modified and len(kinds(traced)) == 11 and len(kinds(result.graph_module)) == 9
    x = torch.tensor([[0.5, 1.0], [2.0, 3.0]])
    assert torch.equal(result.graph_module(x), program(x))
    again = CSEPass()(result.graph_module)
    assert not again.modified
    assert not CSEPass(banned_ops=[torch.cos, "sum"])(symbolic_trace(lambda x: torch.cos(x) * torch.cos(x))).modified


@pytest.mark.parametrize(
    "program",
    [
        lambda x: torch.rand_like(x) - torch.rand_like(x),
        lambda x: torch.cos(x) + torch.relu_(x) + torch.cos(x),
        lambda x: torch.zeros_like(x).add_(x) + torch.zeros_like(x),
        lambda x: torch.cos(x).view(4).add_(1).sum() + torch.cos(x).sum(),
    ],
)
def test_calls_that_differ_in_what_they_see_stay(program):
    result = CSEPass(get_CSE_banned_ops())(symbolic_trace(program))
    x = torch.tensor([[0.5, -1.0], [2.0, -3.0]])
    torch.manual_seed(0)
    expected = program(x.clone())
    torch.manual_seed(0)
    assert torch.equal(result.graph_module(x.clone()), expected)


def test_matches_of_patterns():
    graph = symbolic_trace(lambda x, y: torch.sin(torch.add(x, 1)) + torch.sin(torch.add(y, 2))).graph
    pattern = symbolic_trace(lambda x: torch.sin(torch.add(x, 1))).graph
    (match,) = SubgraphMatcher(pattern).match(graph)
    assert [n.name for n in match.returning_nodes] == ["sin"] and [n.name for n in match.placeholder_nodes] == ["x"]
    assert match.name_node_map["add"].name == "add" and set(match.nodes_map) == set(pattern.nodes) - {
        pattern.output_node()
    }
    loose = SubgraphMatcher(pattern, ignore_literals=True)
    assert [m.anchors[0].name for m in loose.match(graph)] == ["sin", "sin_1"]
    assert [m.anchors[0].name for m in loose.match(graph, node_name_match="_1")] == ["sin_1"]
    assert SubgraphMatcher(pattern, match_output=True).match(graph) == []
    inner = symbolic_trace(lambda x: torch.sin(x)).graph
    assert len(SubgraphMatcher(inner).match(graph)) == 2
    assert SubgraphMatcher(inner, match_placeholder=True).match(graph) == []


def test_attributes_match_by_their_type():
    class Scaled(Module):
        def __init__(self, name):
            super().__init__()
            self.name = name
            setattr(self, name, Parameter(torch.ones(3)))

        def forward(self, x):
            return x * getattr(self, self.name)

    program, pattern = symbolic_trace(Scaled("scale")), symbolic_trace(Scaled("other"))
    assert len(SubgraphMatcher(pattern.graph).match(program.graph)) == 1


def test_literals_that_filters_ignore():
    traced = symbolic_trace(lambda x: torch.add(x, 5))
    found = replace_pattern_with_filters(
        traced, lambda x: torch.add(x, 1), lambda x: torch.mul(x, 2), ignore_literals=True
    )
    assert len(found) == 1 and traced(torch.ones(2)).tolist() == [2.0, 2.0]
