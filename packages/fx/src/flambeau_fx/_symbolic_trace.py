"""Symbolic tracing: run a module or function with proxies, and record its operations as a graph."""

from __future__ import annotations

import builtins
import copy
import functools
import inspect
import math
import re
import threading
import warnings
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import chain
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import flambeau_tensor as _torch
from flambeau_autograd.treespec import tree_flatten
from flambeau_fx._compatibility import compatibility as compatibility
from flambeau_fx._patching import _autowrap_check as _autowrap_check
from flambeau_fx._patching import _Patcher
from flambeau_fx.codegen import _PyTreeCodeGen
from flambeau_fx.graph import Graph
from flambeau_fx.graph_module import GraphModule
from flambeau_fx.node import Argument, Node, Target, base_types, has_side_effect, map_aggregate
from flambeau_fx.proxy import ParameterProxy, Proxy, TracerBase
from flambeau_nn import Module, Parameter, Sequential
from flambeau_nn.interception import intercepted
from flambeau_tensor.pytorch_names import local_name

# The functions that tracing calls without recording; packages with their own tracers use these names.
_orig_module_call = Module.__call__
_orig_module_getattr = Module.__getattr__

__all__ = ["PH", "ProxyableClassMeta", "Tracer", "is_fx_tracing", "symbolic_trace", "wrap"]

_wrapped: dict[tuple[int, str], dict[str, Any]] = {}  # functions that are nodes as a whole, by their module
_state = threading.local()


class ScriptObject:
    """An object of a class of TorchScript: nothing is one."""


class PHBase:
    """A placeholder in `concrete_args` for values that remain arguments of the graph."""

    def __repr__(self) -> str:
        return "PH"


PH = PHBase()


def _assert_is_none(value: Any, msg: str) -> None:
    _torch._assert(value is None, msg)


has_side_effect(_torch._assert)
has_side_effect(_assert_is_none)


def is_fx_tracing() -> bool:
    """Return True if a program is being traced in this thread."""
    return bool(getattr(_state, "tracing", False))


class ProxyableClassMeta(type):
    """A metaclass: instances that are created from proxies during a trace become nodes.

    >>> class Pair(metaclass=torch.fx.ProxyableClassMeta):
    ...     def __init__(self, a, b):
    ...         self.a, self.b = a, b
    >>> def total(x, y):
    ...     pair = Pair(x, y)
    ...     return pair.a + pair.b
    >>> torch.fx.symbolic_trace(total)(torch.ones(1), torch.ones(1))
    tensor([2.])
    """

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        instance = cls.__new__(cls)  # type: ignore[call-overload]
        found = list(_proxies(args, kwargs)) if is_fx_tracing() else []
        if found:
            return found[0].tracer.create_proxy("call_function", cls, args, kwargs)
        instance.__init__(*args, **kwargs)
        return instance


def _proxies(*arguments: Any) -> Iterator[Proxy]:
    found: list[Proxy] = []
    map_aggregate(arguments, lambda a: found.append(a) if isinstance(a, Proxy) else None)
    return iter(found)


def wrap(fn_or_name: str | Callable[..., Any]) -> Any:
    """Make a function of a module, or a built-in function that it uses, a single node, whose body is not traced.

    Call it at the top level of a module, ``torch.fx.wrap("len")``, or use it as a decorator. Returns its argument.

    Raises:
        RuntimeError: the argument is neither a name nor a function.
        NotImplementedError: it is called inside a function.

    >>> import math
    >>> _ = wrap("len")
    >>> def count(x):
    ...     return x * len(x)
    >>> print(torch.fx.symbolic_trace(count).code.strip())
    def forward(self, x):
        len_1 = len(x)
        mul = x * len_1;  x = len_1 = None
        return mul
    """
    if not callable(fn_or_name) and not isinstance(fn_or_name, str):
        raise RuntimeError(
            f"Unsupported type for global function! Must be either a callable or string name, got {type(fn_or_name)}"
        )
    name = fn_or_name if isinstance(fn_or_name, str) else fn_or_name.__name__
    frame = inspect.currentframe()
    caller = frame.f_back if frame is not None else None
    if caller is None or caller.f_code.co_name != "<module>":
        raise NotImplementedError("wrap must be called at the top level of a module")
    _wrapped[id(caller.f_globals), name] = caller.f_globals
    return fn_or_name


