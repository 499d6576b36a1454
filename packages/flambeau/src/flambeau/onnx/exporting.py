"""``torch.onnx.export``: arguments, sizes that vary, names, and the file."""

import os
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import onnx
from onnx import helper

import flambeau as torch
from flambeau.export.arguments import leaves_of, varying
from flambeau.export.sizes import Varied, grown
from flambeau.onnx import elementwise as _elementwise  # noqa: F401  (declares operators)
from flambeau.onnx import indices as _indices  # noqa: F401
from flambeau.onnx import layers as _layers  # noqa: F401
from flambeau.onnx.graph import (
    OPSET,
    Graph,
    OnnxExporterError,
    info,
    numbers_of,
    picks_by_truth,
    traced,
    with_sizes,
)
from flambeau.utils._pytree import tree_leaves, tree_map_only
from flambeau_tensor.extend import window


class ONNXProgram:
    """An exported model.

    Attributes:
        model_proto: the model, an ``onnx.ModelProto``.
    """

    def __init__(self, model_proto: Any) -> None:
        self.model_proto = model_proto

    def save(self, destination: str | os.PathLike[str], **options: Any) -> None:
        """Write the model to a file."""
        onnx.save(self.model_proto, os.fspath(destination))

    def __call__(self, *args: Any, **kwargs: Any) -> list[Any]:
        """Run the model with onnxruntime; arguments in the order of its inputs, or by their names."""
        import onnxruntime

        session = onnxruntime.InferenceSession(self.model_proto.SerializeToString())
        names = [i.name for i in session.get_inputs()]
        given = {name: a.detach().numpy() for name, a in zip(names, args, strict=False)}
        given.update({name: a.detach().numpy() for name, a in kwargs.items()})
        return [torch.from_numpy(r) for r in session.run(None, given)]


def export(
    model: Any,
    args: tuple[Any, ...],
    f: Any,
    kwargs: Mapping[str, Any] | None,
    input_names: Sequence[str] | None,
    output_names: Sequence[str] | None,
    opset_version: int | None,
    dynamic_axes: Any,
    dynamic_shapes: Any,
) -> ONNXProgram:
    """Implement ``torch.onnx.export``."""
    args = args if isinstance(args, tuple) else (args,)
    keywords = dict(kwargs or {})
    if args and isinstance(args[-1], dict) and not keywords:
        args, keywords = args[:-1], dict(args[-1])
    target = model.forward if isinstance(model, torch.nn.Module) else model
    leaves = leaves_of("torch.onnx.export", target, args, keywords, dynamic_shapes)
    inputs = [leaf for leaf in leaves if isinstance(leaf.value, torch.Tensor)]
    if not inputs:
        raise OnnxExporterError("torch.onnx.export: the example arguments contain no tensor")
    given = list(input_names or ())[: len(inputs)]
    inputs = [leaf._replace(name=name) for leaf, name in zip(inputs, given, strict=False)] + inputs[len(given) :]
    names, tensors = [leaf.name for leaf in inputs], [leaf.value for leaf in inputs]
    if len(set(names)) < len(names):
        raise ValueError(f"torch.onnx.export: inputs need names of their own, got {names}")
    axes = dict(zip(names, varying(inputs)[0], strict=True))
    _add_axes(axes, tensors, dynamic_axes, output_names or ())
    program = _written(model, args, keywords, names, tensors, axes, output_names)
    if opset_version is not None and opset_version != OPSET:
        program = _of_opset(program, opset_version)
    onnx.checker.check_model(program)
    made = ONNXProgram(program)
    if f is not None:
        if hasattr(f, "write"):
            f.write(program.SerializeToString())
        else:
            made.save(f)
    return made


def _of_opset(program: Any, version: int) -> Any:
    try:
        return onnx.version_converter.convert_version(program, version)
    except Exception as error:
        warnings.warn(f"torch.onnx.export: the model stays at opset {OPSET}, not {version}: {error}", stacklevel=4)
        return program


def _add_axes(axes: dict[str, dict[int, str]], tensors: list[Any], dynamic_axes: Any, outputs: Sequence[str]) -> None:
    """Add to the dimensions that vary those that ``dynamic_axes`` names."""
    for name, wanted in (dynamic_axes or {}).items():
        if name in outputs:
            continue
        if name not in axes:
            raise ValueError(f"torch.onnx.export: dynamic_axes has {name!r}, which is no input: {list(axes)}")
        n = max(tensors[list(axes).index(name)].ndim, 1)
        pairs = list(wanted.items()) if isinstance(wanted, Mapping) else [(d, f"{name}_dim_{d}") for d in wanted]
        axes[name].update({int(d) % n: str(label) for d, label in pairs})


