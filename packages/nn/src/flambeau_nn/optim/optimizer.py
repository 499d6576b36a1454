"""The base of all optimizers: parameter groups, state, saving and loading, hooks."""

from __future__ import annotations

import warnings
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable
from copy import deepcopy
from functools import wraps
from itertools import chain
from typing import Any, ClassVar, NoReturn, TypeVar, cast

from flambeau_autograd import enable_grad
from flambeau_autograd.hooks import RemovableHandle
from flambeau_nn.optim import _foreach_utils, _fused
from flambeau_tensor import Tensor, float32, tensor

__all__ = ["Optimizer", "register_optimizer_step_post_hook", "register_optimizer_step_pre_hook"]

_F = TypeVar("_F", bound=Callable[..., Any])
ParamsT = Iterable[Tensor] | Iterable[dict[str, Any]] | Iterable[tuple[str, Tensor]]
StateDict = dict[str, Any]
Args, Kwargs = tuple[Any, ...], dict[str, Any]
_global_pre_hooks: OrderedDict[int, Callable[..., Any]] = OrderedDict()
_global_post_hooks: OrderedDict[int, Callable[..., Any]] = OrderedDict()
_HOOKS = (
    "_optimizer_step_pre_hooks",
    "_optimizer_step_post_hooks",
    "_optimizer_state_dict_pre_hooks",
    "_optimizer_state_dict_post_hooks",
    "_optimizer_load_state_dict_pre_hooks",
    "_optimizer_load_state_dict_post_hooks",
)


# Names that optimizers of other packages import from here.
_default_to_fused_or_foreach = _foreach_utils._default_to_fused_or_foreach
_device_dtype_check_for_fused = _foreach_utils._device_dtype_check_for_fused
_disable_dynamo_if_unsupported = _foreach_utils._disable_dynamo_if_unsupported
_get_capturable_supported_devices = _foreach_utils._get_capturable_supported_devices
_get_foreach_kernels_supported_devices = _foreach_utils._get_foreach_kernels_supported_devices
_get_fused_kernels_supported_devices = _foreach_utils._get_fused_kernels_supported_devices
_get_scalar_dtype = _foreach_utils._get_scalar_dtype
_get_value = _foreach_utils._get_value
_stack_if_compiling = _foreach_utils._stack_if_compiling
_to_scalar = _foreach_utils._to_scalar
_use_grad_for_differentiable = _foreach_utils._use_grad_for_differentiable
_view_as_real = _foreach_utils._view_as_real


class _RequiredParameter:
    """The default of an option that every parameter group must specify."""

    def __repr__(self) -> str:
        return "<required parameter>"


required = _RequiredParameter()


def _register(
    hooks: OrderedDict[int, Callable[..., Any]], hook: Callable[..., Any], prepend: bool = False
) -> RemovableHandle:
    handle = RemovableHandle(hooks)
    hooks[handle.id] = hook
    if prepend:
        hooks.move_to_end(handle.id, last=False)
    return handle


def register_optimizer_step_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call ``hook(optimizer, args, kwargs)`` before every step of every optimizer."""
    return _register(_global_pre_hooks, hook)


def register_optimizer_step_post_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call ``hook(optimizer, args, kwargs)`` after every step of every optimizer."""
    return _register(_global_post_hooks, hook)


def _hooked(step: _F) -> _F:
    """`step` with the hooks around it."""

    @wraps(step)
    def run(self: Any, *args: Any, **kwargs: Any) -> Any:
        self._opt_called = True  # read by schedules
        if not (
            _global_pre_hooks or _global_post_hooks or self._optimizer_step_pre_hooks or self._optimizer_step_post_hooks
        ):
            return step(self, *args, **kwargs)
        for hook in list(chain(_global_pre_hooks.values(), self._optimizer_step_pre_hooks.values())):
            # Hooks see the optimizer itself as the first argument, as part of `args`.
            result = hook(self, (self, *args), kwargs)
            if result is not None:
                if not isinstance(result, tuple) or len(result) != 2:
                    raise RuntimeError(
                        f"{step} must return None or a tuple of (new_args, new_kwargs), but got {result}."
                    )
                (self, *args), kwargs = result
        out = step(self, *args, **kwargs)
        for hook in list(chain(self._optimizer_step_post_hooks.values(), _global_post_hooks.values())):
            hook(self, (self, *args), kwargs)
        return out

    run.hooked = True  # type: ignore[attr-defined]
    return cast(_F, run)


def _hook(cls: type[Optimizer]) -> None:
    """Add hook support to the steps of a class.

    This happens when the first optimizer of the class is created: a class whose ``__init__`` does not call the base's
    has no hooks, and a step called within another step has none of its own.
    """
    if not getattr(cls.step, "hooked", False):
        cls.step = _hooked(cls.step)  # type: ignore[method-assign]


