"""``custom_op``, which turns a Python function into an operator, and registrations for operators."""

import contextlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeAlias

from flambeau_cext.library import operators
from flambeau_cext.library.autograd import generated
from flambeau_cext.library.libraries import Library
from flambeau_cext.library.schema import infer_schema, is_functional, parsed, split_name
from flambeau_cext.matching import refusal
from flambeau_cext.overloads import OpOverload, OpOverloadPacket, overload_of
from flambeau_tensor import Tensor, float64
from flambeau_tensor.extend import Operator, OperatorHandle, quick_calls

# The types that the functions below accept as an operator.
_Named: TypeAlias = Operator | OpOverload | OpOverloadPacket | str


@quick_calls
class CustomOpDef(OperatorHandle):
    """A custom operator, as returned by `custom_op`. It is callable, and further kernels can be registered for it.

    Raises:
        TypeError: it is made rather than taken from ``custom_op``.

    >>> @custom_op("shop::double", mutates_args=())
    ... def double(x: torch.Tensor) -> torch.Tensor:
    ...     return 2 * x
    >>> double(torch.ones(2)), isinstance(double, CustomOpDef)
    (tensor([2., 2.]), True)
    """

    def __init__(self, op: Operator, function: Callable[..., Any]) -> None:
        self.target = op
        self.public = self._opoverload = overload_of(op)
        self._qualname = operators.qualified(op)
        self._namespace, _, self._name = self._qualname.partition("::")
        self._init_fn = function
        self.__name__ = self.__qualname__ = self._name
        self.__module__ = getattr(function, "__module__", None) or __name__
        self.__doc__ = op.__doc__

    @property
    def __signature__(self) -> Any:
        return self.target.__signature__

    def refusal(self, args: tuple[Any, ...], kwargs: dict[Any, Any]) -> str | None:
        """Return an error message if the arguments do not match the schema, else None."""
        return refusal(self.target, args, kwargs)

    def __repr__(self) -> str:
        return f"<CustomOpDef({self._qualname})>"

    def register_kernel(self, device_types: str | Sequence[str] | None, fn: Callable[..., Any] | None = None, /) -> Any:
        """Register a kernel for types of devices, see `register_kernel`."""
        return register_kernel(self, device_types, fn)

    def register_autograd(
        self, backward: Callable[..., Any], /, *, setup_context: Callable[..., Any] | None = None
    ) -> None:
        """Register the derivative, see `register_autograd`."""
        register_autograd(self, backward, setup_context=setup_context)

    def register_fake(self, fn: Callable[..., Any], /) -> Callable[..., Any]:
        """Register a function that computes the properties of results, see `register_fake`."""
        return register_fake(self, fn)

    def register_autocast(self, device_type: str, cast_inputs: Any) -> None:
        """Register the dtype of autocasting, see `register_autocast`."""
        register_autocast(self, device_type, cast_inputs)

    def register_vmap(self, func: Callable[..., Any] | None = None) -> Any:
        """Register how the operator runs on a batch, see `register_vmap`."""
        return register_vmap(self, func)

    @contextlib.contextmanager
    def set_kernel_enabled(self, device_type: str, enabled: bool = True) -> Iterator[None]:
        """Do without, or again with, the kernel of a type of device, within a ``with`` block."""
        op = self.target
        given, key = operators.kernels(op), operators.key_of(device_type)
        before = set(given.disabled)
        (given.disabled.discard if enabled else given.disabled.add)(key)
        operators.choose(op)
        try:
            yield
        finally:
            given.disabled = before
            operators.choose(op)


