"""Decorators with which a library makes its own functions overridable."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from flambeau_overrides._dispatch import handle_torch_function, has_torch_function
from flambeau_overrides._function import OverridableFunction as OverridableFunction
from flambeau_overrides._function import OverridableMethod
from flambeau_overrides._packing import Packing
from flambeau_overrides.registry import register

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing is slow to import
    from typing import Any


def overridable(
    function: Callable[..., Any] | None = None,
    /,
    *,
    namespace: object = None,
    name: str | None = None,
    signature: object = None,
    method: bool = False,
    packing: str | None = None,
) -> Any:
    """Make a function overridable, and list it.

    The decorator examines all arguments, and the items of lists and tuples among them. It adds some nanoseconds to a
    call without overriding types.

    Args:
        function: the function; if omitted, a decorator is returned.
        namespace: the namespace in which users find it: a dotted name, a module or a class; by default the module that
            defines it.
        name: its name there; by default its own name.
        signature: the signature for get_testing_overrides(), see register(); by default its own signature.
        method: whether it binds like a method. Otherwise it remains a function in a class body.
        packing: which arguments handlers receive in `args` and which in `kwargs`, see `Packing`; by default as the
            caller passed them.

    Raises:
        AttributeError: ``function`` has no ``__module__`` or ``__name__``.

    >>> @overridable
    ... def double(x):
    ...     return 2 * x
    >>> class Recorder:
    ...     @classmethod
    ...     def __torch_function__(cls, func, types, args=(), kwargs=None):
    ...         return func.__name__, len(args)
    >>> double(4), double(Recorder())
    (8, ('double', 1))
    """
    if function is None:
        return lambda function: overridable(
            function, namespace=namespace, name=name, signature=signature, method=method, packing=packing
        )
    namespace = function.__module__ if namespace is None else namespace
    name = function.__name__ if name is None else name
    wrapped = (OverridableMethod if method else OverridableFunction)(function, Packing(packing) if packing else None)
    register(namespace, name, wrapped, signature)
    return wrapped


def wrap_torch_function(
    dispatcher: Callable[..., Iterable[Any]],
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorate a function so that only the arguments that `dispatcher` returns are asked for handlers.

    `dispatcher` is called with the function's arguments.

    Raises:
        TypeError: ``dispatcher`` is not callable.

    >>> @wrap_torch_function(lambda a, b: (a,))
    ... def scale(a, b):
    ...     return a * b
    >>> scale(2, 3)
    6
    """
    from functools import wraps

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            relevant_args = dispatcher(*args, **kwargs)
            if has_torch_function(relevant_args):
                return handle_torch_function(wrapped, relevant_args, *args, **kwargs)
            return function(*args, **kwargs)

        return wrapped

    return decorate
