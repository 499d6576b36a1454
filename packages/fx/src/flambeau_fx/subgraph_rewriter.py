"""Replacing parts of a program by others: a pattern and its replacement are programs too."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from flambeau_fx.graph import Graph
from flambeau_fx.graph_module import GraphModule, _copy_attribute
from flambeau_fx.node import Node
from flambeau_fx.passes.utils.matcher_utils import InternalMatch, Matcher
from flambeau_nn import Module

__all__ = ["Match", "ReplacedPatterns", "replace_pattern", "replace_pattern_with_filters"]


@dataclass
class Match:
    """A match of a pattern."""

    anchor: Node  # the node that computes the pattern's result
    nodes_map: dict[Node, Any]  # nodes of the pattern -> nodes of the graph


def _graph_of(program: Callable[..., Any] | GraphModule | Graph) -> Graph:
    from flambeau_fx._symbolic_trace import symbolic_trace

    if isinstance(program, Graph):
        return program
    return program.graph if isinstance(program, GraphModule) else symbolic_trace(program).graph


@dataclass
class ReplacedPatterns:
    """A match of the pattern of `replace_pattern_with_filters`.

    >>> list(ReplacedPatterns.__dataclass_fields__)
    ['anchor', 'nodes_map', 'replacements']
    """

    anchor: Node
    nodes_map: dict[Node, Any]
    replacements: list[Node]


def replace_pattern_with_filters(
    gm: GraphModule,
    pattern: Callable[..., Any] | GraphModule | Graph,
    replacement: Callable[..., Any] | GraphModule | Graph | None = None,
    match_filters: list[Callable[..., bool]] | None = None,
    ignore_literals: bool = False,
    replacement_callback: Callable[..., Graph] | None = None,
    node_name_match: str = "",
) -> list[ReplacedPatterns]:
    """`replace_pattern` for matches that all filter functions accept.

    Args:
        gm: changed in place, and recompiled.
        pattern, replacement: as for `replace_pattern`.
        match_filters: called with an `InternalMatch`, the program's graph and that of the pattern.
        ignore_literals: whether numbers and strings match any others.
        replacement_callback: called with the same arguments, returns the replacement graph, instead of `replacement`.

    Raises:
        NotImplementedError: `node_name_match` is given.

    >>> import flambeau_tensor as torch
    >>> from flambeau_fx import symbolic_trace
    >>> traced = symbolic_trace(lambda x: torch.sin(x) + torch.sin(x))
    >>> first = lambda match, graph, pattern: match.anchors[0].name == "sin"
    >>> found = replace_pattern_with_filters(traced, lambda x: torch.sin(x), lambda x: torch.cos(x), [first])
    >>> len(found), traced(torch.tensor([0.0]))
    (1, tensor([1.]))
    """
    if node_name_match:
        raise NotImplementedError("replace_pattern_with_filters(): node_name_match is not built")
    replaced: list[ReplacedPatterns] = []
    wanted = _graph_of(pattern)
    matcher = Matcher(wanted, ignore_literals)
    given = None if replacement is None else _graph_of(replacement)

    def choose(anchor: Node, found: dict[Node, Any]) -> Graph | None:
        match = InternalMatch.of(anchor, found, matcher.results)
        if not all(accepts(match, gm.graph, wanted) for accepts in match_filters or ()):
            return None
        return given if replacement_callback is None else replacement_callback(match, gm.graph, wanted)

    for found, new in _replaced(gm, matcher, choose):
        replaced.append(ReplacedPatterns(found.anchor, found.nodes_map, new))
    return replaced


def replace_pattern(
    gm: GraphModule, pattern: Callable[..., Any] | GraphModule, replacement: Callable[..., Any] | GraphModule
) -> list[Match]:
    """Replace the matches of `pattern` by `replacement` and return the matches.

    Matches do not overlap: earlier nodes take precedence. A subgraph whose inner values are used elsewhere does not
    match.

    Args:
        gm: changed in place, and recompiled.
        pattern, replacement: programs with the same number of arguments, and of results.

    Raises:
        AttributeError: the first argument is not a GraphModule.
        ValueError: the programs take or return different numbers of values.

    >>> import flambeau_tensor as torch
    >>> from flambeau_fx import replace_pattern, symbolic_trace
    >>> traced = symbolic_trace(lambda x: torch.sin(x) + torch.sin(x))
    >>> matches = replace_pattern(traced, lambda x: torch.sin(x), lambda x: torch.cos(x))
    >>> len(matches), traced(torch.tensor([0.0]))
    (2, tensor([2.]))
    """
    wanted, instead = _graph_of(pattern), _graph_of(replacement)
    _check_arguments(wanted, instead)
    matches = [match for match, _ in _replaced(gm, Matcher(wanted), lambda anchor, found: instead)]
    if isinstance(replacement, Module):
        _take_attributes(gm, replacement)
    return matches


def _place(results: list[Node], used: set[Node], copies: dict[Node, Any]) -> Node | None:
    """Return the node before which new nodes can be inserted, or None if there is no such position.

    It comes after all nodes that they are computed from, and before all users of the results.
    """
    order = {node: i for i, node in enumerate(results[0].graph.nodes)}
    users = [user for node in results for user in node.users if user not in used]
    place = min([*users, *([] if users else results)], key=order.__getitem__)
    inputs = [node for node in copies.values() if isinstance(node, Node)]
    return place if all(order[node] < order[place] for node in inputs) else None


def _take_attributes(gm: GraphModule, replacement: Module) -> None:
    """Give a module what its graph reads of a replacement, and remove the submodules that it no longer uses."""
    gm.delete_all_unused_submodules()
    for node in gm.graph.nodes:
        if node.op not in ("call_module", "get_attr"):
            continue
        owner, _, name = str(node.target).rpartition(".")
        try:
            getattr(gm.get_submodule(owner), name)
        except AttributeError:
            try:
                _copy_attribute(copy.deepcopy(replacement), gm, str(node.target))
            except AttributeError:
                raise RuntimeError(
                    f"the replacement reads {node.target!r}, which neither it nor the program has"
                ) from None
    gm.graph.lint()


def _check_arguments(wanted: Graph, instead: Graph) -> None:
    counts = [len(graph.find_nodes(op="placeholder")) for graph in (wanted, instead)]
    if counts[0] != counts[1]:
        raise ValueError(f"the pattern has {counts[0]} arguments and the replacement {counts[1]}")
    values = [graph.output_node().args[0] for graph in (wanted, instead)]
    counts = [len(value) if isinstance(value, (tuple, list)) else 1 for value in values]
    if counts[0] != counts[1]:
        raise ValueError(f"the pattern returns {counts[0]} values and the replacement {counts[1]}")


def _replaced(
    gm: GraphModule, matcher: Matcher, choose: Callable[[Node, dict[Node, Any]], Graph | None]
) -> list[tuple[Match, list[Node]]]:
    """Replace matches by the graphs that `choose` returns (None keeps a match); return each with its new nodes."""
    graph, wanted, matches = gm.graph, matcher.pattern, []
    inputs = wanted.find_nodes(op="placeholder")
    taken: set[Node] = set()
    new: set[Node] = set()
    for anchor in graph.nodes:
        if anchor in new or anchor.op in ("placeholder", "output"):
            continue
        found = matcher.match(anchor)
        if found is None or taken & (used := {n for p, n in found.items() if p.op != "placeholder"}):
            continue
        instead = choose(anchor, found)
        if instead is None:
            continue
        _check_arguments(wanted, instead)
        places = instead.find_nodes(op="placeholder")
        copies = {place: found[given] for place, given in zip(places, inputs, strict=True) if given in found}
        before = set(graph.nodes)
        results = [found[p] for p in matcher.results]
        place = anchor if len(results) == 1 else _place(results, used, copies)
        if place is None:
            continue
        with graph.inserting_before(place):
            copied = graph.graph_copy(instead, copies)
        made = [node for node in graph.nodes if node not in before]
        new.update(made)
        taken |= used
        instances = copied if isinstance(copied, (tuple, list)) else [copied]
        for old, result in zip(results, instances, strict=True):
            old.replace_all_uses_with(result)
        for p in reversed(wanted.nodes):
            node = found.get(p)
            if isinstance(node, Node) and p.op not in ("placeholder", "output") and not node.users:
                graph.erase_node(node)
        matches.append((Match(anchor, found), made))
    gm.recompile()
    return matches
