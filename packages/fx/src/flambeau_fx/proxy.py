"""Proxies, which stand for values during a trace and record the operations on them."""

from __future__ import annotations

import dis
import inspect
import operator
import traceback
from collections.abc import Callable, Iterator
from types import FrameType
from typing import TYPE_CHECKING, Any

import flambeau_tensor as _torch
from flambeau_fx.node import Argument, Node, Target, base_types, map_aggregate
from flambeau_overrides import is_tensor_method_or_property

if TYPE_CHECKING:
    from flambeau_fx.graph import Graph

__all__ = ["Attribute", "GraphAppendingTracer", "ParameterProxy", "Proxy", "TraceError", "TracerBase"]

_PLAIN = (*base_types, _torch.dtype, _torch.device, _torch.Size, _torch.layout, _torch.memory_format, range)


class TraceError(ValueError):
    """The traced program needs the value of a proxy."""


class TracerBase:
    """Creates nodes and proxies; `Tracer` adds running a module with them."""

    graph: Graph
    record_stack_traces: bool = False
    check_mutable_operations: bool = False
    trace_asserts: bool = False
    proxy_buffer_attributes: bool = False
    traced_func_name: str = "forward"

    def create_node(
        self,
        kind: str,
        target: Target,
        args: tuple[Argument, ...],
        kwargs: dict[str, Argument],
        name: str | None = None,
        type_expr: Any = None,
    ) -> Node:
        """Add a node to the graph."""
        return self.graph.create_node(kind, target, args, kwargs, name, type_expr)

    def proxy(self, node: Node) -> Proxy:
        """Return a proxy for the value of a node."""
        return Proxy(node, self)

    def create_proxy(
        self,
        kind: str,
        target: Target,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        name: str | None = None,
        type_expr: Any = None,
        proxy_factory_fn: Callable[[Node], Proxy] | None = None,
    ) -> Proxy:
        """Add a node whose arguments are proxies and values, and return its proxy."""
        taken, named = self.create_arg(args), self.create_arg(kwargs)
        node = self.create_node(kind, target, taken, named, name, type_expr)
        if self.record_stack_traces and not node.stack_trace:
            node.stack_trace = "".join(traceback.format_list(traceback.extract_stack()[:-2])).strip()
        return (proxy_factory_fn or self.proxy)(node)

    def create_arg(self, a: Any) -> Argument:
        """Return an argument in the form in which nodes store it; raise NotImplementedError if that is impossible."""
        if isinstance(a, Proxy):
            return a.node
        if hasattr(a, "__fx_create_arg__"):
            return a.__fx_create_arg__(self)
        if isinstance(a, _torch.Size):
            return a if not any(isinstance(n, Proxy) for n in a) else tuple(self.create_arg(n) for n in a)
        if isinstance(a, tuple):
            parts = [self.create_arg(x) for x in a]
            if hasattr(a, "_fields"):
                return self.create_node("call_function", type(a), tuple(parts), {}) if _any_node(parts) else a
            return tuple(parts)
        if isinstance(a, list):
            return [self.create_arg(x) for x in a]
        if isinstance(a, dict):
            for key in a:
                if isinstance(key, Proxy):
                    raise RuntimeError(
                        f"Keys for dictionaries used as an argument cannot contain a Node. Got key: {key}"
                    )
            return {key: self.create_arg(value) for key, value in a.items()}
        if isinstance(a, slice):
            return slice(self.create_arg(a.start), self.create_arg(a.stop), self.create_arg(a.step))
        if isinstance(a, _PLAIN) or callable(a):
            return a
        raise NotImplementedError(f"argument of type: {type(a)}")

    def to_bool(self, obj: Proxy) -> bool:
        """Return the truth value for ``if value:``."""
        raise TraceError("symbolically traced variables cannot be used as inputs to control flow")

    def iter(self, obj: Proxy) -> Iterator[Any]:
        """Return an iterator for ``for x in value``."""
        raise TraceError(
            "Proxy object cannot be iterated: how many values it stands for is not known while a program "
            "is traced. A loop over it, or *value in a call, has to be written otherwise, or stand in a "
            "function that wrap() makes a single step"
        )

    def keys(self, obj: Proxy) -> Any:
        """Return the result of ``value.keys()``, which ``**value`` uses."""
        return Attribute(obj, "keys")()


def _any_node(parts: list[Argument]) -> bool:
    found = []
    map_aggregate(parts, lambda a: found.append(a) if isinstance(a, Node) else None)
    return bool(found)


