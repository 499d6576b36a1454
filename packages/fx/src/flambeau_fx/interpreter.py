"""Running a graph node by node, with or without changes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from flambeau_fx.codegen import last_uses
from flambeau_fx.graph import Graph
from flambeau_fx.graph_module import GraphModule
from flambeau_fx.immutable_collections import immutable_dict, immutable_list
from flambeau_fx.node import Argument, Node, Target, map_aggregate, map_arg
from flambeau_fx.proxy import Proxy, TracerBase
from flambeau_nn import Module

__all__ = ["Interpreter", "Transformer"]


class Interpreter:
    """Runs a GraphModule node by node; subclasses override the methods for kinds of nodes.

    Args:
        module: the module with the graph's targets.
        garbage_collect_values: whether to free values that are no longer used.
        graph: the graph to run; default: that of the module.

    Raises:
        RuntimeError: there are too few arguments, or the call of a node raises an error.

    >>> import flambeau_tensor as torch
    >>> from flambeau_fx import Interpreter, symbolic_trace
    >>> class Doubling(Interpreter):
    ...     def call_function(self, target, args, kwargs):
    ...         return 2 * super().call_function(target, args, kwargs)
    >>> Doubling(symbolic_trace(lambda x: torch.neg(x))).run(torch.tensor([1.0]))
    tensor([-2.])
    """

    def __init__(self, module: Module, garbage_collect_values: bool = True, graph: Graph | None = None) -> None:
        self.module = module
        self.submodules = dict(module.named_modules())
        self.graph: Graph = module.graph if graph is None else graph
        self.env: dict[Node, Any] = {}
        self.name = "Interpreter"
        self.garbage_collect_values = garbage_collect_values
        self.extra_traceback = True
        self.args_iter: Iterator[Any] = iter(())
        self._last: dict[Node, list[Node]] = {}
        if garbage_collect_values:
            self._last = last_uses(self.graph)

    def run(self, *args: Any, initial_env: dict[Node, Any] | None = None, enable_io_processing: bool = True) -> Any:
        """Run all nodes and return the value of the output node.

        Args:
            initial_env: known values of nodes; these nodes do not run.
            enable_io_processing: whether the graph's code generator processes arguments and results.
        """
        self.env = {} if initial_env is None else dict(initial_env)
        if enable_io_processing:
            args = self.graph.process_inputs(*args)
        self.args_iter = iter(args)
        for node in self.graph.nodes:
            if node in self.env:
                continue
            try:
                self.env[node] = self.run_node(node)
            except Exception as error:
                if self.extra_traceback:
                    error.add_note(f"While executing {node.format_node()}")
                raise
            if node.op == "output":
                result = self.env[node]
                return self.graph.process_outputs(result) if enable_io_processing else result
            for unused in self._last.get(node, ()):
                del self.env[unused]
        return None

    def boxed_run(self, args_list: list[Any]) -> Any:
        """Like `run`, with arguments in a list, which is emptied so that they can be freed."""
        args = tuple(args_list)
        args_list.clear()
        return self.run(*args)

    def run_node(self, n: Node) -> Any:
        """Run one node with the values of its arguments."""
        args, kwargs = self.fetch_args_kwargs_from_env(n)
        return getattr(self, n.op)(n.target, args, kwargs)

    def placeholder(self, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Any]) -> Any:
        """Return the next argument of `run`, or all remaining ones for a name with a star, or else the default."""
        if isinstance(target, str) and target.startswith("*"):
            return list(self.args_iter)
        try:
            return next(self.args_iter)
        except StopIteration:
            if args:
                return args[0]
            raise RuntimeError(
                f"Expected positional argument for parameter {target}, but one was not passed in!"
            ) from None

    def get_attr(self, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Any]) -> Any:
        """The attribute at a path of the module."""
        return self.fetch_attr(str(target))

    def call_function(self, target: Any, args: tuple[Argument, ...], kwargs: dict[str, Any]) -> Any:
        """Call a function."""
        return target(*args, **kwargs)

    def call_method(self, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Any]) -> Any:
        """Call a method of the first argument."""
        first, *rest = args
        return getattr(first, str(target))(*rest, **kwargs)

    def call_module(self, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Any]) -> Any:
        """Call the submodule at a path."""
        return self.fetch_attr(str(target))(*args, **kwargs)

    def output(self, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Any]) -> Any:
        """Return the value of the output node."""
        return args[0]

    def fetch_attr(self, target: str) -> Any:
        """The attribute at a path of the module; raises RuntimeError if there is none."""
        value: Any = self.module
        parts = target.split(".")
        for i, part in enumerate(parts):
            if not hasattr(value, part):
                raise RuntimeError(f"Node referenced nonexistent target {'.'.join(parts[: i + 1])}")
            value = getattr(value, part)
        return value

    def fetch_args_kwargs_from_env(self, n: Node) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The values of a node's arguments."""
        return self.map_nodes_to_values(n.args, n), self.map_nodes_to_values(n.kwargs, n)

    def map_nodes_to_values(self, args: Argument, n: Node) -> Any:
        """Arguments with values in the place of nodes, as plain tuples, lists and dicts."""

        def value(node: Node) -> Any:
            if node not in self.env:
                raise RuntimeError(
                    f"Node {n} referenced nonexistent value {node}! Run Graph.lint() to diagnose such issues"
                )
            return self.env[node]

        return _plain(map_arg(args, value))


