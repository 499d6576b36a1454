"""A Node: one step of a graph, linked to those before and after it, with the nodes that use its value."""

from __future__ import annotations

import builtins
import operator
import types
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from flambeau_fx.immutable_collections import immutable_dict, immutable_list
from flambeau_overrides import resolve_name

if TYPE_CHECKING:
    from flambeau_fx.graph import Graph

__all__ = ["Argument", "Node", "Target", "base_types", "has_side_effect", "map_aggregate", "map_arg"]

Target = Callable[..., Any] | str
Argument = Any  # a node, a plain value, or tuples, lists, dicts and slices of these
base_types = (str, int, float, bool, complex, type(None), type(...))

_OPCODES = ("placeholder", "get_attr", "call_function", "call_module", "call_method", "output", "root")
_effects: set[Any] = {print}


def has_side_effect(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Declare that calls of `fn` must not be removed even if their value is unused; returns `fn`.

    Raises:
        TypeError: the function cannot be hashed.

    >>> def log(x):
    ...     print("seen", x)
    >>> has_side_effect(log) is log
    True
    """
    _effects.add(fn)
    return fn


def map_aggregate(a: Argument, fn: Callable[[Argument], Argument]) -> Argument:
    """Apply `fn` to every leaf of tuples, lists, dicts and slices; resulting lists and dicts are immutable."""
    if isinstance(a, tuple):
        values = [map_aggregate(x, fn) for x in a]
        return type(a)(*values) if hasattr(a, "_fields") else tuple(values)
    if isinstance(a, list):
        return immutable_list([map_aggregate(x, fn) for x in a])
    if isinstance(a, dict):
        return immutable_dict({k: map_aggregate(v, fn) for k, v in a.items()})
    if isinstance(a, slice):
        return slice(map_aggregate(a.start, fn), map_aggregate(a.stop, fn), map_aggregate(a.step, fn))
    return fn(a)


def map_arg(a: Argument, fn: Callable[[Node], Argument]) -> Argument:
    """Apply `fn` to every node among arguments; other values stay unchanged.

    >>> from flambeau_fx import Graph, map_arg
    >>> x = Graph().placeholder("x")
    >>> map_arg((x, [x, 2]), lambda node: node.name)
    ('x', ['x', 2])
    """
    return map_aggregate(a, lambda x: fn(x) if isinstance(x, Node) else x)


def qualified_name(func: Any) -> str:
    """Return the dotted name of a function in generated code: 'torch.relu', 'operator.add'."""
    name = getattr(func, "__name__", None)
    if name is not None and getattr(builtins, name, None) is func:
        return str(name)
    if (getattr(func, "__module__", None) or "").startswith("torch.ops."):
        return f"{func.__module__}.{name}"
    found = resolve_name(func) if _hashable(func) else None
    if found is not None:
        return found
    if isinstance(func, types.MethodWrapperType | types.MethodDescriptorType | types.WrapperDescriptorType):
        return f"{func.__objclass__.__module__}.{func.__objclass__.__name__}.{func.__name__}"
    name = getattr(func, "__qualname__", name) if isinstance(func, type) else name
    if name is None:
        raise RuntimeError(f"the graph calls {func!r}, which has no name by which code could call it")
    module = getattr(func, "__module__", None) or ""
    module = {"_operator": "operator"}.get(module, module)
    return f"{_in_pytorch(module)}.{name}" if module else str(name)


# The module names that packages use without `flambeau`, which defines PyTorch's names.
_ALONE = {"flambeau": "torch", "flambeau_fx": "torch.fx", "flambeau_tensor": "torch", "flambeau_nn": "torch.nn"}


def _in_pytorch(module: str) -> str:
    head, dot, rest = module.partition(".")
    return _ALONE.get(head, head) + dot + rest


def _hashable(o: Any) -> bool:
    try:
        hash(o)
    except TypeError:
        return False
    return True


def shown_target(func: Any) -> str:
    """Return the name under which a node prints the function that it calls."""
    name = getattr(func, "__name__", None)
    if name is not None and getattr(builtins, name, None) is func:
        return f"builtins.{name}"
    return qualified_name(func)


_WRITERS = frozenset(
    {setattr, delattr, operator.setitem, operator.delitem}
    | {value for name, value in vars(operator).items() if name.startswith("i") and f"__{name}__" in vars(operator)}
    - {operator.index, operator.inv, operator.invert}
)
_WRITING_METHODS = frozenset(f"__{f.__name__}__" for f in _WRITERS if f.__module__ == "_operator")
# Operators of torch.ops.aten that draw random numbers without an argument `generator`.
_DRAWING = frozenset({"dropout", "native_dropout", "rand_like", "randn_like", "randint_like"})


def _schema_of(target: Any) -> Any:
    """The schema of an operator, of ``torch.ops`` or ours; None for other functions."""
    schema = getattr(target, "_schema", None)
    return schema if hasattr(schema, "arguments") else getattr(target, "schema", None)


def _writes(target: Any, args: tuple[Argument, ...], kwargs: dict[str, Argument]) -> bool:
    """Whether a call writes to one of its arguments."""
    if kwargs.get("out") is not None or kwargs.get("inplace") is True:
        return True
    schema = _schema_of(target)
    if schema is None:
        name = getattr(target, "__name__", "")  # of all overloads of an operator
        return hasattr(target, "overloads") and name.endswith("_") and not name.endswith("__")
    for i, a in enumerate(schema.arguments):
        given = args[i] if i < len(args) and not a.kwarg_only else kwargs.get(a.name)
        if given is not None and (a.is_write if hasattr(a, "is_write") else a.write):
            return True
    return False


def _draws(target: Any) -> bool:
    """Whether a call draws from a random generator, which affects later calls."""
    schema = _schema_of(target)
    if schema is None:
        return False
    return any(a.name == "generator" for a in schema.arguments) or schema.name.rpartition("::")[2] in _DRAWING


class Node:
    """One step of a `Graph`, whose methods create nodes.

    Attributes:
        op: 'placeholder' (an argument of the whole), 'get_attr', 'call_function', 'call_module', 'call_method' or
            'output'.
        target: the function, or the name of the method, module, attribute or argument.
        args, kwargs: the arguments of the call: nodes, plain values, and tuples, lists, dicts, slices of these.
        users: the nodes that have it among their arguments, as keys in their order.
        meta: a dict for analyses and transformations; copied with the node.
        type: the annotation of its value, or None.

    Raises:
        AssertionError: ``op`` is not one of these.

    >>> from flambeau_fx import Graph
    >>> graph = Graph()
    >>> x = graph.placeholder("x")
    >>> y = graph.call_method("relu", (x,))
    >>> y, y.args, list(x.users), y.format_node()
    (relu, (x,), [relu], '%relu : [num_users=0] = call_method[target=relu](args = (%x,), kwargs = {})')
    """

    def __init__(
        self,
        graph: Graph,
        name: str,
        op: str,
        target: Target,
        args: tuple[Argument, ...],
        kwargs: dict[str, Argument],
        return_type: Any = None,
    ) -> None:
        if op not in _OPCODES:
            raise AssertionError(f"op is one of {', '.join(_OPCODES[:-1])}, not {op!r}")
        if op == "call_function":
            if not callable(target):
                raise ValueError(
                    f"Node [graph = {graph}, name = '{name}'] target {target} has type "
                    f"{type(target)} but a Callable is expected"
                )
        elif not isinstance(target, str):
            raise ValueError(
                f"Node [graph = {graph}, name = '{name}'] target {target} has type {type(target)} but a str is expected"
            )
        self.graph, self.name, self.op, self.target, self.type = graph, name, op, target, return_type
        self.users: dict[Node, None] = {}
        self.meta: dict[str, Any] = {}
        self._inputs: dict[Node, None] = {}
        self._prev = self._next = self
        self._erased = False
        self._args: tuple[Argument, ...] = ()
        self._kwargs: dict[str, Argument] = {}
        self._use(args, kwargs)

    # --- place in the graph

    @property
    def next(self) -> Node:
        """The node after it; the graph's root after the last."""
        return self._next

    @property
    def prev(self) -> Node:
        """The previous node; for the first node, the graph's root."""
        return self._prev

    def prepend(self, x: Node) -> None:
        """Move a node of the same graph to the place before this one."""
        if x.graph is not self.graph:
            raise AssertionError("Attempting to move a Node into a different Graph")
        if x is self:
            return
        x._unlink()
        before = self._prev
        before._next, x._prev = x, before
        x._next, self._prev = self, x

    def append(self, x: Node) -> None:
        """Move a node of the same graph to the place after this one."""
        self._next.prepend(x)

    def _unlink(self) -> None:
        self._prev._next, self._next._prev = self._next, self._prev

    # --- arguments

    @property
    def args(self) -> tuple[Argument, ...]:
        return self._args

    @args.setter
    def args(self, args: tuple[Argument, ...]) -> None:
        self._use(args, self._kwargs)

    @property
    def kwargs(self) -> dict[str, Argument]:
        return self._kwargs

    @kwargs.setter
    def kwargs(self, kwargs: dict[str, Argument]) -> None:
        self._use(self._args, kwargs)

    def _use(self, args: tuple[Argument, ...], kwargs: dict[str, Argument]) -> None:
        for node in self._inputs:
            node.users.pop(self, None)
        self._inputs = {}

        def take(node: Node) -> Node:
            self._inputs[node] = node.users[self] = None
            return node

        self._args = map_arg(tuple(args), take)
        self._kwargs = map_arg(dict(kwargs), take)

    @property
    def all_input_nodes(self) -> list[Node]:
        """The nodes among its arguments, each once."""
        return list(self._inputs)

    def update_arg(self, idx: int, arg: Argument) -> None:
        """Replace one positional argument."""
        args = list(self._args)
        args[idx] = arg
        self.args = tuple(args)

    def insert_arg(self, idx: int, arg: Argument) -> None:
        """Insert an argument before the one at `idx`."""
        if not 0 <= idx <= len(self._args):
            raise AssertionError("insert_args index must be between 0 and len(self.args)")
        self.args = (*self._args[:idx], arg, *self._args[idx:])

    def update_kwarg(self, key: str, arg: Argument) -> None:
        """Replace or add one keyword argument."""
        self.kwargs = {**self._kwargs, key: arg}

    def replace_all_uses_with(
        self,
        replace_with: Node,
        delete_user_cb: Callable[[Node], bool] = lambda user: True,
        *,
        propagate_meta: bool = False,
    ) -> list[Node]:
        """Replace this node by another in all its users; returns the users.

        Args:
            delete_user_cb: which of the users change; all if not given.
            propagate_meta: copy `meta` to the other node, whose `meta` must be empty.
        """
        if propagate_meta:
            if replace_with.meta:
                raise AssertionError(
                    "Called node.replace_all_uses_with(replace_with, propagate_meta=True), but "
                    "replace_with already has .meta keys"
                )
            replace_with.meta.update(self.meta)
        changed = [user for user in self.users if delete_user_cb(user)]
        for user in changed:
            user.replace_input_with(self, replace_with)
        return changed

    def replace_input_with(self, old_input: Node, new_input: Node) -> None:
        """Replace `old_input` among the arguments by another node."""

        def swap(node: Node) -> Node:
            return new_input if node is old_input else node

        self._use(map_arg(self._args, swap), map_arg(self._kwargs, swap))

    # --- classification

    @property
    def stack_trace(self) -> str | None:
        """The place in the traced program that made this step, if the tracer recorded it."""
        return self.meta.get("stack_trace")

    @stack_trace.setter
    def stack_trace(self, trace: str | None) -> None:
        self.meta["stack_trace"] = trace

    def is_impure(self, impure_random: bool = True) -> bool:
        """Return True if the node has side effects, so that it stays even if its value is unused."""
        if self.op in ("placeholder", "output"):
            return True
        if self.op == "call_function":
            if self.target in _effects or self.target in _WRITERS:
                return True
            return _writes(self.target, self._args, self._kwargs) or (impure_random and _draws(self.target))
        if self.op == "call_method":
            name = str(self.target)
            return (name.endswith("_") and not name.endswith("__")) or name in _WRITING_METHODS
        if self.op == "call_module" and self.graph.owning_module is not None:
            module = self.graph.owning_module.get_submodule(str(self.target))
            return bool(getattr(module, "_is_impure", False)) or getattr(module, "inplace", False) is True
        return False

    def format_node(
        self, placeholder_names: list[str] | None = None, maybe_return_typename: list[str] | None = None, **_: Any
    ) -> str | None:
        """One line for the graph's text."""
        kind = f"{annotation(self.type)} " if self.type is not None else ""
        start = f"%{self.name} : {kind}[num_users={len(self.users)}] = {self.op}"
        if self.op == "placeholder":
            return f"{start}[target={self.target}]" + (f"(default={self._args[0]})" if self._args else "")
        if self.op == "get_attr":
            return f"{start}[target={self.target}]"
        if self.op == "output":
            return f"return {self._args[0]}"
        target = shown_target(self.target) if self.op == "call_function" else self.target
        return f"{start}[target={target}](args = {_text(self._args)}, kwargs = {_text(self._kwargs)})"

    def __repr__(self) -> str:
        return self.name

    def __lt__(self, other: Node) -> bool:
        return self._comes_before(other)

    def _comes_before(self, other: Node) -> bool:
        node = self._next
        while node.op != "root":
            if node is other:
                return True
            node = node._next
        return False

    def normalized_arguments(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError("torch.fx.Node.normalized_arguments is not built")


def annotation(kind: Any) -> str:
    """A type as code writes it."""
    if isinstance(kind, str):
        return kind
    if kind is type(None):
        return "NoneType"
    if isinstance(kind, type) and not getattr(kind, "__args__", None):
        if kind.__module__ == "builtins":
            return kind.__name__
        return f"{_in_pytorch(kind.__module__)}.{kind.__qualname__}"
    return str(kind)


def _text(a: Argument) -> str:
    """Arguments with a % before each node."""
    if isinstance(a, tuple):
        inside = ", ".join(map(_text, a))
        return f"({inside},)" if len(a) == 1 else f"({inside})"
    if isinstance(a, list):
        return f"[{', '.join(map(_text, a))}]"
    if isinstance(a, dict):
        return "{" + ", ".join(f"{k}: {_text(v)}" for k, v in a.items()) + "}"
    return f"%{a}" if isinstance(a, Node) else str(a)


def following(start: Node, forward: bool = True) -> Iterator[Node]:
    """Generate the nodes after `start` (before it), up to the root. Each is determined only when requested, so the
    graph may change meanwhile."""
    node = start._next if forward else start._prev
    while node.op != "root":
        if not node._erased:
            yield node
        node = node._next if forward else node._prev


class NodeList:
    """The nodes of a graph in their order."""

    def __init__(self, graph: Graph, forward: bool = True) -> None:
        self.graph, self.forward = graph, forward

    def __len__(self) -> int:
        return self.graph._count

    def __iter__(self) -> Iterator[Node]:
        return following(self.graph._root, self.forward)

    def __reversed__(self) -> NodeList:
        return NodeList(self.graph, not self.forward)
