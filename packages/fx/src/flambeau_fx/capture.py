"""The graph of one run of a function, for compilers that take graphs: ``backend(module, inputs)`` returns a callable.

`capture` runs a function and writes down the functions and methods of ``torch`` that it calls, above autograd, so that
the graph has gradients when it is run. Tensors among the arguments are its inputs; parameters and other tensors that
the function finds elsewhere are attributes of the module.

>>> import flambeau_tensor as torch
>>> from flambeau_nn import Linear
>>> net = Linear(2, 2, bias=False)
>>> found = capture(lambda x, scale: {"y": net(x).relu() * scale}, (torch.ones(1, 2), 3.0))
>>> print(found.module.code.strip())
def forward(self, x):
    _param_constant0 = self._param_constant0
    linear = torch.nn.functional.linear(x, _param_constant0, None);  x = _param_constant0 = None
    relu = linear.relu();  linear = None
    mul = relu * 3.0;  relu = None
    return (mul,)
>>> compiled = found.compiled(lambda module, inputs: module.forward)
>>> sorted(compiled(torch.ones(1, 2), 3.0))
['y']
"""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable, Sequence
from typing import Any

import flambeau_tensor as _torch
from flambeau_autograd import is_grad_enabled, set_grad_enabled
from flambeau_autograd.pytree import leaves, tree_map
from flambeau_fx.graph import Graph
from flambeau_fx.graph_module import GraphModule
from flambeau_fx.node import Argument, Node, has_side_effect, map_aggregate
from flambeau_fx.proxy import TraceError, is_method
from flambeau_nn import Parameter
from flambeau_overrides import TorchFunctionMode
from flambeau_tensor.extend import Tracer, Window, check_read, is_tracing, window

__all__ = ["Captured", "capture"]

has_side_effect(set_grad_enabled)

# Attributes and methods that read elements without an operator.
_READERS = frozenset("__array__ __dlpack__ _version data_ptr grad_fn numpy storage tolist untyped_storage".split())
_BINARY = "add and_ eq floordiv ge getitem gt le lshift lt matmul mod mul ne or_ pow rshift sub truediv xor".split()
_INPLACE = "iadd ifloordiv ilshift imatmul imod imul ipow irshift isub itruediv".split()
_SYNTAX = {
    f"__{name.rstrip('_')}__": getattr(operator, name)
    for name in (*_BINARY, *_INPLACE, "abs", "invert", "neg", "pos", "setitem")
}
_OPERATORS = {name: _SYNTAX[f"__{name}__"] for name in "add sub mul matmul neg eq ne lt le gt ge".split()}


class Captured:
    """The result of `capture`.

    Attributes:
        module: the graph, from the tensors among the arguments to a tuple of the tensors in the result.
        inputs: the input tensors.
        result: the result of the run.
        problem: why there is no graph; None if there is one.

    >>> import flambeau_tensor as torch
    >>> found = capture(lambda x: (x + 1, "done"), (torch.ones(2),))
    >>> len(found.inputs), found.result
    (1, (tensor([2., 2.]), 'done'))
    """

    def __init__(
        self, module: GraphModule | None, inputs: list[_torch.Tensor], result: Any, problem: str | None = None
    ) -> None:
        self.module, self.inputs, self.result, self.problem = module, inputs, result, problem

    def compiled(self, backend: Callable[[GraphModule, list[_torch.Tensor]], Callable[..., Any]]) -> Callable[..., Any]:
        """Return a function with the same arguments that runs the graph compiled by a backend.

        Args:
            backend: called with the module and its inputs; returns a function of the inputs to a tuple (or list) of
                the results.

        Raises:
            TraceError: there is no graph.
            TypeError: the backend returns a value that is not callable.
        """
        if self.module is None:
            raise TraceError(self.problem)
        made = backend(self.module, self.inputs)
        if not callable(made):
            raise TypeError(f"a backend returns a function of the graph's inputs, not {type(made).__name__}")
        shape = tree_map(lambda x: _PLACE if isinstance(x, _torch.Tensor) else x, self.result)

        def run(*args: Any, **kwargs: Any) -> Any:
            results = iter(made(*_tensors((args, kwargs))))
            return tree_map(lambda x: next(results) if x is _PLACE else x, shape)

        return run


