"""How a type handles every overridable function: the report of `python -m flambeau_overrides module:Type`.

Each function is tried once: the type's handler is called with the function and with arguments that fit its signature.
The outcome of the call classifies the function, so types need no declarations.
"""

import sys
from collections.abc import Callable, Iterable
from inspect import Parameter, signature
from types import WrapperDescriptorType
from typing import Any
from warnings import catch_warnings, simplefilter

from flambeau_overrides._dispatch import overloaded_args
from flambeau_overrides.modes import TorchFunctionMode
from flambeau_overrides.registry import display_name, get_overridable_functions, resolve_name

# Replacements for arguments with these annotations; all other arguments are the example.
_PLAIN: dict[str, object] = {
    "int": 1,
    "float": 1.0,
    "complex": 1.0,
    "Number": 1,
    "bool": True,
    "str": "",
    "bytes": b"",
    "torch.dtype": float,  # float is accepted as a dtype
    "Callable": lambda *args: None,
    "None": None,
}


class Coverage:
    """Lists which overridable functions a type handles, refuses and misses.

    Attributes:
        cls: the type.
        handled: the functions that its handler implements, or calls on other arguments.
        refused: those for which it returns NotImplemented, so users get a TypeError.
        missed: the functions for which it raises, with the exceptions.
    """

    def __init__(self, cls: type):
        self.cls = cls
        self.handled: list[Any] = []
        self.refused: list[Any] = []
        self.missed: dict[Any, Exception] = {}

    def __str__(self) -> str:
        total = len(self.handled) + len(self.refused) + len(self.missed)
        lines = [
            f"{self.cls.__name__} handles {len(self.handled)} of {total} overridable functions, refuses "
            f"{len(self.refused)} and misses {len(self.missed)}."
        ]
        for title, functions in (("Handled", self.handled), ("Refused", self.refused)):
            lines += _by_namespace(title, functions)
        if self.missed:
            lines += ["", "Missed", *sorted(f"  {display_name(f)}: {_line(error)}" for f, error in self.missed.items())]
        return "\n".join(lines)


def coverage(example: Any, functions: list[Any] | None = None) -> Coverage:
    """Test the type of `example` with every overridable function.

    Only the handler is called, which may call functions. A handler may therefore change `example`, as in-place
    functions do.

    Args:
        example: an instance of a type with `__torch_function__`. It stands for every argument that is not annotated
            as a number, a text or the like.
        functions: the functions to try. Default: all that get_overridable_functions() lists.

    >>> from flambeau_overrides import overridable
    >>> @overridable
    ... def area(shape): ...
    >>> @overridable
    ... def scale(shape, factor: float): ...
    >>> class Square:
    ...     def __init__(self, side):
    ...         self.side = side
    ...     @classmethod
    ...     def __torch_function__(cls, func, types, args=(), kwargs=None):
    ...         return args[0].side ** 2 if func is area else NotImplemented
    >>> found = coverage(Square(3), [area, scale])
    >>> found.handled == [area], found.refused == [scale]
    (True, True)
    """
    cls = type(example)
    if not hasattr(cls, "__torch_function__"):
        raise TypeError(f"{cls.__name__} has no __torch_function__: it overrides nothing")
    handler = example.__torch_function__
    if functions is None:
        # Skip the slot wrappers of Python's syntax: handlers receive the method instead, and that is tried separately.
        functions = [
            f
            for f in dict.fromkeys(f for group in get_overridable_functions().values() for f in group)
            if not isinstance(f, WrapperDescriptorType)
        ]
    found = Coverage(cls)
    for func in functions:
        args, kwargs = sample_arguments(func, example)
        watch = _Watch(func, cls)
        try:
            with catch_warnings(), watch:
                simplefilter("ignore")  # warnings about unusual arguments
                answer = handler(func, (cls,), args, kwargs)
        except Exception as error:
            # An error that the function raises for these arguments is not a fault of the type.
            if not watch.passed_on:
                found.missed[func] = error
                continue
            answer = None
        (found.refused if answer is NotImplemented else found.handled).append(func)
    return found


