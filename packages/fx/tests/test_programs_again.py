"""Programs that are traced, copied, transformed or completed again keep what the first trace recorded."""

import copy

import pytest

import flambeau_tensor as torch
from flambeau_fx import (
    CodeGen,
    GraphModule,
    Interpreter,
    ProxyableClassMeta,
    Tracer,
    Transformer,
    replace_pattern,
    symbolic_trace,
    wrap,
)
from flambeau_fx.passes.shape_prop import ShapeProp
from flambeau_nn import Module, ReLU, Sigmoid, Tanh


@wrap
def step(x):
    return x + 1


def test_wrapped_functions_are_steps_of_the_second_trace():
    first = symbolic_trace(lambda x: step(x) * 2)
    second = symbolic_trace(first)
    assert [n.target for n in second.graph.find_nodes(op="call_function")][0] is step
    assert second(torch.ones(1)).item() == 4 and symbolic_trace(second)(torch.ones(1)).item() == 4


class Pair(metaclass=ProxyableClassMeta):
    def __init__(self, left, right):
        self.left, self.right = left, right

    def plus(self, other):
        return Pair(self.left + other.left, self.right + other.right)


def test_objects_of_proxyable_classes_become_attributes():
    traced = symbolic_trace(lambda x: x.plus(Pair(torch.ones(1), torch.zeros(1))))
    assert [n.target for n in traced.graph.find_nodes(op="get_attr")] == ["_Pair_constant_0"]
    found = traced(Pair(torch.ones(1), torch.ones(1)))
    assert (found.left.item(), found.right.item()) == (2.0, 1.0)


def test_replacements_bring_their_modules():
    class Program(Module):
        def __init__(self):
            super().__init__()
            self.sigmoid, self.last = Sigmoid(), ReLU()

        def forward(self, x):
            return self.last(self.sigmoid(x + 1))

    class Other(Module):
        def __init__(self):
            super().__init__()
            self.tanh, self.last = Tanh(), ReLU()

        def forward(self, x):
            return self.last(self.tanh(x))

    class Pattern(Program):
        def forward(self, x):
            return self.last(self.sigmoid(x))

    traced, x = symbolic_trace(Program()), torch.tensor([-3.0, 2.0])
    assert len(replace_pattern(traced, Pattern(), Other())) == 1
    traced.graph.lint()
    assert torch.equal(traced(x), torch.tanh(x + 1).relu())
    assert isinstance(traced.get_submodule("tanh"), Tanh) and not hasattr(traced, "sigmoid")


def test_copies():
    traced = symbolic_trace(lambda x: x.sin())
    traced.meta["itself"] = traced
    copied = copy.deepcopy(traced)
    assert copied.meta["itself"] is copied and copied(torch.zeros(1)).item() == 0
    tracer = Tracer()
    tracer.trace(lambda x: x.sin())
    assert str(copy.deepcopy(tracer).graph) == str(tracer.graph)


def test_transformed_programs_keep_where_nodes_come_from():
    tracer = Tracer()
    tracer.record_stack_traces = True
    module = GraphModule(tracer.root, tracer.trace(lambda a: a.sin() + 1))
    changed = Transformer(module).transform().graph
    assert all("test_programs_again.py" in n.stack_trace for n in changed.nodes if n.op.startswith("call"))


def test_generators_of_code_by_pytorchs_interface():
    class Lists(CodeGen):
        def gen_fn_def(self, free_vars, maybe_return_annotation):
            return f"def forward(self, values){maybe_return_annotation}:\n    {', '.join(free_vars)} = values"

        def process_inputs(self, *inputs):
            return inputs[0]

        def generate_output(self, output_args):
            return f"return list({output_args!r})"

        def process_outputs(self, outputs):
            return list(outputs)

    traced = symbolic_trace(lambda a, b: (a + b, a - b))
    traced.graph.set_codegen(Lists())
    traced.recompile()
    assert traced([3, 2]) == [5, 1] == Interpreter(traced).run([3, 2])


def test_memory_formats_of_metadata():
    traced = symbolic_trace(lambda x: x.relu())
    for x, expected in (
        (torch.ones(2, 3, 4, 5), torch.contiguous_format),
        (torch.ones(2, 3, 4, 5).contiguous(memory_format=torch.channels_last), torch.channels_last),
        (torch.ones(2, 3, 4, 5, 6).contiguous(memory_format=torch.channels_last_3d), torch.channels_last_3d),
        (torch.ones(3, 2).t(), None),
    ):
        ShapeProp(traced).propagate(x)
        assert {n.meta["tensor_meta"].memory_format for n in traced.graph.nodes} == {expected}


def test_methods_that_do_not_exist():
    tracer = Tracer()
    tracer.traced_func_name = "backwards"
    with pytest.raises(AssertionError, match="traced_func_name=backwards doesn't exist in ReLU"):
        tracer.trace(ReLU())
