"""The names in PyTorch's compiled module that programs use: the switches and guards of overriding."""

from flambeau_overrides import (  # noqa: F401
    DisableTorchFunction,
    DisableTorchFunctionSubclass,
    _disabled_torch_function_impl,
    _get_function_stack_at,
    _has_torch_function,
    _has_torch_function_unary,
    _has_torch_function_variadic,
    _is_torch_function_enabled,
    _is_torch_function_mode_enabled,
    _len_torch_function_stack,
    _pop_torch_function_stack,
    _push_on_torch_function_stack,
)
from flambeau_tensor.extend import dispatching as _dispatching
from flambeau_tensor.subclassing import _disabled_torch_dispatch_impl  # noqa: F401

_push_on_torch_dispatch_stack = _dispatching.push_mode
_DisableTorchDispatch = _dispatching.Undispatched


def _pop_torch_dispatch_stack(key: object = None) -> object:
    """Take off the innermost TorchDispatchMode, and return it."""
    return _dispatching.pop_mode()


def _len_torch_dispatch_stack() -> int:
    """How many modes of TorchDispatchMode are active in this thread."""
    return len(_dispatching.mode_stack())


def _get_dispatch_stack_at(i: int) -> object:
    """One of them, the innermost last."""
    return _dispatching.mode_stack()[i]


def _get_tracing_state() -> None:
    """The trace of TorchScript that is being made: None."""


def _are_functorch_transforms_active() -> bool:
    """Whether this thread is inside a transform such as ``vmap`` or ``grad``."""
    from flambeau_autograd.extend import levels

    return bool(levels())


def _get_default_device() -> str:
    """The type of the device that factories use: ``cpu``."""
    import flambeau

    return flambeau.get_default_device().type


def _log_api_usage_once(event: str) -> None:
    """PyTorch counts uses here where somebody has asked for it; nobody does."""


_log_api_usage_metadata = _log_api_usage_once