def _type_name(value: Any) -> str:
    kind = type(value)
    return kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


class Optimizer:
    """Base of all optimizers. A subclass defines its defaults and a method ``step``.

    Many have these options: ``maximize`` maximizes instead of minimizing. With ``differentiable``, autograd records the
    step, so that later results are differentiable with respect to the earlier parameters and gradients. The parameters
    must then be results of operations, because leaves that require grad cannot be written to while operations are
    recorded.

    Args:
        params: tensors, pairs (name, tensor), or dicts that define parameter groups with their own options.
        defaults: the options of groups that do not set them.

    Raises:
        TypeError: `params` is a tensor, or contains an object that is not a tensor.
        ValueError: there are no parameters, one is not a leaf, or one is in two groups.

    >>> class Descent(Optimizer):
    ...     def __init__(self, params, lr):
    ...         super().__init__(params, {"lr": lr})
    ...     def step(self):
    ...         with torch.no_grad():
    ...             for group in self.param_groups:
    ...                 for p in group["params"]:
    ...                     p -= group["lr"] * p.grad
    >>> w = torch.tensor([1.0], requires_grad=True)
    >>> (w**2).sum().backward()
    >>> Descent([w], lr=0.25).step()
    >>> w
    tensor([0.5000], requires_grad=True)
    """

    _counts_in_tensors: ClassVar[bool] = False  # whether "step" in a state is a tensor, in old files a number
    _optimizer_step_pre_hooks: OrderedDict[int, Callable[..., Any]]
    _optimizer_step_post_hooks: OrderedDict[int, Callable[..., Any]]
    _optimizer_state_dict_pre_hooks: OrderedDict[int, Callable[..., Any]]
    _optimizer_state_dict_post_hooks: OrderedDict[int, Callable[..., Any]]
    _optimizer_load_state_dict_pre_hooks: OrderedDict[int, Callable[..., Any]]
    _optimizer_load_state_dict_post_hooks: OrderedDict[int, Callable[..., Any]]

    def __init__(self, params: Iterable[Any], defaults: dict[str, Any]) -> None:
        self.defaults = defaults
        for name in _HOOKS:
            setattr(self, name, OrderedDict())
        _hook(type(self))
        if isinstance(params, Tensor):
            raise TypeError(
                "params argument given to the optimizer should be an iterable of Tensors or dicts, but got "
                + _type_name(params)
            )
        self.state: defaultdict[Any, dict[str, Any]] = defaultdict(dict)
        self.param_groups: list[dict[str, Any]] = []
        groups = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        for group in groups:
            self.add_param_group(group)

    # --- steps

    def step(self, closure: Callable[..., Any] | None = None) -> Any:
        """Update the parameters. ``closure`` recomputes the loss and returns it."""
        raise NotImplementedError

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Set the gradients of all parameters to None, or with ``set_to_none=False`` to zero."""
        if set_to_none:
            _fused.clear_grads(self.param_groups)
            return
        for group in self.param_groups:
            for p in group["params"]:
                grad = p.grad
                if grad is None:
                    continue
                if grad.grad_fn is not None:
                    grad.detach_()
                else:
                    grad.requires_grad_(False)
                grad.zero_()

    @staticmethod
    def _evaluate(closure: Callable[[], Any]) -> Any:
        with enable_grad():
            return closure()

    # --- parameter groups

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add a parameter group: a dict with "params" and the options that differ from the defaults."""
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        params = param_group["params"]
        if isinstance(params, Tensor):
            params = [params]
        elif isinstance(params, set):
            raise TypeError(
                "optimizer parameters need to be organized in ordered collections, but the ordering of "
                "tensors in sets will change between runs. Please use a list instead."
            )
        params = list(params)
        names = [p[0] for p in params if isinstance(p, tuple)]
        if names and len(names) != len(params):
            raise ValueError("all optimizer params should be with/without names. Some param names are missing")
        params = param_group["params"] = [p[1] if isinstance(p, tuple) else p for p in params]
        if names:
            param_group["param_names"] = names
        for p in params:
            if not isinstance(p, Tensor):
                raise TypeError(f"optimizer can only optimize Tensors, but one of the params is {_type_name(p)}")
            if not self.defaults.get("differentiable") and not (p.is_leaf or p.retains_grad):
                raise ValueError("can't optimize a non-leaf Tensor")
        for name, default in self.defaults.items():
            if default is required and name not in param_group:
                raise ValueError(f"parameter group didn't specify a value of required optimization parameter {name}")
            param_group.setdefault(name, default)
        if len(params) != len(set(params)):
            warnings.warn(
                "optimizer contains a parameter group with duplicate parameters; in future, this will cause "
                "an error; see github.com/pytorch/pytorch/issues/40967 for more information",
                stacklevel=3,
            )
        others = set()
        for group in self.param_groups:
            others.update(group["params"])
            if ("param_names" in param_group) != ("param_names" in group):
                raise ValueError(
                    "all optimizer param groups should be with/without names. cannot add param group "
                    f"{'with' if names else 'without'} names to the optimizer"
                )
        if not others.isdisjoint(params):
            raise ValueError("some parameters appear in more than one parameter group")
        self.param_groups.append(param_group)

    def __repr__(self) -> str:
        lines = [f"{type(self).__name__} ("]
        for i, group in enumerate(self.param_groups):
            lines += [*([""] if i else []), f"Parameter Group {i}"]
            lines += [f"    {key}: {group[key]}" for key in sorted(group) if key != "params"]
        return "\n".join([*lines, ")"])

    def _patch_step_function(self) -> None:
        """Add hook support to steps; wrappers of optimizers call this instead of the base's ``__init__``."""
        _hook(type(self))

    # --- saving and loading

    def __getstate__(self) -> dict[str, Any]:
        return {"defaults": self.defaults, "state": self.state, "param_groups": self.param_groups}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        for name in _HOOKS:
            if name not in self.__dict__:
                setattr(self, name, OrderedDict())
        _hook(type(self))
        for group in self.param_groups:
            for name, default in self.defaults.items():  # options that did not exist in an older version
                if default is not required:
                    group.setdefault(name, default)
        self.defaults.setdefault("differentiable", False)  # not an option of all optimizers
        if self._counts_in_tensors:
            for entries in self.state.values():
                if isinstance(entries, dict) and "step" in entries and not isinstance(entries["step"], Tensor):
                    entries["step"] = _counter(float(entries["step"]))

    def state_dict(self) -> dict[str, Any]:
        """The state as a dict: "state" by the numbers of the parameters, and "param_groups" with these numbers."""
        for hook in self._optimizer_state_dict_pre_hooks.values():
            hook(self)
        numbers: dict[int, int] = {}
        groups = []
        start = 0
        for group in self.param_groups:
            packed = {key: value for key, value in group.items() if key != "params"}
            for i, p in enumerate(group["params"], start):
                numbers.setdefault(id(p), i)
            packed["params"] = [numbers[id(p)] for p in group["params"]]
            start += len(group["params"])
            groups.append(packed)
        state = {numbers[id(p)] if isinstance(p, Tensor) else p: entries for p, entries in self.state.items()}
        result = {"state": state, "param_groups": groups}
        for hook in self._optimizer_state_dict_post_hooks.values():
            changed = hook(self, result)
            result = result if changed is None else changed
        return result

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Load the state that ``state_dict`` returned; tensors are converted to the parameters' dtypes.

        Raises:
            ValueError: the groups do not fit this optimizer's.
        """
        state_dict = state_dict.copy()
        for hook in self._optimizer_load_state_dict_pre_hooks.values():
            changed = hook(self, state_dict)
            state_dict = state_dict if changed is None else changed
        groups = deepcopy(state_dict["param_groups"])
        if len(groups) != len(self.param_groups):
            raise ValueError("loaded state dict has a different number of parameter groups")
        params = {}
        for saved, own in zip(groups, self.param_groups, strict=True):
            if len(saved["params"]) != len(own["params"]):
                raise ValueError(
                    "loaded state dict contains a parameter group that doesn't match the size of optimizer's group"
                )
        for saved, own in zip(groups, self.param_groups, strict=True):
            for number, p in zip(saved["params"], own["params"], strict=True):
                params[number] = p, saved
            saved["params"] = own["params"]
            if "param_names" in own:
                saved.setdefault("param_names", own["param_names"])
        state: defaultdict[Any, dict[str, Any]] = defaultdict(dict)
        for key, entries in state_dict["state"].items():
            if key in params:
                state[params[key][0]] = _fitted(entries, *params[key])
            else:
                state[key] = entries
        self.__setstate__({"state": state, "param_groups": groups})
        for hook in self._optimizer_load_state_dict_post_hooks.values():
            hook(self)

    # --- hooks

    def register_step_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(optimizer, args, kwargs)`` before a step; it may return other (args, kwargs)."""
        return _register(self._optimizer_step_pre_hooks, hook)

    def register_step_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(optimizer, args, kwargs)`` after a step."""
        return _register(self._optimizer_step_post_hooks, hook)

    def register_state_dict_pre_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Call ``hook(optimizer)`` before ``state_dict``."""
        return _register(self._optimizer_state_dict_pre_hooks, hook, prepend)

    def register_state_dict_post_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Call ``hook(optimizer, state_dict)`` after ``state_dict``; it may return another one."""
        return _register(self._optimizer_state_dict_post_hooks, hook, prepend)

    def register_load_state_dict_pre_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Call ``hook(optimizer, state_dict)`` before ``load_state_dict``; it may return another one."""
        return _register(self._optimizer_load_state_dict_pre_hooks, hook, prepend)

    def register_load_state_dict_post_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Call ``hook(optimizer)`` after ``load_state_dict``."""
        return _register(self._optimizer_load_state_dict_post_hooks, hook, prepend)

    def _refuse_sparse(self) -> NoReturn:
        """Raise PyTorch's error of an optimizer that reads every element of a gradient."""
        raise RuntimeError(f"{type(self).__name__} does not support sparse gradients")

    @staticmethod
    def _group_tensors_by_device_and_dtype(tensorlistlist: list[Any], with_indices: bool = False) -> Any:
        return _foreach_utils._group_tensors_by_device_and_dtype(tensorlistlist, with_indices)


