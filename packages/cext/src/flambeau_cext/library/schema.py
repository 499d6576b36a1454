"""Schemas of custom operators: read off a function's type hints, and names such as ``"mylib::leaky"``."""

import collections.abc
import functools
import inspect
import operator
import types
import typing
from collections.abc import Callable, Iterable
from typing import Any

import flambeau_tensor as torch
from flambeau_tensor.extend import parse

_NUMBER = (int, float, bool)
_PARAMETERS = {
    torch.Tensor: "Tensor", int: "SymInt", float: "float", bool: "bool", str: "str", torch.dtype: "ScalarType",
    torch.device: "Device", _NUMBER: "Scalar",
}  # fmt: skip
_RETURNS = {torch.Tensor: "Tensor", int: "SymInt", float: "float", bool: "bool", _NUMBER: "Scalar"}
_IN_LISTS = {torch.Tensor, int, float, bool, torch.dtype, torch.device, _NUMBER}
_LISTS = (list, collections.abc.Sequence)


def infer_schema(
    prototype_function: Callable[..., Any], /, *, mutates_args: str | Iterable[str], op_name: str | None = None
) -> str:
    """Return the schema of a function, derived from its type hints.

    Args:
        prototype_function: a function with hints for its parameters: Tensor, int, float, bool, str, dtype, device,
            ``int | float | bool`` for a number, lists of these, and any of these ``| None``; and for its result:
            Tensor, a list of Tensors, a number, a tuple of these, or None.
        mutates_args: the names of the Tensor parameters that it writes to, or ``"unknown"``: any of them.
        op_name: a name at the beginning of the schema.

    Raises:
        ValueError: a hint is missing or is not a type of operators; the message names the parameter.

    >>> def scaled(x: torch.Tensor, factor: float = 2.0, *, dim: int | None = None) -> torch.Tensor: ...
    >>> infer_schema(scaled, mutates_args=())
    '(Tensor x, float factor=2.0, *, SymInt? dim=None) -> Tensor'
    >>> def fill(x: torch.Tensor) -> None: ...
    >>> infer_schema(fill, mutates_args={"x"}, op_name="fill")
    'fill(Tensor(a0!) x) -> ()'
    """
    if isinstance(mutates_args, str):
        if mutates_args != "unknown":
            raise ValueError(
                "mutates_args must either be a sequence of the names of the arguments that are mutated or the string "
                "'unknown'."
            )
        written = None
    else:
        written = set(mutates_args)
    signature = inspect.signature(prototype_function)

    def error(what: str) -> ValueError:
        return ValueError(f"infer_schema(func): {what} Got func with signature {signature})")

    hints = _hints(prototype_function, signature, error)
    parts, starred = [], False
    for index, p in enumerate(signature.parameters.values()):
        if p.kind not in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY):
            raise error("We do not support positional-only args, varargs, or varkwargs.")
        if p.kind is p.KEYWORD_ONLY and not starred:
            parts.append("*")
            starred = True
        if p.annotation is p.empty:
            raise error(f"Parameter {p.name} must have a type annotation.")
        kind = _spell(hints[p.name], _PARAMETERS, lists=True, optional=True)
        if kind is None:
            more = ""
            if typing.get_origin(hints[p.name]) is tuple:
                more = " We do not support Tuple inputs in schema. As a workaround, please try to use List instead."
            raise error(f"Parameter {p.name} has unsupported type {hints[p.name]}.{more} The valid types are: "
                        f"{_names(_PARAMETERS)}, lists of them, and all of these | None.")  # fmt: skip
        if written is None or p.name in written:
            if kind.startswith("Tensor"):
                kind = kind.replace("Tensor", f"Tensor(a{index}!)", 1)
            elif written is not None:
                raise error(
                    f"Parameter {p.name} is in mutable_args but only Tensors or collections of Tensors can be mutated"
                )
        text = f"{kind} {p.name}"
        if p.default is not p.empty:
            text += f"={_spell_default(p, error)}"
        parts.append(text)
    unknown = (written or set()) - set(signature.parameters)
    if unknown:
        raise error(
            f"{unknown} in mutates_args were not found in the custom op's signature. mutates_args should contain the "
            "names of all args that the custom op mutates, or just the string 'unknown' if you don't know."
        )
    if signature.return_annotation is signature.empty:
        raise error("No return type annotation was provided. Please add one.")
    return f"{op_name or ''}({', '.join(parts)}) -> {_spell_returns(hints['return'], error)}"