def custom_op(
    name: str,
    fn: Callable[..., Any] | None = None,
    /,
    *,
    mutates_args: str | Iterable[str],
    device_types: str | Sequence[str] | None = None,
    schema: str | None = None,
    tags: object = None,
) -> Any:
    """Turn a function into an operator: overridable, differentiable, documented, and available in ``torch.ops``.

    Autograd does not record what the function calls: gradients come from `register_autograd`. The function may be
    written in C, C++ or any other language that Python can call; if it has no type hints, pass ``schema``.

    Args:
        name: ``"namespace::name"``. An existing operator of that name is replaced.
        fn: the function; if omitted, a decorator is returned. Results must not share memory with arguments.
        mutates_args: the names of the arguments that the function writes to, or ``"unknown"``.
        device_types: the device types of the kernel: ``"cpu"``, others, or None for all.
        schema: the schema, ``"(Tensor x) -> Tensor"``, if there are no type hints.
        tags: has no effect; accepted for compatibility.

    Returns:
        The operator, a `CustomOpDef`.

    Raises:
        ValueError: the name is invalid, or type hints are missing or unknown.

    >>> @custom_op("shop::total", mutates_args=())
    ... def total(prices: torch.Tensor, rate: float = 0.2) -> torch.Tensor:
    ...     "What it costs with taxes."
    ...     return prices.sum() * (1 + rate)
    >>> total(torch.tensor([1.0, 2.0]), rate=0.5)
    tensor(4.5000)
    >>> torch.ops.shop.total
    <OpOverloadPacket(op='shop.total')>
    >>> total.register_autograd(lambda ctx, grad: (grad * 1.2, None))
    """

    def make(function: Callable[..., Any]) -> CustomOpDef:
        namespace, short = split_name(name)
        if schema is None:
            text = infer_schema(function, mutates_args=mutates_args)
        elif not schema.lstrip().startswith("("):
            raise RuntimeError(
                f'custom_op(): expected schema to look like e.g. "(Tensor x) -> Tensor" but got "{schema}"'
            )
        else:
            text = schema.strip()
            _check_mutates(namespace, short + text, schema, mutates_args)
        keys = _keys(device_types)
        read = parsed(namespace, short + text)
        _check_devices(read, keys)
        if _by_keyword(read):
            raise NotImplementedError(
                f"custom_op with kwarg-only Tensor args. Please make your tensors not kwarg-only. Got: {short}{text}"
            )
        op = operators.declare(namespace, short + text, doc=function.__doc__, replace=True, checked=True)
        operators.kernels(op).original = function
        for key in keys:
            operators.implement(operators.qualified(op), function, key)
        return CustomOpDef(op, function)

    return make if fn is None else make(fn)


def _keys(device_types: str | Sequence[str] | None) -> list[str]:
    """The keys of kernels for types of devices.

    Raises RuntimeError for a name that is not a type of device.
    """
    if device_types is None:
        return [operators.EXPLICIT]
    names = (device_types,) if isinstance(device_types, str) else tuple(device_types)
    return [operators.key_of_device(name) for name in dict.fromkeys(names)]


def _check_devices(schema: Any, keys: list[str]) -> None:
    """Raise ValueError if the arguments do not determine which device's kernel to run."""
    if keys == [operators.EXPLICIT] or any(a.type.startswith("Tensor") for a in schema.arguments):
        return
    if not any(a.name == "device" and a.type.startswith("Device") for a in schema.arguments):
        raise ValueError("Functions without tensor inputs are required to have a `device: torch.device` argument")


def _by_keyword(schema: Any) -> bool:
    """Whether a tensor can only be given by keyword."""
    return any(a.kwarg_only and a.type.startswith("Tensor") for a in schema.arguments)


def _check_mutates(namespace: str, text: str, schema: str, mutates_args: str | Iterable[str]) -> None:
    """Raise a ValueError if ``mutates_args`` and a schema name different arguments."""
    written = {a.name for a in parsed(namespace, text).arguments if a.write}
    if isinstance(mutates_args, str) or written != set(mutates_args):
        raise ValueError(
            f"Attempted to create a custom op with `mutates_args={mutates_args}` and `schema={schema}. The schema "
            f"suggests that the op mutates {written or set()} which is different from what was provided to us in "
            "`mutates_args`. Please make these consistent."
        )


def register_kernel(op: _Named, device_types: str | Sequence[str] | None, func: Callable[..., Any] | None = None, /, *,
                    lib: Library | None = None) -> Any:  # fmt: skip
    """Register a kernel of an operator for device types; without ``func``, a decorator.

    Args:
        op: the operator, or its name ``"namespace::name"``.
        device_types: ``"cpu"``, others, several, or None for all.
        func: a function with the arguments of the schema.
        lib: has no effect: the kernel exists as long as the operator.

    Raises:
        RuntimeError: the operator does not exist.

    >>> @custom_op("shop::negate", mutates_args=(), device_types="cuda")
    ... def negate(x: torch.Tensor) -> torch.Tensor:
    ...     raise RuntimeError("there is no such device")
    >>> @register_kernel("shop::negate", "cpu")
    ... def _(x):
    ...     return -x
    >>> negate(torch.ones(2))
    tensor([-1., -1.])
    """
    op = operators.find(op)
    keys = _keys(device_types)
    _check_devices(op.schema, keys)

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        for key in keys:
            operators.implement(operators.qualified(op), function, key)
        return function

    return register if func is None else register(func)


