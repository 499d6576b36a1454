"""Contexts and decorators that switch recording on and off."""

from __future__ import annotations

from _thread import _local as local  # threading itself takes a while to import
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from flambeau_autograd._engine.graph.grad_mode import (
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)

if TYPE_CHECKING:
    from types import TracebackType

__all__ = [
    "enable_grad",
    "inference_mode",
    "is_grad_enabled",
    "is_inference_mode_enabled",
    "is_multithreading_enabled",
    "no_grad",
    "set_grad_enabled",
    "set_multithreading_enabled",
]

_F = TypeVar("_F", bound=Callable[..., Any])
_thread = local()


def decorate(context: Any, function: Callable[..., Any]) -> Any:
    """``function`` with every call, or every step of the generator that it returns, inside a fresh ``context``."""
    import inspect
    from functools import wraps

    if isinstance(function, type):
        import warnings

        warnings.warn(
            f"Decorating classes is deprecated and will be disabled in future versions. You should only "
            f"decorate functions or methods. To preserve the current behavior of class decoration, you can "
            f"directly decorate the `__init__` method and nothing else. Decorated: {function.__name__}",
            FutureWarning,
            stacklevel=3,
        )
        function.__init__ = decorate(context, function.__init__)  # type: ignore[misc]
        return function
    if inspect.isgeneratorfunction(function):
        return _decorate_generator(context, function)
    make = context.clone

    @wraps(function)
    def decorated(*args: Any, **kwargs: Any) -> Any:
        with make():
            return function(*args, **kwargs)

    return decorated


def _decorate_generator(context: Any, function: Callable[..., Any]) -> Callable[..., Any]:
    from functools import wraps

    @wraps(function)
    def decorated(*args: Any, **kwargs: Any) -> Any:
        generator = function(*args, **kwargs)
        try:
            with context.clone():
                item = generator.send(None)
            while True:
                try:
                    request = yield item
                except GeneratorExit:
                    with context.clone():
                        generator.close()
                    raise
                except BaseException as error:
                    with context.clone():
                        item = generator.throw(error)
                else:
                    with context.clone():
                        item = generator.send(request)
        except StopIteration as stop:
            return stop.value

    return decorated


def is_multithreading_enabled() -> bool:
    """Return this thread's setting of `set_multithreading_enabled`, True by default.

    >>> is_multithreading_enabled()
    True
    """
    return getattr(_thread, "multithreading", True)


class set_multithreading_enabled:
    """Set whether backward may use its own threads, immediately or, as a context, until the end of the block.

    Here backward always runs in the thread that calls it, and only kernels are split over threads, so the setting only
    affects the result of `is_multithreading_enabled`.

    >>> with set_multithreading_enabled(False):
    ...     print(torch.autograd.is_multithreading_enabled())
    False
    """

    def __init__(self, mode: bool) -> None:
        self.mode, self.previous = bool(mode), is_multithreading_enabled()
        _thread.multithreading = self.mode

    def __call__(self, function: _F) -> Any:
        self.__exit__(None, None, None)
        return decorate(self, function)

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        _thread.multithreading = self.previous

    def clone(self) -> Any:
        return set_multithreading_enabled(self.mode)
