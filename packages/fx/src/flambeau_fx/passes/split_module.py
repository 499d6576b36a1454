"""Splitting a program into modules."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import flambeau_nn
from flambeau_fx.graph import Graph
from flambeau_fx.graph_module import GraphModule
from flambeau_fx.node import Node, map_arg
from flambeau_fx.passes.tools_common import in_order

__all__ = ["Partition", "split_module"]


class Partition:
    """A piece: its nodes, its inputs from outside, and its outputs that other pieces use.

    >>> Partition("0").submod_name
    'submod_0'
    """

    def __init__(self, name: str) -> None:
        self.name, self.submod_name = name, f"submod_{name}"
        self.node_names: list[str] = []
        self.inputs: dict[str, Node] = {}
        self.outputs: dict[str, Node] = {}
        self.dependencies: dict[str, None] = {}
        self.dependents: dict[str, None] = {}


def split_module(
    m: GraphModule,
    root_m: flambeau_nn.Module,
    split_callback: Callable[[Node], Any],
    qualname_map: dict[str, str] | None = None,
    keep_original_order: bool | None = False,
    keep_original_node_name: bool | None = False,
    keep_original_input_name: bool = True,
    *,
    partition_affix: str | None = None,
    tuple_return: bool = False,
) -> GraphModule:
    """Split a program into submodules ``submod_N``, and return a module that calls them.

    Args:
        m: the program.
        root_m: the module that it was traced from, or `m`.
        split_callback: returns the piece to which a node belongs; a piece runs when its inputs are available.
        qualname_map: a dict that receives the new and old name of each module and attribute of a piece.
        keep_original_order: whether pieces run in the order in which they begin.
        keep_original_node_name, keep_original_input_name: accepted; nodes and inputs always keep their names.
        partition_affix: inserted into the names of the submodules, before the number.
        tuple_return: whether a piece with one result returns a tuple with it.

    Raises:
        RuntimeError: two pieces depend on each other.

    >>> import flambeau_tensor as torch
    >>> from flambeau_fx import symbolic_trace
    >>> traced = symbolic_trace(lambda x: (x + 1).relu() * 2)
    >>> split = split_module(traced, traced, lambda node: 0 if node.name == "add" else 1)
    >>> [name for name, _ in split.named_children()], split(torch.tensor([-3.0, 1.0]))
    (['submod_0', 'submod_1'], tensor([0., 4.]))
    """
    pieces: dict[str, Partition] = {}
    piece_of: dict[Node, Partition] = {}
    for node in m.graph.nodes:
        if node.op in ("placeholder", "get_attr", "output"):
            continue
        name = str(split_callback(node))
        if name not in pieces:
            pieces[name] = Partition(name)
            if partition_affix is not None:
                pieces[name].submod_name = f"submod_{partition_affix}_{name}"
        pieces[name].node_names.append(node.name)
        piece_of[node] = pieces[name]
    for node in m.graph.nodes:
        for source in node.all_input_nodes:
            _note_use(source, piece_of.get(source), piece_of.get(node))
    copies = {name: _Copy(m, piece, qualname_map) for name, piece in pieces.items()}
    for node, piece in piece_of.items():
        copies[piece.name].add(node)

    graph = Graph(tracer_cls=getattr(m.graph, "_tracer_cls", None))
    values: dict[Node, Node] = {}
    attributes: dict[str, Any] = {}
    for node in m.graph.nodes:
        if node.op in ("placeholder", "get_attr"):
            values[node] = graph.node_copy(node, lambda n: values[n])
            if node.op == "get_attr":
                attributes[str(node.target)] = operator.attrgetter(str(node.target))(m)
    order = list(pieces.values()) if keep_original_order else _sorted(pieces)
    for piece in order:
        submodule, single = copies[piece.name].finish(tuple_return)
        attributes[piece.submod_name] = submodule
        result = graph.call_module(piece.submod_name, tuple(values[n] for n in piece.inputs.values()))
        for i, node in enumerate(piece.outputs.values()):
            values[node] = result if single else graph.call_function(operator.getitem, (result, i))
    for node in m.graph.nodes:
        if node.op == "output":
            graph.output(map_arg(node.args[0], lambda n: values[n]))
    return GraphModule(attributes, graph)


def _note_use(source: Node, made: Partition | None, used: Partition | None) -> None:
    """Record that one piece uses a value of another; None is the program around them."""
    if made is used:
        return
    if made is not None:
        made.outputs.setdefault(source.name, source)
    if used is not None:
        used.inputs.setdefault(source.name, source)
        if made is not None:
            used.dependencies[made.name] = None
            made.dependents[used.name] = None


def _sorted(pieces: dict[str, Partition]) -> list[Partition]:
    counts = {name: len(piece.dependencies) for name, piece in pieces.items()}
    order = in_order(counts, lambda name: pieces[name].dependents)
    if len(order) < len(pieces):
        raise RuntimeError("cycle exists between partitions!")
    return [pieces[name] for name in order]


class _Copy:
    """A piece while it is copied into its own graph."""

    def __init__(self, m: Any, piece: Partition, names: dict[str, str] | None) -> None:
        self.module, self.piece, self.names = m, piece, names
        self.graph = Graph()
        self.attributes: dict[str, Any] = {}
        self.values: dict[Node, Node] = {}
        for name, source in piece.inputs.items():
            self.values[source] = self.graph.placeholder(name, type_expr=source.type)
            self.values[source].meta = dict(source.meta)

    def add(self, node: Node) -> None:
        new = self.graph.node_copy(node, lambda n: self.values[n])
        if node.op == "call_module":
            path = str(node.target)
            new.target = path.replace(".", "_")
            self.attributes[new.target] = operator.attrgetter(path)(self.module)
            if self.names is not None:
                self.names[f"{self.piece.submod_name}.{new.target}"] = path
        self.values[node] = new

    def finish(self, tuple_return: bool) -> tuple[GraphModule, bool]:
        """Return the module, and whether it returns its only result without a tuple."""
        results = tuple(self.values[node] for node in self.piece.outputs.values())
        single = len(results) == 1 and not tuple_return
        self.graph.output(results[0] if single else results)
        return GraphModule(self.attributes, self.graph), single
