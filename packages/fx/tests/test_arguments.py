"""Arguments that are values while a program is traced, containers with PH, and what nodes say of modules."""

import pickle

import pytest

import flambeau_fx as fx
import flambeau_tensor as torch
from flambeau_autograd.treespec import tree_flatten
from flambeau_fx import _pytree
from flambeau_fx.graph_module import reduce_graph_module
from flambeau_fx.immutable_collections import immutable_dict, immutable_list
from flambeau_nn import Linear, Module, Parameter, ReLU, Sequential

ONE, TWO = torch.ones(1), torch.full((1,), 2.0)


class Switched(Module):
    def forward(self, x, flag, scale=None):
        y = x + 1 if flag else x - 1
        return y if scale is None else y * scale


def test_other_values_than_the_traced_ones_are_refused():
    traced = fx.symbolic_trace(Switched(), concrete_args={"flag": True, "scale": None})
    assert traced(ONE, True).tolist() == traced(ONE, flag=True, scale=None).tolist() == traced(ONE).tolist() == [2.0]
    with pytest.raises(AssertionError, match="flag has been specialized to have value True but got another value"):
        traced(ONE, False)
    with pytest.raises(AssertionError, match="scale has been specialized to have value None"):
        traced(ONE, True, 3)
    assert not traced.graph.eliminate_dead_code()
    with pytest.warns(UserWarning, match="does not check"):
        fx.symbolic_trace(lambda x, o: x if o else -x, concrete_args={"o": object()})


def test_placeholders_in_containers():
    def program(d, y, *, k=2):
        return {"sum": d["a"] + d["b"][0] * d["b"][1] + y, "all": [y, d["a"] * k]}

    traced = fx.symbolic_trace(program, concrete_args={"d": {"a": fx.PH, "b": [fx.PH, 3]}, "k": 2})
    assert [node.name for node in traced.graph.nodes if node.op == "placeholder"] == ["d_1", "d_2", "d_3", "y", "k"]
    given = {"a": ONE, "b": [TWO, 3]}
    for module in (traced, pickle.loads(pickle.dumps(traced)), fx.GraphModule(traced, traced.graph)):
        found = module(given, ONE * 5, 2)
        assert found["sum"].tolist() == [12.0] and [t.item() for t in found["all"]] == [5.0, 2.0]
        with pytest.raises(AssertionError, match="d has been specialized to have value 3"):
            module({"a": ONE, "b": [TWO, 4]}, ONE, 2)
    interpreted = fx.Interpreter(traced).run(given, ONE * 5, 2)
    assert interpreted["sum"].tolist() == [12.0]
    assert isinstance(fx.PH, object) and repr(fx.PH) == "PH"


def test_structures_of_arguments():
    _, spec = tree_flatten({"a": 1, "b": [2, (3,)]})
    assert _pytree.tree_flatten_spec({"b": [6, (7,)], "a": 5, "c": 8}, spec) == [5, 6, 7]
    with pytest.raises(RuntimeError, match="Cannot flatten pytree"):
        _pytree.tree_flatten_spec({"b": [6, (7,)], "a": 5, "c": 8}, spec, exact_structural_match=True)
    leaves, spec = tree_flatten(immutable_dict({"a": 1, "b": immutable_list([2, 3])}))
    rebuilt = spec.unflatten([4, 5, 6])
    assert leaves == [1, 2, 3] and rebuilt == {"a": 4, "b": [5, 6]}
    assert type(rebuilt) is immutable_dict and type(rebuilt["b"]) is immutable_list
    with pytest.raises(RuntimeError, match="does not have a flatten_fn_spec"):
        _pytree.tree_flatten_spec(rebuilt, spec)


@pytest.mark.parametrize(
    "program",
    [
        lambda x: (-2) ** x,
        lambda x: (-2.5) ** x,
        lambda x: -2 - x,
        lambda x: x**-2,
        lambda x: x - -2,
        lambda x: (-1j) ** x,
        lambda x: (-x) ** 2,
    ],
)
def test_negative_operands(program):
    x = torch.tensor([2.0, 3.0])
    assert torch.equal(fx.symbolic_trace(program)(x), program(x))


def test_defaults_of_getattr():
    def program(x):
        return getattr(x, "scale", 3) * getattr(x, "other")  # noqa: B009

    class Plain:
        other = 5

    class Scaled(Plain):
        scale = 7

    traced = fx.symbolic_trace(program)
    assert traced(Plain()) == 15 and traced(Scaled()) == 35