def _plain(a: Any) -> Any:
    """Convert immutable lists and dicts to lists and dicts."""
    if type(a) is tuple:
        return tuple(_plain(x) for x in a)
    if isinstance(a, immutable_list):
        return [_plain(x) for x in a]
    if isinstance(a, immutable_dict):
        return {k: _plain(v) for k, v in a.items()}
    return a


class Transformer(Interpreter):
    """An interpreter whose values are proxies of a new graph: `transform` returns the resulting module.

    Raises:
        AttributeError: the argument is not a GraphModule.

    >>> import flambeau_tensor as torch
    >>> from flambeau_fx import Transformer, symbolic_trace
    >>> class Swap(Transformer):
    ...     def call_function(self, target, args, kwargs):
    ...         return super().call_function(torch.cos if target is torch.sin else target, args, kwargs)
    >>> Swap(symbolic_trace(lambda x: torch.sin(x))).transform()(torch.tensor([0.0]))
    tensor([1.])
    """

    def __init__(self, module: GraphModule) -> None:
        super().__init__(module)
        self.new_graph = Graph(tracer_cls=module.graph._tracer_cls)
        self.new_graph._codegen = module.graph._codegen
        self.extra_traceback = False

        class _Tracer(TracerBase):
            def __init__(self, graph: Graph) -> None:
                self.graph = graph

            def is_leaf_module(self, m: Module, name: str) -> bool:
                return True

        self.tracer: TracerBase = _Tracer(self.new_graph)

    def placeholder(self, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Any]) -> Proxy:
        """An argument of the new graph."""
        default = args[0] if args else ...
        return Proxy(self.new_graph.placeholder(str(target), default_value=default), self.tracer)

    def get_attr(self, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Any]) -> Proxy:
        """The reading of an attribute in the new graph."""
        return self.tracer.create_proxy("get_attr", target, args, kwargs)

    def call_module(self, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Any]) -> Any:
        """The call of a submodule in the new graph."""
        return self.tracer.create_proxy("call_module", target, args, kwargs)

    def call_function(self, target: Any, args: tuple[Argument, ...], kwargs: dict[str, Any]) -> Any:
        """The call of a function in the new graph."""
        return self.tracer.create_proxy("call_function", target, args, kwargs)

    def run_node(self, n: Node) -> Any:
        result = super().run_node(n)
        if isinstance(result, Proxy) and result.node.op != "output":
            for key in ("stack_trace", "nn_module_stack"):
                if key in n.meta:
                    result.node.meta.setdefault(key, n.meta[key])
        return result

    def transform(self) -> GraphModule:
        """Return a module with the new graph."""
        result = super().run(enable_io_processing=False)
        if result is not None:

            def node(a: Any) -> Argument:
                return a.node if isinstance(a, Proxy) else a

            self.new_graph.output(map_aggregate(result, node), self.graph.output_node().type)
        return GraphModule(self.module, self.new_graph)
