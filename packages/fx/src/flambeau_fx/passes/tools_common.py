"""Queries of graphs that several passes use."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from flambeau_fx.graph import Graph
from flambeau_fx.graph_module import GraphModule
from flambeau_fx.node import Node, qualified_name

__all__ = ["get_node_target", "is_node_output_tensor", "legalize_graph", "stable_topological_sort"]


Item = TypeVar("Item")


def in_order(needs: dict[Item, int], users: Callable[[Item], Iterable[Item]]) -> list[Item]:
    """Sort items so that each follows those that it needs, otherwise in the given order; omit items in cycles.

    >>> in_order({"end": 2, "begin": 0, "middle": 1}, {"begin": ["middle", "end"], "middle": ["end"], "end": []}.get)
    ['begin', 'middle', 'end']
    """
    waiting = dict(needs)
    order = [item for item, count in waiting.items() if not count]
    for item in order:  # grows
        for user in users(item):
            waiting[user] -= 1
            if not waiting[user]:
                order.append(user)
    return order


def legalize_graph(gm: GraphModule) -> GraphModule:
    """Sort the nodes of a program topologically, and otherwise keep their order.

    Raises:
        RuntimeError: there is a cycle.

    >>> from flambeau_fx import symbolic_trace
    >>> traced = symbolic_trace(lambda x: (x + 1) * 2)
    >>> x, add, mul, _ = traced.graph.nodes
    >>> add.append(x)
    >>> [node.name for node in legalize_graph(traced).graph.nodes]
    ['x', 'add', 'mul', 'output']
    """
    order = in_order({node: len(node.all_input_nodes) for node in gm.graph.nodes}, lambda node: node.users)
    if len(order) < len(gm.graph.nodes):
        raise RuntimeError(f"Input graph has cycles, unable to add {[n for n in gm.graph.nodes if n not in order]}")
    new = Graph()
    values: dict[Node, Node] = {}
    for node in order:
        values[node] = new.node_copy(node, lambda n: values[n])
    new._codegen = gm.graph._codegen
    gm.graph = new
    return gm


stable_topological_sort = legalize_graph


def get_node_target(submodules: Any, node: Node) -> str:
    """The target of a node's call: the name of a function or method, or the type of a module.

    Args:
        submodules: modules by name, such as ``dict(gm.named_modules())``.

    Raises:
        AssertionError: the node is not a call.

    >>> from flambeau_fx import symbolic_trace
    >>> get_node_target({}, symbolic_trace(lambda x: x.relu()).graph.find_nodes(op="call_method", target="relu")[0])
    'relu'
    """
    if node.op not in ("call_function", "call_method", "call_module"):
        raise AssertionError(f"Expect op types of call_function, call_method, call_module, got {node.op}")
    if node.op == "call_module":
        module = submodules[node.target]
        return str(getattr(module, "_base_class_origin", type(module)).__module__ + "." + type(module).__name__)
    return qualified_name(node.target) if node.op == "call_function" else str(node.target)


def is_node_output_tensor(node: Node) -> bool:
    """Return True if ``node.meta["type"]``, which `ShapeProp` notes, is a tensor's.

    Raises:
        AttributeError: the argument is not a node.

    >>> from flambeau_fx import Graph
    >>> is_node_output_tensor(Graph().placeholder("x"))
    False
    """
    import flambeau_tensor

    kind = node.meta.get("type", None)
    return isinstance(kind, type) and issubclass(kind, flambeau_tensor.Tensor)