def test_nodes_say_in_which_modules_they_were_made():
    class Inner(Module):
        def forward(self, x):
            return x.relu() + 1

    class Outer(Module):
        def __init__(self):
            super().__init__()
            self.inner = Inner()
            self.layers = Sequential(Linear(2, 2), ReLU())

        def forward(self, x):
            return self.inner(self.layers(self.inner(x))) * self.layers[0].weight

    graph = fx.symbolic_trace(Outer()).graph
    stacks = {node.name: list(node.meta.get("nn_module_stack", {}).items()) for node in graph.nodes}
    assert stacks["x"] == stacks["mul"] == stacks["layers_0_weight"] == []
    assert stacks["relu"] == stacks["add"] == [("inner", ("inner", Inner))]
    assert stacks["relu_1"] == [("inner@1", ("inner", Inner))]
    assert stacks["layers_0"] == [("layers", ("layers", Sequential)), ("layers.0", ("layers.0", Linear))]


def test_patterns_of_several_results():
    def pattern(x):
        a = x.relu()
        return a, a.neg()

    def replacement(x):
        return x.clamp(min=0), x.exp()

    def program(x):
        a = x.relu()
        b = a + 1
        return a.neg() * b, a

    traced = fx.symbolic_trace(program)
    (match,) = fx.replace_pattern(traced, pattern, replacement)
    traced.graph.lint()
    x = torch.tensor([1.0, -2.0])
    product, a = traced(x)
    assert match.anchor.name == "neg"
    assert a.tolist() == [1.0, 0.0] and torch.equal(product, x.exp() * (x.clamp(min=0) + 1))


def test_results_that_nothing_joins():
    traced = fx.symbolic_trace(lambda x, y: (x.sin() + 1, y.cos() - 1, y.sin()))
    matches = fx.replace_pattern(
        traced, lambda a, b: (a.sin(), b.cos()), lambda a, b: (a * 2, b * 3)
    )  # fmt: skip
    x, y = torch.tensor([1.0]), torch.tensor([2.0])
    assert len(matches) == 1 and [t.item() for t in traced(x, y)[:2]] == [3.0, 5.0]
    with pytest.raises(ValueError, match="returns 2 values and the replacement 1"):
        fx.replace_pattern(traced, lambda a: (a.sin(), a.sin()), lambda a: (a.cos(),))


def test_a_result_that_is_needed_before_the_other_can_be_computed():
    def program(x, y):
        first = x.sin()
        late = (first + y).exp()  # comes of the first result, and goes into the second
        return late.cos(), first

    traced = fx.symbolic_trace(program)
    assert fx.replace_pattern(traced, lambda a, b: (a.sin(), b.cos()), lambda a, b: (a + 1, b + 2)) == []
    x, y = torch.tensor([1.0]), torch.tensor([2.0])
    assert torch.equal(traced(x, y)[0], program(x, y)[0])


CODE = """


def forward(self, x, y = 2):
    l = self.l(x);  x = None
    relu = torch.relu(l);  l = None
    w = self.w
    setitem = _operator_setitem(relu, 0, 1.5);  setitem = None
    mul = relu * w;  relu = w = None
    add = mul + y;  mul = y = None
    return add
    """
IMPORTS = """NoneType = type(None)
from _operator import setitem as _operator_setitem
from math import inf
from math import nan
from torch import device
import torch
import torch.fx._pytree as fx_pytree
"""


def test_modules_of_pytorchs_files():
    pytest.importorskip("flambeau")  # which the code names
    layer, w = Linear(2, 2), Parameter(torch.tensor([2.0, 3.0]))
    body = {"training": True, "_parameters": {"w": w}, "_buffers": {}, "_modules": {"l": layer}, "_code": CODE}
    body |= {"_lineno_map": {1: 2}, "_tracer_extras": {}, "meta": {"mine": 1}, "_replace_hooks": [], "extra": "kept"}
    made = reduce_graph_module(body, IMPORTS)
    wanted = layer(torch.ones(2, 2)).relu()
    wanted[0] = 1.5
    assert torch.equal(made(torch.ones(2, 2), 4), wanted * w + 4)
    assert made.l is layer and made.w is w and made.meta == {"mine": 1} and made.extra == "kept"
    assert [node.op for node in made.graph.nodes].count("call_function") == 4


def test_pickles_have_pytorchs_form():
    module = Sequential(Linear(2, 2), ReLU())
    traced = fx.symbolic_trace(module)
    traced.meta["mine"] = 1
    function, (body, imports) = traced.__reduce__()
    assert function is reduce_graph_module and body["_code"] == traced.code and "import torch\n" in imports
    assert {"_parameters", "_buffers", "_modules", "_forward_hooks", "training"} <= set(body)
    found = pickle.loads(pickle.dumps(traced))
    assert str(found.graph) == str(traced.graph) and found.meta == {"mine": 1} and type(found).__name__ == "Sequential"
    assert torch.equal(found(torch.ones(1, 2)), module(torch.ones(1, 2)))
    del body["_pickled_graph"]  # what PyTorch passes over
    pytest.importorskip("flambeau")
    assert torch.equal(reduce_graph_module(body, imports)(torch.ones(1, 2)), module(torch.ones(1, 2)))
