"""Hooks of modules: registering them, hooks for all modules, and the call of a module with hooks."""

from __future__ import annotations

import warnings
from collections import OrderedDict
from collections.abc import Callable, Sequence
from itertools import chain
from types import ModuleType
from typing import TYPE_CHECKING, Any

from flambeau_autograd.hooks import RemovableHandle
from flambeau_nn._module import set_global_hooks

if TYPE_CHECKING:
    from flambeau_nn._module import ModuleBase
    from flambeau_nn.modules.module import Module

    Mixed = ModuleBase
else:
    Mixed = object  # the compiled base comes last, so that an object can change its class to that of another module


class _Global:
    """Hooks for all modules. Programs access them as ``torch.nn.modules.module._global_…`` and may replace them."""

    backward_pre_hooks: OrderedDict[int, Callable[..., Any]]
    backward_hooks: OrderedDict[int, Callable[..., Any]]
    is_full_backward_hook: bool | None
    forward_pre_hooks: OrderedDict[int, Callable[..., Any]]
    forward_hooks: OrderedDict[int, Callable[..., Any]]
    forward_hooks_with_kwargs: OrderedDict[int, bool]
    forward_hooks_always_called: OrderedDict[int, bool]
    buffer_registration_hooks: OrderedDict[int, Callable[..., Any]]
    module_registration_hooks: OrderedDict[int, Callable[..., Any]]
    parameter_registration_hooks: OrderedDict[int, Callable[..., Any]]

    def __init__(self) -> None:
        state = self.__dict__
        state["backward_pre_hooks"] = OrderedDict()
        state["backward_hooks"] = OrderedDict()
        state["is_full_backward_hook"] = None
        state["forward_pre_hooks"] = OrderedDict()
        state["forward_hooks"] = OrderedDict()
        state["forward_hooks_with_kwargs"] = OrderedDict()
        state["forward_hooks_always_called"] = OrderedDict()
        state["buffer_registration_hooks"] = OrderedDict()
        state["module_registration_hooks"] = OrderedDict()
        state["parameter_registration_hooks"] = OrderedDict()
        self._tell()

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        self._tell()

    def _tell(self) -> None:
        """Pass the current dicts of hooks to the compiled call path."""
        set_global_hooks(self.forward_pre_hooks, self.forward_hooks, self.backward_pre_hooks, self.backward_hooks)


GLOBAL = _Global()


class ModuleWithGlobalHooks(ModuleType):
    """A Python module with the hooks for all modules as its attributes ``_global_…``."""


def _global_attribute(name: str) -> property:
    return property(lambda module: getattr(GLOBAL, name), lambda module, value: setattr(GLOBAL, name, value))


for _name in vars(GLOBAL):
    setattr(ModuleWithGlobalHooks, f"_global_{_name}", _global_attribute(_name))


def _register_global(
    hooks: OrderedDict[int, Callable[..., Any]], hook: Callable[..., Any], *, extra: Sequence[dict[int, bool]] = ()
) -> RemovableHandle:
    handle = RemovableHandle(hooks, extra_dict=list(extra))
    hooks[handle.id] = hook
    return handle


def register_module_forward_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call ``hook(module, args)`` before the forward of every module; its result, unless None, replaces args."""
    return _register_global(GLOBAL.forward_pre_hooks, hook)


def register_module_forward_hook(
    hook: Callable[..., Any], *, with_kwargs: bool = False, always_call: bool = False
) -> RemovableHandle:
    """Call ``hook(module, args, output)`` after the forward of every module; its result replaces the output."""
    handle = _register_global(
        GLOBAL.forward_hooks, hook, extra=(GLOBAL.forward_hooks_with_kwargs, GLOBAL.forward_hooks_always_called)
    )
    if with_kwargs:
        GLOBAL.forward_hooks_with_kwargs[handle.id] = True
    if always_call:
        GLOBAL.forward_hooks_always_called[handle.id] = True
    return handle


def register_module_full_backward_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call ``hook(module, grad_output)`` before the backward of every module."""
    return _register_global(GLOBAL.backward_pre_hooks, hook)


def register_module_full_backward_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call ``hook(module, grad_input, grad_output)`` after the backward of every module."""
    if GLOBAL.is_full_backward_hook is False:
        raise RuntimeError(
            "Cannot use both regular backward hooks and full backward hooks as a global Module hook. "
            "Please use only one of them."
        )
    GLOBAL.is_full_backward_hook = True
    return _register_global(GLOBAL.backward_hooks, hook)


def register_module_backward_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """The older form of :func:`register_module_full_backward_hook`; it covers only the last operation of a module."""
    if GLOBAL.is_full_backward_hook is True:
        raise RuntimeError(
            "Cannot use both regular backward hooks and full backward hooks as a global Module hook. "
            "Please use only one of them."
        )
    GLOBAL.is_full_backward_hook = False
    return _register_global(GLOBAL.backward_hooks, hook)


def register_module_buffer_registration_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call ``hook(module, name, buffer)`` whenever a buffer is registered; its result is registered instead."""
    return _register_global(GLOBAL.buffer_registration_hooks, hook)


def register_module_module_registration_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call ``hook(module, name, submodule)`` whenever a module is registered."""
    return _register_global(GLOBAL.module_registration_hooks, hook)


def register_module_parameter_registration_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call ``hook(module, name, param)`` whenever a parameter is registered."""
    return _register_global(GLOBAL.parameter_registration_hooks, hook)


