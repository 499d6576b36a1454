"""PyTorch's names that are not here, and the one error that says so.

Modules end their ``__getattr__`` with ``raise missing(...)``. What is no name of PyTorch's either stays the ordinary
AttributeError of a typing mistake.
"""

from functools import cache


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
