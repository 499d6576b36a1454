"""A model's run as a graph of ONNX: values with names, sizes that depend on those of the inputs, and nodes.

A Tracer receives every kernel that runs below autograd, so layers, custom Functions and transforms need no special
treatment. Dynamic sizes are found by running the model again with other sizes: a number that changes is then derived
from the sizes of the inputs.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

import flambeau as torch
from flambeau.export.sizes import Size, Varied, denominator
from flambeau_tensor.extend import Tracer, plan, window
from flambeau_tensor.extend import Window as Seen

OPSET = 18
TYPES = {
    "float32": TensorProto.FLOAT, "float64": TensorProto.DOUBLE, "float16": TensorProto.FLOAT16,
    "bfloat16": TensorProto.BFLOAT16, "int64": TensorProto.INT64, "int32": TensorProto.INT32,
    "int16": TensorProto.INT16,
    "int8": TensorProto.INT8, "uint8": TensorProto.UINT8, "bool": TensorProto.BOOL, "complex64": TensorProto.COMPLEX64,
    "complex128": TensorProto.COMPLEX128,
}  # fmt: skip
_OPERATORS: dict[str, Callable[..., Any]] = {}


class OnnxExporterError(RuntimeError):
    """A model cannot be written as ONNX; the message names the operator that ONNX does not have."""


def operator(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declare how operators are written, by PyTorch's names: a function of the graph and the arguments."""

    def declare(function: Callable[..., Any]) -> Callable[..., Any]:
        _OPERATORS.update(dict.fromkeys(names, function))
        return function

    return declare


def dtype_of(t: Any) -> str:
    return str(t.dtype).removeprefix("torch.")


def axis_of(dim: int, x: Any) -> int:
    """A dimension of a tensor, counted from its first one."""
    n = x.tensor.ndim
    return dim + n if dim < 0 else dim


