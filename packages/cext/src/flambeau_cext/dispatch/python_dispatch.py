"""Modes and idioms of ``__torch_dispatch__``: the names of ``torch.utils._python_dispatch``.

>>> import flambeau_tensor as torch
>>> class Names(TorchDispatchMode):
...     def __torch_dispatch__(self, func, types, args=(), kwargs=None):
...         print(func)
...         return func(*args, **(kwargs or {}))
>>> x = torch.tensor([[1.0, 2.0]])
>>> with Names():
...     y = x.t().sum()
aten.t.default
aten.sum.default
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol, Self

from flambeau_tensor import Tensor
from flambeau_tensor.extend import dispatching
from flambeau_tensor.subclassing import share_storage


class TorchDispatchMode:
    """A context manager whose `__torch_dispatch__` receives this thread's calls below autograd.

    Modes form a stack. The innermost one is called and is inactive while its handler runs, so that calls of the handler
    go to the next one. `func` is an operator of ``torch.ops.aten``, `types` are the types of arguments that handle
    calls themselves.
    """

    supports_higher_order_operators = False

    def __init__(self, _dispatch_key: object = None) -> None:
        pass

    def __torch_dispatch__(
        self, func: Any, types: tuple[type, ...], args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """Answer a call, or return NotImplemented."""
        raise NotImplementedError(f"{type(self).__name__} must define __torch_dispatch__")

    if TYPE_CHECKING:

        def __enter__(self) -> Self: ...
        def __exit__(self, *error: object) -> None: ...
    else:
        __enter__, __exit__ = dispatching.enter_mode, dispatching.leave_mode

    @classmethod
    def push(cls, *args: Any, **kwargs: Any) -> Self:
        """Old spelling of `cls(...)`."""
        import warnings

        warnings.warn("`Mode.push()` is no longer necessary and can be replaced with just `with Mode()`", stacklevel=2)
        return cls(*args, **kwargs)

    @classmethod
    def is_infra_mode(cls) -> bool:
        """Return False: modes are not part of the library."""
        return False


class BaseTorchDispatchMode(TorchDispatchMode):
    """A mode that passes on every call."""

    def __torch_dispatch__(
        self, func: Any, types: tuple[type, ...], args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """The call itself."""
        return func(*args, **(kwargs or {}))


class TensorWithFlatten(Protocol):
    """The protocol of tensors that consist of other tensors."""

    def __tensor_flatten__(self) -> tuple[Sequence[str], object]:
        """Return the names of the attributes that are tensors, and all other data needed to rebuild the tensor."""

    @staticmethod
    def __tensor_unflatten__(
        inner_tensors: dict[str, Any], flatten_spec: Any, outer_size: Any, outer_stride: Any
    ) -> Any:
        """Create a tensor from its inner tensors."""


# --- the stack ------------------------------------------------------------------------------------------------------


def _get_current_dispatch_mode() -> Any:
    stack = dispatching.mode_stack()
    return stack[-1] if stack else None


def _get_current_dispatch_mode_stack() -> list[Any]:
    return dispatching.mode_stack()


def _push_mode(mode: object) -> None:
    dispatching.push_mode(mode)


def _pop_mode(k: object = None) -> Any:
    return dispatching.pop_mode()


@contextmanager
def _pop_mode_temporarily(k: object = None) -> Iterator[Any]:
    mode = dispatching.pop_mode()
    try:
        yield mode
    finally:
        dispatching.push_mode(mode)


@contextmanager
def _disable_current_modes() -> Iterator[list[Any]]:
    aside = [dispatching.pop_mode() for _ in dispatching.mode_stack()]
    try:
        yield aside
    finally:
        for mode in reversed(aside):
            dispatching.push_mode(mode)


def is_in_torch_dispatch_mode(include_infra_modes: bool = True) -> bool:
    """Return True if a mode is active in this thread."""
    return bool(dispatching.mode_stack())


is_in_any_mode_without_ignore_compile_internals = is_in_torch_dispatch_mode


# --- subclasses -----------------------------------------------------------------------------------------------------


def is_traceable_wrapper_subclass(t: object) -> bool:
    """Return True if a tensor wraps others: it has ``__tensor_flatten__`` and ``__tensor_unflatten__``."""
    return is_traceable_wrapper_subclass_type(type(t))


def is_traceable_wrapper_subclass_type(t: type) -> bool:
    """The same of a class."""
    return (
        issubclass(t, Tensor)
        and t is not Tensor
        and hasattr(t, "__tensor_flatten__")
        and hasattr(t, "__tensor_unflatten__")
    )


def transform_subclass(
    t: Any, callback: Callable[[str, Any], Any], outer_size: Any = None, outer_stride: Any = None
) -> Any:
    """Return the tensor that consists of the results of `callback(name, tensor)` for the inner tensors of `t`."""
    outer_size = outer_size if outer_size is not None else t.size()
    outer_stride = outer_stride if outer_stride is not None else t.stride()
    names, context = t.__tensor_flatten__()
    inner = {name: callback(name, getattr(t, name)) for name in names}
    result = type(t).__tensor_unflatten__(inner, context, outer_size, outer_stride)
    if result.shape != outer_size:
        raise AssertionError(
            f"Expected return value from {type(t)}__tensor_unflatten__() to have shape equal to "
            f"{outer_size}, but got: {result.shape}"
        )
    if tuple(result.stride()) != tuple(outer_stride):
        raise AssertionError(
            f"Expected return value from {type(t)}__tensor_unflatten__() to have stride equal to "
            f"{outer_stride}, but got: {result.stride()}"
        )
    return result


def return_and_correct_aliasing(func: Any, args: Any, kwargs: Any, out: Any) -> Any:
    """Return the result of a handler that uses wrappers for `func`, given its own result `out`.

    An argument that `func` writes to is returned itself, and a view shares the storage of its base.
    """
    schema = func._schema
    values = [args[i] if i < len(args) else (kwargs or {}).get(a.name) for i, a in enumerate(schema.arguments)]
    sources: dict[Any, Any] = {}
    written: dict[Any, Any] = {}
    for argument, value in zip(schema.arguments, values, strict=True):
        if argument.alias_info:
            (written if argument.is_write else sources)[_set_of(argument.alias_info)] = value
    results = list(out) if isinstance(out, (list, tuple)) else [out]
    returns = schema.returns
    for i, result in enumerate(results):
        described = returns[i] if len(returns) == len(results) and i < len(returns) else returns[0] if returns else None
        if described is None or not described.alias_info:
            continue
        key = _set_of(described.alias_info)
        if described.is_write and key in written:
            results[i] = written[key]
        elif key in sources and isinstance(result, Tensor) and isinstance(sources[key], Tensor):
            share_storage(result, sources[key])
    if not isinstance(out, (list, tuple)):
        return results[0]
    return type(out)(results)


def _set_of(alias: str) -> str:
    return alias.strip("()!").partition(" ")[0].rstrip("!")
