"""PyTorch's names that are not here, and the one error that says so.

Modules end their ``__getattr__`` with ``raise missing(...)``. What is no name of PyTorch's either stays the ordinary
AttributeError of a typing mistake. Modules of which little is here, and whose names are not listed, end it with
``raise left_out(...)``.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, NoReturn


class NotBuiltError(NotImplementedError, AttributeError):
    """A part of PyTorch that is not here was asked for. ``hasattr`` takes it for an answer."""


def not_built(name: str) -> NotBuiltError:
    """The error for a full name.

    >>> not_built("torch.func.functionalize")
    NotBuiltError('torch.func.functionalize is not built')
    """
    return NotBuiltError(f"{name} is not built")


@cache
def names_of_pytorch() -> dict[str, frozenset[str]]:
    """The public names by place: ``{"torch.nn": {"Linear", ...}, ...}``."""
    from pathlib import Path

    places: dict[str, set[str]] = {}
    for line in Path(__file__).with_name("pytorch_names.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            place, _, name = line.rpartition(".")
            places.setdefault(place, set()).add(name)
    return {place: frozenset(names) for place, names in places.items()}


def missing(place: str, name: str) -> AttributeError:
    """The error for an attribute that a module does not have, ``place`` being the module's name in PyTorch."""
    if name in names_of_pytorch().get(place, ()):
        return not_built(f"{place}.{name}")
    return AttributeError(f"module {place!r} has no attribute {name!r}")


def left_out(place: str, name: str) -> AttributeError:
    """The error for an attribute of a module whose every name counts as PyTorch's, but what Python itself asks for.

    >>> left_out("torch.onnx", "dynamo_export")
    NotBuiltError('torch.onnx.dynamo_export is not built')
    >>> left_out("torch.onnx", "__path__")
    AttributeError("module 'torch.onnx' has no attribute '__path__'")
    """
    if name.startswith("__"):
        return AttributeError(f"module {place!r} has no attribute {name!r}")
    return not_built(f"{place}.{name}")


def function_not_built(name: str, why: str = "") -> Callable[..., NoReturn]:
    """A function, by its full name, that raises when it is called; `why` follows what the error says."""

    def function(*args: Any, **kwargs: Any) -> NoReturn:
        raise NotBuiltError(f"{name} is not built{why}")

    function.__name__ = function.__qualname__ = name.rpartition(".")[2]
    function.__doc__ = "Raises: it is not built."
    return function
