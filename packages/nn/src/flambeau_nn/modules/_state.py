"""Saving and loading a module's parameters and buffers by name."""

from __future__ import annotations

import warnings
from collections import OrderedDict, namedtuple
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Self, cast

from flambeau_autograd import no_grad
from flambeau_autograd.hooks import RemovableHandle
from flambeau_nn.modules._hooks import Mixed
from flambeau_nn.parameter import Parameter, is_lazy
from flambeau_tensor import Tensor
from flambeau_tensor.extend import deeper, is_meta

EXTRA = "_extra_state"


class _IncompatibleKeys(namedtuple("_IncompatibleKeys", ["missing_keys", "unexpected_keys"])):
    """The missing and the unexpected keys of a state dict."""

    __slots__ = ()

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return super().__repr__()

    __str__ = __repr__


class _WrappedHook:
    """A hook that may receive the module it was registered on; the reference is weak, as the module holds the hook."""

    def __init__(self, hook: Callable[..., Any], module: StateMethods | None = None) -> None:
        self.__setstate__({"hook": hook, "with_module": module is not None, "module": module})

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not self.with_module:
            return self.hook(*args, **kwargs)
        module = self.module()
        if module is None:
            raise RuntimeError("You are trying to call the hook of a dead Module!")
        return self.hook(module, *args, **kwargs)

    def __getstate__(self) -> dict[str, Any]:
        state = {"hook": self.hook, "with_module": self.with_module}
        return state | {"module": self.module()} if self.with_module else state

    def __setstate__(self, state: dict[str, Any]) -> None:
        import weakref

        self.hook, self.with_module = state["hook"], state["with_module"]
        if self.with_module:
            self.module = weakref.ref(state["module"])


def _quoted(keys: Iterable[str]) -> str:
    return ", ".join(f'"{key}"' for key in keys)


def _add(hooks: OrderedDict[int, Callable[..., Any]], hook: Callable[..., Any]) -> RemovableHandle:
    handle = RemovableHandle(hooks)
    hooks[handle.id] = hook
    return handle


