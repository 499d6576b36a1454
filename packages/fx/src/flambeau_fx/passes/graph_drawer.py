"""Drawings of programs, with the package pydot."""

from __future__ import annotations

from typing import Any

from flambeau_fx.graph_module import GraphModule
from flambeau_fx.node import Node, shown_target

__all__ = ["FxGraphDrawer"]

_COLORS = {
    "placeholder": "AliceBlue",
    "get_attr": "LightGrey",
    "call_module": "LemonChiffon1",
    "call_function": "PowderBlue",
    "call_method": "PowderBlue",
    "output": "PeachPuff",
}


class FxGraphDrawer:
    """A drawing of a program by Graphviz: a box for each node, an arrow from each value to each of its users.

    Args:
        graph_module: the program.
        name: the name of the drawing.
        ignore_getattr: whether to leave out attributes.
        ignore_parameters_and_buffers, skip_node_names_in_args, parse_stack_trace, normalize_args: have no effect.
        dot_graph_shape: the shape of the boxes. Default: ``"record"``.

    Raises:
        RuntimeError: pydot is not installed.

    >>> from flambeau_fx import symbolic_trace
    >>> FxGraphDrawer(symbolic_trace(lambda x: x + 1), "plus").get_dot_graph().get_name()  # doctest: +SKIP
    'plus'
    """

    def __init__(
        self,
        graph_module: GraphModule,
        name: str,
        ignore_getattr: bool = False,
        ignore_parameters_and_buffers: bool = False,
        skip_node_names_in_args: bool = True,
        parse_stack_trace: bool = False,
        dot_graph_shape: str | None = None,
        normalize_args: bool = False,
    ) -> None:
        try:
            import pydot  # type: ignore[import-untyped, import-not-found, unused-ignore]
        except ImportError:
            raise RuntimeError("FxGraphDrawer needs the package pydot: pip install pydot") from None
        dot: Any = pydot.Dot(name, rankdir="TB")
        modules = dict(graph_module.named_modules())
        shown = [n for n in graph_module.graph.nodes if not (ignore_getattr and n.op == "get_attr")]
        for node in shown:
            label = _label(node, modules)
            color = _COLORS[node.op]
            shape = dot_graph_shape or "record"
            dot.add_node(pydot.Node(node.name, label=label, shape=shape, style="filled,rounded", fillcolor=color))
        for node in shown:
            for user in node.users:
                dot.add_edge(pydot.Edge(node.name, user.name))
        self._dot_graphs = {name: dot}
        self._name = name

    def get_dot_graph(self, submod_name: str | None = None) -> Any:
        """The drawing: a ``pydot.Dot``."""
        return self._dot_graphs[self._name if submod_name is None else f"{self._name}_{submod_name}"]

    def get_main_dot_graph(self) -> Any:
        """The drawing."""
        return self.get_dot_graph()

    def get_all_dot_graphs(self) -> dict[str, Any]:
        """Return all drawings by name; there is only one."""
        return self._dot_graphs


def _label(node: Node, modules: dict[str, Any]) -> str:
    lines = [f"name=%{node.name}", f"op_code={node.op}"]
    if node.op == "call_module":
        lines.append(repr(modules[str(node.target)]).partition("\n")[0])
    else:
        lines.append(f"target={shown_target(node.target) if callable(node.target) else node.target}")
    meta = node.meta.get("tensor_meta")
    if meta is not None and hasattr(meta, "shape"):
        lines.append(f"{meta.dtype}[{', '.join(map(str, meta.shape))}]")
    text = "\\n".join(lines)
    for mark in "{}<>|":
        text = text.replace(mark, f"\\{mark}")
    return f'"{{{text}}}"'
