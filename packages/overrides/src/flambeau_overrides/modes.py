"""Modes: override every function in a `with` block, without defining a type."""

from __future__ import annotations

from flambeau_overrides._thread import (
    Enabled,
    Reentered,
    SetAside,
    enter_mode,
    is_enabled,
    leave_mode,
    mode_stack,
    pop_mode,
    push_mode,
    switches,
)
from flambeau_overrides._thread import Guarded as Guarded
from flambeau_overrides._thread import block_of as block_of

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing is slow to import
    from collections.abc import Callable, Container
    from typing import Any, Self


class TorchFunctionMode:
    """A context manager whose `__torch_function__` handles calls before those of the arguments' types.

    Modes form a stack per thread. The innermost handles a call first. It is inactive while its handler runs, so calls
    in the handler go to the next mode; `with self:` in the handler reactivates it. A mode that handles only some
    functions can list them in a set `__torch_function_handles__`, which is read when the mode is entered: other calls
    bypass its handler and cost almost nothing.

    Raises:
        NotImplementedError: a function is called, and the subclass defines no ``__torch_function__``.

    >>> from flambeau_overrides import overridable
    >>> @overridable
    ... def half(x):
    ...     return x / 2
    >>> class Trace(TorchFunctionMode):
    ...     def __torch_function__(self, func, types, args=(), kwargs=None):
    ...         print("calling", func.__name__)
    ...         return func(*args, **(kwargs or {}))
    >>> with Trace():
    ...     half(3)
    calling half
    1.5
    """

    __torch_function_handles__: Container[object] | None = None

    # Exists so that subclasses can call super().__init__() with any classes in between.
    def __init__(self) -> None:
        pass

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: tuple[type, ...],
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        raise NotImplementedError(f"{type(self).__name__} must define __torch_function__")

    if TYPE_CHECKING:

        def __enter__(self) -> Self: ...
        def __exit__(self, exc_type: object, exc_value: object, traceback: object) -> None: ...
    else:
        __enter__, __exit__ = enter_mode, leave_mode

    @classmethod
    def push(cls, *args: Any, **kwargs: Any) -> Self:
        """Deprecated spelling of `cls(...)`."""
        import warnings

        warnings.warn("`Mode.push()` is no longer necessary and can be replaced with just `with Mode()`", stacklevel=2)
        return cls(*args, **kwargs)


class BaseTorchFunctionMode(TorchFunctionMode):
    """A mode that passes on every call.

    Raises:
        TypeError: it was given arguments.

    >>> from flambeau_overrides import overridable
    >>> @overridable
    ... def half(x):
    ...     return x / 2
    >>> with BaseTorchFunctionMode():
    ...     half(3)
    1.5
    """

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: tuple[type, ...],
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        return func(*args, **(kwargs or {}))


class enable_reentrant_dispatch(Reentered):
    """Context manager for handlers that restores dispatch as it was when the handled function was called.

    The handling mode is active again, and switches have their earlier state. Raises RuntimeError outside of a handler.

    >>> from flambeau_overrides import overridable
    >>> @overridable
    ... def depth(n):
    ...     return n
    >>> class Down(TorchFunctionMode):
    ...     def __torch_function__(self, func, types, args=(), kwargs=None):
    ...         if args[0] == 0:
    ...             return "ground"
    ...         with enable_reentrant_dispatch():
    ...             return func(args[0] - 1)
    >>> with Down():
    ...     depth(3)
    'ground'
    """


_enable_torch_function = Enabled
_pop_mode_temporarily = SetAside


def _push_mode(mode: object) -> None:
    push_mode(mode)


def _pop_mode() -> Any:
    return pop_mode()


def _get_current_function_mode() -> Any:
    stack = mode_stack()
    return stack[-1] if stack else None


def _get_current_function_mode_stack() -> list[Any]:
    return mode_stack()


def _len_torch_function_stack() -> int:
    return len(mode_stack())


def _get_function_stack_at(i: int) -> Any:
    return mode_stack()[i]


def _is_torch_function_enabled() -> bool:
    return is_enabled()


def _is_torch_function_mode_enabled() -> bool:
    return bool(mode_stack()) and not switches()[1]
