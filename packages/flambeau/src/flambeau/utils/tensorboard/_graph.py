"""The graph of a module in TensorBoard's format: one trace, and one run for the shapes."""

from importlib import import_module
from time import time
from typing import Any

from flambeau_fx import Graph, GraphModule, Interpreter, Node, Tracer
from flambeau_nn import Module
from flambeau_tensor import Tensor


class _Steps(Tracer):
    """Traces into all modules, so that each step is a node, below the names of its modules."""

    def is_leaf_module(self, m: Module, module_qualified_name: str) -> bool:
        return False


class _Shapes(Interpreter):
    """Stores the shape of each value in the metadata of its node."""

    def run_node(self, n: Node) -> Any:
        result = super().run_node(n)
        if isinstance(result, Tensor):
            n.meta["shape"] = tuple(result.shape)
        return result


def _program(model: Module, inputs: tuple[Any, ...]) -> Graph:
    """Return the graph with shapes.

    Raises:
        TraceError: a branch depends on values.
    """
    tracer = _Steps()
    graph = tracer.trace(model)
    module = GraphModule(tracer.root, graph)
    _Shapes(module).run(*inputs)
    return module.graph


def _scope(node: Node, model: Module) -> str:
    """Return the names of the modules in which a node was created, such as ``Net/Linear[first]/``."""
    modules = [f"{cls.__name__}[{path.rpartition('.')[2]}]" for path, cls in _stack(node) if path]
    return "/".join([type(model).__name__, *modules]) + "/"


def _stack(node: Node) -> list[tuple[str, type]]:
    return list(node.meta.get("nn_module_stack", {}).values())


def _name(node: Node, model: Module) -> str:
    if node.op in ("placeholder", "output"):
        return f"{'input' if node.op == 'placeholder' else 'output'}/{node.name}"
    return _scope(node, model) + node.name


def _operation(node: Node) -> str:
    if node.op in ("placeholder", "output"):
        return "IO Node"
    if node.op == "get_attr":
        return "Parameter"
    return node.target if isinstance(node.target, str) else getattr(node.target, "__name__", str(node.target))


def event_of(model: Module, input_to_model: Any, protos: str) -> tuple[Any, Any]:
    """Return the graph of a module, and the event that contains it.

    Args:
        model: the module.
        input_to_model: its argument, or a tuple or list of them.
        protos: the package that defines the messages.
    """
    kinds = ("attr_value", "event", "graph", "node_def", "tensor_shape", "versions")
    messages = {kind: import_module(f"{protos}.{kind}_pb2") for kind in kinds}
    value, sizes = messages["attr_value"].AttrValue, messages["tensor_shape"].TensorShapeProto
    inputs = tuple(input_to_model) if isinstance(input_to_model, (tuple, list)) else (input_to_model,)
    nodes = []
    for node in _program(model, inputs).nodes:
        attributes = {"attr": value(s=str(node.target).encode())}
        if "shape" in node.meta:
            shape = sizes(dim=[sizes.Dim(size=n) for n in node.meta["shape"]])
            attributes["_output_shapes"] = value(list=value.ListValue(shape=[shape]))
        sources = [_name(source, model) for source in node.all_input_nodes]
        made = messages["node_def"].NodeDef
        nodes.append(made(name=_name(node, model), op=_operation(node), input=sources, attr=attributes))
    graph = messages["graph"].GraphDef(node=nodes, versions=messages["versions"].VersionDef(producer=22))
    return graph, messages["event"].Event(graph_def=graph.SerializeToString(), wall_time=time())
