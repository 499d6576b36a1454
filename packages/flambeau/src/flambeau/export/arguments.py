"""The arguments of a model's call: every leaf with a name, and with its dynamic dimensions from ``dynamic_shapes``."""

import inspect
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import flambeau as torch
from flambeau.utils._pytree import tree_flatten


class UserError(RuntimeError):
    """A model that cannot be exported with these arguments or sizes."""


class Leaf(NamedTuple):
    """One leaf of the arguments.

    Args:
        name: the name of the parameter, with the path inside a container: ``x``, ``pair_0``, ``state_h``.
        value: a tensor or any other object.
        spec: its entry of ``dynamic_shapes``: a dict by dimensions, a sequence with an entry for each, or None.
    """

    name: str
    value: Any
    spec: Any


def leaves_of(
    caller: str, function: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any], shapes: Any = None
) -> list[Leaf]:
    """Return the leaves of a call's arguments, positional ones first, in the order of `tree_flatten`.

    Args:
        caller: the name of the caller in error messages.
        function: the function that is called.
        args, kwargs: its arguments.
        shapes: ``dynamic_shapes``: a dict by names of parameters, or a sequence in their order.

    Raises:
        TypeError: the function cannot be called with these arguments.
        UserError: `shapes` contains a name that is not an argument.
    """
    try:
        bound = inspect.signature(function).bind(*args, **kwargs)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{caller}: the model cannot be called with these arguments: {error}") from error
    positional = [p for p in bound.signature.parameters.values() if p.kind is not inspect.Parameter.KEYWORD_ONLY]
    given: list[tuple[str, str, Any]] = []  # name, key of `shapes`, value
    for i, value in enumerate(args):
        p = positional[min(i, len(positional) - 1)]
        several = p.kind is inspect.Parameter.VAR_POSITIONAL
        given.append((f"{p.name}_{i}" if several else p.name, p.name, value))
    given += [(key, key, value) for key, value in kwargs.items()]
    found: list[Leaf] = []
    for (name, _, value), spec in zip(given, _specs(caller, given, bound, shapes), strict=True):
        found += _leaves(name, value, spec)
    return found


def _specs(caller: str, given: list[tuple[str, str, Any]], bound: inspect.BoundArguments, shapes: Any) -> list[Any]:
    """Return the entry of `shapes` for each argument."""
    if shapes is None:
        return [None] * len(given)
    if not isinstance(shapes, Mapping):
        if not isinstance(shapes, Sequence) or isinstance(shapes, str):
            raise UserError(f"{caller}: dynamic_shapes must be a dict or a sequence, not {type(shapes).__name__}")
        by_name = dict(zip(_in_order(given, bound), shapes, strict=False))
        return [by_name.get(name) for name, _, _ in given]
    unknown = set(shapes) - set(bound.arguments) - {key for _, key, _ in given}
    if unknown:
        raise UserError(
            f"{caller}: dynamic_shapes names {sorted(unknown)}, which are no arguments: {list(bound.arguments)}"
        )
    inside = {p.name: 0 for p in bound.signature.parameters.values() if p.kind is inspect.Parameter.VAR_POSITIONAL}
    found = []
    for _, key, _ in given:
        spec = shapes.get(key)
        if key in inside:  # a sequence for all that *args takes
            spec = _item(spec, inside[key])
            inside[key] += 1
        found.append(spec)
    return found


def _in_order(given: list[tuple[str, str, Any]], bound: inspect.BoundArguments) -> list[str]:
    """Names of arguments in the order of the function's parameters."""
    order = {name: i for i, name in enumerate(bound.signature.parameters)}
    return [name for name, key, _ in sorted(given, key=lambda each: order.get(each[1], len(order)))]


def _item(spec: Any, key: Any) -> Any:
    if isinstance(spec, Mapping):
        return spec.get(key)
    return spec[key] if isinstance(spec, (list, tuple)) and isinstance(key, int) and key < len(spec) else None


def _leaves(name: str, value: Any, spec: Any) -> Iterator[Leaf]:
    inner, _ = tree_flatten(value, is_leaf=lambda o: o is not value)
    if len(inner) == 1 and inner[0] is value:
        yield Leaf(name, value, spec)
        return
    for key, each in zip(value if isinstance(value, Mapping) else range(len(inner)), inner, strict=True):
        yield from _leaves(re.sub(r"\W", "_", f"{name}_{key}"), each, _item(spec, key))


def varying(leaves: Sequence[Leaf]) -> tuple[list[dict[int, str]], dict[str, tuple[int, int | None]]]:
    """Return, for each leaf, the labels of the dimensions that vary; and the bounds of each label, None if unbounded.

    Dimensions with the same label have the same size. If ``dynamic_shapes`` names no label, it is derived from the
    leaf.
    """
    axes: list[dict[int, str]] = []
    ranges: dict[str, tuple[int, int | None]] = {}
    for name, t, spec in leaves:
        axes.append({})
        if spec is None or not isinstance(t, torch.Tensor):
            continue
        for d, dim in spec.items() if isinstance(spec, Mapping) else enumerate(spec):
            if dim is None or isinstance(dim, int) or dim is torch.export.Dim.STATIC:
                continue
            if not -t.ndim <= d < t.ndim:
                raise UserError(f"dynamic_shapes has dimension {d} of {name}, which has {t.ndim}")
            label = dim if isinstance(dim, str) else getattr(dim, "__name__", f"{name}_dim_{d % t.ndim}")
            axes[-1][d % t.ndim] = label
            least, most = getattr(dim, "min", None), getattr(dim, "max", None)
            ranges[label] = (least if isinstance(least, int) else 0, most if isinstance(most, int) else None)
    return axes, ranges
