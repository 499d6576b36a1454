"""A Graph: the steps of a traced program, in the order in which they run."""

from __future__ import annotations

import builtins
import keyword
import re
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from flambeau_fx.codegen import CodeGen, PythonCode, _PyTreeCodeGen  # noqa: F401  (pickles look for the last here)
from flambeau_fx.node import Argument, Node, NodeList, Target, map_arg

if TYPE_CHECKING:
    from flambeau_fx.graph_module import GraphModule

__all__ = ["CodeGen", "Graph", "PythonCode"]

_RESERVED = {*keyword.kwlist, *dir(builtins), "inf", "nan", "NoneType", "torch", "device", "self"}


class _Inserting:
    """Another place for a graph's new nodes, from now until the context ends, if it is used as one."""

    def __init__(self, graph: Graph, insert: Callable[[Node], None]) -> None:
        self._graph, self._kept = graph, graph._insert
        graph._insert = insert

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        self._graph._insert = self._kept


class Namespace:
    """Unique names for variables."""

    def __init__(self) -> None:
        self.owners: dict[str, Any] = {}
        self._last: dict[str, int] = {}

    def create_name(self, candidate: str, owner: Any = None) -> str:
        """Return a name like `candidate` that is unused and not a keyword: 'add', then 'add_1', 'add_2'."""
        candidate = re.sub(r"[^0-9a-zA-Z_]+", "_", candidate) or "_unnamed"
        if candidate[0].isdigit():
            candidate = f"_{candidate}"
        match = re.fullmatch(r"(.*)_(\d+)", candidate)
        base, number = (match[1], int(match[2])) if match else (candidate, 0)
        if not number:
            number = self._last.get(base, 0)
            candidate = f"{base}_{number}" if number else candidate
        while candidate in self.owners or candidate in _RESERVED and owner is not candidate:
            number += 1
            candidate = f"{base}_{number}"
        self._last[base] = number
        self.owners[candidate] = owner
        return candidate


def candidate_name(target: Target) -> str:
    """The base of a node's name: 'relu' for torch.relu, 'layers_0' for the module layers.0."""
    name = target if isinstance(target, str) else getattr(target, "__name__", type(target).__name__)
    if name.startswith("__") and name.endswith("__") and len(name) > 4:
        name = name[2:-2]
    name = name.replace(".", "_")
    return "".join(
        ("_" if i and c.isupper() and not name[i - 1].isupper() and name[i - 1] != "_" else "") + c.lower()
        for i, c in enumerate(name)
    )


