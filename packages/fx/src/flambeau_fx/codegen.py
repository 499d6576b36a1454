"""Generation of a function's source from a graph."""

from __future__ import annotations

import builtins
import inspect
import math
import operator
import types
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any

import flambeau_tensor as _torch
from flambeau_fx import _pytree
from flambeau_fx.node import Argument, Node, annotation, map_arg, qualified_name

if TYPE_CHECKING:
    from flambeau_autograd.treespec import TreeSpec
    from flambeau_fx.graph import Graph

__all__ = ["CodeGen", "PythonCode"]

_BINARY = {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "floordiv": "//",
    "truediv": "/",
    "mod": "%",
    "pow": "**",
    "matmul": "@",
    "lshift": "<<",
    "rshift": ">>",
    "and_": "&",
    "or_": "|",
    "xor": "^",
    "lt": "<",
    "le": "<=",
    "eq": "==",
    "ne": "!=",
    "ge": ">=",
    "gt": ">",
}
_SYNTAX = {getattr(operator, name): f"{{}} {sign} {{}}" for name, sign in _BINARY.items()} | {
    operator.neg: "-{}",
    operator.pos: "+{}",
    operator.invert: "~{}",
    operator.getitem: "{}[{}]",
}
_INPLACE = {
    getattr(operator, f"i{name.rstrip('_')}"): f"{{}} {sign}= {{}}"
    for name, sign in _BINARY.items()
    if hasattr(operator, f"i{name.rstrip('_')}")
}


@dataclass
class PythonCode:
    """The source of a function ``forward``, and the globals that it needs."""

    src: str
    globals: dict[str, Any]


class _Globals:
    """The names that generated code uses. `torch` is a tree of only those objects that the code looks up below it."""

    def __init__(self, names: Any) -> None:
        self.torch = types.SimpleNamespace()
        self.found: dict[str, Any] = {
            "inf": math.inf,
            "nan": math.nan,
            "NoneType": type(None),
            "torch": self.torch,
            "device": _torch.device,
        }
        self.names = names

    def name(self, hint: str, value: Any) -> str:
        """Return the name of `value` in the code; `hint` is the path to it."""
        head, *path = hint.split(".")
        if head == "torch" and path:
            place = self.torch
            for part in path[:-1]:
                if not hasattr(place, part):
                    setattr(place, part, types.SimpleNamespace())
                place = getattr(place, part)
            setattr(place, path[-1], value)
            return hint
        if not path and getattr(builtins, hint, None) is value:
            return hint
        if hint in self.found and self.found[hint] is value:
            return hint
        for name, known in self.found.items():
            if known is value:
                return name
        name = self.names.create_name(hint.replace(".", "_"))
        self.found[name] = value
        return str(name)


def import_lines(names: dict[str, Any]) -> str:
    """Return lines that import the names of the code, under PyTorch's names."""
    lines = ["NoneType = type(None)", "from math import inf", "from math import nan", "from torch import device"]
    lines.append("import torch")
    for name, value in names.items():
        if name in ("NoneType", "inf", "nan", "device", "torch"):
            continue
        module, _, attribute = qualified_name(value).rpartition(".")
        lines.append(f"from {module or 'builtins'} import {attribute} as {name}")
    return "\n".join(lines) + "\n"