_PLACE = object()


def _tensors(tree: Any) -> list[_torch.Tensor]:
    return [x for x in leaves(tree) if isinstance(x, _torch.Tensor)]


class _Recorder(TorchFunctionMode):
    """Records calls of functions with tensors."""

    def __init__(self, tracer: Tracer) -> None:
        self.graph, self.root = Graph(), dict[str, Any]()
        self.tracer, self.heard = tracer, 0
        # by id; tensors are kept alive, with their requires_grad
        self.nodes: dict[int, tuple[Node, _torch.Tensor, bool]] = {}
        self.made: set[int] = set()  # storages of results of kernels
        self.recording = is_grad_enabled()
        self.problem: str | None = None

    def note(self, t: _torch.Tensor, node: Node) -> None:
        self.nodes[id(t)] = node, t, t.requires_grad
        node.meta["example_value"] = node.meta["val"] = t.detach()

    def value(self, x: Any) -> Argument:
        if not isinstance(x, _torch.Tensor):
            return x
        if id(x) not in self.nodes:
            try:
                check_read(x, "capture")
            except RuntimeError:
                raise TraceError("a transform of torch.func cannot stand in a graph for backends") from None
            self._listen()
            if id(window(x).storage) in self.made:
                raise TraceError("the function computes with a tensor that comes from no call that can be written down")
            kind = "param" if isinstance(x, Parameter) else "tensor"
            name = f"_{kind}_constant{sum(kind in known for known in self.root)}"
            self.root[name] = x
            self.note(x, self.graph.get_attr(name))
        node, _, required = self.nodes[id(x)]
        if x.requires_grad and not required:
            raise TraceError("a custom Function or a transform of torch.func cannot stand in a graph for backends")
        return node

    def _listen(self) -> bool:
        """Process the kernels that ran since the last call; return whether one of them returned a number."""
        numbers = False
        for record in self.tracer.records[self.heard :]:
            if record[0] == "update":
                raise TraceError("an optimizer's step cannot stand in a graph for backends: leave it to the caller")
            if len(record) == 3 and not isinstance(record[0], str):
                numbers |= isinstance(record[2], (bool, int, float, complex))
                map_aggregate(record[2], lambda w: self.made.add(id(w.storage)) if isinstance(w, Window) else None)
        self.heard = len(self.tracer.records)
        return numbers

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        given = self.attempt(self._given, func, args, kwargs)
        result = func(*args, **kwargs)
        self.attempt(self._write, func, given, result)
        return result

    def attempt(self, step: Callable[..., Any], *args: Any) -> Any:
        """Run a step of the recording unless there was a problem before; the function itself runs to its end anyway."""
        if self.problem is None:
            try:
                return step(*args)
            except TraceError as e:
                self.problem = str(e)
        return None

    def _given(self, func: Any, args: Any, kwargs: Any) -> tuple[Argument, Argument]:
        """The arguments of a call as the graph has them."""
        if (reader := _attribute(func)) in _READERS:
            raise TraceError(f"{reader} reads what a graph cannot know")
        given = map_aggregate(list(args), self.value), map_aggregate(dict(kwargs), self.value)
        self._listen()
        return given

    def _write(self, func: Any, given: tuple[Argument, Argument], result: Any) -> None:
        name, method = str(getattr(func, "__name__", func)), is_method(func)
        if self._listen() and not _tensors(result):
            raise TraceError(f"{name} decides by elements of a tensor")
        if not _tensors(result) and not _changes(name):
            return
        if is_grad_enabled() is not self.recording:
            self.switch(is_grad_enabled())
        self._results(result, self._step(func, name, method, tuple(given[0]), given[1]))

    def _step(self, func: Any, name: str, method: bool, args: Any, kwargs: Any) -> Node:
        if name == "__set__":
            return self.graph.call_function(setattr, (args[0], _attribute(func), args[1]))
        if name in ("__get__", "__delete__"):
            function = getattr if name == "__get__" else delattr
            return self.graph.call_function(function, (args[0], _attribute(func)))
        if not method:
            return self.graph.call_function(func, args, kwargs)
        if name.startswith("__r") and f"__{name[3:]}" in _SYNTAX and len(args) == 2:
            return self.graph.call_function(_SYNTAX[f"__{name[3:]}"], (args[1], args[0]))
        symbol = _SYNTAX.get(name) or _OPERATORS.get(name)
        if (
            symbol is not None
            and not kwargs
            and len(args) == (1 if name in ("neg", "__neg__") else 2 + (symbol is operator.setitem))
        ):
            return self.graph.call_function(symbol, args)
        return self.graph.call_method(name, args, kwargs)

    def switch(self, recording: bool) -> None:
        self.graph.call_function(set_grad_enabled, (recording,))
        self.recording = recording

    def finish(self, result: Any, recording: bool) -> None:
        """End the graph, recording or not as it began."""
        self._listen()
        outputs = tuple(self.value(t) for t in _tensors(result))
        if self.recording is not recording:
            self.switch(recording)
        self.graph.output(outputs)

    def _results(self, result: Any, node: Node) -> None:
        if isinstance(result, _torch.Tensor):
            self.note(result, node)
        elif isinstance(result, (tuple, list)):
            for i, part in enumerate(result):
                if _tensors(part):
                    self._results(part, self.graph.call_function(operator.getitem, (node, i)))