class Graph:
    """The graph of a program, which generated code or an `Interpreter` runs.

    Args:
        owning_module: the GraphModule that it is the program of.
        tracer_cls: the class of the tracer that made it.

    Raises:
        RuntimeError: ``lint`` finds a node of another graph, or a target that does not exist.

    >>> import flambeau_tensor as torch
    >>> from flambeau_fx import Graph
    >>> graph = Graph()
    >>> x = graph.placeholder("x")
    >>> _ = graph.output(graph.call_function(torch.relu, (x,)))
    >>> print(graph)
    graph():
        %x : [num_users=1] = placeholder[target=x]
        %relu : [num_users=1] = call_function[target=torch.relu](args = (%x,), kwargs = {})
        return relu
    """

    def __init__(
        self,
        owning_module: GraphModule | None = None,
        tracer_cls: type | None = None,
        tracer_extras: dict[str, Any] | None = None,
    ) -> None:
        self._root = Node(self, "", "root", "", (), {})
        self._insert: Callable[[Node], None] = self._root.prepend  # inserts new nodes at the insertion point
        self._count = 0
        self._namespace = Namespace()
        self._owner = owning_module
        self._tracer_cls, self._tracer_extras = tracer_cls, tracer_extras
        self._codegen = CodeGen()

    @property
    def owning_module(self) -> GraphModule | None:
        """The GraphModule that has this graph."""
        return self._owner

    @owning_module.setter
    def owning_module(self, module: GraphModule | None) -> None:
        self._owner = module

    @property
    def nodes(self) -> NodeList:
        """The nodes in their order; while they are iterated over the graph may change."""
        return NodeList(self)

    def find_nodes(self, *, op: str, target: Target | None = None, sort: bool = True) -> list[Node]:
        """The nodes of one kind, and for calls and attributes of one target, in their order."""
        return [n for n in self.nodes if n.op == op and (target is None or n.target == target)]

    def output_node(self) -> Node:
        """Return the output node."""
        found = self.find_nodes(op="output")
        if len(found) != 1:
            raise AssertionError(f"a graph has one output node, not {len(found)}")
        return found[0]

    # --- new nodes

    def create_node(
        self,
        op: str,
        target: Target,
        args: tuple[Argument, ...] | None = None,
        kwargs: dict[str, Argument] | None = None,
        name: str | None = None,
        type_expr: Any = None,
    ) -> Node:
        """Add a node at the insertion point: the end, or the point set by `inserting_before` or `inserting_after`."""
        args, kwargs = () if args is None else args, {} if kwargs is None else kwargs
        if not isinstance(args, tuple):
            raise AssertionError(f"args must be a tuple, got {type(args)}")
        if not isinstance(kwargs, dict):
            raise AssertionError(f"kwargs must be a dict, got {type(kwargs)}")
        name = self._namespace.create_name(candidate_name(target) if name is None else name)
        node = Node(self, name, op, target, args, kwargs, type_expr)
        self._namespace.owners[name] = node
        self._insert(node)
        self._count += 1
        return node

    def placeholder(self, name: str, type_expr: Any = None, default_value: Any = ...) -> Node:
        """Add an argument of the graph; names that begin with stars take the remaining arguments."""
        args = () if default_value is ... else (default_value,)
        return self.create_node("placeholder", name, args, type_expr=type_expr)

    def get_attr(self, qualified_name: str, type_expr: Any = None) -> Node:
        """Add the reading of a parameter, buffer or other attribute: 'layers.0.weight'."""
        self._warn_if_missing("get_attr", qualified_name)
        return self.create_node("get_attr", qualified_name, type_expr=type_expr)

    def call_function(
        self,
        the_function: Callable[..., Any],
        args: tuple[Argument, ...] | None = None,
        kwargs: dict[str, Argument] | None = None,
        type_expr: Any = None,
        name: str | None = None,
    ) -> Node:
        """Add the call of a function."""
        return self.create_node("call_function", the_function, args, kwargs, name, type_expr)

    def call_method(
        self,
        method_name: str,
        args: tuple[Argument, ...] | None = None,
        kwargs: dict[str, Argument] | None = None,
        type_expr: Any = None,
    ) -> Node:
        """Add the call of a method of the first argument."""
        return self.create_node("call_method", method_name, args, kwargs, type_expr=type_expr)

    def call_module(
        self,
        module_name: str,
        args: tuple[Argument, ...] | None = None,
        kwargs: dict[str, Argument] | None = None,
        type_expr: Any = None,
    ) -> Node:
        """Add the call of a submodule of the owning module."""
        self._warn_if_missing("call_module", module_name)
        return self.create_node("call_module", module_name, args, kwargs, type_expr=type_expr)

    def _warn_if_missing(self, op: str, name: str) -> None:
        """Warn if the owning module does not have what a new node refers to."""
        found = self.owning_module
        for part in name.split(".") if found is not None else ():
            if not hasattr(found, part):
                warnings.warn(
                    f"Attempted to insert a {op} Node with no underlying reference in the owning GraphModule! Add "
                    f"'{name}' to the module, with GraphModule.add_submodule, register_parameter or register_buffer, "
                    "before calling it.",
                    stacklevel=3,
                )
                return
            found = getattr(found, part)

    def output(self, result: Argument, type_expr: Any = None) -> Node:
        """Add the output node."""
        return self.create_node("output", "output", (result,), type_expr=type_expr)

    def inserting_before(self, n: Node | None = None) -> _Inserting:
        """Insert new nodes before `n` (by default at the beginning), until the returned context ends."""
        return _Inserting(self, self._root.append if n is None else self._own(n).prepend)

    def inserting_after(self, n: Node | None = None) -> _Inserting:
        """Insert new nodes directly after `n` (by default at the end), until the returned context ends."""
        return _Inserting(self, self._root.prepend if n is None else self._own(n).append)

    def _own(self, n: Node) -> Node:
        if n.graph is not self:
            raise AssertionError("Node to insert before or after is not in graph.")
        return n

    # --- copies and changes

    def node_copy(self, node: Node, arg_transform: Callable[[Node], Argument] = lambda x: x) -> Node:
        """Add a copy of a node of another graph, with its arguments mapped by `arg_transform`."""
        copied = self.create_node(
            node.op,
            node.target,
            map_arg(node.args, arg_transform),
            map_arg(node.kwargs, arg_transform),
            node.name,
            node.type,
        )
        copied.meta = dict(node.meta)
        return copied

    def graph_copy(self, g: Graph, val_map: dict[Node, Node], return_output_node: bool = False) -> Argument:
        """Add copies of all nodes of another graph; return its result in terms of the copies.

        Args:
            val_map: maps nodes of `g` to values in this graph, and is updated with the copies. Its nodes are not
                copied.
        """
        for node in g.nodes:
            if node in val_map:
                continue
            if node.op == "output":
                result = map_arg(node.args[0], val_map.__getitem__)
                return (result, node) if return_output_node else result
            val_map[node] = self.node_copy(node, val_map.__getitem__)
        return None

    def __deepcopy__(self, memo: dict[int, Any] | None = None) -> Graph:
        copied = Graph(tracer_cls=self._tracer_cls)
        result = copied.graph_copy(self, {}, return_output_node=True)
        copied._codegen = self._codegen
        if result is not None:
            value, old = result
            copied.output(value, old.type).meta = dict(old.meta)
        return copied

    def __reduce__(self) -> tuple[Any, ...]:
        places = {node: i for i, node in enumerate(self.nodes)}

        def number(node: Node) -> _Reference:
            return _Reference(places[node])

        steps = [
            (n.op, n.target, map_arg(n.args, number), map_arg(n.kwargs, number), n.name, n.type) for n in self.nodes
        ]
        codegen = None if type(self._codegen) is CodeGen else self._codegen
        return _rebuilt, (steps, self._tracer_cls, codegen)

    def erase_node(self, to_erase: Node) -> None:
        """Remove an unused node."""
        if to_erase.users:
            raise RuntimeError(
                f"Tried to erase Node {to_erase} but it still had {len(to_erase.users)} users in the "
                f"graph: {to_erase.users}!"
            )
        if to_erase.graph is not self:
            raise RuntimeError(f"Attempting to remove {to_erase} from wrong graph!")
        if to_erase._erased:
            return
        if self._insert == to_erase.prepend:
            self._insert = to_erase._next.prepend
        elif self._insert == to_erase.append:
            self._insert = to_erase._prev.append
        to_erase._unlink()
        to_erase._erased = True
        to_erase._use((), {})
        self._count -= 1

    def eliminate_dead_code(self, is_impure_node: Callable[[Node], bool] | None = None) -> bool:
        """Remove unused nodes without side effects; returns whether there were any."""
        before = self._count
        for node in reversed(self.nodes):
            if not node.users and not (is_impure_node or Node.is_impure)(node):
                self.erase_node(node)
        return self._count < before

    def lint(self) -> None:
        """Raise RuntimeError for a graph that cannot run: nodes used before their turn, names given twice, targets that
        the owning module does not have."""
        seen: set[Node] = set()
        names: set[str] = set()
        for node in self.nodes:
            if node.graph is not self:
                raise RuntimeError(f"Node '{node}' does not belong to this Graph!")
            for used in node.all_input_nodes:
                if used.graph is not self:
                    raise RuntimeError(
                        f"Argument '{used}' of Node '{node}' does not belong to this Graph, but was "
                        "used as an argument: node_copy() of another graph's nodes needs an "
                        "``arg_transform``"
                    )
                if used not in seen:
                    raise RuntimeError(
                        f"Argument '{used}' of Node '{node}' was used before it has been defined!\n{self}"
                    )
            if node.name in names:
                raise RuntimeError(f"Node redefined name {node.name}!")
            seen.add(node)
            names.add(node.name)
            if self._owner is not None and node.op in ("get_attr", "call_module"):
                _check_target(self._owner, node)

    # --- as text

    def __str__(self) -> str:
        return "\n    ".join(["graph():", *(text for node in self.nodes if (text := node.format_node()) is not None)])

    def print_tabular(self) -> None:
        """Print a table of the nodes, with the package `tabulate` if it is there."""
        head = ["opcode", "name", "target", "args", "kwargs"]
        rows = [[n.op, n.name, n.target, n.args, n.kwargs] for n in self.nodes]
        try:
            from tabulate import tabulate
        except ImportError:
            cells = [head, *([str(cell) for cell in row] for row in rows)]
            widths = [max(len(row[i]) for row in cells) for i in range(5)]
            print("\n".join("  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)).rstrip() for row in cells))
            return
        print(tabulate(rows, headers=head))

    def set_codegen(self, codegen: CodeGen) -> None:
        """Set the code generator."""
        self._codegen = codegen

    def python_code(self, root_module: str, *, verbose: bool = False, **_: Any) -> PythonCode:
        """The program as the source of a function ``forward``, in which `root_module` is the name of the module."""
        return self._codegen.generate(self, root_module)

    def process_inputs(self, *args: Any) -> Any:
        return self._codegen.process_inputs(*args)

    def process_outputs(self, out: Any) -> Any:
        return self._codegen.process_outputs(out)


def _check_target(module: Any, node: Node) -> None:
    atoms = str(node.target).split(".")
    for i, atom in enumerate(atoms):
        if not hasattr(module, atom):
            raise RuntimeError(
                f"Node {node} target {node.target} references nonexistent attribute {atom} of {'.'.join(atoms[:i])}"
            )
        module = getattr(module, atom)


class _Reference:
    """Stands for a node in a pickle."""

    def __init__(self, place: int) -> None:
        self.place = place


def _rebuilt(steps: list[tuple[Any, ...]], tracer_cls: type | None, codegen: CodeGen | None = None) -> Graph:
    from flambeau_fx.node import map_aggregate

    graph = Graph(tracer_cls=tracer_cls)
    graph._codegen = codegen or graph._codegen
    nodes: list[Node] = []

    def node_of(a: Argument) -> Argument:
        return nodes[a.place] if isinstance(a, _Reference) else a

    for op, target, args, kwargs, name, kind in steps:
        nodes.append(
            graph.create_node(op, target, map_aggregate(args, node_of), map_aggregate(kwargs, node_of), name, kind)
        )
    return graph