class CodeGen:
    """Generates a function from a graph; subclasses override its methods.

    >>> def twice(x):
    ...     return x + x
    >>> isinstance(torch.fx.symbolic_trace(twice).graph._codegen, CodeGen)
    True
    """

    def gen_fn_def(self, free_vars: list[str], maybe_return_annotation: str) -> str:
        """The first line of the function."""
        if not free_vars or free_vars[0] != "self":
            free_vars = ["self", *free_vars]
        return f"def forward({', '.join(free_vars)}){maybe_return_annotation}:"

    def generate_output(self, output_args: Argument, text: Callable[[Argument], str] = repr) -> str:
        """The last line of the function."""
        return f"return {text(output_args)}"

    def process_inputs(self, *args: Any) -> Any:
        """Convert the function's arguments to the inputs of the interpreter."""
        return args

    def process_outputs(self, outputs: Any) -> Any:
        """Convert the value of the output node to the function's result."""
        return outputs

    def additional_globals(self) -> list[tuple[str, Any]]:
        """The global names used by the lines of the methods above."""
        return []

    def generate(self, graph: Graph, root_module: str) -> PythonCode:
        """The whole source."""
        names = type(graph._namespace)()
        names.owners = dict(graph._namespace.owners)
        known = _Globals(names)
        known.found.update(self.additional_globals())
        last_use = last_uses(graph)

        def text(a: Argument) -> str:
            return _value(a, known)

        def call_text(args: tuple[Argument, ...], kwargs: dict[str, Argument]) -> str:
            return ", ".join([*map(text, args), *(f"{k} = {text(v)}" for k, v in kwargs.items())])

        def kind(node: Node) -> str:
            if node.type is None:
                return ""
            written = annotation(node.type)
            if not written.startswith("torch.") and isinstance(node.type, type):
                written = known.name(written, node.type)
            elif written == "torch.Tensor":
                known.name(written, node.type)
            elif "." in written:
                written = repr(written)
            return f" : {written}"

        free, body, returns, end = [], [], "", ""
        for node in graph.nodes:
            if node.op == "placeholder":
                name = str(node.target)
                default = f" = {text(node.args[0])}" if node.args else ""
                free.append(f"{name}{kind(node)}{default}")
                if name.lstrip("*") != node.name:
                    body.append(f"{node.name} = {name.lstrip('*')}")
                continue
            if node.op == "output":
                if node.type is not None:
                    returns = f" -> {kind(node)[3:]}"
                if _takes_text(self.generate_output):
                    end = self.generate_output(node.args[0], text)
                else:
                    end = self.generate_output(node.args[0])
                continue
            unused = last_use.get(node, []) + ([] if node.users else [node])
            gone = f";  {' = '.join([n.name for n in unused] + ['None'])}" if unused else ""
            line = f"{node.name}{kind(node)} = "
            if node.op == "get_attr":
                line += _attribute(root_module, str(node.target))
            elif node.op == "call_module":
                line += f"{_attribute(root_module, str(node.target))}({call_text(node.args, node.kwargs)})"
            elif node.op == "call_method":
                first, *rest = node.args
                line += f"{_attribute(text(first), str(node.target))}({call_text(tuple(rest), node.kwargs)})"
            elif node.target in _SYNTAX and not node.kwargs and len(node.args) == _SYNTAX[node.target].count("{}"):
                line += _SYNTAX[node.target].format(*_operands(node.target, [text(a) for a in node.args]))
            elif node.target in _INPLACE:
                line = f"{_INPLACE[node.target].format(*map(text, node.args))};  {line}{text(node.args[0])}"
            elif node.target is getattr and len(node.args) == 2 and str(node.args[1]).isidentifier():
                line += _attribute(text(node.args[0]), str(node.args[1]))
            else:
                line += f"{known.name(_hint(node.target), node.target)}({call_text(node.args, node.kwargs)})"
            body.append(line + gone)
        lines = "".join(f"    {line}\n" for line in body or ([] if end else ["pass"]))
        src = f"\n\n\n{self.gen_fn_def(free, returns)}\n{lines}    {end}\n    "
        return PythonCode(src, known.found)


def _takes_text(method: Callable[..., str]) -> bool:
    """Whether a method `generate_output` takes the function that writes values, which PyTorch's does not."""
    return "text" in inspect.signature(method).parameters