def _attribute(func: Any) -> str:
    """The name of a function, or the attribute that a getter or setter is of."""
    name = str(getattr(func, "__name__", func))
    if name not in ("__get__", "__set__", "__delete__"):
        return name
    owner = getattr(func, "__self__", None)
    return str(func.name if owner is None else owner.__name__)


def _changes(name: str) -> bool:
    """Whether a function without tensor results is called for its side effect."""
    if name in ("__set__", "__delete__", "__setitem__", "backward", "retain_grad", "_assert"):
        return True
    return name.endswith("_") and not name.endswith("__")


def _name_of(value: _torch.Tensor, names: dict[str, Any]) -> str:
    """The name of the argument that a tensor is, or is in."""
    for name, held in names.items():
        if any(value is t for t in _tensors(held)):
            return name
    return "arg"


def capture(fn: Callable[..., Any], args: Sequence[Any] = (), kwargs: dict[str, Any] | None = None) -> Captured:
    """Run a function and return the graph of the functions that it called.

    Args:
        fn: the function or module.
        args, kwargs: its arguments. Those that are not tensors, and sizes, are constants of the graph.

    Returns:
        A `Captured`: the module, its inputs, and the result of the run. Writes to tensors and to `.grad` are executed
            and are steps of the graph. If parts of the function run without recording, the graph switches, too. There
            is no graph of a function that branches on elements of tensors, steps an optimizer, calls a transform or a
            custom Function, or computes in other ways than by functions of ``torch``; `problem` says so, and `result`
            is correct.

    Raises:
        RuntimeError: a Tracer is active in this thread.
    """
    kwargs = kwargs or {}
    if is_tracing():
        raise RuntimeError("capture(): a Tracer is at work in this thread")
    inputs = list({id(t): t for t in _tensors((tuple(args), kwargs))}.values())
    try:
        names = dict(inspect.signature(fn).bind(*args, **kwargs).arguments)
    except (TypeError, ValueError):
        names = {}
    with Tracer() as tracer:
        recorder = _Recorder(tracer)
        graph = recorder.graph
        for t in _tensors((tuple(args), kwargs)):
            recorder.note(t, graph.placeholder(_name_of(t, names)))
        before = recorder.recording
        with recorder:
            result = fn(*args, **kwargs)
        recorder.attempt(recorder.finish, result, before)
    if recorder.problem is not None:
        return Captured(None, inputs, result, recorder.problem)
    name = getattr(fn, "__name__", type(fn).__name__)
    module = GraphModule(recorder.root, graph, name if name.isidentifier() else "GraphModule")
    return Captured(module, inputs, result)
