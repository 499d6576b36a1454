"""Replacing parts of a program by others: a pattern and its replacement are programs too."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from flambeau_fx.graph import Graph
from flambeau_fx.graph_module import GraphModule
from flambeau_fx.node import Argument, Node

__all__ = ["Match", "replace_pattern"]


@dataclass
class Match:
    """Where a pattern was found."""

    anchor: Node  # the node that computes the pattern's result
    nodes_map: dict[Node, Any]  # nodes of the pattern -> what they are in the graph


class _Matcher:
    """Compares a pattern with the nodes before one, from the result backwards."""

    def __init__(self, pattern: Graph) -> None:
        result = pattern.output_node().args[0]
        if not isinstance(result, Node):
            raise RuntimeError("a pattern returns one value")
        self.result = result
        self.nodes: dict[Node, Any] = {}

    def match(self, anchor: Node) -> dict[Node, Any] | None:
        """The pattern's nodes in the graph if they end at `anchor`, and nobody else uses what is inside."""
        self.nodes = {}
        if not self._same(self.result, anchor):
            return None
        inside = {n for p, n in self.nodes.items() if p.op != "placeholder"}
        for p, n in self.nodes.items():
            if p.op not in ("placeholder", "get_attr") and n is not anchor and not set(n.users) <= inside:
                return None
        return dict(self.nodes)

    def _same(self, p: Argument, g: Argument) -> bool:
        if isinstance(p, Node):
            if p in self.nodes:
                return bool(self.nodes[p] is g or (not isinstance(g, Node) and self.nodes[p] == g))
            if p.op != "placeholder" and not (
                isinstance(g, Node)
                and p.op == g.op
                and p.target == g.target
                and self._same(p.args, g.args)
                and self._same(p.kwargs, g.kwargs)
            ):
                return False
            self.nodes[p] = g
            return True
        if isinstance(p, tuple | list) and isinstance(g, tuple | list):
            return len(p) == len(g) and all(map(self._same, p, g))
        if isinstance(p, dict) and isinstance(g, dict):
            return p.keys() == g.keys() and all(self._same(p[k], g[k]) for k in p)
        if isinstance(p, slice) and isinstance(g, slice):
            return all(map(self._same, (p.start, p.stop, p.step), (g.start, g.stop, g.step)))
        return bool(type(p) is type(g) and p == g)


def _graph_of(program: Callable[..., Any] | GraphModule | Graph) -> Graph:
    from flambeau_fx._symbolic_trace import symbolic_trace

    if isinstance(program, Graph):
        return program
    return program.graph if isinstance(program, GraphModule) else symbolic_trace(program).graph


def replace_pattern(
    gm: GraphModule, pattern: Callable[..., Any] | GraphModule, replacement: Callable[..., Any] | GraphModule
) -> list[Match]:
    """Replace what computes the same as `pattern` by what `replacement` does; returns the places that were found.

    Matches do not overlap: the first in the graph's order counts. A match is refused where somebody else uses a value
    inside it.

    Args:
        gm: changed in place, and recompiled.
        pattern, replacement: programs with the same number of arguments, and one result.

    >>> import flambeau_tensor as torch
    >>> from flambeau_fx import replace_pattern, symbolic_trace
    >>> traced = symbolic_trace(lambda x: torch.sin(x) + torch.sin(x))
    >>> matches = replace_pattern(traced, lambda x: torch.sin(x), lambda x: torch.cos(x))
    >>> len(matches), traced(torch.tensor([0.0]))
    (2, tensor([2.]))
    """
    graph, wanted, instead = gm.graph, _graph_of(pattern), _graph_of(replacement)
    matcher, matches = _Matcher(wanted), []
    inputs = wanted.find_nodes(op="placeholder")
    places = instead.find_nodes(op="placeholder")
    if len(inputs) != len(places):
        raise ValueError(f"the pattern has {len(inputs)} arguments and the replacement {len(places)}")
    taken: set[Node] = set()
    new: set[Node] = set()
    for anchor in graph.nodes:
        if anchor in new or anchor.op in ("placeholder", "output"):
            continue
        found = matcher.match(anchor)
        if found is None or taken & (used := {n for p, n in found.items() if p.op != "placeholder"}):
            continue
        taken |= used
        copies = {place: found[given] for place, given in zip(places, inputs, strict=True) if given in found}
        before = set(graph.nodes)
        with graph.inserting_before(anchor):
            result = graph.graph_copy(instead, copies)
        new |= set(graph.nodes) - before
        anchor.replace_all_uses_with(result)
        for p in reversed(wanted.nodes):
            node = found.get(p)
            if isinstance(node, Node) and p.op not in ("placeholder", "output") and not node.users:
                graph.erase_node(node)
        matches.append(Match(anchor, found))
    gm.recompile()
    return matches