class _PyTreeCodeGen(CodeGen):
    """Generates code for a graph whose placeholders and outputs are the leaves of the function's arguments and result.

    Args:
        names: the names of the function's arguments.
        in_spec: the structure of the arguments.

    ``out_spec`` is the structure of the result, known after a run.
    """

    def __init__(self, names: list[str], in_spec: TreeSpec) -> None:
        self.names, self.in_spec = names, in_spec
        self.out_spec: TreeSpec | None = None

    def gen_fn_def(self, free_vars: list[str], maybe_return_annotation: str) -> str:
        """Return the two lines that begin the function: its arguments, and their leaves."""
        names = self.names
        leaves = [name.partition(" ")[0].partition("=")[0].strip(" :") for name in free_vars]
        head = super().gen_fn_def(names, maybe_return_annotation)
        if not leaves:
            return head
        taken = f"fx_pytree.tree_flatten_spec([{', '.join(names)}], self._in_spec)"
        return f"{head}\n    {', '.join(leaves)}, = {taken}"

    def generate_output(self, output_args: Argument, text: Callable[[Argument], str] = repr) -> str:
        """Return the line that builds the result."""
        return f"return self._out_spec.unflatten({text(output_args)})"

    def process_inputs(self, *args: Any) -> Any:
        return _pytree.tree_flatten_spec(list(args), self.in_spec)

    def process_outputs(self, outputs: Any) -> Any:
        return outputs if self.out_spec is None else self.out_spec.unflatten(list(outputs))

    def additional_globals(self) -> list[tuple[str, Any]]:
        return [("fx_pytree", _pytree)]


def _operands(target: Any, texts: list[str]) -> list[str]:
    """Return operands as code: only a power binds its left operand tighter than a minus sign and needs parentheses."""
    if target is operator.pow and texts[0].startswith("-"):
        return [f"({texts[0]})", texts[1]]
    return texts


def _hint(target: Any) -> str:
    name = qualified_name(target)
    return f"_{name}" if name.startswith("operator.") else name


def last_uses(graph: Graph) -> dict[Node, list[Node]]:
    """Return, for each node, the nodes whose values are last used by it."""
    seen: set[Node] = set()
    found: dict[Node, list[Node]] = {}
    for user in reversed(graph.nodes):

        def note(node: Node, user: Node = user) -> Node:
            if node not in seen:
                seen.add(node)
                found.setdefault(user, []).append(node)
            return node

        map_arg((user.args, user.kwargs), note)
    return found


def _attribute(owner: str, path: str) -> str:
    """Return ``self.layers.weight``, with getattr for parts that are not identifiers."""
    for part in path.split("."):
        owner = f"{owner}.{part}" if part.isidentifier() else f'getattr({owner}, "{part}")'
    return owner


def _value(a: Argument, known: _Globals) -> str:
    """An argument as code."""
    if isinstance(a, Node):
        return a.name
    if isinstance(a, tuple):
        inside = [_value(x, known) for x in a]
        if hasattr(a, "_fields"):
            return f"{known.name(annotation(type(a)), type(a))}({', '.join(inside)})"
        return f"({inside[0]},)" if len(inside) == 1 else f"({', '.join(inside)})"
    if isinstance(a, list):
        return f"[{', '.join(_value(x, known) for x in a)}]"
    if isinstance(a, dict):
        return "{" + ", ".join(f"{k!r}: {_value(v, known)}" for k, v in a.items()) + "}"
    if isinstance(a, slice):
        return f"slice({_value(a.start, known)}, {_value(a.stop, known)}, {_value(a.step, known)})"
    if isinstance(a, Enum):
        return f"{known.name(annotation(type(a)), type(a))}.{a.name}"
    shown = repr(a)
    if shown.startswith("torch.") and shown.replace(".", "").isidentifier():  # dtypes, layouts, memory formats
        return known.name(shown, a)
    if isinstance(a, type):
        return known.name(annotation(a), a)
    if callable(a) and getattr(a, "__name__", None):
        return known.name(_hint(a), a)
    return shown
