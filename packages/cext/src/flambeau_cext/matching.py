"""Why arguments do not match a schema, in PyTorch's words for operators of ``torch.ops``."""

from collections.abc import Mapping, Sequence
from numbers import Number
from typing import Any

import flambeau_tensor as torch
from flambeau_tensor.extend import Operator

_NAMES = {"SymInt": "int", "Scalar": "number", "ScalarType": "int"}  # in messages


def refusal(op: Operator, args: Sequence[Any], kwargs: Mapping[str, Any]) -> str | None:
    """Return an error message if the arguments of a call do not match the operator's schema, else None.

    >>> from flambeau_tensor import neg
    >>> refusal(neg, (), {}).partition(". ")[0]
    "torch::neg() is missing value for argument 'self'"
    """
    schema = op.schema
    arguments = schema.arguments
    namespace = op.namespace.removeprefix("torch.ops.").removeprefix("torch.") or "aten"
    name = f"{namespace}::{op.name}"
    declared = f"Declaration: {schema}"
    given, most = len(args) + len(kwargs), len(arguments)
    if given > most:
        return f"{name}() expected at most {most} argument(s) but received {given} argument(s). {declared}"
    positional = sum(not a.kwarg_only for a in arguments)
    if len(args) > positional:
        return f"{name}() takes {positional} positional argument(s) but {len(args)} was/were given.  {declared}"
    for i, a in enumerate(arguments):
        if i < len(args):
            value = args[i]
        elif a.name in kwargs:
            value = kwargs[a.name]
        elif a.has_default:
            continue
        else:
            return f"{name}() is missing value for argument '{a.name}'. {declared}"
        if not _matches(a, value):
            return (
                f"{name}() Expected a value of type '{type_name(a)}' for argument '{a.name}' but instead found type "
                f"'{type(value).__name__}'.\nPosition: {i}\nValue: {value!r}\n{declared}\n"
                f"Cast error details: Unable to cast {value} to {type_name(a)}"
            )
    index = {a.name: i for i, a in enumerate(arguments)}
    for word in kwargs:
        if word not in index:
            return f"Unknown keyword argument '{word}' for operator '{name}'. Schema: {schema}"
        if index[word] < len(args):
            return f"Argument '{word}' specified both as positional and keyword argument. Schema: {schema}"
    return None


def type_name(argument: Any) -> str:
    """An argument's type as PyTorch's messages have it.

    >>> from flambeau_tensor.extend import parse
    >>> [type_name(a) for a in parse("f(Tensor(a!)? x, SymInt[2]? size, Tensor[] xs) -> ()").arguments]
    ['Optional[Tensor]', 'Optional[List[int]]', 'List[Tensor]']
    """
    base = _base(argument)
    text = _NAMES.get(base, base)
    text = f"List[{text}]" if argument.is_list else text
    return f"Optional[{text}]" if argument.optional else text


def _base(argument: Any) -> str:
    """The type without marks of lists, aliases and None."""
    return argument.type.partition("(")[0].partition("[")[0].rstrip("?")


def _matches(argument: Any, value: object) -> bool:
    if value is None and argument.optional:
        return True
    kind = _base(argument)
    if not argument.is_list:
        return _is(kind, value)
    if isinstance(value, list | tuple):
        return all(_is(kind, v) or (v is None and "?[" in argument.type) for v in value)
    return bool(argument.size) and _is(kind, value)


def _is(kind: str, value: object) -> bool:
    """Whether a value may have a type; if unsure, True."""
    if hasattr(type(value), "__torch_function__") and not isinstance(value, torch.Tensor):
        return True
    match kind:
        case "Tensor":
            return isinstance(value, torch.Tensor)
        case "int" | "SymInt":
            return hasattr(type(value), "__index__")
        case "float" | "Scalar":
            return isinstance(value, Number | torch.Tensor)
        case "bool":
            return isinstance(value, bool) or type(value).__name__ == "bool"
        case "str":
            return isinstance(value, str)
        case "ScalarType":
            return isinstance(value, torch.dtype)
        case _:
            return True