def _as_node(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, which becomes a node when it is given a proxy."""

    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        for proxy in _proxies(args, kwargs):
            made = proxy.tracer.create_proxy("call_function", function, args, kwargs)
            made.node.meta["is_wrapped"] = True
            return made
        return function(*args, **kwargs)

    return wrapper


def _patch_wrapped_functions(patcher: _Patcher) -> None:
    """Make functions registered with :func:`wrap` single nodes, for tracers of other packages."""
    for (_, name), names in _wrapped.copy().items():
        found = names.get(name, getattr(builtins, name, None))
        if found is not None:
            patcher.patch(names, name, _as_node(found))


def _getattr(o: Any, name: str, *default: Any) -> Any:
    """`getattr` that also accepts a proxy, for which it is unknown whether the default applies."""
    if isinstance(o, Proxy) and default:
        return o.tracer.create_proxy("call_function", getattr, (o, name, *default), {})
    return getattr(o, name, *default)


@contextmanager
def _replaced(places: list[tuple[dict[str, Any], str, Any]]) -> Iterator[None]:
    """Other values for names in dictionaries."""
    absent = object()
    kept = [(place, name, place.get(name, absent)) for place, name, _ in places]
    try:
        for place, name, value in places:
            place[name] = value
        yield
    finally:
        for place, name, value in reversed(kept):
            if value is absent:
                del place[name]
            else:
                place[name] = value


class Tracer(TracerBase):
    """Traces a module: `trace` returns its graph. Subclasses decide what is a node.

    Args:
        autowrap_modules: modules whose functions are single nodes.
        autowrap_functions: functions that are single nodes, wherever the traced module uses them.
        param_shapes_constant: whether shapes of parameters are numbers instead of nodes.

    Raises:
        TraceError: the program needs the value of a tensor, or returns or stores a value that a graph cannot contain.

    >>> class Shallow(Tracer):
    ...     def is_leaf_module(self, m, name):
    ...         return True
    >>> [node.op for node in Shallow().trace(torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU())).nodes]
    ['placeholder', 'call_module', 'call_module', 'output']
    """

    def __init__(
        self,
        autowrap_modules: tuple[ModuleType, ...] = (math,),
        autowrap_functions: tuple[Callable[..., Any], ...] = (),
        param_shapes_constant: bool = False,
    ) -> None:
        self._single = {
            id(value): value
            for value in chain(*(dict(vars(module)).values() for module in autowrap_modules), autowrap_functions)
            if callable(value) and not isinstance(value, type)
        }
        self._modules = {id(module) for module in autowrap_modules}
        self._autowrap_function_ids = set(self._single)  # tracers of packages read these two
        self._autowrap_search = list(autowrap_modules)
        self.param_shapes_constant = param_shapes_constant
        self.submodule_paths: dict[Module, str] | None = None
        self.root: Module = Module()
        self.tensor_attrs: dict[int, str] = {}
        self.module_stack: OrderedDict[str, tuple[str, type]] = OrderedDict()
        self.num_calls: dict[str, int] = {}

    def __deepcopy__(self, memo: dict[int, Any]) -> Tracer:
        copied = type(self).__new__(type(self))
        memo[id(self)] = copied
        for name, value in self.__dict__.items():
            shared = name in ("_single", "_autowrap_search")  # functions, and modules, which cannot be copied
            setattr(copied, name, copy.copy(value) if shared else copy.deepcopy(value, memo))
        return copied

    # --- which calls become nodes

    def is_leaf_module(self, m: Module, module_qualified_name: str) -> bool:
        """Whether a submodule's call is one node; by default for all layers of ``torch.nn`` except containers."""
        return type(m).__module__.startswith(("torch.nn", "flambeau.nn", "flambeau_nn")) and not isinstance(
            m, Sequential
        )

    def path_of_module(self, mod: Module) -> str:
        """The name of a submodule: 'layers.0'. Raises NameError for a module that is none."""
        if self.submodule_paths is None:
            self.submodule_paths = {m: name for name, m in self.root.named_modules(remove_duplicate=False)}
        name = self.submodule_paths.get(mod)
        if name is None:
            raise NameError("module is not installed as a submodule")
        return name

    def call_module(self, m: Module, forward: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The call of a submodule: a node for leaf modules, else its forward."""
        name = self.path_of_module(m)
        if not self.is_leaf_module(m, name):
            return forward(*args, **kwargs)
        return self.create_proxy("call_module", name, args, kwargs)

    @contextmanager
    def _inside(self, module: Module) -> Iterator[None]:
        """Nodes that are made meanwhile belong to a submodule."""
        try:
            path = self.path_of_module(module)
        except NameError:  # which only `call_module` minds
            path = None
        if path is None:
            yield
            return
        self.num_calls[path] = count = self.num_calls.get(path, -1) + 1
        key, before = (f"{path}@{count}" if count else path), self.module_stack
        self.module_stack = OrderedDict(before)
        self.module_stack[key] = path, type(module)
        try:
            yield
        finally:
            self.module_stack = before

    def create_node(
        self,
        kind: str,
        target: Target,
        args: tuple[Argument, ...],
        kwargs: dict[str, Argument],
        name: str | None = None,
        type_expr: Any = None,
    ) -> Node:
        """Add a node to the graph; its `meta["nn_module_stack"]` lists the submodules in which it was created."""
        node = super().create_node(kind, target, args, kwargs, name, type_expr)
        if self.module_stack:
            node.meta["nn_module_stack"] = OrderedDict(self.module_stack)
        return node

    def getattr(self, attr: str, attr_val: Any, parameter_proxy_cache: dict[str, Any]) -> Any:
        """Return a module's attribute: a node for a parameter (and for a buffer with `proxy_buffer_attributes`)."""
        groups = (
            [self.root.named_parameters(remove_duplicate=False)]
            if isinstance(attr_val, Parameter)
            else [self.root.named_buffers(remove_duplicate=False)]
            if (self.proxy_buffer_attributes and isinstance(attr_val, _torch.Tensor))
            else []
        )
        for name, value in chain(*groups):
            if value is attr_val:
                if name not in parameter_proxy_cache:
                    made = self.create_proxy("get_attr", name, (), {})
                    if self.param_shapes_constant and isinstance(attr_val, Parameter):
                        made = ParameterProxy(self, made.node, name, attr_val)
                    parameter_proxy_cache[name] = made
                return parameter_proxy_cache[name]
        return attr_val

    def create_arg(self, a: Any) -> Argument:
        """As TracerBase does; parameters, other tensors and submodules become attributes of the root."""
        if isinstance(a, Parameter):
            for name, parameter in self.root.named_parameters(remove_duplicate=False):
                if a is parameter:
                    return self.create_node("get_attr", name, (), {})
            raise NameError("parameter is not a member of this module")
        if isinstance(a, _torch.Tensor):
            for name, value in self.root.named_buffers(remove_duplicate=False):
                if a is value:
                    return self.create_node("get_attr", name, (), {})
            if id(a) not in self.tensor_attrs:
                self.tensor_attrs[id(a)] = self.get_fresh_qualname("_tensor_constant")
                setattr(self.root, self.tensor_attrs[id(a)], a)
            return self.create_node("get_attr", self.tensor_attrs[id(a)], (), {})
        if isinstance(a, Module):
            return self.create_node("get_attr", self.path_of_module(a), (), {})
        if type(type(a)) is ProxyableClassMeta and is_fx_tracing():
            name = self.get_fresh_qualname(f"_{type(a).__name__}_constant_")
            setattr(self.root, name, a)
            return self.create_node("get_attr", name, (), {})
        return super().create_arg(a)

    def get_fresh_qualname(self, prefix: str) -> str:
        """A name that the root does not have."""
        i = 0
        while hasattr(self.root, f"{prefix}{i}"):
            i += 1
        return f"{prefix}{i}"

    # --- the arguments of the whole

    def create_args_for_root(
        self,
        root_fn: Callable[..., Any],
        is_module: bool,
        concrete_args: dict[str, Any] | tuple[Any, ...] | None = None,
    ) -> tuple[Any, list[Any]]:
        """A function of plain positional arguments, and the proxies and values that it is called with."""
        function = inspect.unwrap(root_fn)
        code: CodeType = function.__code__
        total = code.co_argcount + code.co_kwonlyargcount
        names = list(code.co_varnames[:total])
        args: list[Any] = [self.root] if is_module else []
        names = names[len(args) :]
        if isinstance(concrete_args, tuple):
            if len(names) != len(concrete_args):
                raise RuntimeError(
                    f"Tracing expected {len(names)} arguments but got {len(concrete_args)} concrete arguments"
                )
            concrete_args = dict(zip(names, concrete_args, strict=True))
        given = {name: value for name, value in (concrete_args or {}).items() if not isinstance(value, PHBase)}
        unknown = set(given) - set(names)
        if unknown:
            raise RuntimeError(
                f"concrete_args names {', '.join(sorted(unknown))}, which {function.__name__} does not take"
            )
        defaults = {
            name: parameter.default
            for name, parameter in inspect.signature(function).parameters.items()
            if parameter.default is not parameter.empty
        }
        nested = False
        for name in names:
            kind = function.__annotations__.get(name)
            if name in given:
                leaves, spec = tree_flatten(given[name])
                nested = nested or not spec.is_leaf()
                parts = [f"{name}_{i}" for i in range(1, len(leaves) + 1)] if not spec.is_leaf() else [name]
                args.append(
                    spec.unflatten([self._specialized(*each, name) for each in zip(parts, leaves, strict=True)])
                )
                continue
            filled = (self.create_arg(defaults[name]),) if name in defaults else ()
            args.append(self.create_proxy("placeholder", name, filled, {}, type_expr=kind))
        for flag, stars in ((inspect.CO_VARARGS, "*"), (inspect.CO_VARKEYWORDS, "**")):
            if code.co_flags & flag:
                args.append(self.create_proxy("placeholder", stars + code.co_varnames[len(args)], (), {}))
        if nested:
            return self._flat_program(root_fn, names, args, is_module, code.co_kwonlyargcount)
        if len(args) == code.co_argcount:
            return root_fn, args
        # Make keyword-only, star and double-star arguments ordinary ones, so that each may be a proxy.
        flat = code.replace(
            co_argcount=len(args),
            co_kwonlyargcount=0,
            co_posonlyargcount=0,
            co_flags=code.co_flags & ~(inspect.CO_VARARGS | inspect.CO_VARKEYWORDS),
        )
        return FunctionType(flat, function.__globals__, function.__name__, None, function.__closure__), args

    def _specialized(self, name: str, value: Any, argument: str) -> Any:
        """Return a part of an argument: a proxy for PH, else the value, which the graph checks."""
        if isinstance(value, PHBase):
            return self.create_proxy("placeholder", name, (), {})
        known = isinstance(value, (*base_types, _torch.dtype, _torch.device))
        filled = (value,) if known and name == argument else ()
        made = self.create_proxy("placeholder", name, filled, {})
        message = f"{argument} has been specialized to have value {value} but got another value"
        if value is None:
            self.create_proxy("call_function", _assert_is_none, (made, message), {})
        elif known:
            self.create_proxy("call_function", _torch._assert, (made == value, message), {})
        else:
            warnings.warn(
                f"{argument} is specialized to {value!r}, and the graph does not check that it is given that one",
                stacklevel=2,
            )
        return value

    def _flat_program(
        self, function: Callable[..., Any], names: list[str], args: list[Any], is_module: bool, by_keyword: int
    ) -> tuple[Any, list[Any]]:
        """A program of leaves, for arguments that are containers; it returns the leaves of the result."""
        own, count = args[:is_module], len(names) - by_keyword
        flat, spec = tree_flatten(args[is_module:])
        codegen = self.graph._codegen = _PyTreeCodeGen(names, spec)

        def run(*leaves: Any) -> list[Any]:
            given = spec.unflatten(list(leaves))
            result = function(*own, *given[:count], **dict(zip(names[count:], given[count:], strict=False)))
            outputs, codegen.out_spec = tree_flatten(result)
            return outputs

        return run, flat

    # --- the trace

    def trace(self, root: Module | Callable[..., Any], concrete_args: dict[str, Any] | None = None) -> Graph:
        """Run a module or a function with proxies and return the recorded graph.

        Args:
            concrete_args: values of arguments by name, on which branches may depend; they remain arguments of the
                graph, with the value as default, but no longer affect branches.

        Raises:
            TraceError: the program branches on, or iterates over, traced values.
            AssertionError: the module has no method of the name `traced_func_name`.
        """
        if isinstance(root, Module):
            if not hasattr(type(root), self.traced_func_name):
                raise AssertionError(f"traced_func_name={self.traced_func_name} doesn't exist in {type(root).__name__}")
            self.root, function = root, getattr(type(root), self.traced_func_name)
            own = root.__dict__.get(self.traced_func_name)
            if own is not None:
                function = getattr(own, "__func__", own)
        else:
            self.root, function = Module(), root
        self.submodule_paths = {m: name for name, m in self.root.named_modules(remove_duplicate=False)}
        self.tensor_attrs = _plain_tensors(self.root)
        self.graph = Graph(tracer_cls=type(self))
        self.module_stack, self.num_calls = OrderedDict(), {}
        is_module = isinstance(root, Module) and getattr(function, "__self__", None) is None
        runs, args = self.create_args_for_root(function, is_module, concrete_args)
        cache: dict[str, Any] = {}

        def call(module: Module, args: tuple[Any, ...], kwargs: dict[str, Any], forward: Callable[..., Any]) -> Any:
            if not is_fx_tracing():
                return forward(*args, **kwargs)
            with self._inside(module):
                return self.call_module(module, forward, args, kwargs)

        def attribute(module: Module, name: str, value: Any) -> Any:
            return self.getattr(name, value, cache) if is_fx_tracing() else value

        before = is_fx_tracing()
        with ExitStack() as stack:
            stack.enter_context(intercepted(call, attribute))
            stack.enter_context(_replaced(self._single_nodes(inspect.unwrap(function))))
            stack.callback(setattr, _state, "tracing", before)
            _state.tracing = True
            result = self.create_arg(runs(*args))
            kind = inspect.unwrap(function).__annotations__.get("return")
            self.create_node("output", "output", (result,), {}, type_expr=kind)
        self.submodule_paths = None
        return self.graph

    def _single_nodes(self, function: Callable[..., Any]) -> list[tuple[dict[str, Any], str, Any]]:
        """Return the replacements that make functions single nodes, as (namespace, name, replacement)."""
        places: list[tuple[dict[str, Any], str, Any]] = []
        for (_, name), names in _wrapped.items():
            found = names.get(name, getattr(builtins, name, None))
            if found is not None:
                places.append((names, name, _as_node(found)))
        for module in self.root.modules():
            if isinstance(module, GraphModule):
                names = type(module).forward.__globals__
                wrapped = {id(node.target) for node in module.graph.nodes if node.meta.get("is_wrapped")}
                places += [(names, name, _as_node(value)) for name, value in names.items() if id(value) in wrapped]
        scopes = [
            function.__globals__,
            *(vars(inspect.getmodule(type(m))) for m in self.root.modules() if inspect.getmodule(type(m)) is not None),
        ]
        for scope in {id(s): s for s in scopes}.values():
            if str(scope.get("__name__", "")).split(".")[0].startswith("flambeau"):
                continue
            if "getattr" not in scope and (id(scope), "getattr") not in _wrapped:
                places.append((scope, "getattr", _getattr))
            for name, value in list(scope.items()):
                if id(value) in self._single and not name.startswith("__"):
                    places.append((scope, name, _as_node(value)))
                elif id(value) in self._modules:
                    single = {n: _as_node(v) for n, v in vars(value).items() if id(v) in self._single}
                    copied = ModuleType(value.__name__)
                    copied.__dict__.update({**vars(value), **single})
                    places.append((scope, name, copied))
        return places


def _plain_tensors(root: Module) -> dict[int, str]:
    """Return the tensors that modules hold as plain attributes, by id."""
    found = {}
    for path, module in root.named_modules():
        for name, value in vars(module).items():
            if isinstance(value, _torch.Tensor):
                found[id(value)] = f"{path}.{name}" if path else name
    return found


class _CodeTracer(Tracer):
    """Traces code that is a graph already: every submodule is one step."""

    def is_leaf_module(self, m: Module, module_qualified_name: str) -> bool:
        return True


def trace_code(root: Module, source: str, imports: str) -> Graph:
    """The graph of the source of a ``forward`` method of `root`, before which lines of `imports` are run."""
    here, names = local_name("torch"), dict[str, Any]()
    imports = re.sub(r"^(from|import) torch\b", rf"\1 {here}", imports, flags=re.MULTILINE)
    exec(re.sub(rf"^import {here}$", f"import {here} as torch", imports, flags=re.MULTILINE), names)
    for name, value in list(names.items()):
        if isinstance(value, FunctionType | BuiltinFunctionType):
            names[name] = _as_node(value)
    exec(source, names)
    root.__dict__["forward"] = MethodType(names["forward"], root)
    try:
        graph = _CodeTracer().trace(root)
    finally:
        del root.__dict__["forward"]
    graph._tracer_cls = Tracer
    return graph


def symbolic_trace(
    root: Module | Callable[..., Any], concrete_args: dict[str, Any] | tuple[Any, ...] | None = None
) -> GraphModule:
    """Trace a module or function and return a GraphModule that does the same.

    >>> import flambeau_tensor as torch
    >>> from flambeau_fx import symbolic_trace
    >>> traced = symbolic_trace(lambda x: torch.relu(x) + 1)
    >>> traced(torch.tensor([-1.0, 2.0]))
    tensor([1., 3.])

    Raises:
        TraceError: the program branches on, or iterates over, traced values.
    """
    tracer = Tracer()
    graph = tracer.trace(root, concrete_args)  # type: ignore[arg-type]
    name = type(root).__name__ if isinstance(root, Module) else getattr(root, "__name__", type(root).__name__)
    return GraphModule(tracer.root, graph, name)
