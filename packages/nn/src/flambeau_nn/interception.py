"""Interception of all modules: calls and reads of attributes may return other values.

It is for tracers; hooks are the way to follow one module. While it lasts, calls and reads of attributes of all modules
of the process are slower.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from flambeau_nn._module import ModuleBase, take_fast_slots
from flambeau_nn.modules.module import Module

__all__ = ["intercepted", "restored"]


def _subclasses(cls: type) -> Iterator[type]:
    yield cls
    sub: type
    for sub in type.__subclasses__(cls):
        yield from _subclasses(sub)


def restored(cls: type) -> None:
    """Re-enable fast calls and reads for a class of modules and its subclasses after its methods were restored."""
    for sub in _subclasses(cls):
        take_fast_slots(sub)


@contextmanager
def intercepted(call: Callable[..., Any], attribute: Callable[..., Any]) -> Iterator[None]:
    """Replace calls and attributes of modules in this context by functions.

    Args:
        call: receives a module, args, kwargs, and the original call as a function of ``*args, **kwargs``; returns the
            result.
        attribute: receives a module, the name of a parameter, buffer or submodule, and its value; returns the value
            to return to the reader.
    """
    original = Module.__call__
    read = ModuleBase.__getattr__

    def __call__(self: Module, *args: Any, **kwargs: Any) -> Any:  # noqa: N807
        return call(self, args, kwargs, lambda *args, **kwargs: original(self, *args, **kwargs))

    def __getattr__(self: Module, name: str) -> Any:  # noqa: N807
        return attribute(self, name, outer(self, name) if outer else read(self, name))

    outer = Module.__dict__.get("__getattr__")
    Module.__call__, Module.__getattr__ = __call__, __getattr__  # type: ignore[method-assign, assignment]
    try:
        yield
    finally:
        Module.__call__ = original  # type: ignore[method-assign]
        if outer is None:
            del Module.__getattr__
        else:
            Module.__getattr__ = outer  # type: ignore[method-assign]
        restored(Module)
