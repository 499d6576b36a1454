"""Finding the parts of a graph that match a pattern."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from flambeau_fx.graph import Graph
from flambeau_fx.node import Argument, Node
from flambeau_tensor import Tensor

__all__ = ["InternalMatch", "SubgraphMatcher"]


@dataclass
class InternalMatch:
    """A match of a pattern.

    Args:
        anchors: the nodes that compute the pattern's results.
        nodes_map: the node or the value for each node of the pattern.
        placeholder_nodes: what the arguments of the pattern match.
        returning_nodes: what the results of the pattern match.
        name_node_map: the nodes by their names in the pattern.

    >>> list(InternalMatch.__dataclass_fields__)
    ['anchors', 'nodes_map', 'placeholder_nodes', 'returning_nodes', 'name_node_map']
    """

    anchors: list[Node]
    nodes_map: dict[Node, Any] = field(default_factory=dict)
    placeholder_nodes: list[Any] = field(default_factory=list)
    returning_nodes: list[Node] = field(default_factory=list)
    name_node_map: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, anchor: Node, found: dict[Node, Any], results: list[Node]) -> InternalMatch:
        """Return the match that a `Matcher` found."""
        nodes = {p: n for p, n in found.items() if p.op != "output"}
        inputs = [n for p, n in found.items() if p.op == "placeholder"]
        return cls([anchor], nodes, inputs, [found[p] for p in results], {p.name: n for p, n in nodes.items()})


class Matcher:
    """Compares a pattern with a graph, from its results backwards.

    Args:
        pattern: the graph to find; its arguments match any values.
        ignore_literals: whether numbers and strings match any others.
        match_placeholder: whether an argument of the pattern matches only arguments.
    """

    def __init__(self, pattern: Graph, ignore_literals: bool = False, match_placeholder: bool = False) -> None:
        self.pattern, self.ignore_literals, self.match_placeholder = pattern, ignore_literals, match_placeholder
        result = pattern.output_node().args[0]
        self.results: list[Any] = list(result) if isinstance(result, (tuple, list)) else [result]
        if not self.results or not all(isinstance(node, Node) for node in self.results):
            raise RuntimeError("a pattern returns one or several values, which it computes")
        # A result that other results are computed from is found with those; the first of the others identifies a match.
        last = pattern.output_node()
        self.ends = [node for node in dict.fromkeys(self.results) if set(node.users) == {last}] or self.results[:1]
        self.nodes: dict[Node, Any] = {}

    def match(self, anchor: Node) -> dict[Node, Any] | None:
        """Return the match whose result is `anchor`; None if it does not match or inner values are used elsewhere."""
        self.nodes = {}
        if not self._same(self.ends[0], anchor) or not self._find_rest(self.ends[1:], anchor):
            return None
        inside = {n for p, n in self.nodes.items() if p.op != "placeholder"}
        for p, n in self.nodes.items():
            if p.op not in ("placeholder", "get_attr") and p not in self.results and not set(n.users) <= inside:
                return None
        return dict(self.nodes)

    def _find_rest(self, ends: list[Node], anchor: Node) -> bool:
        """Find matches for the other results, consistent with the nodes found so far."""
        if not ends:
            return True
        known = dict(self.nodes)
        for candidate in anchor.graph.nodes:
            if candidate.op == ends[0].op and not any(candidate is n for n in known.values()):
                if self._same(ends[0], candidate) and self._find_rest(ends[1:], anchor):
                    return True
                self.nodes = dict(known)
        return False

    def _same(self, p: Argument, g: Argument) -> bool:
        if isinstance(p, Node):
            if p in self.nodes:
                return bool(self.nodes[p] is g or (not isinstance(g, Node) and self.nodes[p] == g))
            if p.op == "placeholder":
                if self.match_placeholder and not (isinstance(g, Node) and g.op == "placeholder"):
                    return False
            elif not (
                isinstance(g, Node)
                and p.op == g.op
                and (p.target == g.target or p.op == "get_attr" and _alike(p, g))
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
        if self.ignore_literals and not isinstance(g, Node):
            return True
        return bool(type(p) is type(g) and p == g)


def _alike(p: Node, g: Node) -> bool:
    """Whether two attributes of modules are both tensors, or of one type."""
    values = []
    for node in (p, g):
        value: Any = node.graph.owning_module
        for name in str(node.target).split("."):
            value = getattr(value, name, None)
        values.append(value)
    first, second = values
    if isinstance(first, Tensor):
        return isinstance(second, Tensor)
    return first is not None and type(first) is type(second)


class SubgraphMatcher:
    """Finds the matches of a pattern in graphs.

    Args:
        pattern: the graph to find; its arguments match any values.
        match_output: whether the results of the pattern match only results of the graph.
        match_placeholder: whether the arguments of the pattern match only arguments of the graph.
        remove_overlapping_matches: whether a match that shares nodes with an earlier one is left out.
        ignore_literals: whether numbers and strings match any others.

    Raises:
        RuntimeError: the pattern returns no values that it computes.

    >>> import flambeau_tensor as torch
    >>> from flambeau_fx import symbolic_trace
    >>> graph = symbolic_trace(lambda x: torch.sin(x) + torch.sin(x)).graph
    >>> len(SubgraphMatcher(symbolic_trace(lambda x: torch.sin(x)).graph).match(graph))
    2
    """

    def __init__(
        self,
        pattern: Graph,
        match_output: bool = False,
        match_placeholder: bool = False,
        remove_overlapping_matches: bool = True,
        ignore_literals: bool = False,
    ) -> None:
        self.pattern, self.match_output = pattern, match_output
        self.remove_overlapping_matches = remove_overlapping_matches
        self._matcher = Matcher(pattern, ignore_literals, match_placeholder)

    def match(self, graph: Graph, node_name_match: str = "") -> list[InternalMatch]:
        """Return the matches in the order of their results in the graph.

        Args:
            graph: the graph to search.
            node_name_match: if given, only nodes whose name contains it are results of a match.
        """
        matches: list[InternalMatch] = []
        taken: set[Node] = set()
        returned = graph.output_node().all_input_nodes
        for anchor in graph.nodes:
            if anchor.op in ("placeholder", "output") or node_name_match not in anchor.name:
                continue
            found = self._matcher.match(anchor)
            if found is None:
                continue
            match = InternalMatch.of(anchor, found, self._matcher.results)
            used = {n for p, n in found.items() if p.op != "placeholder"}
            if self.match_output and match.returning_nodes != returned:
                continue
            if self.remove_overlapping_matches and taken & used:
                continue
            taken |= used
            matches.append(match)
        return matches
