"""The `__torch_function__` protocol as a separate library: any package can let other packages' types override its
functions. It knows nothing of tensors and has no dependencies.

`overridable` and `register_base` make a library's functions and types take part; `has_torch_function` and
`handle_torch_function` do the same by hand. Modes and the `Disable` classes change which handlers are called; the
listing functions return the overridable functions. Compiled code cimports `flambeau_overrides.abi`.
"""
# ruff: noqa: F401  (PyTorch has the names with an underscore, and programs use them)

from flambeau_overrides import _compiled  # finds the compiled modules
from flambeau_overrides._dispatch import (
    _disabled_torch_function_impl as _disabled_torch_function_impl,
)
from flambeau_overrides._dispatch import (
    ask_modes,
    handle_torch_function,
    has_torch_function,
    has_torch_function_unary,
    has_torch_function_variadic,
    is_tensor_like,
    redispatch_function,
    register_base,
)
from flambeau_overrides._dispatch import overloaded_args as _get_overloaded_args
from flambeau_overrides._packing import Packing
from flambeau_overrides._thread import DisableTorchFunction, DisableTorchFunctionSubclass
from flambeau_overrides.declare import overridable, wrap_torch_function
from flambeau_overrides.metadata import agreed, first
from flambeau_overrides.modes import (
    BaseTorchFunctionMode,
    TorchFunctionMode,
    _enable_torch_function,
    _get_current_function_mode,
    _get_current_function_mode_stack,
    _pop_mode,
    _pop_mode_temporarily,
    _push_mode,
    enable_reentrant_dispatch,
)
from flambeau_overrides.modes import (
    _get_function_stack_at as _get_function_stack_at,
)
from flambeau_overrides.modes import (
    _is_torch_function_enabled as _is_torch_function_enabled,
)
from flambeau_overrides.modes import (
    _is_torch_function_mode_enabled as _is_torch_function_mode_enabled,
)
from flambeau_overrides.modes import (
    _len_torch_function_stack as _len_torch_function_stack,
)
from flambeau_overrides.operators import OperatorsMixin
from flambeau_overrides.registry import (
    get_default_nowrap_functions,
    get_ignored_functions,
    get_overridable_functions,
    get_testing_overrides,
    ignore,
    ignore_names,
    is_tensor_method_or_property,
    register,
    register_namespace,
    resolve_name,
)

# PyTorch's other names: those of the listing functions in older versions, and those of the checks in its compiled
# module.
_get_overridable_functions = get_overridable_functions
_get_testing_overrides = get_testing_overrides
_get_ignored_functions = get_ignored_functions
_has_torch_function = has_torch_function
_has_torch_function_unary = has_torch_function_unary
_has_torch_function_variadic = has_torch_function_variadic
_push_on_torch_function_stack = _push_mode
_pop_torch_function_stack = _pop_mode

__version__ = "0.1.0"

__all__ = [
    "BaseTorchFunctionMode",
    "DisableTorchFunction",
    "DisableTorchFunctionSubclass",
    "OperatorsMixin",
    "Packing",
    "TorchFunctionMode",
    "agreed",
    "ask_modes",
    "enable_reentrant_dispatch",
    "first",
    "get_default_nowrap_functions",
    "get_ignored_functions",
    "get_overridable_functions",
    "get_testing_overrides",
    "handle_torch_function",
    "has_torch_function",
    "has_torch_function_unary",
    "has_torch_function_variadic",
    "ignore",
    "ignore_names",
    "is_tensor_like",
    "is_tensor_method_or_property",
    "overridable",
    "redispatch_function",
    "register",
    "register_base",
    "register_namespace",
    "resolve_name",
    "wrap_torch_function",
]
