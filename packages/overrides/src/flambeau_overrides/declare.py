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
    """Make a plain function overridable, and list it.

    All arguments are looked at, and the items of lists and tuples among them. Without an overriding type in it, a call
    goes on to the function for some nanoseconds more.

    Args:
        function: the function. Without it, a decorator is returned.
        namespace: where users find it: a dotted name, a module or a class. Default: the module that defines it.
        name: what users call it there. Default: its own name.
        signature: what get_testing_overrides() shows, see register(). Default: its own signature.
        method: let it bind like a method. Otherwise it stays a function in a class body too.
        packing: which arguments handlers get in `args` and which in `kwargs`, as `Packing` has it. Default: as they are
            written.

    Raises:
        AttributeError: what is declared is not callable.

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
    """A decorator that asks only the arguments which `dispatcher`, called with the function's arguments, returns.

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
