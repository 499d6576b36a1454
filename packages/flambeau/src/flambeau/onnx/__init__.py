"""``torch.onnx``: nothing is exported, and programs that ask whether they are being exported are told so."""

from collections.abc import Callable
from enum import Enum
from typing import Any, NoReturn

from flambeau_tensor.lazy_attributes import attach as _attach


class OnnxExporterError(RuntimeError):
    """An error of an export; never raised here."""


def is_in_onnx_export() -> bool:
    """False."""
    return False


def export(*args: Any, **kwargs: Any) -> NoReturn:
    """Raises: it is not built."""
    from flambeau_tensor.not_built import not_built

    raise not_built("torch.onnx.export")


class TrainingMode(Enum):
    """How a module is exported."""

    EVAL = 0
    PRESERVE = 1
    TRAINING = 2


class OperatorExportTypes(Enum):
    """What becomes of operators that ONNX does not have."""

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
    """Does nothing: what says how an operator is exported is never asked."""


def unregister_custom_op_symbolic(symbolic_name: str, opset_version: int) -> None:
    """Does nothing."""


def _opset(name: str) -> Any:
    return __getattr__("symbolic_helper") if name.startswith("symbolic_opset") else None


__getattr__, __dir__ = _attach(__name__, "torch.onnx", modules=("symbolic_helper",), find=_opset, unlisted=True)
