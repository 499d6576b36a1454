"""Tensors that modules register by themselves: parameters, which are trained, and buffers, which are not."""
from __future__ import annotations

from collections import OrderedDict
from typing import Any, Self, SupportsIndex, cast

from flambeau_overrides import DisableTorchFunction, _disabled_torch_function_impl
from flambeau_tensor import Tensor, empty
from flambeau_tensor.extend import declare_plain_subclass, rewrap
from flambeau_tensor.not_built import not_built
from flambeau_tensor.places import HERE

__all__ = ["Buffer", "Parameter", "UninitializedBuffer", "UninitializedParameter", "is_lazy"]


class _ParameterMeta(type(Tensor)):  # type: ignore[misc]
    # Tensors of other classes count as parameters when they say so.
    def __instancecheck__(cls, instance: object) -> bool:
        if super().__instancecheck__(instance):
            return True
        return cls is Parameter and isinstance(instance, Tensor) and getattr(instance, "_is_param", False)


class Parameter(Tensor, metaclass=_ParameterMeta):
    """A tensor to be trained. Assigned to an attribute of a module, it is registered there.

    Operations on it give plain tensors.

    Args:
        data: the tensor whose elements it shares; without it, an empty one.
        requires_grad: whether gradients are computed for it.

    >>> import flambeau_tensor as ft
    >>> Parameter(ft.ones(2))
    Parameter containing:
    tensor([1., 1.], requires_grad=True)
    """

    _is_param: bool = True

    def __new__(cls, data: Tensor | None = None, requires_grad: bool = True) -> Self:
        if data is None:
            data = empty((0,))
        if type(data) is Tensor or type(data) is Parameter:
            with DisableTorchFunction():
                return cast(Self, rewrap(data.detach(), cls).requires_grad_(requires_grad))
        if not isinstance(data, Tensor):
            raise TypeError(f"Parameter(): argument 'data' (position 1) must be Tensor, not {type(data).__name__}")
        param = data.detach()
        if type(param) is type(data):
            param = param.requires_grad_(requires_grad)
        if type(param) is not type(data):
            raise RuntimeError(
                f"Creating a Parameter from an instance of type {type(data).__name__} requires that detach() returns "
                f"an instance of the same type, but return type {type(param).__name__} was found instead. To use the "
                "type as a Parameter, please correct the detach() semantics defined by its __torch_dispatch__() "
                "implementation.")
        cast(Any, param)._is_param = True
        return cast(Self, param)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        if id(self) not in memo:
            memo[id(self)] = type(self)(self.detach().clone(), self.requires_grad)
        return memo[id(self)]

    def __repr__(self) -> str:
        return "Parameter containing:\n" + super().__repr__()

    def __reduce_ex__(self, proto: SupportsIndex) -> tuple[Any, ...]:
        parts: tuple[Any, ...] = (self.detach(), self.requires_grad, OrderedDict())
        state = vars(self)
        if state:
            return _rebuild_parameter_with_state, (*parts, dict(state))
        return _rebuild_parameter, parts

    __torch_function__ = _disabled_torch_function_impl  # type: ignore[assignment]  # not a method


declare_plain_subclass(Parameter)


def _rebuild_parameter(data: Tensor, requires_grad: bool, backward_hooks: object) -> Parameter:
    return Parameter(data, requires_grad)  # hooks are functions of a session and stay behind


def _rebuild_parameter_with_state(data: Tensor, requires_grad: bool, backward_hooks: object, state: Any) -> Parameter:
    parameter = _rebuild_parameter(data, requires_grad, backward_hooks)
    members, slots = state if isinstance(state, tuple) else (state, None)
    parameter.__dict__.update(members or {})
    for name, value in (slots or {}).items():
        setattr(parameter, name, value)
    return parameter


HERE["torch.nn"], HERE["torch.optim"] = "flambeau_nn", "flambeau_nn.optim"
HERE |= {f"torch._utils.{f.__name__}": f"{__name__}.{f.__name__}" for f in (
    _rebuild_parameter, _rebuild_parameter_with_state)}


class _BufferMeta(type(Tensor)):  # type: ignore[misc]
    def __instancecheck__(cls, instance: object) -> bool:
        if super().__instancecheck__(instance):
            return True
        return cls is Buffer and isinstance(instance, Tensor) and getattr(instance, "_is_buffer", False)


class Buffer(Tensor, metaclass=_BufferMeta):
    """A tensor that is part of a module's state and not trained; assigned to an attribute, it is registered there.

    Args:
        data: the tensor; it is marked, not copied.
        persistent: whether it belongs into the module's ``state_dict``.
    """

    persistent: bool

    def __new__(cls, data: Tensor | None = None, *, persistent: bool = True) -> Self:
        if data is None:
            data = empty((0,))
        buffer: Any = data.detach().requires_grad_(data.requires_grad)
        buffer.persistent = persistent
        buffer._is_buffer = True
        return buffer

    __torch_function__ = _disabled_torch_function_impl  # type: ignore[assignment]  # not a method


def is_lazy(param: object) -> bool:
    """Whether the sizes of a parameter are still open."""
    return False


class UninitializedParameter(Parameter):
    """A parameter whose sizes follow from the first input. Not built."""

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        raise not_built("torch.nn.parameter.UninitializedParameter")


class UninitializedBuffer(Buffer):
    """A buffer whose sizes follow from the first input. Not built."""

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        raise not_built("torch.nn.parameter.UninitializedBuffer")


def name_classes() -> None:
    """Let the classes here say that they stand where the class Tensor says it does, in ``torch``."""
    if Tensor.__module__ == "torch":
        for cls in (Buffer, Parameter, UninitializedBuffer, UninitializedParameter):
            cls.__module__ = "torch.nn.parameter"


name_classes()
