"""``torch.onnx``: models as ONNX files, by the package ``onnx``."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import Any

from flambeau_tensor.lazy_attributes import attach as _attach


def is_in_onnx_export() -> bool:
    """False: a model runs during an export as it always does."""
    return False


def export(
    model: Any,
    args: Any = (),
    f: Any = None,
    *,
    kwargs: Mapping[str, Any] | None = None,
    verbose: bool | None = None,
    input_names: Sequence[str] | None = None,
    output_names: Sequence[str] | None = None,
    opset_version: int | None = None,
    dynamo: bool = True,
    dynamic_shapes: Any = None,
    export_params: bool = True,
    keep_initializers_as_inputs: bool = False,
    dynamic_axes: Any = None,
    training: Any = None,
    **options: Any,
) -> Any:
    """Export a model to ONNX. Each kernel of one run becomes one or more nodes.

    The model runs on the arguments, in the mode that it is in: call ``model.eval()`` before. For sizes that vary it
    runs again with sizes that are larger by one. Python's branches and numbers that it reads out of tensors are as in
    that run. This needs the package ``onnx``: ``pip install flambeau[onnx]``.

    Args:
        model: a module or function of tensors, of any shape.
        args: the arguments; nested containers are flattened, and a final dict holds keyword arguments.
        f: a path or a file to write to; None writes nothing.
        kwargs: keyword arguments.
        input_names, output_names: names of the tensors, in order; default: those of the parameters, and ``output``.
        opset_version: the version of the operators; the model is converted to it if possible. Default: 18.
        dynamic_shapes: for each argument, by its name or in order, the dimensions that vary: ``{"x": {0: "batch"}}``,
            with a name or a ``torch.export.Dim`` each.
        dynamic_axes: the same, by the names of inputs.
        dynamo, verbose, export_params, keep_initializers_as_inputs, training, options: accepted; they have no effect.

    Returns:
        An ``ONNXProgram``, whose ``model_proto`` is the model; ``save`` writes it, and a call runs it in onnxruntime.
        None for ``dynamo=False``, as in PyTorch.

    Raises:
        OnnxExporterError: an operator cannot be exported to ONNX, or other operators run for other sizes.
        ImportError: the package ``onnx`` is missing.

    >>> import flambeau as torch
    >>> program = torch.onnx.export(torch.nn.Linear(2, 3), (torch.ones(1, 2),))
    >>> [node.op_type for node in program.model_proto.graph.node]
    ['Gemm', 'Identity']
    """
    try:
        from flambeau.onnx import exporting
    except ImportError as error:
        if (error.name or "").partition(".")[0] != "onnx":
            raise
        raise ImportError("torch.onnx.export needs the package onnx: pip install 'flambeau[onnx]'") from error
    if training is not None and training not in (TrainingMode.EVAL, 0):
        warnings.warn("torch.onnx.export: models are exported in the mode that they are in", stacklevel=2)
    program = exporting.export(
        model, args, f, kwargs, input_names, output_names, opset_version, dynamic_axes, dynamic_shapes
    )
    return program if dynamo else None


class TrainingMode(Enum):
    """The mode in which a module is exported."""

    EVAL = 0
    PRESERVE = 1
    TRAINING = 2


class OperatorExportTypes(Enum):
    """The treatment of operators that ONNX does not have."""

    ONNX = 0
    ONNX_ATEN = 1
    ONNX_ATEN_FALLBACK = 2
    ONNX_FALLTHROUGH = 3


class TensorProtoDataType(Enum):
    """Numbers of element types in ONNX files."""

    UNDEFINED = 0
    FLOAT = 1
    UINT8 = 2
    INT8 = 3
    UINT16 = 4
    INT16 = 5
    INT32 = 6
    INT64 = 7
    STRING = 8
    BOOL = 9
    FLOAT16 = 10
    DOUBLE = 11
    UINT32 = 12
    UINT64 = 13
    COMPLEX64 = 14
    COMPLEX128 = 15
    BFLOAT16 = 16


def register_custom_op_symbolic(
    symbolic_name: str, symbolic_fn: Callable[..., Any], opset_version: int, custom_opsets: Any = None
) -> None:
    """Do nothing: exports do not use functions that define the export of an operator."""


def unregister_custom_op_symbolic(symbolic_name: str, opset_version: int) -> None:
    """Does nothing."""


def _opset(name: str) -> Any:
    if name in ("ONNXProgram", "OnnxExporterError"):
        from flambeau.onnx import exporting

        return getattr(exporting, name)
    return __getattr__("symbolic_helper") if name.startswith("symbolic_opset") else None


__getattr__, __dir__ = _attach(__name__, "torch.onnx", modules=("symbolic_helper",), find=_opset, unlisted=True)