class GraphAppendingTracer(TracerBase):
    """Records operations on proxies of a graph's nodes in that graph."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph


class Proxy:
    """Stands for a value during a trace: operators, functions, methods and attributes become nodes.

    Raises:
        TraceError: the program needs its value, for example in ``if`` or ``for``.

    >>> from flambeau_fx import Graph, Proxy
    >>> graph = Graph()
    >>> x = Proxy(graph.placeholder("x"))
    >>> y = (x + 1).relu()
    >>> y, list(graph.nodes)
    (Proxy(relu), [x, add, relu])
    """

    def __init__(self, node: Node, tracer: TracerBase | None = None) -> None:
        self.tracer = GraphAppendingTracer(node.graph) if tracer is None else tracer
        self.node = node

    def __repr__(self) -> str:
        return f"Proxy({self.node.name})"

    def __getattr__(self, k: str) -> Attribute:
        return Attribute(self, k)

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__

    def __deepcopy__(self, memo: dict[int, Any]) -> Proxy:
        copied = object.__new__(type(self))
        copied.__dict__.update(self.__dict__)
        return copied

    def __call__(self, *args: Any, **kwargs: Any) -> Proxy:
        return self.tracer.create_proxy("call_method", "__call__", (self, *args), kwargs)

    def __iter__(self) -> Iterator[Any]:
        frame = inspect.currentframe()
        count = None if frame is None or frame.f_back is None else _unpacked(frame.f_back)
        return self.tracer.iter(self) if count is None else (operator.getitem(self, i) for i in range(count))

    def __bool__(self) -> bool:
        return self.tracer.to_bool(self)

    def __len__(self) -> int:
        raise RuntimeError(
            "'len' is not supported in symbolic tracing by default. If you want this call to be "
            "recorded, please call torch.fx.wrap('len') at module scope"
        )

    def __contains__(self, key: Any) -> bool:
        return bool(self.tracer.create_proxy("call_function", operator.contains, (self, key), {}))

    def keys(self) -> Any:
        return self.tracer.keys(self)

    __hash__ = object.__hash__

    @classmethod
    def __torch_function__(cls, orig_method: Any, types: Any, args: Any = None, kwargs: Any = None) -> Any:
        args, kwargs = args or (), kwargs or {}
        tracers: dict[TracerBase, None] = {}
        map_aggregate((args, kwargs), lambda a: tracers.setdefault(a.tracer) if isinstance(a, Proxy) else None)
        if len(tracers) > 1:
            raise RuntimeError(
                f"Found multiple different tracers {list(tracers)} while trying to trace operations {orig_method}"
            )
        (tracer,) = tracers
        name = getattr(orig_method, "__name__", None)
        if is_method(orig_method):
            if name == "__get__":
                return Attribute(args[0], orig_method.__self__.__name__)
            return tracer.create_proxy("call_method", str(name), args, kwargs)
        return tracer.create_proxy("call_function", orig_method, args, kwargs)


def is_method(func: Any) -> bool:
    try:
        return is_tensor_method_or_property(func)
    except (TypeError, AttributeError):
        return False


def _unpacked(frame: FrameType) -> int | None:
    """Return how many values the current instruction of a frame unpacks, as in ``a, b = value``."""
    for instruction in dis.get_instructions(frame.f_code):
        if instruction.offset == frame.f_lasti:
            return int(instruction.argval) if instruction.opname == "UNPACK_SEQUENCE" else None
    return None


class Attribute(Proxy):
    """An attribute of a proxy's value: it becomes a node only if it is used other than in a method call."""

    def __init__(self, root: Proxy, attr: str) -> None:
        self.root, self.attr, self.tracer = root, attr, root.tracer
        self._node: Node | None = None

    @property
    def node(self) -> Node:  # type: ignore[override]
        if self._node is None:
            self._node = self.tracer.create_proxy("call_function", getattr, (self.root, self.attr), {}).node
        return self._node

    def __call__(self, *args: Any, **kwargs: Any) -> Proxy:
        return self.tracer.create_proxy("call_method", self.attr, (self.root, *args), kwargs)


class ParameterProxy(Proxy):
    """A proxy for a parameter of constant shape."""

    def __init__(self, tracer: TracerBase, node: Node, name: str, param: _torch.Tensor) -> None:
        super().__init__(node, tracer)
        self.param, self.name = param, name

    def __repr__(self) -> str:
        return f"ParameterProxy({self.name})"

    @property
    def shape(self) -> Any:
        return self.param.shape

    @property
    def ndim(self) -> int:
        return self.param.ndim

    def size(self, *args: Any) -> Any:
        return self.param.size(*args)

    def dim(self) -> int:
        return self.param.dim()

    def numel(self) -> int:
        return self.param.numel()

    nelement = numel


def _declare_operators() -> None:
    def forward(function: Callable[..., Any]) -> Callable[..., Any]:
        def method(*args: Any, **kwargs: Any) -> Any:
            return args[0].tracer.create_proxy("call_function", function, args, kwargs)

        return method

    def reflected(function: Callable[..., Any]) -> Callable[..., Any]:
        def method(self: Proxy, other: Any) -> Any:
            return self.tracer.create_proxy("call_function", function, (other, self), {})

        return method

    both = "add and_ floordiv lshift matmul mod mul or_ pow rshift sub truediv xor".split()
    for name in [*both, *"abs eq ge getitem gt invert le lt ne neg pos".split()]:
        word = name.rstrip("_")
        setattr(Proxy, f"__{word}__", forward(getattr(operator, name)))
        if name in both:
            setattr(Proxy, f"__r{word}__", reflected(getattr(operator, name)))
    Proxy.__round__ = forward(round)  # type: ignore[attr-defined]


_declare_operators()
