"""A module whose forward is a graph."""

from __future__ import annotations

import contextlib
import copy
import itertools
import linecache
import pickle
from collections.abc import Callable
from typing import Any

import flambeau_tensor as _torch
from flambeau_fx.codegen import CodeGen, PythonCode, _PyTreeCodeGen, import_lines
from flambeau_fx.graph import Graph
from flambeau_nn import Module, Parameter
from flambeau_nn.modules.module import late_state

__all__ = ["GraphModule"]

_numbers = itertools.count()


def _compiled(code: PythonCode) -> Callable[..., Any]:
    """Return the function `forward` of a source, and make its lines available to tracebacks."""
    name = f"<eval_with_key>.{next(_numbers)}"
    linecache.cache[name] = (len(code.src), None, code.src.splitlines(keepends=True), name)
    names = dict(code.globals)
    exec(compile(code.src, name, "exec"), names)
    function: Callable[..., Any] = names["forward"]
    return function


def _copy_attribute(source: Any, target: Module, path: str) -> None:
    """Copy the attribute at a path of one module to the same path of another, creating plain modules on the way."""
    *groups, name = path.split(".")
    for group in groups:
        inner = getattr(target, group, None)
        source = getattr(source, group)
        if inner is source:  # the whole submodule is there
            return
        if inner is None:
            inner = Module()
            setattr(target, group, inner)
        target = inner
    _assign(target, name, getattr(source, name))


_copy_attr = _copy_attribute  # PyTorch's name, imported by packages that create graph modules
_USER_PRESERVED_ATTRIBUTES_KEY = "_user_preserved_attributes"


class _CodeOnlyModule(Module):
    """A module with the given ``__dict__``, for packages that have their own way to copy graph modules."""

    def __init__(self, body: dict[str, Any]) -> None:
        super().__init__()
        self.__dict__ = body


def _assign(module: Module, name: str, value: Any) -> None:
    if isinstance(value, _torch.Tensor) and not isinstance(value, Parameter):
        module.register_buffer(name, value)
    else:
        setattr(module, name, value)


