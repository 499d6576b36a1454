"""Automatic differentiation for flambeau's tensors: the implementation of ``torch.autograd``.

Importing it enables recording in the tensor package and gives tensors ``requires_grad``, ``backward`` and related
attributes.

>>> import flambeau_tensor as ft
>>> from flambeau_autograd import grad
>>> x = ft.tensor(3.0, requires_grad=True)
>>> grad(x * x, x)
(tensor(6.),)
"""

from __future__ import annotations

from importlib import import_module as _import_module
from typing import Any

__version__ = "0.1.0"

from flambeau_autograd import _compiled  # noqa: F401  (finds the compiled modules)
from flambeau_autograd._engine.graph import record as _record  # noqa: F401  (plugs itself in)

from flambeau_autograd._engine.levels import dispatch as _dispatch  # noqa: F401  isort: skip

from flambeau_autograd import derivatives as _derivatives  # noqa: F401  isort: skip
from flambeau_autograd._engine.graph.backward import backward, grad
from flambeau_autograd._engine.graph.engine import runs_to_all_leaves as _is_checkpoint_valid  # noqa: F401
from flambeau_autograd._engine.graph.grad_mode import (
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)
from flambeau_autograd._engine.graph.rule import check_complete, derivative
from flambeau_autograd.anomaly_mode import (
    detect_anomaly,
    is_anomaly_check_nan_enabled,
    is_anomaly_enabled,
    set_detect_anomaly,
)
from flambeau_autograd.function import Function
from flambeau_autograd.grad_mode import is_multithreading_enabled, set_multithreading_enabled
from flambeau_autograd.gradcheck import GradcheckError, gradcheck, gradgradcheck
from flambeau_autograd.mutation import detect_mutation, is_mutation_detection_enabled, set_detect_mutation
from flambeau_autograd.variable import Variable
from flambeau_tensor.lazy_attributes import attach as _attach
from flambeau_tensor.pytorch_names import LOCAL_NAMES as _LOCAL_NAMES

__all__ = [
    "Function",
    "GradcheckError",
    "Variable",
    "backward",
    "check_complete",
    "derivative",
    "detect_anomaly",
    "detect_mutation",
    "enable_grad",
    "grad",
    "gradcheck",
    "gradgradcheck",
    "inference_mode",
    "is_anomaly_check_nan_enabled",
    "is_anomaly_enabled",
    "is_grad_enabled",
    "is_inference_mode_enabled",
    "is_multithreading_enabled",
    "is_mutation_detection_enabled",
    "no_grad",
    "set_detect_anomaly",
    "set_detect_mutation",
    "set_grad_enabled",
    "set_multithreading_enabled",
]


def _of_packages_above(name: str) -> Any:
    if name in ("_profiler_enabled", "_disable_profiler", "kineto_available"):
        return getattr(__getattr__("profiler"), name)
    if name == "_calculate_shape":
        from flambeau_autograd.messages import compared_shapes

        return compared_shapes
    if name == "SavedTensor":
        from flambeau_autograd._engine.graph.saved_tensor import SavedTensor

        return SavedTensor
    module = _LOCAL_NAMES.get(f"torch.autograd.{name}")
    return None if module is None else _import_module(module)


_modules = ("checkpoint", "forward_ad", "function", "functional", "grad_mode", "graph", "hooks", "variable")
__getattr__, _own_names = _attach(__name__, "torch.autograd", modules=_modules, find=_of_packages_above)


def __dir__() -> list[str]:
    above = {name.removeprefix("torch.autograd.") for name in _LOCAL_NAMES if name.startswith("torch.autograd.")}
    return sorted({*_own_names(), *above})
