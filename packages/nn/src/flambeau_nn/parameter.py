"""Tensors that modules register by themselves: parameters, which are trained, and buffers, which are not."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from typing import Any, ClassVar, Self, SupportsIndex, cast

from flambeau_overrides import DisableTorchFunction, _disabled_torch_function_impl
from flambeau_tensor import Tensor, dtype, empty
from flambeau_tensor.extend import declare_plain_subclass, dispatching, rewrap
from flambeau_tensor.options import Device
from flambeau_tensor.pytorch_names import LOCAL_NAMES

__all__ = [
    "Buffer",
    "Parameter",
    "UninitializedBuffer",
    "UninitializedParameter",
    "UninitializedTensorMixin",
    "is_lazy",
]


class _ParameterMeta(type(Tensor)):  # type: ignore[misc]
    # Instances of other tensor classes count as parameters if they have a flag for it.
    def __instancecheck__(cls, instance: object) -> bool:
        if super().__instancecheck__(instance):
            return True
        return cls is Parameter and isinstance(instance, Tensor) and getattr(instance, "_is_param", False)


class Parameter(Tensor, metaclass=_ParameterMeta):
    """A tensor that is trained. A module registers it when it is assigned to an attribute. Operations on it return
    plain tensors.

    Args:
        data: the tensor of any shape whose memory it shares; by default an empty one.
        requires_grad: whether gradients are computed for it.

    Raises:
        RuntimeError: the tensor has an integer dtype or bool, and ``requires_grad`` is not False.
        TypeError: the data is not a tensor.

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
            with DisableTorchFunction(), dispatching.Undispatched():  # modes do not see the creation of a parameter
                param = rewrap(data.detach(), cls)
                param.requires_grad = requires_grad  # requires_grad_() raises an error inside transforms
                return cast(Self, param)
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
                "implementation."
            )
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
    return Parameter(data, requires_grad)  # hooks are functions of one process and are not pickled


def _rebuild_parameter_with_state(data: Tensor, requires_grad: bool, backward_hooks: object, state: Any) -> Parameter:
    parameter = _rebuild_parameter(data, requires_grad, backward_hooks)
    members, slots = state if isinstance(state, tuple) else (state, None)
    parameter.__dict__.update(members or {})
    for name, value in (slots or {}).items():
        setattr(parameter, name, value)
    return parameter


LOCAL_NAMES["torch.nn"], LOCAL_NAMES["torch.optim"] = "flambeau_nn", "flambeau_nn.optim"
for _file, _classes in {"adam": "Adam AdamW", "moments": "Adamax NAdam RAdam"}.items():  # there, a file each
    for _class in _classes.split():
        LOCAL_NAMES[f"torch.optim.{_class.lower()}.{_class}"] = f"flambeau_nn.optim.{_file}.{_class}"
LOCAL_NAMES |= {
    f"torch._utils.{f.__name__}": f"{__name__}.{f.__name__}"
    for f in (_rebuild_parameter, _rebuild_parameter_with_state)
}


class _BufferMeta(type(Tensor)):  # type: ignore[misc]
    def __instancecheck__(cls, instance: object) -> bool:
        if super().__instancecheck__(instance):
            return True
        return cls is Buffer and isinstance(instance, Tensor) and getattr(instance, "_is_buffer", False)


class Buffer(Tensor, metaclass=_BufferMeta):
    """A tensor that is part of a module's state but not trained. A module registers it when it is assigned to an
    attribute.

    Args:
        data: the tensor, which is marked and not copied.
        persistent: whether it is part of the module's ``state_dict``.

    Shape:
        (*)

    Raises:
        AttributeError: the data is not a tensor.

    >>> layer = torch.nn.Linear(2, 1)
    >>> layer.steps = Buffer(torch.zeros(()))
    >>> list(layer.state_dict())
    ['weight', 'bias', 'steps']
    """

    persistent: bool

    def __new__(cls, data: Tensor | None = None, *, persistent: bool = True) -> Self:
        if data is None:
            data = empty((0,))
        buffer: Any = data.detach().requires_grad_(data.requires_grad)
        buffer.persistent = persistent
        buffer._is_buffer = True
        return buffer

    # The class of a materialized UninitializedBuffer; to users it is a tensor like all buffers.

    def __repr__(self) -> str:
        return repr(self.data)

    def __reduce_ex__(self, proto: SupportsIndex) -> Any:
        return self.data.__reduce_ex__(proto)

    __torch_function__ = _disabled_torch_function_impl  # type: ignore[assignment]  # not a method


# --- of unknown sizes -----------------------------------------------------------------------------------------------


def is_lazy(param: object) -> bool:
    """Return True if the sizes of a parameter or buffer are not known yet."""
    return isinstance(param, UninitializedTensorMixin)