class StateMethods(Mixed):
    """The state-dict methods of :class:`Module`."""

    _version: int

    def _replicate_for_data_parallel(self) -> Self:
        """Return a copy that shares everything, without parameters, to which others are to be assigned."""
        replica: Any = self.__new__(type(self))
        replica.__dict__ = {**self.__dict__, "_parameters": {}, "_is_replica": True}
        replica._buffers, replica._modules = replica._buffers.copy(), replica._modules.copy()
        return cast("Self", replica)

    # --- saving -----------------------------------------------------------------------------------------------------

    def state_dict(
        self, *args: Any, destination: dict[str, Any] | None = None, prefix: str = "", keep_vars: bool = False
    ) -> dict[str, Any]:
        """All parameters and persistent buffers by path, sharing memory with the module.

        Args:
            destination: the dict to fill; by default a new one.
            prefix: the prefix of every path.
            keep_vars: whether to store the parameters themselves instead of detached tensors.

        >>> import flambeau_nn as nn
        >>> list(nn.Linear(2, 3).state_dict())
        ['weight', 'bias']
        """
        if args:  # destination, prefix and keep_vars may be positional, as in older programs
            destination = args[0] if destination is None else destination
            prefix = args[1] if len(args) > 1 and prefix == "" else prefix
            keep_vars = args[2] if len(args) > 2 and keep_vars is False else keep_vars
        if destination is None:
            destination = OrderedDict()
            destination._metadata = OrderedDict()  # type: ignore[attr-defined]
        local_metadata = {"version": self._version}
        if hasattr(destination, "_metadata"):
            destination._metadata[prefix[:-1]] = local_metadata
        for hook in self._state_dict_pre_hooks.values():
            hook(self, prefix, keep_vars)
        self._save_to_state_dict(destination, prefix, keep_vars)
        for name, module in self._modules.items():
            if module is not None:
                deeper(module.state_dict, destination=destination, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
        for hook in self._state_dict_hooks.values():
            changed = hook(self, destination, prefix, local_metadata)
            if not getattr(hook, "_from_public_api", False):
                if changed is not None:
                    destination = changed
            elif changed is not None:
                raise RuntimeError("state_dict post-hook must return None")
        return destination

    def _save_to_state_dict(self, destination: dict[str, Any], prefix: str, keep_vars: bool) -> None:
        """Store the entries of this module, without its children, in ``destination``."""
        for name, param in self._parameters.items():
            if param is not None:
                destination[prefix + name] = param if keep_vars else param.detach()
        for name, buffer in self._buffers.items():
            if buffer is not None and name not in self._non_persistent_buffers_set:
                destination[prefix + name] = buffer if keep_vars else buffer.detach()
        if _has_extra_state(self):
            destination[prefix + EXTRA] = self.get_extra_state()

    def get_extra_state(self) -> Any:
        """Additional state for the state dict. Define it together with :meth:`set_extra_state`."""
        raise RuntimeError("get_extra_state() is not defined by this Module")

    def set_extra_state(self, state: Any) -> None:
        """Restore the state that :meth:`get_extra_state` returned."""
        raise RuntimeError("set_extra_state() is not defined by this Module")

    def register_state_dict_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(module, state_dict, prefix, local_metadata)`` after :meth:`state_dict`; it may change the
        dict."""
        hook._from_public_api = True  # type: ignore[attr-defined]
        return _add(self._state_dict_hooks, hook)

    def _register_state_dict_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        if getattr(hook, "_from_public_api", False):
            raise RuntimeError(
                "Cannot register the same function as the state dict post hook that was previously "
                "registered via register_state_dict_post_hook"
            )
        return _add(self._state_dict_hooks, hook)

    def register_state_dict_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(module, prefix, keep_vars)`` before :meth:`state_dict`."""
        return _add(self._state_dict_pre_hooks, hook)

    # --- loading ----------------------------------------------------------------------------------------------------

    def load_state_dict(
        self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False
    ) -> _IncompatibleKeys:
        """Copy parameters and buffers from ``state_dict``.

        Args:
            state_dict: a mapping from paths to tensors, as returned by :meth:`state_dict`.
            strict: whether missing or unexpected keys raise an error.
            assign: whether to use the given tensors instead of copying their elements.

        Returns:
            A named tuple of ``missing_keys`` and ``unexpected_keys``.

        Raises:
            RuntimeError: sizes differ, or, with ``strict``, keys differ.
        """
        if not isinstance(state_dict, Mapping):
            raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
        missing: list[str] = []
        unexpected: list[str] = []
        errors: list[str] = []
        metadata = getattr(state_dict, "_metadata", None)
        state_dict = OrderedDict(state_dict)
        if metadata is not None:
            state_dict._metadata = metadata  # type: ignore[attr-defined]

        _load(self, state_dict, "", metadata, assign, missing, unexpected, errors)
        if strict:
            if unexpected:
                errors.insert(0, f"Unexpected key(s) in state_dict: {_quoted(unexpected)}. ")
            if missing:
                errors.insert(0, f"Missing key(s) in state_dict: {_quoted(missing)}. ")
        if errors:
            raise RuntimeError(f"Error(s) in loading state_dict for {type(self).__name__}:\n\t" + "\n\t".join(errors))
        return _IncompatibleKeys(missing, unexpected)

    def _load_from_state_dict(
        self,
        state_dict: dict[str, Any],
        prefix: str,
        local_metadata: dict[str, Any],
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        """Load the entries of this module, without its children; problems are appended to the three lists."""
        for hook in self._load_state_dict_pre_hooks.values():
            hook(state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)
        buffers = {n: b for n, b in self._buffers.items() if n not in self._non_persistent_buffers_set}
        own = {n: t for n, t in {**self._parameters, **buffers}.items() if t is not None}
        assign = local_metadata.get("assign_to_params_buffers", False)
        for name, mine in own.items():
            key = prefix + name
            if key not in state_dict:
                if strict:
                    missing_keys.append(key)
                continue
            given = state_dict[key]
            problem = _mismatch(key, mine, given)
            if problem:
                error_msgs.append(problem)
                continue
            if not is_lazy(mine) and given.shape != mine.shape:  # one element for a 0-d tensor, as old files have it
                given = given[0]
            try:
                if assign:
                    _take_over(self, name, mine, given)
                else:
                    if is_meta(mine) and not is_meta(given):
                        warnings.warn(
                            f"for {key}: copying from a non-meta parameter in the checkpoint to a meta parameter in "
                            "the current model, which is a no-op. (Did you mean to pass `assign=True` to assign items "
                            "in the state dictionary to their corresponding key in the module instead of copying them "
                            "in place?)",
                            stacklevel=1,  # compiled functions have no frames
                        )
                    with no_grad():
                        mine.copy_(given)
            except Exception as e:
                error_msgs.append(
                    f'While copying the parameter named "{key}", whose dimensions in the model are '
                    f"{mine.size()} and whose dimensions in the checkpoint are {given.size()}, an "
                    f"exception occurred : {e.args}."
                )
        if _has_extra_state(self, "set_extra_state"):
            if prefix + EXTRA in state_dict:
                self.set_extra_state(state_dict[prefix + EXTRA])
            elif strict:
                missing_keys.append(prefix + EXTRA)
        elif strict and prefix + EXTRA in state_dict:
            unexpected_keys.append(prefix + EXTRA)
        if strict:
            for key in state_dict:
                if key.startswith(prefix) and key != prefix + EXTRA:
                    first, *below = key[len(prefix) :].split(".", 1)
                    if first not in (self._modules if below else own):
                        unexpected_keys.append(key)

    def _register_load_state_dict_pre_hook(
        self, hook: Callable[..., Any], with_module: bool = False
    ) -> RemovableHandle:
        return _add(self._load_state_dict_pre_hooks, _WrappedHook(hook, self) if with_module else hook)

    def register_load_state_dict_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(module, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)``
        before this module loads its part."""
        return self._register_load_state_dict_pre_hook(hook, with_module=True)

    def register_load_state_dict_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(module, incompatible_keys)`` after loading; it may change the two lists in place."""
        return _add(self._load_state_dict_post_hooks, hook)


def _load(
    module: StateMethods,
    state_dict: dict[str, Any],
    prefix: str,
    metadata: dict[str, Any] | None,
    assign: bool,
    missing: list[str],
    unexpected: list[str],
    errors: list[str],
) -> None:
    """Load ``module``, whose path is ``prefix``, and all below it."""
    local_metadata = {} if metadata is None else metadata.get(prefix[:-1], {})
    if assign:
        local_metadata["assign_to_params_buffers"] = True
    module._load_from_state_dict(state_dict, prefix, local_metadata, True, missing, unexpected, errors)
    for name, child in module._modules.items():
        if child is not None:
            path = f"{prefix}{name}."
            of_child = {k: v for k, v in state_dict.items() if k.startswith(path)}
            deeper(_load, child, of_child, path, metadata, assign, missing, unexpected, errors)
    incompatible = _IncompatibleKeys(missing, unexpected)
    for hook in module._load_state_dict_post_hooks.values():
        if hook(module, incompatible) is not None:
            raise AssertionError(
                "Hooks registered with ``register_load_state_dict_post_hook`` are not expected to "
                "return new values, if incompatible_keys need to be modified, it should be done "
                "inplace."
            )


def _has_extra_state(module: StateMethods, method: str = "get_extra_state") -> bool:
    return getattr(type(module), method, None) is not getattr(StateMethods, method)


def _mismatch(key: str, mine: Tensor, given: Any) -> str | None:
    if not isinstance(given, Tensor) and not hasattr(given, "__torch_function__"):
        return (
            f'While copying the parameter named "{key}", expected torch.Tensor or Tensor-like object from '
            f"checkpoint but received {type(given)}"
        )
    if not is_lazy(mine) and given.shape != mine.shape and not (mine.ndim == 0 and tuple(given.shape) == (1,)):
        return (
            f"size mismatch for {key}: copying a param with shape {given.shape} from checkpoint, the shape in "
            f"current model is {mine.shape}."
        )
    return None


def _take_over(module: StateMethods, name: str, mine: Tensor, given: Any) -> None:
    if isinstance(mine, Parameter) and not isinstance(given, Parameter):
        given = Parameter(given, requires_grad=mine.requires_grad)
    elif isinstance(mine, Parameter):
        given.requires_grad_(mine.requires_grad)
    setattr(module, name, given)