def _register(
    hooks: OrderedDict[int, Callable[..., Any]],
    hook: Callable[..., Any],
    *,
    prepend: bool = False,
    flags: Sequence[tuple[dict[int, bool], bool]] = (),
) -> RemovableHandle:
    """Add a hook and, under its id, the flags that are set: pairs of a dict and a truth value."""
    handle = RemovableHandle(hooks, extra_dict=[names for names, _ in flags])
    hooks[handle.id] = hook
    for names, is_set in flags:
        if is_set:
            names[handle.id] = True
    if prepend:
        hooks.move_to_end(handle.id, last=False)
    return handle


class HookMethods(Mixed):
    """The methods of :class:`Module` that register hooks. Each returns a handle whose ``remove()`` removes the hook."""

    def register_forward_pre_hook(
        self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False
    ) -> RemovableHandle:
        """Call ``hook(module, args)`` before ``forward``; its result, unless None, replaces the arguments.

        Args:
            hook: with ``with_kwargs`` it is called as ``hook(module, args, kwargs)`` and returns None or both.
            prepend: call it before the other hooks of this module.
            with_kwargs: pass keyword arguments, too.
        """
        return _register(
            self._forward_pre_hooks, hook, prepend=prepend, flags=[(self._forward_pre_hooks_with_kwargs, with_kwargs)]
        )

    def register_forward_hook(
        self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False, always_call: bool = False
    ) -> RemovableHandle:
        """Call ``hook(module, args, output)`` after ``forward``; its result, unless None, replaces the output.

        Args:
            hook: with ``with_kwargs`` it is called as ``hook(module, args, kwargs, output)``.
            prepend: call it before the other hooks of this module.
            with_kwargs: pass keyword arguments, too.
            always_call: call it even if forward or another hook raises.
        """
        return _register(
            self._forward_hooks,
            hook,
            prepend=prepend,
            flags=[(self._forward_hooks_with_kwargs, with_kwargs), (self._forward_hooks_always_called, always_call)],
        )

    def register_full_backward_pre_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Call ``hook(module, grad_output)`` when the gradients of the outputs are known; its result replaces them."""
        return _register(self._backward_pre_hooks, hook, prepend=prepend)

    def register_full_backward_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Call ``hook(module, grad_input, grad_output)`` after backward; its result replaces ``grad_input``."""
        if self._is_full_backward_hook is False:
            raise RuntimeError(
                "Cannot use both regular backward hooks and full backward hooks on a single Module. "
                "Please use only one of them."
            )
        self._is_full_backward_hook = True
        return _register(self._backward_hooks, hook, prepend=prepend)

    def register_backward_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """The older form of :meth:`register_full_backward_hook`, which covers only the last operation."""
        if self._is_full_backward_hook is True:
            raise RuntimeError(
                "Cannot use both regular backward hooks and full backward hooks on a single Module. "
                "Please use only one of them."
            )
        self._is_full_backward_hook = False
        return _register(self._backward_hooks, hook)


# --- the call of a module that has hooks ----------------------------------------------------------------------------


def call_with_hooks(module: Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``module(*args, **kwargs)`` with every hook."""
    is_full = module.__dict__.get("_is_full_backward_hook") is True
    backward = ((GLOBAL.is_full_backward_hook, GLOBAL.backward_hooks), (is_full, module._backward_hooks))
    full = [h for on, hooks in backward if on is True for h in hooks.values()]
    partial = [h for on, hooks in backward if on is not True for h in hooks.values()]
    before = [*GLOBAL.backward_pre_hooks.values(), *module._backward_pre_hooks.values()]
    called = set()
    try:
        args, kwargs = _run_pre_hooks(module, args, kwargs)
        gradients = None
        if full or before:
            from flambeau_nn.modules._backward_hooks import GradientHooks

            gradients = GradientHooks(module, full, before)
            args = gradients.watch_input(args)
        result = module._call_forward(args, kwargs)
        for key, hook in chain(GLOBAL.forward_hooks.items(), list(module._forward_hooks.items())):
            called.add(key)
            changed = _run_forward_hook(module, key, hook, args, kwargs, result)
            if changed is not None:
                result = changed
        if gradients is not None:
            result = gradients.watch_output(result)
        if partial:
            from flambeau_nn.modules._backward_hooks import watch_last_operation

            watch_last_operation(module, partial, args, result)
        return result
    except Exception:
        _run_always_called(module, called, args, kwargs)
        raise


def _run_pre_hooks(module: Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    for key, hook in chain(GLOBAL.forward_pre_hooks.items(), list(module._forward_pre_hooks.items())):
        if key in module._forward_pre_hooks_with_kwargs:
            changed = hook(module, args, kwargs)
            if changed is not None:
                if not (isinstance(changed, tuple) and len(changed) == 2):
                    raise RuntimeError(
                        f"forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got {changed}."
                    )
                args, kwargs = changed
        else:
            changed = hook(module, args)
            if changed is not None:
                args = changed if isinstance(changed, tuple) else (changed,)
    return args, kwargs


def _run_forward_hook(
    module: Module, key: int, hook: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], result: Any
) -> Any:
    if key in GLOBAL.forward_hooks_with_kwargs or key in module._forward_hooks_with_kwargs:
        return hook(module, args, kwargs, result)
    return hook(module, args, result)


def _run_always_called(module: Module, called: set[int], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Run, after an error, the hooks that are always called."""
    for hooks, always in (
        (GLOBAL.forward_hooks, GLOBAL.forward_hooks_always_called),
        (module._forward_hooks, module._forward_hooks_always_called),
    ):
        for key, hook in list(hooks.items()):
            if key not in always or key in called:
                continue
            try:
                _run_forward_hook(module, key, hook, args, kwargs, None)
            except Exception as e:  # the first error is the one to report
                where = "global module " if hooks is GLOBAL.forward_hooks else "module "
                warnings.warn(
                    f"{where}forward hook with ``always_call=True`` raised an exception that was silenced as "
                    f"another error was raised in forward: {e}",
                    stacklevel=4,
                )
