"""The Module: parameters, buffers and modules by name, the traversal of them, and their text form.

Attribute lookup, assignment and the call are compiled (``flambeau_nn._module``); hooks and the state dict are in
separate files.
"""

from __future__ import annotations

import itertools
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, Self, cast

import flambeau_tensor as ft
from flambeau_autograd import no_grad
from flambeau_nn._module import (
    CALL_HOOKS,
    ModuleBase,
    connect,
    delete_attribute,
    set_attribute,
    take_fast_slots,
    walk_members,
    walk_modules,
    walk_parameters,
)
from flambeau_nn._module import late_state as late_state
from flambeau_nn.modules._construction import name_in_errors
from flambeau_nn.modules._hooks import (
    GLOBAL,
    HookMethods,
    ModuleWithGlobalHooks,
    call_with_hooks,
)
from flambeau_nn.modules._hooks import register_module_backward_hook as register_module_backward_hook
from flambeau_nn.modules._hooks import (
    register_module_buffer_registration_hook as register_module_buffer_registration_hook,
)
from flambeau_nn.modules._hooks import register_module_forward_hook as register_module_forward_hook
from flambeau_nn.modules._hooks import register_module_forward_pre_hook as register_module_forward_pre_hook
from flambeau_nn.modules._hooks import register_module_full_backward_hook as register_module_full_backward_hook
from flambeau_nn.modules._hooks import register_module_full_backward_pre_hook as register_module_full_backward_pre_hook
from flambeau_nn.modules._hooks import (
    register_module_module_registration_hook as register_module_module_registration_hook,
)
from flambeau_nn.modules._hooks import (
    register_module_parameter_registration_hook as register_module_parameter_registration_hook,
)
from flambeau_nn.modules._state import EXTRA as _EXTRA_STATE_KEY_SUFFIX  # noqa: F401  (looked for here)
from flambeau_nn.modules._state import StateMethods, _IncompatibleKeys, _WrappedHook  # noqa: F401  (looked for here)
from flambeau_nn.modules.conversions import get_overwrite_module_params_on_conversion
from flambeau_nn.parameter import Buffer, Parameter
from flambeau_tensor import Tensor, dtype
from flambeau_tensor.extend import is_meta, sockets
from flambeau_tensor.options import Device

__all__ = ["Module"]

_MISSING = object()


def typename(obj: object) -> str:
    """Return the name of ``obj``'s type in error messages: ``torch.FloatTensor``, ``int``, ``package.Class``."""
    if isinstance(obj, Tensor):
        return obj.type()
    named = obj if hasattr(obj, "__qualname__") else type(obj)
    module = getattr(named, "__module__", None)
    return named.__qualname__ if module in (None, "", "builtins") else f"{module}.{named.__qualname__}"


def _forward_unimplemented(self: Module, *input: Any) -> Any:
    """The computation of the module; every subclass defines it."""
    raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')