def register_autograd(op: _Named, backward: Callable[..., Any], /, *, setup_context: Callable[..., Any] | None = None,
                      lib: Library | None = None) -> None:  # fmt: skip
    """Register the derivative of an operator. Needs flambeau-autograd when it is first used.

    Args:
        op: the operator in any language, or its name ``"namespace::name"``.
        backward: ``backward(ctx, *grads)`` receives a gradient for each result and returns one for each argument, or
            None. List results and list arguments have lists of gradients.
        setup_context: ``setup_context(ctx, inputs, output)`` saves what ``backward`` needs, tensors with
            ``ctx.save_for_backward``. If the operator has keyword-only arguments, it also takes
            ``keyword_only_inputs``.
        lib: has no effect: the derivative exists as long as the operator.

    Raises:
        RuntimeError: the operator writes to an argument or returns a view of one.

    >>> import numpy as np
    >>> @custom_op("shop::sin", mutates_args=())
    ... def sin(x: torch.Tensor) -> torch.Tensor:
    ...     return torch.from_numpy(np.sin(x.numpy()))
    >>> def setup_context(ctx, inputs, output):
    ...     ctx.save_for_backward(*inputs)
    >>> def backward(ctx, grad):
    ...     x, = ctx.saved_tensors
    ...     return grad * x.cos()
    >>> register_autograd("shop::sin", backward, setup_context=setup_context)
    >>> x = torch.zeros(2, requires_grad=True)
    >>> sin(x).sum().backward()
    >>> x.grad
    tensor([1., 1.])
    """
    op = operators.find(op)
    for argument, function in (("backward", backward), ("setup_context", setup_context)):
        if not callable(function) and not (argument == "setup_context" and function is None):
            raise TypeError(
                f"register_autograd(): argument '{argument}' must be callable, not {type(function).__name__}"
            )
    if not is_functional(op.schema):
        raise RuntimeError(
            f"Cannot register autograd formula for non-functional operator {overload_of(op)} with schema {op.schema}. "
            "Please create a functional operator and register an autograd formula for that."
        )
    if _by_keyword(op.schema):
        raise NotImplementedError(
            "register_autograd with kwarg-only Tensor args. In the original definition of the op, please make your "
            f"tensors not kwarg-only. Got: {op.schema}"
        )
    operators.kernels(op).derivative = generated(op, operators.qualified(op), backward, setup_context)
    operators.choose(op)


def register_fake(op: _Named, func: Callable[..., Any] | None = None, /, *, lib: Library | None = None,
                  allow_override: bool = True) -> Any:  # fmt: skip
    """Register a rule for the shapes, dtypes and layouts of an operator's results; without ``func``, a decorator.
    `opcheck` compares it with the results of the kernel.

    Args:
        op: the operator, or its name ``"namespace::name"``; it may be declared later.
        func: a function with the arguments of the schema that returns fresh tensors like the results; it must not read
            elements.
        lib: has no effect.
        allow_override: whether to replace an existing rule.

    Raises:
        ValueError: the name has no namespace.

    >>> @custom_op("shop::halves", mutates_args=())
    ... def halves(x: torch.Tensor) -> torch.Tensor:
    ...     return x[::2] * 1
    >>> @register_fake("shop::halves")
    ... def _(x):
    ...     return x.new_empty(((x.shape[0] + 1) // 2, *x.shape[1:]))
    """

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        if not callable(function):
            raise TypeError(f"register_fake(): argument 'func' must be callable, not {type(function).__name__}")
        try:
            found = operators.find(op)
        except RuntimeError:  # declared later
            operators.implement(op, function, operators.META)
            return function
        if not allow_override and found.meta is not None:
            raise RuntimeError(f"{operators.qualified(found)} has a fake implementation already")
        found.meta = function
        return function

    return register if func is None else register(func)


def impl_abstract(qualname: str, func: Callable[..., Any] | None = None, *, lib: Library | None = None) -> Any:
    """The older name of `register_fake`.

    Raises:
        ValueError: the name has no namespace.

    >>> @custom_op("shop::thirds", mutates_args=())
    ... def thirds(x: torch.Tensor) -> torch.Tensor:
    ...     return x / 3
    >>> @impl_abstract("shop::thirds")
    ... def _(x):
    ...     return torch.empty_like(x)
    """
    return register_fake(qualname, func, lib=lib)


