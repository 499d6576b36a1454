"""``torch.export.export``: a model's run as a graph whose inputs are its tensors and the caller's."""

import operator
import re
from collections.abc import Mapping
from typing import Any

import flambeau as torch
from flambeau.export.arguments import UserError, leaves_of, varying
from flambeau.export.exported_program import ExportedProgram
from flambeau.export.graph_signature import (
    ConstantArgument,
    ExportGraphSignature,
    InputKind,
    InputSpec,
    OutputKind,
    OutputSpec,
    TensorArgument,
)
from flambeau.export.sizes import Key, Size, Varied, denominator, grown
from flambeau.fx.experimental.proxy_tensor import make_fx
from flambeau.utils._pytree import tree_flatten, tree_unflatten


def export(mod: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any] | None, dynamic_shapes: Any) -> ExportedProgram:
    """Implement ``torch.export.export``."""
    if not isinstance(mod, torch.nn.Module):
        raise ValueError(f"Expected `mod` to be an instance of `torch.nn.Module`, got {type(mod)}.")
    if not isinstance(args, tuple):
        raise UserError(f"Expecting `args` to be a tuple of example positional inputs, got {type(args)}")
    given = (args, dict(kwargs or {}))
    flat, spec = tree_flatten(given)
    leaves = leaves_of("torch.export.export", mod.forward, args, given[1], dynamic_shapes)
    names = _apart([leaf.name for leaf in leaves])
    axes, ranges = varying([leaf._replace(name=name) for leaf, name in zip(leaves, names, strict=True)])
    state = {**dict(mod.named_parameters()), **dict(mod.named_buffers())}
    structure: list[Any] = []

    def run(values: list[Any]) -> Any:
        def call(*tensors: Any) -> Any:
            own = dict(zip(state, tensors[: len(state)], strict=True))
            full = list(values)
            for i, t in zip(places, tensors[len(state) :], strict=True):
                full[i] = t
            args, kwargs = tree_unflatten(full, spec)
            result, out = tree_flatten(torch.func.functional_call(mod, own, args, kwargs))
            structure[:] = [out]
            return tuple(result)

        return make_fx(call)(*state.values(), *(values[i] for i in places))

    places = [i for i, value in enumerate(flat) if isinstance(value, torch.Tensor)]
    before = {name: t.detach().clone() for name, t in state.items() if not isinstance(t, torch.nn.Parameter)}
    gm = run(flat)
    _put_back(state, before)
    sizes: dict[Key, int] = {}
    seen: set[str] = set()
    for i, name in enumerate(names):
        for d, label in axes[i].items():
            if label not in seen:
                seen.add(label)
                sizes[name, d] = flat[i].shape[d]
    steps = {}
    if sizes:
        grown_by = _let_vary(gm, sizes, names, axes, flat, run)
        steps = {axes[names.index(name)][d]: (sizes[name, d], step) for (name, d), step in grown_by.items()}
        _put_back(state, before)
    signature = _signed(gm, mod, state, names, flat, places)
    shapes = [
        (f"{name}", (t.dtype, tuple(axes[i].get(d, size) for d, size in enumerate(t.shape))))
        if isinstance(t, torch.Tensor)
        else (name, t)
        for i, (name, t) in enumerate(zip(names, flat, strict=True))
    ]
    return ExportedProgram(gm, signature, state, ranges, given, (spec, structure[0]), shapes, steps)


def _put_back(state: dict[str, Any], before: dict[str, Any]) -> None:
    with torch.no_grad():
        for name, value in before.items():
            state[name].copy_(value)


def _apart(names: list[str]) -> list[str]:
    """Make names unique by appended numbers."""
    found: list[str] = []
    for plain in names:
        name, n = plain, 1
        while name in found:
            name, n = f"{plain}_{n}", n + 1
        found.append(name)
    return found