class Module(HookMethods, StateMethods, ModuleBase):
    """Base class of all modules. Subclasses create their parts in ``__init__`` and define ``forward``.

    A module registers the parameters, buffers and modules that are assigned as attributes; :meth:`parameters`,
    :meth:`state_dict`, :meth:`to` and other methods use them. Modules in a plain list or dict are not registered: use
    ``ModuleList`` or ``ModuleDict``.

    Shape:
        those of ``forward``

    Raises:
        AttributeError: the attribute does not exist, or a parameter is set before ``__init__`` was called.
        NotImplementedError: a subclass has no ``forward``.
        TypeError: ``__init__`` receives arguments that no base class accepts.

    >>> import flambeau_nn as nn
    >>> class Affine(nn.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.inner = nn.Linear(2, 3)
    ...     def forward(self, x):
    ...         return self.inner(x)
    >>> Affine()
    Affine(
      (inner): Linear(in_features=2, out_features=3, bias=True)
    )
    """

    dump_patches: bool = False
    _version: int = 1
    call_super_init: bool = False
    training: bool

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if (args or kwargs) and not self.call_super_init:
            name = type(self).__name__
            if kwargs:
                raise TypeError(f"{name}.__init__() got an unexpected keyword argument '{next(iter(kwargs))}'")
            raise TypeError(f"{name}.__init__() takes 1 positional argument but {len(args) + 1} were given")
        state = self.__dict__
        state["training"] = True
        state["_parameters"] = {}
        state["_buffers"] = {}
        state["_modules"] = {}
        if self.call_super_init:
            super().__init__(*args, **kwargs)

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        take_fast_slots(cls)
        name_in_errors(cls)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._call(args, kwargs)  # runs if a class does not define its own __call__

    _call_impl = _wrapped_call_impl = __call__  # a class that defines its own __call__ calls one of these

    if TYPE_CHECKING:  # methods as mypy sees them

        def __setattr__(self, name: str, value: Any) -> None: ...
        def __delattr__(self, name: str) -> None: ...
    else:
        __setattr__, __delattr__ = set_attribute, delete_attribute
    forward = _forward_unimplemented

    # --- registering ------------------------------------------------------------------------------------------------

    def _check_name(self, kind: str, name: object, own: str) -> None:
        if own not in self.__dict__:
            raise AttributeError(f"cannot assign {kind} before Module.__init__() call")
        if not isinstance(name, str):
            raise TypeError(f"{kind} name should be a string. Got {typename(name)}")
        taken = hasattr(self, name) and name not in self.__dict__[own]
        if kind == "module" and taken:
            raise KeyError(f"attribute '{name}' already exists")
        if "." in name:
            got = f", got: {name}" if kind == "module" else ""
            raise KeyError(f'{kind} name can\'t contain "."{got}')
        if name == "":
            raise KeyError(f'{kind} name can\'t be empty string ""')
        if taken:
            raise KeyError(f"attribute '{name}' already exists")

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Add a tensor that is part of the module's state but is not trained, such as a running mean.

        Args:
            name: the attribute's name.
            tensor: the tensor, or None, which is neither converted nor part of the state dict.
            persistent: whether it is part of the :meth:`state_dict`.
        """
        self._check_name("buffer", name, "_buffers")
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(
                f"cannot assign '{typename(tensor)}' object to buffer '{name}' (torch Tensor or None required)"
            )
        for hook in GLOBAL.buffer_registration_hooks.values():
            output = hook(self, name, tensor)
            if output is not None:
                tensor = output
        self._buffers[name] = tensor
        if persistent:
            self._non_persistent_buffers_set.discard(name)
        else:
            self._non_persistent_buffers_set.add(name)

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Add a parameter; it becomes an attribute."""
        self._check_name("parameter", name, "_parameters")
        if param is not None:
            if not isinstance(param, Parameter):
                raise TypeError(
                    f"cannot assign '{typename(param)}' object to parameter '{name}' "
                    "(torch.nn.Parameter or None required)"
                )
            if param.grad_fn is not None:
                raise ValueError(
                    f"Cannot assign non-leaf Tensor to parameter '{name}'. Model parameters must be created "
                    f"explicitly. To express '{name}' as a function of another Tensor, compute the value in the "
                    "forward() method."
                )
            for hook in GLOBAL.parameter_registration_hooks.values():
                output = hook(self, name, param)
                if output is not None:
                    param = output
        self._parameters[name] = param

    def add_module(self, name: str, module: Module | None) -> None:
        """Add a module; it becomes an attribute."""
        if not isinstance(module, Module) and module is not None:
            raise TypeError(f"{typename(module)} is not a Module subclass")
        self._check_name("module", name, "_modules")
        self._modules[name] = _announce_module(self, name, module)

    def register_module(self, name: str, module: Module | None) -> None:
        """Same as :meth:`add_module`."""
        self.add_module(name, module)

    # --- by path ----------------------------------------------------------------------------------------------------

    def get_submodule(self, target: str) -> Module:
        """The module at a path such as ``"encoder.layers.0"``; ``""`` is this one.

        Raises:
            AttributeError: a part of the path does not exist or is not a module.
        """
        module = self
        for name in target.split(".") if target else ():
            found = getattr(module, name, _MISSING)
            if found is _MISSING:
                raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
            if not isinstance(found, Module):
                raise AttributeError(f"`{name}` is not an nn.Module")
            module = found
        return module

    def set_submodule(self, target: str, module: Module, strict: bool = False) -> None:
        """Set the module at a path; with ``strict``, the path must already have one."""
        if target == "":
            raise ValueError("Cannot set the submodule without a target name!")
        if not isinstance(module, Module):
            raise ValueError(f"`module` is not an nn.Module, found {type(module)}")
        path, _, name = target.rpartition(".")
        parent = self.get_submodule(path)
        if strict and not hasattr(parent, name):
            raise AttributeError(f"{parent._get_name()} has no attribute `{name}`")
        if hasattr(parent, name) and not isinstance(getattr(parent, name), Module):
            raise AttributeError(f"`{name}` is not an nn.Module")
        setattr(parent, name, module)

    def _get_member(self, target: str, accepts: Callable[[Module, str, Any], bool], problem: str) -> Any:
        path, _, name = target.rpartition(".")
        module = self.get_submodule(path)
        found = getattr(module, name, _MISSING)
        if found is _MISSING:
            raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
        if not accepts(module, name, found):
            raise AttributeError(f"`{name}` is not {problem}")
        return found

    def get_parameter(self, target: str) -> Parameter:
        """The parameter at a path such as ``"encoder.weight"``."""
        return self._get_member(target, lambda module, name, p: isinstance(p, Parameter), "an nn.Parameter")

    def get_buffer(self, target: str) -> Tensor:
        """The buffer at a path."""
        return self._get_member(target, lambda module, name, b: name in module._buffers, "a buffer")

    # --- walking ----------------------------------------------------------------------------------------------------

    def _named_members(
        self,
        get_members_fn: Callable[[Module], Iterable[tuple[str, Any]]],
        prefix: str = "",
        recurse: bool = True,
        remove_duplicate: bool = True,
    ) -> Iterator[tuple[str, Any]]:
        """Yield names and values that ``get_members_fn`` returns for each module, except None."""
        memo = set()
        modules = self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate) if recurse else [(prefix, self)]
        for module_prefix, module in modules:
            for name, value in get_members_fn(module):
                if value is None or value in memo:
                    continue
                if remove_duplicate:
                    memo.add(value)
                yield (f"{module_prefix}.{name}" if module_prefix else name), value

    def _named(self, group: str, prefix: str, recurse: bool, once: bool) -> Iterable[tuple[str, Any]]:
        """The same of a dict of every module, such as ``_parameters``."""
        found = walk_members(self, group, prefix, recurse, once)
        if found is not None:
            return found
        return self._named_members(
            lambda module: getattr(module, group).items(), prefix=prefix, recurse=recurse, remove_duplicate=once
        )

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """Iterate over the parameters.

        Warns:
            UserWarning: a module is in a plain list or dict, so its parameters are not included.
        """
        found, hides = (walk_parameters(self) if recurse else None) or (None, recurse)
        if found is None:
            found = [param for _, param in self.named_parameters(recurse=recurse)]
        yield from found
        if hides:
            _warn_about_hidden_modules(self)

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        """Iterate over names and parameters."""
        yield from self._named("_parameters", prefix, recurse, remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """Iterate over the buffers."""
        found = walk_members(self, "_buffers", None, recurse, True)
        if found is None:
            found = [buffer for _, buffer in self.named_buffers(recurse=recurse)]
        yield from found

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """Iterate over names and buffers."""
        yield from self._named("_buffers", prefix, recurse, remove_duplicate)

    def children(self) -> Iterator[Module]:
        """Iterate over the modules directly below."""
        for _, module in self.named_children():
            yield module

    def named_children(self) -> Iterator[tuple[str, Module]]:
        """Iterate over names and modules directly below; each module once."""
        seen = set()
        for name, module in self._modules.items():
            if module is not None and module not in seen:
                seen.add(module)
                yield name, module

    def modules(self, remove_duplicate: bool = True) -> Iterator[Module]:
        """Iterate over this module and all below it."""
        for _, module in self.named_modules(remove_duplicate=remove_duplicate):
            yield module

    def named_modules(
        self, memo: set[Any] | None = None, prefix: str = "", remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Module]]:
        """Iterate over paths and modules, this one (with path ``prefix``) first."""
        found = walk_modules(self, prefix, remove_duplicate) if memo is None else None
        if found is not None:
            yield from found
            return
        memo = set() if memo is None else memo
        if self in memo:
            return
        if remove_duplicate:
            memo.add(self)
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                yield from module.named_modules(memo, f"{prefix}.{name}" if prefix else name, remove_duplicate)

    # --- changing all of it -----------------------------------------------------------------------------------------

    def apply(self, fn: Callable[[Module], object]) -> Self:
        """Call ``fn`` on every module below and then on this one; returns the module."""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Self:
        """Replace the data of parameters and gradients, and the buffers, by the results of ``fn``."""
        if recurse:
            for module in self.children():
                module._apply(fn)
        with no_grad():
            for name, param in self._parameters.items():
                if param is None:
                    continue
                grad = param.grad
                applied = fn(param)
                fits = is_meta(applied) is is_meta(param) and applied.layout == param.layout
                if not fits or get_overwrite_module_params_on_conversion():
                    self._parameters[name] = param = Parameter(applied, param.requires_grad)
                elif applied is not param:
                    param.data = applied
                if grad is not None and ((moved := fn(grad)) is not grad or param.grad is not grad):
                    param.grad = moved.requires_grad_(grad.requires_grad)
        for name, buffer in self._buffers.items():
            if buffer is not None:
                self._buffers[name] = fn(buffer)
        return self

    def to(self, *args: Any, **kwargs: Any) -> Self:
        """Convert floating-point and complex parameters and buffers: ``to(dtype)``, ``to(device)``, ``to(tensor)``.

        On device ``"meta"`` they have no memory; :meth:`to_empty` or ``load_state_dict(assign=True)`` gives them memory
        again. ``memory_format`` applies to all parameters and buffers with four or five dimensions.

        Raises:
            TypeError: the dtype is neither floating-point nor complex.
        """
        device, dtype, memory_format = _parse_to(*args, **kwargs)
        if device is None and dtype is None and memory_format is None:
            return self
        if dtype is not None and not (dtype.is_floating_point or dtype.is_complex):
            raise TypeError(
                f"nn.Module.to only accepts floating point or complex dtypes, but got desired dtype={dtype}"
            )
        if dtype is not None and dtype.is_complex:
            warnings.warn(
                "Complex modules are a new feature under active development whose design may change, and some modules "
                "might not work as expected when using complex tensors as parameters or buffers.",
                stacklevel=2,
            )

        def convert(t: Tensor) -> Tensor:
            wanted = dtype if t.is_floating_point() or t.is_complex() else None
            if is_meta(t) and device is not None and device.type != "meta":
                raise NotImplementedError(
                    "Cannot copy out of meta tensor; no data! Please use torch.nn.Module.to_empty() instead of "
                    "torch.nn.Module.to() when moving module from meta to a different device."
                )
            return t.to(device, dtype=wanted, memory_format=memory_format if t.ndim in (4, 5) else None)

        return self._apply(convert)

    def type(self, dst_type: dtype | str) -> Self:
        """Convert all parameters and buffers to ``dst_type``."""
        return self._apply(lambda t: t.type(dst_type))

    def float(self) -> Self:
        """Convert floating-point parameters and buffers to float32."""
        return self._apply(lambda t: t.float() if t.is_floating_point() else t)

    def double(self) -> Self:
        """Convert floating-point parameters and buffers to float64."""
        return self._apply(lambda t: t.double() if t.is_floating_point() else t)

    def compile(self, *args: Any, **kwargs: Any) -> None:
        """Compile the calls of the module from now on; the arguments are those of `torch.compile`.

        Raises:
            RuntimeError: flambeau-compile is not installed.
        """
        if sockets.compile_module is None:
            raise RuntimeError("Module.compile() needs flambeau and flambeau-compile: pip install flambeau")
        sockets.compile_module(self, *args, **kwargs)

    def half(self) -> Self:
        """Convert floating-point parameters and buffers to float16."""
        return self._apply(lambda t: t.half() if t.is_floating_point() else t)

    def bfloat16(self) -> Self:
        """Convert floating-point parameters and buffers to bfloat16."""
        return self._apply(lambda t: t.bfloat16() if t.is_floating_point() else t)

    def cpu(self) -> Self:
        """The module itself: everything is on the CPU."""
        return self._apply(lambda t: t.cpu())

    def cuda(self, device: Device | None = None) -> Self:
        """Always raises an error: tensors are on the CPU."""
        return self._apply(lambda t: t.cuda(device))

    def to_empty(self, *, device: Device, recurse: bool = True) -> Self:
        """Replace all parameters and buffers with uninitialized ones."""
        return self._apply(lambda t: ft.empty_like(t, device=device), recurse=recurse)

    def share_memory(self) -> Self:
        """Move all parameters and buffers to memory that forked processes share; returns the module."""
        return self._apply(lambda t: t.share_memory_())

    def train(self, mode: bool = True) -> Self:
        """Put this module and all below it into training mode, or evaluation mode; returns the module."""
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self) -> Self:
        """Put this module and all below it into evaluation mode; returns the module."""
        return self.train(False)

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Set whether the parameters require grad; returns the module."""
        for param in self.parameters():
            param.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Set the gradients of all parameters to None, or to zeros."""
        for param in self.parameters():
            clear_grad(param, set_to_none)

    # --- Python's protocols -----------------------------------------------------------------------------------------

    def __setstate__(self, state: dict[str, Any]) -> None:
        late = late_state()
        kept = {
            name: value
            for name, value in state.items()
            if name not in late or value is not None and value != late[name]
        }
        self.__dict__.update(kept)
        if kept.keys() & CALL_HOOKS:
            self._forward_hooks  # noqa: B018  (calls look for hooks where these are)

    def __dir__(self) -> list[str]:
        names = {*dir(type(self)), *self.__dict__, *self._parameters, *self._modules, *self._buffers}
        return sorted(name for name in names if not name[0].isdigit())

    def _get_name(self) -> str:
        return type(self).__name__

    def extra_repr(self) -> str:
        """The text between the parentheses in the printed form of the module; it may have several lines."""
        return ""

    def __repr__(self) -> str:
        extra = self.extra_repr()
        extra_lines = extra.split("\n") if extra else []
        child_lines = [f"({name}): {_addindent(repr(module))}" for name, module in self._modules.items()]
        lines = extra_lines + child_lines
        if not lines:
            return f"{self._get_name()}()"
        if len(extra_lines) == 1 and not child_lines:
            return f"{self._get_name()}({extra_lines[0]})"
        return f"{self._get_name()}(\n  " + "\n  ".join(lines) + "\n)"

    def _repr_html_(self) -> str | None:
        """Return HTML for notebooks, a tree with parameters; None, for plain text, if a class has its own text."""
        if type(self).__repr__ is not Module.__repr__:
            return None
        from flambeau_nn.modules._html import module_html

        return module_html(self)


