"""`make_fx`: the graph of the ``torch.ops.aten`` operators that a function calls, below autograd and transforms.

The function runs once on the given arguments, and each operator that it reaches becomes a step. The graph therefore
contains the backward pass of differentiated code and the batched form of code under vmap, and no Python branches.

>>> import flambeau as torch
>>> from flambeau_fx.experimental.proxy_tensor import make_fx
>>> slope = torch.func.grad(lambda x: x.sin().sum())
>>> print(make_fx(slope)(torch.ones(3)).code.strip())
def forward(self, x_1):
    cos = torch.ops.aten.cos.default(x_1);  x_1 = None
    return cos
"""

from __future__ import annotations

import contextlib
import inspect
import operator
from collections.abc import Callable, Iterator
from typing import Any

import flambeau_tensor as _torch
from flambeau_fx.graph import Graph
from flambeau_fx.graph_module import GraphModule
from flambeau_fx.node import Argument, Node, map_aggregate
from flambeau_fx.passes.shape_prop import _extract_tensor_metadata
from flambeau_nn import Parameter
from flambeau_tensor.extend import dispatching, find_operator

__all__ = ["make_fx"]

_NO_VALUE = (
    "It appears that you're trying to get value out of a tracing tensor with {} - erroring out! It's likely that this "
    "is caused by data-dependent control flow or similar."
)
_READERS = ("aten::_local_scalar_dense", "aten::item", "aten::equal", "aten::is_nonzero")


def _place(t: _torch.Tensor) -> tuple[Any, ...]:
    """Return the memory and layout of a tensor: another tensor with the same ones has the same value."""
    return id(t.untyped_storage()), t.storage_offset(), tuple(t.shape), t.stride(), t.dtype, t.is_conj(), t.is_neg()


class _Recorder:
    """A mode of ``__torch_dispatch__`` that writes down calls."""

    def __init__(self, decompositions: dict[Any, Callable[..., Any]]) -> None:
        self.graph = Graph()
        self.root: dict[str, Any] = {}
        self.decompositions = decompositions
        self.nodes: dict[int, tuple[Node, tuple[Any, ...]]] = {}
        self.places: dict[tuple[Any, ...], Node] = {}
        self.kept: list[_torch.Tensor] = []  # keeps tensors alive, so that no other one gets their id or memory

    def note(self, t: _torch.Tensor, node: Node) -> None:
        place = _place(t)
        self.nodes[id(t)] = node, place
        self.places[place] = node
        self.kept.append(t)
        node.meta["val"] = _torch.empty_strided(tuple(t.shape), t.stride(), dtype=t.dtype, device="meta")
        node.meta["tensor_meta"] = _extract_tensor_metadata(t)

    def known(self, t: _torch.Tensor) -> Node | None:
        node, place = self.nodes.get(id(t), (None, None))
        here = _place(t)
        # `t_()` and similar methods change the layout of an object
        return node if place == here else self.places.get(here)

    def value(self, x: Any) -> Argument:
        """Return an argument in its form in the graph."""
        if not isinstance(x, _torch.Tensor):
            return x
        node = self.known(x)
        if node is None:
            kind = "param" if isinstance(x, Parameter) else "tensor"
            name = f"_{kind}_constant{sum(kind in known for known in self.root)}"
            self.root[name] = x
            node = self.graph.get_attr(name)
            self.note(x, node)
        return node

    def results(self, result: Any, node: Node) -> None:
        if isinstance(result, _torch.Tensor):
            self.note(result, node)
        elif isinstance(result, (tuple, list)):
            node.meta["val"] = tuple(result)
            for i, part in enumerate(result):
                if isinstance(part, (_torch.Tensor, tuple, list)):
                    self.results(part, self.graph.call_function(operator.getitem, (node, i)))

    def __torch_dispatch__(self, func: Any, types: tuple[type, ...], args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        decomposition = self.decompositions.get(func) or self.decompositions.get(getattr(func, "overloadpacket", None))
        if decomposition is not None:
            with self:
                return decomposition(*args, **kwargs)
        if getattr(func, "_schema", None) is not None and func._schema.name in _READERS:
            if any(isinstance(x, _torch.Tensor) and self.known(x) is not None for x in args):
                raise RuntimeError(_NO_VALUE.format(func))
            return func(*args, **kwargs)
        if getattr(func, "_schema", None) is not None and func._schema.name == "aten::lift_fresh":
            # The graph keeps the data of `torch.tensor(...)`, and each of its runs writes to a copy.
            with self:
                return find_operator("torch.ops.aten.lift_fresh_copy")(*args)
        steps = map_aggregate(list(args), self.value), map_aggregate(dict(kwargs), self.value)
        node = self.graph.create_node("call_function", func, tuple(steps[0]), steps[1], name=func._schema.name[6:])
        result = func(*args, **kwargs)
        self.results(result, node)
        return result

    def __enter__(self) -> _Recorder:
        dispatching.push_mode(self)
        return self

    def __exit__(self, *error: object) -> None:
        dispatching.pop_mode()


def _names(f: Callable[..., Any], count: int) -> list[str]:
    """The names of a function's positional arguments."""
    try:
        parameters = list(inspect.signature(f).parameters.values())
    except (TypeError, ValueError):
        parameters = []
    names = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)][:count]
    return [*names, *(f"arg{i}" for i in range(len(names), count))]


