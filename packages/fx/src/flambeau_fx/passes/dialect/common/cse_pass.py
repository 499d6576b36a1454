"""Common subexpression elimination: equal calls are computed once."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from flambeau_fx.graph import Graph
from flambeau_fx.graph_module import GraphModule
from flambeau_fx.node import Node
from flambeau_fx.passes.infra.pass_base import PassBase, PassResult

__all__ = ["CSEPass", "get_CSE_banned_ops"]


def get_CSE_banned_ops() -> set[Any]:  # noqa: N802
    """Return the empty set: calls that draw random numbers or write to tensors are recognized and never merged.

    >>> get_CSE_banned_ops()
    set()
    """
    return set()


class CSEPass(PassBase):
    """Replaces each call by an earlier one of the same function with the same arguments.

    Args:
        banned_ops: functions, operators or their packets (``torch.ops.aten.add``) whose calls are not merged.

    >>> import flambeau_tensor as torch
    >>> from flambeau_fx import symbolic_trace
    >>> result = CSEPass()(symbolic_trace(lambda x: torch.cos(x) + torch.cos(x)))
    >>> result.modified, [node.name for node in result.graph_module.graph.nodes]
    (True, ['x', 'cos', 'add', 'output'])
    """

    def __init__(self, banned_ops: Collection[Any] | None = None) -> None:
        self.banned_ops = set(banned_ops or ())
        super().__init__()

    def call(self, graph_module: GraphModule) -> PassResult:
        """Return a program with the new graph; the given one is not changed."""
        new, changing = Graph(), _changing(graph_module.graph)
        copies: dict[Node, Node] = {}
        calls: dict[Any, Node] = {}
        for node in graph_module.graph.nodes:
            key = None if node in changing or self._is_banned(node) else _key(node, copies)
            if key is not None and key in calls:
                copies[node] = calls[key]
                continue
            copies[node] = new.node_copy(node, lambda n: copies[n])
            if key is not None:
                calls[key] = copies[node]
        new._codegen = graph_module.graph._codegen
        modified = len(new.nodes) < len(graph_module.graph.nodes)
        return PassResult(GraphModule(graph_module, new), modified)

    def _is_banned(self, node: Node) -> bool:
        if node.op in ("placeholder", "output", "get_attr", "call_module") or node.is_impure():
            return True
        return bool({node.target, getattr(node.target, "overloadpacket", None)} & self.banned_ops)


def _changing(graph: Graph) -> set[Node]:
    """Return the nodes whose values depend on when they are computed, because a tensor is written to."""
    found: set[Node] = set()
    waiting = [n for node in graph.nodes if node.op != "output" and node.is_impure(False) for n in node.all_input_nodes]
    while waiting:  # what the written tensor may be a view of
        node = waiting.pop()
        if node not in found:
            found.add(node)
            waiting += node.all_input_nodes
    for node in graph.nodes:
        if any(n in found for n in node.all_input_nodes):
            found.add(node)
    return found


def _key(node: Node, copies: dict[Node, Node]) -> Any:
    """Return what equal calls have in common; None for arguments that cannot be compared."""
    key = node.op, node.target, _part(node.args, copies), _part(node.kwargs, copies)
    try:
        hash(key)
    except TypeError:
        return None
    return key


def _part(value: Any, copies: dict[Node, Node]) -> Any:
    if isinstance(value, Node):
        return copies[value]
    if isinstance(value, (tuple, list)):
        return type(value).__name__, tuple(_part(v, copies) for v in value)
    if isinstance(value, dict):
        return "dict", tuple((k, _part(value[k], copies)) for k in sorted(value, key=str))
    if isinstance(value, slice):
        return "slice", tuple(_part(v, copies) for v in (value.start, value.stop, value.step))
    return type(value), value  # 1, 1.0 and True are equal, but different arguments