def clear_grad(param: Tensor, set_to_none: bool) -> None:
    """Drop a gradient, or fill it with zeros and cut it from its history."""
    grad = param.grad
    if grad is None:
        return
    if set_to_none:
        param.grad = None
        return
    if grad.grad_fn is not None:
        grad.detach_()
    else:
        grad.requires_grad_(False)
    grad.zero_()


def _addindent(text: str, spaces: int = 2) -> str:
    """All lines but the first moved to the right."""
    first, *rest = text.split("\n")
    return "\n".join([first, *(" " * spaces + line for line in rest)])


def _parse_to(*args: Any, **kwargs: Any) -> tuple[ft.device | None, ft.dtype | None, ft.memory_format | None]:
    """The device, the dtype and the memory format that ``to`` was called with, or None; a device that there is not
    raises."""
    from flambeau_tensor.options import check_device

    dtype = kwargs.pop("dtype", None)
    devices = [kwargs.pop("device", None)]
    tensor = kwargs.pop("tensor", None)
    kwargs.pop("non_blocking", None)
    memory_format = kwargs.pop("memory_format", None)
    if memory_format is not None and not isinstance(memory_format, ft.memory_format):
        raise TypeError(
            f"to(): argument 'memory_format' must be torch.memory_format, not {type(memory_format).__name__}"
        )
    if kwargs.pop("copy", False) or len(args) > 3:
        raise RuntimeError(".to() does not accept copy argument")
    if kwargs:
        raise TypeError(f"to() got an unexpected keyword argument '{next(iter(kwargs))}'")
    if args and (args[0] is None or isinstance(args[0], (str, int, ft.device))) and len(args) > 1:
        if not isinstance(args[1], (ft.dtype, type(None))):  # (device, dtype, non_blocking)
            raise TypeError(
                "to() received an invalid combination of arguments - got "
                f"({', '.join(type(given).__name__ for given in args)}), where a dtype follows a device"
            )
    for given in (*args, tensor):
        if isinstance(given, ft.dtype):
            dtype = given
        elif isinstance(given, Tensor):
            dtype = given.dtype
            devices.append(given.device)
        elif given is not None and not isinstance(given, bool):
            devices.append(given)
    found = [check_device(device) for device in devices if device is not None]
    return found[-1] if found else None, dtype, memory_format


