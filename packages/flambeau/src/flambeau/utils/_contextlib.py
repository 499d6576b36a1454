"""``torch.utils._contextlib``: context managers that decorate functions, too, generators among these."""

from collections.abc import Callable
from typing import Any, cast

from flambeau_autograd.grad_mode import decorate

__all__ = ["_DecoratorContextManager", "_NoParamDecoratorContextManager", "context_decorator"]


def context_decorator(ctx: Any, func: Callable[..., Any]) -> Callable[..., Any]:
    """Run `func` inside a context for each call and generator step: ``ctx`` itself, or the result of ``ctx()``."""
    if hasattr(ctx, "__enter__") and callable(ctx):
        raise AssertionError(f"{ctx!r} is both a context manager and callable, which is ambiguous")
    if isinstance(func, type):
        raise RuntimeError("classes cannot be decorated; decorate their methods")
    return cast("Callable[..., Any]", decorate(_Fresh((lambda: ctx) if hasattr(ctx, "__enter__") else ctx), func))


class _Fresh:
    def __init__(self, clone: Callable[[], Any]) -> None:
        self.clone = clone


class _DecoratorContextManager:
    """Base of context managers that can be written as ``@manager(...)``.

    >>> class quiet(_DecoratorContextManager):
    ...     def __enter__(self): print("in")
    ...     def __exit__(self, *exc): print("out")
    >>> @quiet()
    ... def f(): return 1
    >>> f()
    in
    out
    1
    """

    def __call__(self, orig_func: Callable[..., Any]) -> Callable[..., Any]:
        return cast("Callable[..., Any]", decorate(self, orig_func))

    def __enter__(self) -> Any:
        raise NotImplementedError

    def __exit__(self, exc_type: Any, exc_value: Any, traceback: Any) -> None:
        raise NotImplementedError

    def clone(self) -> Any:
        """Return a new context for each call; classes with constructor arguments override this."""
        return self.__class__()


class _NoParamDecoratorContextManager(_DecoratorContextManager):
    """Base of those that can be written as ``@manager``, too."""

    def __new__(cls, orig_func: Callable[..., Any] | None = None) -> Any:
        made = super().__new__(cls)
        return made if orig_func is None else made(orig_func)