def register_vmap(op: _Named, func: Callable[..., Any] | None = None, /, *, lib: Library | None = None) -> Any:
    """Register a batching rule of an operator for ``vmap``; without ``func``, a decorator.

    Args:
        op: the operator, or its name ``"namespace::name"``.
        func: ``func(info, in_dims, *args)`` receives batched tensors, and for each argument its batch dimension, or
            None if it is not batched; ``info`` has ``batch_size`` and ``randomness``. It returns the results and their
            batch dimensions.
        lib: has no effect.

    Raises:
        RuntimeError: the operator does not exist.

    >>> @custom_op("shop::scaled", mutates_args=())
    ... def scaled(x: torch.Tensor, factor: float) -> torch.Tensor:
    ...     return x * factor
    >>> @register_vmap("shop::scaled")
    ... def _(info, in_dims, x, factor):
    ...     return scaled(x, factor), in_dims[0]
    """
    op = operators.find(op)

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        if not callable(function):
            raise TypeError(f"register_vmap(): argument 'func' must be callable, not {type(function).__name__}")
        op.vmap = function
        operators.choose(op)
        return function

    return register if func is None else register(func)


def _not_built(function: Callable[..., Any]) -> Callable[..., Any]:
    function.__not_built__ = True  # type: ignore[attr-defined]  # for the list in the documentation
    return function


def register_autocast(op: _Named, device_type: str, cast_inputs: Any, /, *, lib: Library | None = None) -> None:
    """Register the dtype to which autocast casts an operator's arguments.

    Args:
        op: the operator, or its name ``"namespace::name"``.
        device_type: the device type of autocast: ``"cpu"`` or ``"cuda"``.
        cast_inputs: the dtype; floating point tensors are cast to it, except those of double precision.
        lib: the Library that owns the registration; without one, it is permanent.

    Raises:
        RuntimeError: the operator or the device type does not exist.
        TypeError: the device type is not a string.
        ValueError: the name has no namespace, or autocast is not available for the device.

    >>> @custom_op("shop::sums", mutates_args=())
    ... def sums(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    ...     return x + y
    >>> register_autocast("shop::sums", "cpu", torch.bfloat16)
    >>> with torch.autocast("cpu"):
    ...     print(sums(torch.ones(2), torch.ones(2)).dtype)
    torch.bfloat16
    """
    if not isinstance(device_type, str):
        raise TypeError(
            "register_autocast(): argument 'device_type' (position 2) must be str, not " + type(device_type).__name__
        )
    operators.key_of_device(device_type)
    if device_type not in ("cpu", "cuda"):
        raise ValueError(f"Unknown device type: {device_type}")
    found = operators.find(op)

    def cast(value: Any) -> Any:
        if isinstance(value, (list, tuple)):
            return type(value)(map(cast, value))
        eligible = isinstance(value, Tensor) and value.is_floating_point() and value.dtype is not float64
        return value.to(cast_inputs) if eligible else value

    def casting(*args: Any, **kwargs: Any) -> Any:
        return found(*map(cast, args), **{name: cast(value) for name, value in kwargs.items()})

    key = operators.AUTOCAST if device_type == "cpu" else "AutocastCUDA"
    if lib is not None:
        lib.impl(found, casting, key, allow_override=True)
    else:
        operators.implement(operators.qualified(found), casting, key)


@_not_built
def register_torch_dispatch(op: _Named, torch_dispatch_class: type, func: Callable[..., Any] | None = None, /, *,
                            lib: Library | None = None) -> Any:  # fmt: skip
    """Not implemented; custom operators reach a type's ``__torch_dispatch__`` and ``__torch_function__``."""
    raise NotImplementedError(
        "torch.library.register_torch_dispatch is not built: define __torch_dispatch__ in the type"
    )


@_not_built
def triton_op(name: str, fn: Callable[..., Any] | None = None, /, *, mutates_args: str | Iterable[str] = (),
              schema: str | None = None) -> None:  # fmt: skip
    """Not built: Triton kernels run on graphics processors, which are not available."""
    raise NotImplementedError(
        "torch.library.triton_op is not built: Triton's kernels run on graphics processors; a kernel for the CPU "
        "becomes an operator with torch.library.custom_op"
    )


@_not_built
def wrap_triton(triton_kernel: object, /) -> None:
    """Not built, as `triton_op`."""
    raise NotImplementedError("torch.library.wrap_triton is not built: Triton's kernels run on graphics processors")


@_not_built
def get_kernel(op: _Named, dispatch_key: str) -> None:
    """Raise an error: there is no table of kernels by dispatch key."""
    raise NotImplementedError("torch.library.get_kernel is not built: call the operator")