def _announce_module(self: Module, name: str, module: Module | None) -> Module | None:
    for hook in GLOBAL.module_registration_hooks.values():
        output = hook(self, name, module)
        if output is not None:
            module = output
    return module


def _remove(self: Module, name: str, *groups: str) -> None:
    self.__dict__.pop(name, None)
    for group in groups:
        entries = self.__dict__.get(group)
        if entries is not None:
            entries.discard(name) if isinstance(entries, set) else entries.pop(name, None)


def _assign(self: Module, name: str, value: Any) -> bool:
    """Assign a parameter, module or buffer, or replace one; return False for an ordinary attribute."""
    state = self.__dict__
    parameters, modules, buffers = state.get("_parameters"), state.get("_modules"), state.get("_buffers")
    if isinstance(value, Parameter):
        if parameters is None:
            raise AttributeError("cannot assign parameters before Module.__init__() call")
        _remove(self, name, "_buffers", "_modules", "_non_persistent_buffers_set")
        self.register_parameter(name, value)
    elif parameters is not None and name in parameters:
        if value is not None:
            raise TypeError(
                f"cannot assign '{typename(value)}' as parameter '{name}' (torch.nn.Parameter or None expected)"
            )
        self.register_parameter(name, value)
    elif isinstance(value, Module):
        if modules is None:
            raise AttributeError("cannot assign module before Module.__init__() call")
        _remove(self, name, "_parameters", "_buffers", "_non_persistent_buffers_set")
        modules[name] = _announce_module(self, name, value)
    elif modules is not None and name in modules:
        if value is not None:
            raise TypeError(
                f"cannot assign '{typename(value)}' as child module '{name}' (torch.nn.Module or None expected)"
            )
        modules[name] = _announce_module(self, name, value)
    elif isinstance(value, Buffer):
        if buffers is None:
            raise AttributeError("cannot assign buffer before Module.__init__() call")
        for group in (parameters, modules):
            if group is not None:
                group.pop(name, None)
        # A subclass may have a `register_buffer` without `persistent`.
        self.register_buffer(name, value, *(() if value.persistent else (False,)))
    elif buffers is not None and name in buffers:
        if value is not None and not isinstance(value, Tensor):
            raise TypeError(
                f"cannot assign '{typename(value)}' as buffer '{name}' (torch.nn.Buffer, torch.Tensor or None expected)"
            )
        for hook in GLOBAL.buffer_registration_hooks.values():
            output = hook(self, name, value)
            if output is not None:
                value = output
        buffers[name] = value
    else:
        return False
    return True


