"""Descriptions of calls: why a program that was built for another call does not match."""

from collections.abc import Iterator
from typing import Any

import flambeau_tensor as ft
from flambeau_autograd import is_grad_enabled, is_inference_mode_enabled


def look_of(args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, str]:
    """Return the properties that a program depends on: a description of each argument, and the state of the thread."""
    found = {"the default dtype": str(ft.get_default_dtype())}
    found["grad mode"] = "inference mode" if is_inference_mode_enabled() else "on" if is_grad_enabled() else "off"
    for i, value in enumerate(args):
        found.update(_looks(f"argument {i}", value))
    for name, value in kwargs.items():
        found.update(_looks(f"argument {name!r}", value))
    return found


def difference(before: dict[str, str], now: dict[str, str]) -> str:
    """The first difference between two calls, as the reason for another program."""
    for name in {**before, **now}:
        was, is_ = before.get(name, "left out"), now.get(name, "left out")
        if was != is_:
            return f"{name} is {is_}, it was {was}"
    return "an element that it reads, or how its arguments lie in memory, is another"


def _looks(name: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, ft.Tensor):
        yield name, _of_tensor(value)
    elif isinstance(value, (tuple, list)):
        yield name, f"a {type(value).__name__} of {len(value)}"
        for i, each in enumerate(value):
            yield from _looks(f"{name}[{i}]", each)
    elif isinstance(value, dict):
        yield name, f"a {type(value).__name__} with the keys {list(value)}"
        for key, each in value.items():
            yield from _looks(f"{name}[{key!r}]", each)
    elif value is None or isinstance(value, (bool, int, float, complex, str)):
        yield name, repr(value)
    else:
        yield name, f"an object of type {type(value).__name__} at {id(value):#x}"


def _of_tensor(t: Any) -> str:
    lies = "" if t.is_meta or t.layout != ft.strided or t.is_contiguous() else f" with strides {t.stride()}"
    kind = "tensor" if type(t) is ft.Tensor else type(t).__name__
    return f"a {kind} of {t.dtype} and shape {tuple(t.shape)}{lies}" + (" that requires grad" * t.requires_grad)
