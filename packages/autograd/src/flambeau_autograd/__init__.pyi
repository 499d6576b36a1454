from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any, TypeVar

from flambeau_autograd.anomaly_mode import detect_anomaly as detect_anomaly
from flambeau_autograd.anomaly_mode import is_anomaly_check_nan_enabled as is_anomaly_check_nan_enabled
from flambeau_autograd.anomaly_mode import is_anomaly_enabled as is_anomaly_enabled
from flambeau_autograd.anomaly_mode import set_detect_anomaly as set_detect_anomaly
from flambeau_autograd.function import Function as Function
from flambeau_autograd.gradcheck import GradcheckError as GradcheckError
from flambeau_autograd.gradcheck import gradcheck as gradcheck
from flambeau_autograd.gradcheck import gradgradcheck as gradgradcheck
from flambeau_autograd.variable import Variable as Variable
from flambeau_tensor import Tensor

__version__: str
_F = TypeVar("_F", bound=Callable[..., Any])

class _Block:
    def __enter__(self) -> Any: ...
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None: ...
    def __call__(self, function: _F) -> _F: ...

class no_grad(_Block): ...
class enable_grad(_Block): ...

class set_grad_enabled(_Block):
    def __init__(self, mode: bool) -> None: ...

class inference_mode(_Block):
    def __init__(self, mode: bool = True) -> None: ...

def is_grad_enabled() -> bool: ...
def is_inference_mode_enabled() -> bool: ...
def backward(
    tensors: Tensor | Sequence[Tensor],
    grad_tensors: Tensor | Sequence[Tensor | None] | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    grad_variables: Tensor | Sequence[Tensor | None] | None = None,
    inputs: Tensor | Sequence[Tensor] | None = None,
) -> None: ...
def grad(
    outputs: Tensor | Sequence[Tensor],
    inputs: Tensor | Sequence[Tensor],
    grad_outputs: Tensor | Sequence[Tensor | None] | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> tuple[Tensor, ...]: ...

def __getattr__(name: str) -> Any: ...