# --- untrained modules ------------------------------------------------------------------------------------------------


def _modules_in(value: object, depth: int = 3) -> Iterator[Module]:
    """The modules in nested lists, tuples and dicts; the first few entries of each are looked at."""
    if isinstance(value, Module):
        yield value
    elif depth and type(value) in (list, tuple, dict):
        entries: Iterable[object] = value.values() if type(value) is dict else cast(list[object], value)
        for entry in itertools.islice(entries, 64):
            yield from _modules_in(entry, depth - 1)


def _warn_about_hidden_modules(module: Module) -> None:
    known = None
    for owner in module.modules():
        for name, value in getattr(owner, "__dict__", {}).items():  # C++ modules have none
            if type(value) not in (list, tuple, dict) or name in ("_parameters", "_buffers", "_modules"):
                continue
            for hidden in _modules_in(value):
                known = set(module.modules()) if known is None else known
                if hidden not in known and next(hidden.named_parameters(), None) is not None:
                    container = "ModuleDict" if type(value) is dict else "ModuleList"
                    warnings.warn(
                        f"{owner._get_name()}.{name} is a plain {type(value).__name__} that holds modules, so their "
                        f"parameters are not among parameters() and will not be trained; use nn.{container}",
                        UserWarning,
                        stacklevel=3,
                    )
                    break


connect(Module, _assign, call_with_hooks)
sys.modules[__name__].__class__ = ModuleWithGlobalHooks