def _let_vary(gm: Any, sizes: dict[Key, int], names: list[str], axes: list[dict[int, str]], flat: list[Any],
              run: Any) -> dict[Key, int]:  # fmt: skip
    """Replace numbers in a graph that depend on dynamic sizes by expressions of the sizes.

    Return the steps by which sizes may grow.
    """

    def again(changed: dict[Key, int]) -> Any:
        values = list(flat)
        for (name, d), size in changed.items():
            label = axes[names.index(name)][d]
            for i, own in enumerate(axes):
                for dim, other in own.items():
                    if other == label:
                        values[i] = grown(values[i], dim, size)
        return list(run(values).graph.nodes)

    nodes = list(gm.graph.nodes)
    varied = Varied(
        sizes,
        nodes,
        again,
        lambda run: [_plain(n.args) for n in run],
        lambda why: UserError(f"torch.export.export: {why}"),
    )
    if any([str(n.target) for n in run_] != [str(n.target) for n in nodes] for run_ in varied.runs.values()):
        raise UserError(
            "torch.export.export: the model runs other operators for other sizes; use torch.cond for both branches"
        )
    inputs = {n.name: n for n in nodes if n.op == "placeholder"}
    first = len(inputs) - sum(isinstance(value, torch.Tensor) for value in flat)
    tensors = [name for name, value in zip(names, flat, strict=True) if isinstance(value, torch.Tensor)]
    by_name = dict(zip(tensors, list(inputs.values())[first:], strict=True))
    for i, node in enumerate(nodes):
        if node.op in ("placeholder", "output"):
            continue
        plain = [_plain(n.args) for n in (node, *(run_[i] for run_ in varied.runs.values()))]
        merged = varied.merged(plain[0], dict(zip(varied.runs, plain[1:], strict=True)))
        with gm.graph.inserting_before(node):
            node.args = _with_nodes(gm.graph, node.args, merged, by_name)
    gm.graph.lint()
    gm.recompile()
    return varied.steps


def _plain(o: Any) -> Any:
    """Arguments of a node with None in place of nodes, which differ from run to run."""
    if isinstance(o, torch.fx.Node):
        return None
    if isinstance(o, (list, tuple)):
        return type(o)(map(_plain, o)) if type(o) in (list, tuple) else list(map(_plain, o))
    return o


def _with_nodes(graph: Any, args: Any, merged: Any, inputs: dict[str, Any]) -> Any:
    if isinstance(merged, Size):
        return _computed(graph, merged, inputs)
    if isinstance(args, (list, tuple)):
        items = [_with_nodes(graph, a, m, inputs) for a, m in zip(args, merged, strict=True)]
        return tuple(items) if isinstance(args, tuple) else items
    return args


def _computed(graph: Any, size: Size, inputs: dict[str, Any]) -> Any:
    """Nodes that compute a number from sizes."""
    below = denominator(size)
    total: Any = None
    for factor, keys in size.terms:
        part: Any = int(factor * below)
        for name, dim in keys:
            length = graph.call_method("size", (inputs[name], dim))
            part = length if part == 1 else graph.call_function(operator.mul, (length, part))
        total = part if total is None else graph.call_function(operator.add, (total, part))
    return total if below == 1 else graph.call_function(operator.floordiv, (total, below))


def _signed(
    gm: Any, mod: Any, state: dict[str, Any], names: list[str], flat: list[Any], places: list[int]
) -> ExportGraphSignature:
    """Name the inputs of a graph, and describe each input and output."""
    persistent = set(mod.state_dict())
    inputs = [n for n in gm.graph.nodes if n.op == "placeholder"]
    specs: list[InputSpec] = []
    for node, (name, t) in zip(inputs, state.items(), strict=False):
        is_parameter = isinstance(t, torch.nn.Parameter)
        argument = _renamed(gm, node, ("p_" if is_parameter else "b_") + re.sub(r"\W", "_", name))
        kind = InputKind.PARAMETER if is_parameter else InputKind.BUFFER
        specs.append(InputSpec(kind, argument, name, None if is_parameter else name in persistent))
    tensors = {i: _renamed(gm, node, names[i]) for i, node in zip(places, inputs[len(state) :], strict=True)}
    for i, name in enumerate(names):
        specs.append(InputSpec(InputKind.USER_INPUT, tensors.get(i) or ConstantArgument(name, flat[i]), None))
    output = next(n for n in reversed(list(gm.graph.nodes)) if n.op == "output")
    made = output.args[0] if isinstance(output.args[0], (list, tuple)) else (output.args[0],)
    outputs = [
        OutputSpec(
            OutputKind.USER_OUTPUT,
            TensorArgument(o.name) if isinstance(o, torch.fx.Node) else ConstantArgument(f"output_{k}", o),
        )
        for k, o in enumerate(made)
    ]
    gm.recompile()
    return ExportGraphSignature(specs, outputs)


def _renamed(gm: Any, node: Any, name: str) -> TensorArgument:
    """An input under another name."""
    with gm.graph.inserting_before(node):
        fresh = gm.graph.placeholder(name)
    fresh.meta = dict(node.meta)
    node.replace_all_uses_with(fresh)
    gm.graph.erase_node(node)
    return TensorArgument(fresh.name)