class Graph:
    """Nodes in the making.

    Attributes:
        nodes, initializers: of the graph.
        labels: names of parameters by the id of their tensor.
    """

    def __init__(self, labels: dict[int, str]) -> None:
        self.nodes: list[Any] = []
        self.initializers: list[Any] = []
        self.labels = labels
        self.keep: list[Any] = []
        self._names: dict[int, tuple[str, int]] = {}  # id of a tensor -> its name, and when the name was assigned
        self._writes: dict[
            int, tuple[int, int]
        ] = {}  # address of a storage: when it was written to, through which tensor
        self._missing: dict[int, str] = {}  # id of a tensor: the operator that is not written
        self._taken: set[str] = set()
        self._constants: dict[tuple[str, bytes, tuple[int, ...]], str] = {}
        self._scope = "value"
        self.op: Any = None

    # --- values ---------------------------------------------------------------------------------------------------

    def fresh(self, wanted: str) -> str:
        name, n = wanted, 1
        while name in self._taken:
            name, n = f"{wanted}_{n}", n + 1
        self._taken.add(name)
        return name

    def bind(self, t: Any, name: str) -> None:
        """Let a tensor be a value."""
        self.keep.append(t)
        self._names[id(t)] = name, len(self.nodes)

    def write(self, seen: Seen) -> None:
        """Note that an operator wrote to a tensor's memory."""
        self._writes[seen.address] = len(self.nodes), id(seen.tensor)

    def name(self, seen: Seen) -> str:
        """The value that a tensor is."""
        t = seen.tensor
        known = self._names.get(id(t))
        wrote, writer = self._writes.get(seen.address, (-1, 0))
        if id(t) in self._missing:
            raise self.refusal(self._missing[id(t)])
        if known is not None and (wrote <= known[1] or writer == id(t)):
            return known[0]
        if wrote >= 0 and writer != id(t):
            raise OnnxExporterError("the model writes to a view of a tensor in place, which ONNX cannot express")
        label = self.labels.get(id(t), "constant")
        name = self.fresh(label)
        self.initializers.append(numpy_helper.from_array(np.ascontiguousarray(t.detach().cpu().numpy()), name))
        self.bind(t, name)
        return name

    def constant(self, value: Any, dtype: str) -> str:
        """A number or array as a value."""
        array = np.asarray(value, dtype=np.bool_ if dtype == "bool" else dtype)
        key = dtype, array.tobytes(), array.shape
        if key not in self._constants:
            self._constants[key] = self.fresh("constant")
            self.initializers.append(numpy_helper.from_array(array, self._constants[key]))
        return self._constants[key]

    def refusal(self, operator: str) -> OnnxExporterError:
        return OnnxExporterError(
            f"torch.onnx.export: {operator} cannot be exported to ONNX; "
            "write the model without it, or with functions that are"
        )

    def value(self, o: Any, dtype: str | None = None) -> str:
        """A tensor or number as a value of a dtype."""
        if isinstance(o, Size):
            name = self.add("Squeeze", self.numbers([o]))
            return name if dtype in (None, "int64") else self.cast(name, dtype)
        if not isinstance(o, Seen):
            return self.constant(o, dtype or "float32")
        name = self.name(o)
        return name if dtype is None or dtype_of(o.tensor) == dtype else self.cast(name, dtype)

    def cast(self, name: str, dtype: str) -> str:
        return self.add("Cast", name, to=TYPES[dtype])

    def numbers(self, values: Any) -> str:
        """Integers as a value of one dimension; those that follow from sizes are computed."""
        values = list(values)
        if not any(isinstance(v, Size) for v in values):
            return self.constant(values, "int64")
        parts: list[str] = []
        fixed: list[int] = []
        for v in values:
            if isinstance(v, Size):
                if fixed:
                    parts.append(self.constant(fixed, "int64"))
                    fixed = []
                parts.append(self._size(v))
            else:
                fixed.append(int(v))
        if fixed:
            parts.append(self.constant(fixed, "int64"))
        return parts[0] if len(parts) == 1 else self.add("Concat", *parts, axis=0)

    def _size(self, size: Size) -> str:
        below = denominator(size)
        total: Any = None
        for factor, keys in size.terms:
            part: Any = self.constant([int(factor * below)], "int64") if not keys or factor * below != 1 else None
            for name, dim in keys:
                length = self.add("Shape", name, start=dim, end=dim + 1)
                part = length if part is None else self.add("Mul", part, length)
            total = part if total is None else self.add("Add", total, part)
        return total if below == 1 else self.add("Div", total, self.constant([below], "int64"))

    # --- nodes ----------------------------------------------------------------------------------------------------

    def add(self, kind: str, *inputs: str, outputs: int = 1, **attributes: Any) -> Any:
        """A node; returns the name of its output, or a tuple of several."""
        names = tuple(self.fresh(f"{kind.lower()}_output") for _ in range(outputs))
        self.nodes.append(helper.make_node(kind, list(inputs), list(names), name=self.fresh(kind), **attributes))
        return names[0] if outputs == 1 else names

    def record(self, op: Any, args: tuple[Any, ...], result: Any) -> None:
        """Write one kernel's call."""
        self.op = op
        base = op.functional or op
        writes = bool(op.writes) or any(
            a.write and given is not None for a, given in zip(op.schema.arguments, args, strict=True)
        )
        function = _OPERATORS.get(base.__torch_name__)
        if function is None:
            if not any(True for _ in seen_in(args)) and not _draws(op):
                return  # the same at each call, so readers turn it into a constant
            if writes:
                raise self.refusal(op.__torch_name__)
            self._lose(result, op.__torch_name__)
            return
        lost = next((self._missing[id(s.tensor)] for s in seen_in(args) if id(s.tensor) in self._missing), None)
        if lost is not None and not writes:
            self._lose(result, lost)
            return
        made = function(self, *args) if not getattr(function, "gets_result", False) else function(self, result, *args)
        names = made if isinstance(made, tuple) else (made,)
        targets = list(seen_in(result))
        for seen, name in zip(targets, names, strict=False):
            if name is not None:
                self.bind(seen.tensor, name)
        if writes:
            target = next(seen_in(args))
            self.bind(target.tensor, names[0])
            self.write(target)
            for seen in targets:
                self.bind(seen.tensor, names[0])

    def _lose(self, result: Any, operator: str) -> None:
        """Note that tensors follow from an operator that is not written: an error if the model's results need them."""
        for seen in seen_in(result):
            self.keep.append(seen.tensor)
            self._missing[id(seen.tensor)] = operator

    def prune(self, outputs: list[str]) -> None:
        """Remove nodes that no output needs."""
        needed, kept = set(outputs), []
        for node in reversed(self.nodes):
            if needed.intersection(node.output):
                kept.append(node)
                needed.update(node.input)
        self.nodes = kept[::-1]
        self.initializers = [each for each in self.initializers if each.name in needed]

    def reads(self, args: tuple[Any, ...], count: int) -> list[str]:
        """The dtype in which an elementwise operator computes with each operand."""
        p = plan(self.op, tuple(_tensors(a) for a in args))
        if p is None:
            raise OnnxExporterError(
                f"torch.onnx.export: {self.op.__torch_name__} of these dtypes cannot be exported to ONNX"
            )
        return [str(d).removeprefix("torch.") for d in p.reads[:count]]