def make_fx(
    f: Callable[..., Any],
    decomposition_table: dict[Any, Callable[..., Any]] | None = None,
    tracing_mode: str = "real",
    **options: object,
) -> Callable[..., GraphModule]:
    """Return a function that runs `f` on its arguments and returns the graph of the operators that it called.

    Args:
        f: a function of tensors and containers of them; its result may be nested, too.
        decomposition_table: functions to run and trace instead of operators (``torch.ops.aten.addmm.default``).
        tracing_mode: ``"real"`` computes values; ``"fake"`` runs on device 'meta' and computes shapes only.
        options: accepted options of PyTorch's tracer, which have no effect.

    Tensors that `f` refers to become attributes of the module, ``_tensor_constant0`` and so on, parameters
    ``_param_constant0``. The graph repeats writes of `f` to tensors: the graph of a training step (loss, backward, the
    optimizer's update) trains when it runs under ``torch.no_grad()``. Numbers, such as a learning rate, are constants
    from the run. The first steps of the graph unpack containers among the arguments.

    Raises:
        RuntimeError: `f` needs the value of an element that depends on its arguments.
        NotImplementedError: `tracing_mode` is ``"symbolic"``: there are no symbolic shapes.
    """
    if tracing_mode == "symbolic":
        raise NotImplementedError("make_fx(tracing_mode='symbolic') is not built: there are no symbolic shapes")
    if tracing_mode not in ("real", "fake"):
        raise AssertionError(f"Unexpected tracing type: {tracing_mode}")

    def traced(*args: Any) -> GraphModule:
        recorder = _Recorder(decomposition_table or {})
        if tracing_mode == "fake":
            args = map_aggregate(args, _on_meta)
        for name, value in zip(_names(f, len(args)), args, strict=True):
            _take_apart(recorder, value, recorder.graph.placeholder(f"{name}_1"))
        with recorder:
            result = f(*args)
        recorder.graph.output(map_aggregate(result, recorder.value))
        recorder.graph.eliminate_dead_code()
        name = getattr(f, "__name__", type(f).__name__)
        return GraphModule(recorder.root, recorder.graph, name if name.isidentifier() else "GraphModule")

    return traced


def _take_apart(recorder: _Recorder, value: Any, node: Node) -> None:
    if isinstance(value, _torch.Tensor):
        recorder.note(value, node)
        return
    node.meta["val"] = value
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, (tuple, list)) else ()
    for key, item in items:
        if isinstance(item, (_torch.Tensor, dict, tuple, list)):
            _take_apart(recorder, item, recorder.graph.call_function(operator.getitem, (node, key)))


def _on_meta(x: Any) -> Any:
    if not isinstance(x, _torch.Tensor):
        return x
    t = _torch.empty_strided(tuple(x.shape), x.stride(), dtype=x.dtype, device="meta")
    return t.requires_grad_() if x.requires_grad else t


def get_proxy_mode() -> None:
    """Return None: `make_fx` records with its own mode, which has no public interface."""


get_innermost_proxy_mode = get_proxy_mode


@contextlib.contextmanager
def disable_proxy_modes_tracing() -> Iterator[None]:
    """Changes nothing: see `get_proxy_mode`."""
    yield