def _hints(
    function: Callable[..., Any], signature: inspect.Signature, error: Callable[[str], ValueError]
) -> dict[str, Any]:
    """Return the annotations as objects, including those written as strings."""
    found = {p.name: p.annotation for p in signature.parameters.values()}
    found["return"] = signature.return_annotation
    plain = inspect.unwrap(function)
    space = {"torch": torch, "Tensor": torch.Tensor, **getattr(plain, "__globals__", {})}
    for name, hint in found.items():
        if isinstance(hint, str):
            try:
                found[name] = eval(hint, space)
            except Exception as failure:
                raise error(f"Unsupported type annotation {hint}. It is not a type: {failure}.") from failure
    return found


def _key(hint: object) -> object:
    """Return the key of a hint in the tables: a class, or the numbers for a union of them."""
    if typing.get_origin(hint) in (typing.Union, types.UnionType) and set(typing.get_args(hint)) == set(_NUMBER):
        return _NUMBER
    return hint


def _spell(hint: object, table: dict[Any, Any], *, lists: bool, optional: bool) -> str | None:
    """A hint in the schema language, None when there is nothing like it."""
    key = _key(hint)
    try:
        if key in table:
            return table[key]
    except TypeError:  # not hashable
        return None
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if optional and origin in (typing.Union, types.UnionType) and type(None) in args:
        rest = functools.reduce(operator.or_, [a for a in args if a is not type(None)])
        kind = _spell(rest, table, lists=lists, optional=False)
        return kind and f"{kind}?"
    if lists and origin in _LISTS and len(args) == 1:
        kind = _spell(args[0], table, lists=False, optional=args[0] == (torch.Tensor | None))
        return f"{kind}[]" if kind and (kind == "Tensor?" or _key(args[0]) in _IN_LISTS) else None
    return None


def _spell_default(p: inspect.Parameter, error: Callable[[str], ValueError]) -> str:
    value = p.default
    if value is None or isinstance(value, bool | int | float):
        return str(value)
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, torch.dtype):
        return str(value).removeprefix("torch.")
    if isinstance(value, torch.device):
        return f'"{value}"'
    if isinstance(value, list | tuple) and all(isinstance(v, bool | int | float) for v in value):
        return f"[{', '.join(map(str, value))}]"
    raise error(f"Parameter {p.name} has an unsupported default value type {type(value)}.")


def _spell_returns(hint: object, error: Callable[[str], ValueError]) -> str:
    if hint is None or hint is type(None):
        return "()"
    if typing.get_origin(hint) is tuple:
        kinds = [_spell(a, _RETURNS, lists=True, optional=False) for a in typing.get_args(hint)]
        if all(kinds):
            return f"({', '.join(map(str, kinds))})"
    kind = _spell(hint, _RETURNS, lists=True, optional=False)
    if kind is not None and (kind in _RETURNS.values() or kind == "Tensor[]"):
        return kind
    raise error(f"Return has unsupported type {hint}. The valid types are: {_names(_RETURNS)}, list[Tensor], tuples of "
                "them, and None.")  # fmt: skip


def _names(table: dict[Any, Any]) -> str:
    return ", ".join("int | float | bool" if key is _NUMBER else key.__name__ for key in table)


def split_name(qualname: str) -> tuple[str, str]:
    """The namespace and the name of ``"namespace::name"``; the name may have an overload after a dot.

    >>> split_name("mylib::leaky")
    ('mylib', 'leaky')
    """
    parts = qualname.split("::") if isinstance(qualname, str) else []
    if len(parts) != 2 or not all(parts):
        raise ValueError(
            f'Expected `qualname` to be of the form "namespace::name", but got {qualname}. The qualname passed to the '
            "torch.library APIs must consist of a namespace and a name, e.g. mylib::sin"
        )
    return parts[0], parts[1]


def parsed(namespace: str, text: str) -> Any:
    """The schema ``"name(...) -> ..."`` as an operator's of this namespace.

    Raises ValueError when it cannot be read, or belongs to another namespace.
    """
    schema = parse(text)
    if schema.namespace not in ("", namespace):
        raise ValueError(f"the schema '{text}' is of namespace {schema.namespace}, not {namespace}")
    return schema


def is_functional(schema: Any) -> bool:
    """Whether an operator of this schema writes to no argument and returns nothing that shares memory with one."""
    return bool(schema.returns) and not any(a.alias for a in (*schema.arguments, *schema.returns))