class UninitializedTensorMixin:
    """The base of parameters and buffers without sizes, until :meth:`materialize` is called."""

    cls_to_become: type
    data: Any
    requires_grad: bool
    _allowed_methods: ClassVar[tuple[Any, ...]] = tuple(
        getattr(Tensor, name)
        for name in (
            "__hash__ size copy_ is_complex is_floating_point half float double char short int long cuda cpu to "
            "get_device"
        ).split()
    )

    def materialize(self, shape: Iterable[int] | int, device: Device | None = None, dtype: dtype | None = None) -> None:
        """Allocate uninitialized elements of a shape; it is then an ordinary parameter or buffer.

        Args:
            shape: the sizes, or a single size.
            device: the device of the elements; default: that of this tensor.
            dtype: the dtype of the elements; default: that of this tensor.
        """
        self.data = empty(
            (shape,) if isinstance(shape, int) else tuple(shape),
            device=self.data.device if device is None else device,
            dtype=self.data.dtype if dtype is None else dtype,
        )
        self.__class__ = self.cls_to_become

    @property
    def shape(self) -> Any:
        """Raises: the sizes are open."""
        raise RuntimeError(
            "Can't access the shape of an uninitialized parameter or buffer. This error usually happens "
            "in `load_state_dict` when trying to load an uninitialized parameter into an initialized "
            "one. Call `forward` to initialize the parameters before accessing their attributes."
        )

    def share_memory_(self) -> Any:
        """Raise an error, because there is no memory yet."""
        raise RuntimeError(
            "Can't share memory on an uninitialized parameter or buffer. Call `forward` to initialize "
            "the parameters before calling `module.share_memory()`."
        )

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"

    def __reduce_ex__(self, proto: SupportsIndex) -> Any:
        return type(self), (self.requires_grad,)

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func in cls._allowed_methods or getattr(func, "__name__", "") in ("__get__", "__set__", "__delete__"):
            return super().__torch_function__(func, types, args, kwargs or {})  # type: ignore[misc]
        raise ValueError(
            f"Attempted to use an uninitialized parameter in {func}. This error happens when you are "
            "using a `LazyModule` or explicitly manipulating `torch.nn.parameter."
            f"{cls.__name__}` objects. When using LazyModules Call `forward` with a dummy batch to "
            "initialize the parameters before calling torch functions"
        )


class UninitializedParameter(UninitializedTensorMixin, Parameter):  # type: ignore[misc]
    """A parameter whose sizes are not known yet. Only its dtype and device are known, and can be changed.

    Args:
        requires_grad: whether gradients are computed for it.
        device: of the elements.
        dtype: of the elements.

    Raises:
        RuntimeError: sizes or elements are used before ``materialize``.

    >>> p = UninitializedParameter()
    >>> p
    <UninitializedParameter>
    >>> p.materialize((2, 3))
    >>> type(p).__name__, p.shape
    ('Parameter', torch.Size([2, 3]))
    """

    cls_to_become = Parameter

    def __new__(cls, requires_grad: bool = True, device: Device | None = None, dtype: dtype | None = None) -> Self:
        with DisableTorchFunction():
            return rewrap(empty((0,), device=device, dtype=dtype), cls).requires_grad_(requires_grad)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        if id(self) not in memo:
            memo[id(self)] = type(self)(self.requires_grad, self.data.device, self.data.dtype)
        return memo[id(self)]


class UninitializedBuffer(UninitializedTensorMixin, Tensor):
    """A buffer whose sizes are not known yet; it later becomes a :class:`Buffer`. See :class:`UninitializedParameter`.

    Args:
        requires_grad: whether gradients are computed for it.
        device: of the elements.
        dtype: of the elements.
        persistent: whether it is part of the module's ``state_dict``.

    Shape:
        none until it is materialized

    Raises:
        RuntimeError: sizes or elements are used before ``materialize``.

    >>> b = UninitializedBuffer()
    >>> b.materialize((2,))
    >>> type(b).__name__, b.shape
    ('Buffer', torch.Size([2]))
    """

    cls_to_become = Buffer

    persistent: bool

    def __new__(
        cls,
        requires_grad: bool = False,
        device: Device | None = None,
        dtype: dtype | None = None,
        persistent: bool = True,
    ) -> Self:
        with DisableTorchFunction():
            buffer: Any = rewrap(empty((0,), device=device, dtype=dtype), cls).requires_grad_(requires_grad)
        buffer.persistent = persistent
        buffer._is_buffer = True
        return buffer

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        if id(self) not in memo:
            memo[id(self)] = type(self)(self.requires_grad, self.data.device, self.data.dtype, self.persistent)
        return memo[id(self)]
