"""Errors for wrong constructor arguments of layers, in Python's words and with the layer's own name."""

from functools import wraps
from inspect import Parameter, signature
from types import FunctionType
from typing import Any

from flambeau_overrides.suggestions import suggesting


def _complaint(init: Any, name: str, arguments: tuple[Any, ...], options: dict[str, Any]) -> TypeError | None:
    """Return Python's error if the arguments do not fit a function of that name, or None."""
    plain = [
        p.replace(annotation=Parameter.empty, default=None if p.default is not Parameter.empty else Parameter.empty)
        for p in signature(init).parameters.values()
    ]
    scope: dict[str, Any] = {}
    exec(f"def __init__{signature(init).replace(parameters=plain, return_annotation=Parameter.empty)}: pass", scope)
    scope["__init__"].__qualname__ = name
    try:
        scope["__init__"](*arguments, **options)
    except TypeError as wrong:
        parameters = signature(init).parameters
        unknown = [name for name in options if name not in parameters]
        return suggesting(wrong, unknown[0], list(parameters)[1:]) if unknown else wrong
    return None


def name_in_errors(cls: type) -> None:
    """Make errors name a class of this package whose ``__init__`` is compiled or inherited.

    Cython's message is "__init__() takes at least 3 positional arguments (2 given)", and an inherited function names
    its own class.
    """
    init, home = cls.__init__, cls.__module__  # type: ignore[misc]
    own = cls.__dict__.get("__init__")
    if not home.startswith("flambeau_nn.") or cls.__name__.startswith("_") or isinstance(own, FunctionType):
        return
    if init.__qualname__ == "Module.__init__":  # which names the class itself
        return

    @wraps(init)
    def __init__(self: Any, *arguments: Any, **options: Any) -> None:
        try:
            init(self, *arguments, **options)
        except TypeError:
            wrong = _complaint(init, __init__.__qualname__, (self, *arguments), options)
            if wrong is None:
                raise
            raise wrong.with_traceback(None) from None

    __init__.__qualname__ = f"{cls.__qualname__}.__init__"
    cls.__init__ = __init__  # type: ignore[misc]