class GraphModule(Module):
    """A module that runs a graph. Assigning `graph`, or calling `recompile` after a change, regenerates its forward.

    Args:
        root: the module with the graph's targets, or a dict from target names; the targets are copied to the new
            module.
        graph: the program.
        class_name: the name of its class.

    Raises:
        RuntimeError: the root lacks a target of the graph, or is neither a module nor a dict.

    >>> import flambeau_tensor as torch
    >>> from flambeau_fx import Graph, GraphModule
    >>> graph = Graph()
    >>> _ = graph.output(graph.call_function(torch.neg, (graph.placeholder("x"),)))
    >>> GraphModule({}, graph)(torch.tensor([1.0]))
    tensor([-1.])
    """

    def __new__(cls, *args: Any, **kwargs: Any) -> GraphModule:
        # Each graph module has its own class, whose forward is its program.
        base = next(c for c in cls.__mro__ if not c.__dict__.get("_is_graph_class"))

        class GraphModuleImpl(base):  # type: ignore[misc,valid-type]
            _is_graph_class = True

        GraphModuleImpl.__module__ = __name__
        made: GraphModule = super().__new__(GraphModuleImpl)
        return made

    def __init__(self, root: Module | dict[str, Any], graph: Graph, class_name: str = "GraphModule") -> None:
        super().__init__()
        type(self).__name__ = class_name
        targets = [str(n.target) for n in graph.nodes if n.op in ("get_attr", "call_module")]
        if isinstance(root, Module):
            if hasattr(root, "training"):
                self.training = root.training
            for target in targets:
                _copy_attribute(root, self, target)
        elif isinstance(root, dict):
            missing = [target for target in targets if target not in root]
            if missing:
                raise RuntimeError(
                    f"Node target {missing[0]} was referenced in the graph but was not provided in the dict of targets"
                )
            for target in sorted(dict.fromkeys(targets), key=lambda t: t.count(".")):
                *groups, name = target.split(".")
                module: Module = self
                for group in groups:
                    if not hasattr(module, group):
                        module.add_module(group, Module())
                    module = getattr(module, group)
                _assign(module, name, root[target])
        else:
            raise RuntimeError(f"Unsupported type {type(root)} passed for root!")
        self.meta: dict[str, Any] = {}
        if isinstance(root, GraphModule):
            self.meta.update(root.meta)
        self._graph: Graph | None = None
        self.graph = graph

    def _replicate_for_data_parallel(self) -> Any:
        replica = copy.copy(self)
        replica._is_replica = True
        return replica

    @property
    def graph(self) -> Graph:
        """The program. A graph that belongs to another module is copied."""
        graph: Graph = self.__dict__["_graph"]
        return graph

    @graph.setter
    def graph(self, g: Graph) -> None:
        if not isinstance(g, Graph):
            raise AssertionError(f"Expected a Graph instance, but got {type(g)}")
        if g.owning_module is not None and g.owning_module is not self:
            g = copy.deepcopy(g)
        self.__dict__["_graph"] = g
        g.owning_module = self
        self.recompile()

    @property
    def code(self) -> str:
        """The source of its forward."""
        if "_code" not in self.__dict__:
            raise RuntimeError("Code has not been generated")
        return str(self.__dict__["_code"])

    def recompile(self) -> PythonCode:
        """Regenerate the forward after a change of the graph."""
        codegen = self.graph._codegen
        if isinstance(codegen, _PyTreeCodeGen):
            self.__dict__.update(_in_spec=codegen.in_spec, _out_spec=codegen.out_spec)
        code = self.graph.python_code("self")
        self.__dict__["_code"] = code.src
        type(self).forward = _compiled(code)
        return code

    # --- submodules

    def add_submodule(self, target: str, m: Module) -> bool:
        """Set the module at a path, and create the modules in between; returns False if another object is there."""
        *groups, name = target.split(".")
        module: Module = self
        for group in groups:
            inner = getattr(module, group, None)
            if inner is None:
                inner = Module()
                setattr(module, group, inner)
            if not isinstance(inner, Module):
                return False
            module = inner
        module.add_module(name, m)
        return True

    def delete_submodule(self, target: str) -> bool:
        """Remove a module; returns False if there is none at the path."""
        *groups, name = target.split(".")
        module: Any = self
        for group in groups:
            module = getattr(module, group, None)
            if not isinstance(module, Module):
                return False
        if not isinstance(getattr(module, name, None), Module):
            return False
        delattr(module, name)
        return True

    def delete_all_unused_submodules(self) -> None:
        """Remove all modules that the graph neither calls nor reads."""
        used: set[str] = set()
        for node in self.graph.nodes:
            if node.op in ("call_module", "get_attr"):
                parts = str(node.target).split(".")
                used.update(".".join(parts[:i]) for i in range(1, len(parts) + 1))
                if node.op == "call_module":
                    with contextlib.suppress(AttributeError):
                        inner = self.get_submodule(str(node.target)).named_modules()
                        used.update(f"{node.target}.{name}" for name, _ in inner if name)
        for name in [name for name, _ in self.named_modules() if name and name not in used]:
            self.delete_submodule(name)

    # --- copies, text

    def __reduce__(self) -> tuple[Any, ...]:
        state = {k: v for k, v in self.__dict__.items() if k not in ("_graph", "_code")}
        code, own = self.graph.python_code("self"), _user_class(type(self))
        if own is not GraphModule or type(self.graph._codegen) is not CodeGen:
            return _rebuilt, (own, type(self).__name__, state, self.graph)
        # As in PyTorch's files, the code defines the module; the graph is added because it contains more information.
        body = late_state() | state | {"_code": code.src, "_graphmodule_cls_name": type(self).__name__}
        return reduce_graph_module, ({**body, _GRAPH: pickle.dumps(self.graph)}, import_lines(code.globals))

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        return self.__reduce__()

    def __deepcopy__(self, memo: dict[int, Any]) -> GraphModule:
        cls: Any = _user_class(type(self))
        copied: GraphModule = cls.__new__(cls)
        memo[id(self)] = copied  # before its attributes, which may refer to it
        state = {k: v for k, v in self.__dict__.items() if k not in ("_graph", "_code")}
        return _filled(copied, type(self).__name__, copy.deepcopy(state, memo), copy.deepcopy(self.graph))

    def __copy__(self) -> GraphModule:
        state = {k: v for k, v in self.__dict__.items() if k not in ("_graph", "_code")}
        return _rebuilt(_user_class(type(self)), type(self).__name__, state, copy.deepcopy(self.graph))

    def print_readable(self, print_output: bool = True, **_: Any) -> str:
        """Print the source as that of a class, and of the GraphModules in it; returns it."""
        body = self.code.strip("\n ").replace("\n", "\n    ")
        text = f"class {type(self).__name__}(torch.nn.Module):\n    {body}\n"
        modules: dict[str, Module] = self._modules
        for child in modules.values():
            if isinstance(child, GraphModule):
                text += "\n    " + child.print_readable(print_output=False).strip().replace("\n", "\n    ") + "\n"
        if print_output:
            print(text)
        return text

    def __str__(self) -> str:
        return "\n".join(
            [repr(self), self.code, "# To see more debug info, please use `graph_module.print_readable()`"]
        )


_GRAPH = "_pickled_graph"


def reduce_graph_module(body: dict[str, Any], import_block: str) -> GraphModule:
    """Restore the module of a pickle.

    Args:
        body: the attributes of the module, with the source of its forward as "_code".
        import_block: lines that import the names in this source.
    """
    body = dict(body)
    name, saved = body.pop("_graphmodule_cls_name", "GraphModule"), body.pop(_GRAPH, None)
    source = body.pop("_code", None) or body.pop("code")
    if saved is not None:
        return _rebuilt(GraphModule, name, body, pickle.loads(saved))
    from flambeau_fx._symbolic_trace import trace_code

    root = _CodeOnlyModule({})
    Module.__init__(root)
    root.__setstate__(body)
    made = GraphModule(root, trace_code(root, source, import_block), name)
    for key, value in body.items():
        if not key.startswith("_") and not hasattr(made, key):
            setattr(made, key, value)
    made.meta = dict(body.get("meta") or {})
    return made


def _user_class(cls: type) -> type:
    return next(c for c in cls.__mro__ if not c.__dict__.get("_is_graph_class"))


def _rebuilt(cls: Any, name: str, state: dict[str, Any], graph: Graph) -> GraphModule:
    return _filled(cls.__new__(cls), name, state, graph)


def _filled(made: GraphModule, name: str, state: dict[str, Any], graph: Graph) -> GraphModule:
    Module.__init__(made)
    type(made).__name__ = name
    made.__setstate__(state)
    made.graph = graph
    return made