def _tensors(o: Any) -> Any:
    if isinstance(o, Seen):
        return o.tensor
    if isinstance(o, Size):
        return int(o)
    return tuple(map(_tensors, o)) if isinstance(o, tuple) else o


def _draws(op: Any) -> bool:
    return any("Generator" in a.type for a in op.schema.arguments)


def seen_in(o: Any) -> Iterator[Seen]:
    """The tensors among nested arguments."""
    if isinstance(o, Seen):
        yield o
    elif isinstance(o, (tuple, list)):
        for each in o:
            yield from seen_in(each)


def static(o: Any, what: str) -> Any:
    """Check that numbers that ONNX needs at export time do not depend on sizes that vary."""
    for each in o if isinstance(o, (tuple, list)) else (o,):
        if isinstance(each, Size):
            raise OnnxExporterError(f"torch.onnx.export: {what} depends on a size that varies")
    return o


# --- runs ---------------------------------------------------------------------------------------------------------


def traced(model: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[list[Any], Any]:
    """Trace one run of a model; return the tracer and the model's result."""
    with torch.no_grad(), Tracer() as tracer:
        result = model(*args, **kwargs)
    for record in tracer.records:
        if record[0] == "refuse":
            raise OnnxExporterError(f"torch.onnx.export: {record[1]}")
    return [r for r in tracer.records if not isinstance(r[0], str)], result


def with_sizes(varied: Varied, records: list[Any]) -> list[Any]:
    """The records of a run, with a `Size` for each number that follows from sizes that vary.

    Raises:
        OnnxExporterError: the model runs other operators for other sizes.
    """
    if any([r[0] for r in run] != [r[0] for r in records] for run in varied.runs.values()):
        raise OnnxExporterError("torch.onnx.export: the model runs other operators for other sizes")
    found = []
    for i, (op, args, result) in enumerate(records):
        others = {keys: run[i][1] for keys, run in varied.runs.items()}
        found.append((op, varied.merged(args, others), result))
    return found


def picks_by_truth(record: tuple[Any, Any, Any]) -> bool:
    """Return True if an operator's result has a size that depends on elements."""
    op, args, _ = record
    by_mask = op.name == "index" and any(dtype_of(seen.tensor) in ("bool", "uint8") for seen in seen_in(args[1]))
    return by_mask or op.name in ("masked_select", "nonzero")


def numbers_of(records: Any) -> Any:
    """The numbers that operators are given, nested as they were."""
    if isinstance(records, (list, tuple)) and not isinstance(records, Seen):
        return [numbers_of(each[1] if isinstance(records, list) else each) for each in records]
    return records if isinstance(records, (bool, int, float, str)) else None


def shape_of(t: Any, axes: dict[int, str]) -> list[Any]:
    """Return the sizes of a tensor for ONNX: names for sizes that vary, None for those without a name."""
    return [axes.get(d, size) or None for d, size in enumerate(t.shape)]


def info(name: str, t: Any, axes: dict[int, str]) -> Any:
    """Return the ONNX description of an input or output."""
    return helper.make_tensor_value_info(name, TYPES[dtype_of(t)], shape_of(t, axes))


__all__ = ["OPSET", "Graph", "OnnxExporterError", "Size", "operator", "traced", "with_sizes", "window", "onnx"]
