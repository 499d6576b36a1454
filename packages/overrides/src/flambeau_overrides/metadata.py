"""Metadata: attributes that a class declares, and that functions copy from their arguments to their results.

A class lists them in `__torch_metadata__`, each with a rule that merges the values of the arguments into one. The
default handler of a library's base class calls the functions below.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing is slow to import
    from collections.abc import Iterator
    from typing import Any

_DECLARED = "__torch_metadata__"


def first(values: list[object]) -> object:
    """A metadata rule: the value of the first argument that has one.

    Raises:
        IndexError: ``values`` is empty.

    >>> first(["m", "s"])
    'm'
    """
    return values[0]


def agreed(values: list[object]) -> object:
    """A metadata rule: the common value of all arguments.

    Raises:
        ValueError: the values differ.

    >>> agreed(["m", "m"])
    'm'
    >>> agreed(["m", "s"])
    Traceback (most recent call last):
        ...
    ValueError: 'm' and 's' do not agree
    """
    for value in values:
        if value is not values[0] and value != values[0]:
            raise ValueError(f"{values[0]!r} and {value!r} do not agree")
    return values[0]


def declare(cls: type) -> bool:
    """Check the declarations of a new class and add those of its bases. Meant for `__init_subclass__`.

    Returns whether the class has any metadata.
    """
    own = vars(cls).get(_DECLARED)
    if own is not None and not (
        isinstance(own, dict) and all(isinstance(name, str) and callable(rule) for name, rule in own.items())
    ):
        raise TypeError(
            f"{cls.__name__}.__torch_metadata__ must be a dict from names of attributes to functions that merge a list "
            f"of their values, not {own!r}"
        )
    rules: dict[str, Any] = {}
    for base in reversed(cls.__mro__):
        rules.update(vars(base).get(_DECLARED) or {})
    if rules:
        setattr(cls, _DECLARED, rules)
    return bool(rules)


def merge(cls: type, func: object, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """Return the metadata, by name, for results of `func(*args, **kwargs)` of class `cls`.

    If a rule raises, a note on the exception names it."""
    merged = {}
    arguments = [a for a in _each(args, kwargs) if getattr(type(a), _DECLARED, None)]
    for name, rule in getattr(cls, _DECLARED).items():
        values = [getattr(a, name) for a in arguments if name in type(a).__torch_metadata__ and hasattr(a, name)]
        if values:
            try:
                merged[name] = rule(values)
            except Exception as error:
                error.add_note(f"(merging {cls.__name__}.{name} for {getattr(func, '__name__', func)}())")
                raise
    return merged


def attach(result: object, cls: type, merged: dict[str, Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Attach metadata to the instances of `cls` in `result`, except to arguments, which keep their own."""
    if isinstance(result, cls):
        if not any(result is a for a in _each(args, kwargs)):
            for name, value in merged.items():
                setattr(result, name, value)
    elif isinstance(result, (tuple, list)):
        for item in result:
            attach(item, cls, merged, args, kwargs)


def _each(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Iterator[Any]:
    for argument in (*args, *kwargs.values()):
        if isinstance(argument, (tuple, list)):
            yield from argument
        else:
            yield argument
