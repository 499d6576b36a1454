"""Objects that a call creates and returns, such as instances of dataclasses: a program creates them from attributes.

Their constructors run during the trace, where their effects are observed like those of all code.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MemberDescriptorType
from typing import Any, NamedTuple

from flambeau_compile._objects import made_by_python
from flambeau_compile.symbols import Symbol, like
from flambeau_nn import Module

__all__ = ["Fields", "opened", "remade"]


class Fields(NamedTuple):
    """An object, as its class and its attributes."""

    kind: type
    state: dict[str, Any]


def opened(o: Any, made: Mapping[int, Any] | None = None, known: dict[int, Any] | None = None) -> Any:
    """Replace objects in nested results by their Fields; what occurs twice is replaced by the same.

    Args:
        o: the result.
        made: by id, the objects that the call has created; None: all objects.
        known: what was replaced, by ids.
    """
    known = {} if known is None else known
    if id(o) in known:
        return known[id(o)]
    if type(o) is list:
        known[id(o)] = _same(o, [opened(each, made, known) for each in o])
        return known[id(o)]
    if type(o) is dict:
        found = {key: opened(each, made, known) for key, each in o.items()}
        known[id(o)] = found if any(found[key] is not each for key, each in o.items()) else o
        return known[id(o)]
    if isinstance(o, tuple):
        items = _same(o, [opened(each, made, known) for each in o])
        return o if items is o else like(o, items)
    if type(o) is not Symbol and (made is None or made.get(id(o)) is o):
        state = _state(o)
        if state is not None:
            known[id(o)] = o  # of an object that contains itself
            known[id(o)] = Fields(type(o), {name: opened(value, made, known) for name, value in state.items()})
            return known[id(o)]
    return o


def _same(o: Any, items: list[Any]) -> Any:
    return o if all(a is b for a, b in zip(o, items, strict=True)) else items


def _state(o: Any) -> dict[str, Any] | None:
    """Return the attributes of an object if they are all that it consists of."""
    kind = type(o)
    bases = kind.__mro__[:-1]
    if not bases or not all(map(made_by_python, bases)) or isinstance(o, Module) or hasattr(kind, "__del__"):
        return None
    slots = [d for base in bases for d in vars(base).values() if type(d) is MemberDescriptorType]
    found = {d.__name__: d.__get__(o) for d in slots if hasattr(o, d.__name__)}
    return {**found, **getattr(o, "__dict__", {})}


def remade(o: Any) -> Any:
    """Replace Fields in nested results by new objects."""
    if type(o) is Fields:
        made: Any = object.__new__(o.kind)
        for name, value in o.state.items():
            object.__setattr__(made, name, remade(value))
        return made
    if type(o) is list:
        return [remade(each) for each in o]
    if type(o) is dict:
        return {key: remade(each) for key, each in o.items()}
    return like(o, [remade(each) for each in o]) if isinstance(o, tuple) else o
