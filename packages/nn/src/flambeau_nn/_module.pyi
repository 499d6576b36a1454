from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from flambeau_nn.modules.module import Module
from flambeau_tensor import Tensor

_Hooks = OrderedDict[int, Callable[..., Any]]

class ModuleBase:
    _parameters: dict[str, Any]
    _buffers: dict[str, Any]
    _modules: dict[str, Any]
    _forward_hooks: _Hooks
    _forward_pre_hooks: _Hooks
    _backward_hooks: _Hooks
    _backward_pre_hooks: _Hooks
    _forward_hooks_with_kwargs: OrderedDict[int, bool]
    _forward_hooks_always_called: OrderedDict[int, bool]
    _forward_pre_hooks_with_kwargs: OrderedDict[int, bool]
    _state_dict_hooks: _Hooks
    _state_dict_pre_hooks: _Hooks
    _load_state_dict_pre_hooks: _Hooks
    _load_state_dict_post_hooks: _Hooks
    _non_persistent_buffers_set: set[str]
    _is_full_backward_hook: bool | None
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...
    def _call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any: ...
    def _call_forward(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any: ...

CALL_HOOKS: frozenset[str]

def late_state() -> dict[str, Any]: ...
def sequential_forward(self: Module, input: Any) -> Any: ...
def set_attribute(self: Module, name: str, value: Any) -> None: ...
def delete_attribute(self: Module, name: str) -> None: ...
def take_fast_slots(cls: type[Module]) -> None: ...
def connect(
    module: type[Module], assign: Callable[[Module, str, Any], bool], slow_call: Callable[..., Any]
) -> None: ...
def set_global_hooks(*hooks: _Hooks) -> None: ...