def _cannot_vary(message: str) -> OnnxExporterError:
    return OnnxExporterError(f"torch.onnx.export: {message}")


def _with(key: tuple[str, int], by_label: dict[str, list[tuple[str, int]]]) -> list[tuple[str, int]]:
    """All dimensions that have the name of one."""
    return next(keys for keys in by_label.values() if key in keys)


def _check_counts(model: Any, args: tuple[Any, ...], kwargs: dict[str, Any], records: list[Any]) -> None:
    """Raise an error for a model whose numbers depend on how many elements are true, by a run with other elements."""
    random = torch.Generator().manual_seed(0)

    def other(t: Any) -> Any:
        if t.is_floating_point():
            return torch.randn(t.shape, generator=random, dtype=t.dtype)
        return t.flatten()[torch.randperm(t.numel(), generator=random)].view(t.shape)

    for _ in range(3):
        changed_args, changed = tree_map_only(torch.Tensor, other, (args, kwargs))
        try:
            run = traced(model, changed_args, changed)[0]
        except Exception:
            continue  # the model does not accept this value, so nothing can be concluded
        if [r[0] for r in run] != [r[0] for r in records] or numbers_of(run) != numbers_of(records):
            raise OnnxExporterError(
                "torch.onnx.export: the model computes with the number of elements that a "
                "mask selects; use sums over the mask, or torch.where"
            )


def _written(model: Any, args: tuple[Any, ...], kwargs: dict[str, Any], names: list[str], tensors: list[Any],
             axes: dict[str, dict[int, str]], output_names: Sequence[str] | None) -> Any:  # fmt: skip
    """The model as a ModelProto."""
    records, result = traced(model, args, kwargs)
    by_label: dict[str, list[tuple[str, int]]] = {}
    for name, dims in axes.items():
        for d, label in dims.items():
            by_label.setdefault(label, []).append((name, d))
    places = dict(zip(map(id, tensors), names, strict=True))

    def rebuild(changed: dict[tuple[str, int], int]) -> Any:
        by_place = {place: size for key, size in changed.items() for place in _with(key, by_label)}

        def resized(o: Any) -> Any:
            if isinstance(o, torch.Tensor):
                own = places.get(id(o))
                for (name, d), size in by_place.items():
                    if own == name:
                        o = grown(o, d, size)
                return o
            if isinstance(o, Mapping):
                return {k: resized(v) for k, v in o.items()}
            return type(o)(map(resized, o)) if type(o) in (list, tuple) else o

        return tuple(map(resized, args)), {k: resized(v) for k, v in kwargs.items()}

    size_of = {(name, d): tensors[names.index(name)].shape[d] for (name, d), *_ in by_label.values()}
    if size_of:
        varied = Varied(
            size_of, records, lambda sizes: traced(model, *rebuild(sizes))[0], lambda run: [r[1] for r in run],
            _cannot_vary,
        )  # fmt: skip
        records = with_sizes(varied, records)
    if any(map(picks_by_truth, records)):
        _check_counts(model, args, kwargs, records)
    labels: dict[int, str] = {}
    if isinstance(model, torch.nn.Module):
        labels = {id(t): n for n, t in (*model.named_parameters(), *model.named_buffers())}
    graph = Graph(labels)
    for name, t in zip(names, tensors, strict=True):
        graph.bind(t, graph.fresh(name))
    for op, given, made in records:
        graph.record(op, given, made)
    results = [t for t in tree_leaves(result) if isinstance(t, torch.Tensor)]
    if not results:
        raise OnnxExporterError("torch.onnx.export: the model returns no tensor")
    wanted = list(output_names or ()) or [f"output_{i}" if len(results) > 1 else "output" for i in range(len(results))]
    wanted += [f"output_{i}" for i in range(len(wanted), len(results))]
    outputs = []
    for name, t in zip(wanted, results, strict=False):
        final = graph.fresh(name)
        graph.nodes.append(helper.make_node("Identity", [graph.name(window(t))], [final], name=graph.fresh("Identity")))
        outputs.append(info(final, t, dict.fromkeys(range(t.ndim), "") if size_of else {}))
    graph.prune([each.name for each in outputs])
    made_graph = helper.make_graph(
        graph.nodes, getattr(type(model), "__name__", "model"),
        [info(name, t, axes[name]) for name, t in zip(names, tensors, strict=True)], outputs, graph.initializers,
    )  # fmt: skip
    program = helper.make_model(made_graph, opset_imports=[helper.make_opsetid("", OPSET)], producer_name="flambeau")
    program.ir_version = min(program.ir_version, 10)
    return onnx.shape_inference.infer_shapes(program) if size_of else program