class FusedOptimizer(Optimizer):
    """Base of optimizers whose step is one compiled call over all parameters: ``_rule`` of ``_fused``.

    With ``differentiable=True`` it is recorded operations instead, ``_formula``; see `_operations`.
    """

    _counts_in_tensors = True
    _rule: ClassVar[_fused.Rule]
    _sparse_formula: ClassVar[Callable[..., None] | None] = None

    def __init__(self, params: Iterable[Any], defaults: dict[str, Any]) -> None:
        super().__init__(params, defaults)
        if defaults.get("fused"):
            for p in chain.from_iterable(group["params"] for group in self.param_groups):
                _device_dtype_check_for_fused(p)

    @staticmethod
    def _formula(p: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
        """Update a parameter by operations; `state` counts this step."""
        raise NotImplementedError

    def _new_state(self, p: Tensor, group: dict[str, Any]) -> None:
        """Make the state of a parameter that has none."""
        raise NotImplementedError

    def _prepare(self, p: Tensor, grad: Tensor, group: dict[str, Any]) -> None:
        """Make the state that a parameter needs before its next step by operations."""
        if not self.state[p]:
            self._new_state(p, group)

    def step(self, closure: Callable[..., Any] | None = None) -> Any:
        """Update the parameters. ``closure`` recomputes the loss and returns it."""
        loss = None if closure is None else self._evaluate(closure)
        if self.defaults.get("differentiable"):
            from flambeau_nn.optim import _operations

            _operations.step(self)
        else:
            self._rule(self)
        return loss


def _fitted(value: Any, param: Tensor, group: dict[str, Any], key: str | None = None) -> Any:
    """Return a loaded state: tensors in the dtype of their parameter, step counts unchanged."""
    if isinstance(value, Tensor):
        if key == "step":
            return value.to(float32) if group.get("fused") or group.get("capturable") else value
        return value.to(param.dtype) if param.is_floating_point() else value
    if isinstance(value, dict):
        return {k: _fitted(v, param, group, k) for k, v in value.items()}
    if isinstance(value, (list, tuple, set)):
        return type(value)(_fitted(v, param, group) for v in value)
    return value


def _counter(value: float = 0.0, group: dict[str, Any] | None = None) -> Tensor:
    """Return the tensor that counts a parameter's steps: float32, or float64 if that is the default dtype."""
    fixed = group is not None and (group.get("fused") or group.get("capturable"))
    return tensor(value, dtype=_get_scalar_dtype(fixed))


def _at_least_zero(**options: Any) -> None:
    """PyTorch's error for an option that is negative or NaN; named by how its texts call it."""
    for name, value in options.items():
        if not 0.0 <= value:
            raise ValueError(f"Invalid {name.replace('__', ' ')}: {value}")


def _in_range(rule: str, holds: bool | Tensor, value: Any) -> None:
    """Raise an error in the wording of newer optimizers, which state the valid range."""
    if not holds:
        raise ValueError(f"{rule} but is: {value}")


def _check_options(
    lr: float | Tensor, *, foreach: bool | None = None, fused: bool | None = None, differentiable: bool = False
) -> None:
    if isinstance(lr, Tensor) and lr.numel() != 1:
        raise ValueError("Tensor lr must be 1-element")
    _at_least_zero(learning__rate=lr)
    if fused and differentiable:
        raise RuntimeError("`fused` does not support `differentiable`")
    if fused and foreach:
        raise RuntimeError("`fused` and `foreach` cannot be `True` together.")