def sample_arguments(func: Callable[..., Any], example: object) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return arguments with which `func` can be called: `example`, or a plain value where the annotation asks for one.

    >>> def clip(values: "Values", low: float, *, names: "list[str]", high: float = 1.0): ...
    >>> sample_arguments(clip, "example")
    (('example', 1.0), {'names': ['']})
    """
    try:
        # If the function has several signatures, use the first one in its attribute `overloads`.
        parameters = signature(getattr(func, "overloads", (func,))[0]).parameters.values()
    except (TypeError, ValueError):
        return (example,), {}
    args: list[Any] = []
    kwargs: dict[str, Any] = {}
    for p in parameters:
        if p.kind is Parameter.VAR_POSITIONAL:
            if not any(a is example for a in args):
                args.append(example)
        elif p.default is Parameter.empty and p.kind is not Parameter.VAR_KEYWORD:
            value = _sample(p.annotation, example)
            if p.kind is Parameter.KEYWORD_ONLY:
                kwargs[p.name] = value
            else:
                args.append(value)
    return tuple(args), kwargs


def _sample(annotation: Any, example: object) -> Any:
    if annotation is Parameter.empty:
        return example
    text = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", str(annotation))
    first = text.strip("'\"").partition("|")[0].strip()  # in "Tensor | Number", the first is the usual one
    outer, _, inner = first.partition("[")
    if outer.lower() in ("sequence", "list", "tuple", "iterable"):
        return [_sample(inner.removesuffix("]").partition(",")[0].strip() or Parameter.empty, example)]
    return _PLAIN.get(outer, example)


class _Watch(TorchFunctionMode):
    """Notes whether `func` is called on arguments among which `cls` no longer overrides."""

    def __init__(self, func: object, cls: type) -> None:
        self.func, self.cls, self.passed_on = func, cls, False

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: tuple[type, ...],
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        # `types` does not tell: for a method without arguments it always contains the type of the object.
        given = [a for x in (*args, *(kwargs or {}).values()) for a in (x if isinstance(x, (list, tuple)) else (x,))]
        if func is self.func and not any(type(a) is self.cls for a in overloaded_args(given)):
            self.passed_on = True
        return func(*args, **(kwargs or {}))


def _by_namespace(title: str, functions: Iterable[Any]) -> list[str]:
    """Lines that list functions under `title`."""
    from textwrap import wrap

    groups: dict[str, list[str]] = {}
    for name in sorted(map(display_name, functions)):
        attribute, _, accessor = name.rpartition(".")  # shape.__get__ is one name
        namespace, _, name = attribute.rpartition(".") if accessor in ("__get__", "__set__") else (attribute, "", name)
        groups.setdefault(namespace, []).append(name.removeprefix(namespace + "."))
    lines = ["", title] if groups else []
    for namespace, names in groups.items():
        lines += wrap(
            f"{namespace}: {', '.join(names)}",
            100,
            initial_indent="  ",
            subsequent_indent="    ",
            break_long_words=False,
            break_on_hyphens=False,
        )
    return lines


def _line(error: Exception) -> str:
    from textwrap import shorten

    text = str(error).strip().partition("\n")[0]
    return shorten(f"{type(error).__name__}: {text}" if text else type(error).__name__, 160, placeholder=" ...")


def example_of(target: str) -> object:
    """Return the instance that a text names: `module:Type`, `module:Type(5, 2)`, `module:instance` or
    `module:function`.

    A class or a function is called without arguments.
    """
    from importlib import import_module

    name, _, expression = target.partition(":")
    if not expression:
        raise ValueError(f"{target!r} does not name a type: write module:Type")
    if "" not in sys.path:
        sys.path.insert(0, "")
    value = eval(expression, vars(import_module(name)))
    if isinstance(value, type) or (callable(value) and not hasattr(type(value), "__torch_function__")):
        try:
            value = value()
        except TypeError as error:
            raise ValueError(
                f"no example of {expression}: {error}. Give the arguments, as in '{name}:{expression}(1, 2)', or name "
                "a function that returns one"
            ) from error
    return value


def main(arguments: list[str], prog: str = "python -m flambeau_overrides") -> int:
    """Print the report for the command line; return 1 if the type misses a function, 2 if it cannot be tried."""
    from argparse import ArgumentParser

    parser = ArgumentParser(prog=prog, description="What a type makes of every function.")
    parser.add_argument("target", help="module:Type, module:Type(arguments), module:instance or module:function")
    parser.add_argument("--namespace", help="only the functions of this namespace, such as torch.nn.functional")
    options = parser.parse_args(arguments)
    try:
        example = example_of(options.target)
        found = coverage(example, None if options.namespace is None else _functions_of(options.namespace))
    except (ImportError, NameError, AttributeError, SyntaxError, ValueError, TypeError) as error:
        parser.exit(2, f"{parser.prog}: {error}\n")
    print(found)
    return 1 if found.missed else 0


def _functions_of(namespace: str) -> list[Any]:
    functions = []
    for key, group in get_overridable_functions().items():
        if namespace in (key, getattr(key, "__name__", None), getattr(key, "__qualname__", None)):
            functions += group
        else:
            functions += [f for f in group if (resolve_name(f) or "").rpartition(".")[0] == namespace]
    if not functions:
        raise ValueError(f"there are no overridable functions in a namespace {namespace!r}")
    return functions
