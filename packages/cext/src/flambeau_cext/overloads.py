"""The contents of ``torch.ops``: for each name a packet of overloads, and for each overload an object.

Both are handles on an operator: a call passes through them to the operator itself, ``__torch_function__`` handlers
receive the handle that was called, and arguments that do not match raise a RuntimeError.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from flambeau_cext.matching import refusal, type_name
from flambeau_tensor.extend import Operator, OperatorHandle, parse, quick_calls


class Argument(NamedTuple):
    """An argument or a result of a schema, as ``torch.Argument``."""

    name: str
    type: str
    default_value: object
    kwarg_only: bool
    alias_info: str | None
    is_write: bool
    N: int | None
    required: bool

    def has_default_value(self) -> bool:
        """Return True if the argument may be omitted."""
        return not self.required

    @property
    def is_out(self) -> bool:
        """Whether it is an ``out=`` argument: written to, and keyword-only."""
        return self.is_write and self.kwarg_only


class FunctionSchema:
    """The schema of a name in a namespace, as ``torch.FunctionSchema``; ``str`` returns its text."""

    def __init__(self, schema: Any, namespace: str = "") -> None:
        start = f"{namespace}::" if namespace else ""
        self.name = f"{start}{schema.name}"
        self.overload_name = schema.overload
        self.arguments = [_argument(a) for a in schema.arguments]
        self.returns = [_argument(a) for a in schema.returns]
        text = str(schema)
        self._text = text if "::" in text.partition("(")[0] else f"{start}{text}"

    @property
    def is_mutable(self) -> bool:
        """Whether it writes to an argument."""
        return any(a.is_write for a in self.arguments)

    def __str__(self) -> str:
        return self._text

    __repr__ = __str__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FunctionSchema) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(self._text)


def parse_schema(schema: str) -> FunctionSchema:
    """Read a schema, such as ``"shop::total(Tensor prices, *, float? tax=None) -> Tensor"``.

    Raises:
        RuntimeError: the text is not a schema.

    >>> [a.name for a in parse_schema("shop::total(Tensor prices, *, float? tax=None) -> Tensor").arguments]
    ['prices', 'tax']
    """
    parsed = parse(schema)
    return FunctionSchema(parsed, parsed.namespace)


def _argument(a: Any) -> Argument:
    default = a.default if a.has_default else None
    return Argument(
        a.name, type_name(a), default, a.kwarg_only, a.alias, a.write, a.size or None, not a.has_default
    )  # fmt: skip


@quick_calls
class OpOverload(OperatorHandle):
    """One overload of an operator: ``torch.ops.mylib.leaky.default``."""

    def __init__(self, packet: "OpOverloadPacket", op: Operator, overload: str) -> None:
        self.target = op
        self.overloadpacket = packet
        namespace, _, name = packet._qualified_op_name.partition("::")
        self._overloadname = overload
        self._name = f"{namespace}::{name}" + ("" if overload == "default" else f".{overload}")
        self._namespace = self.namespace = namespace
        self._opname = name
        self.__name__ = f"{name}.{overload}"
        self.__qualname__ = self._name
        self.__module__ = packet.__module__
        self.__torch_name__ = f"{namespace}.{self.__name__}"

    @property
    def _schema(self) -> FunctionSchema:
        return FunctionSchema(self.target.schema, self.target.namespace.removeprefix("torch.ops."))

    @property
    def _overloadpacket(self) -> "OpOverloadPacket":
        return self.overloadpacket

    @property
    def tags(self) -> list[Any]:
        """The tags of the operator, see `torch.Tag`."""
        from flambeau_cext.tags import tags_of

        return tags_of(self.target)

    @property
    def is_view(self) -> bool:
        """Whether a result shares memory with an argument that is not written to."""
        return any(r.alias and not r.write for r in self.target.schema.returns)

    @property
    def __signature__(self) -> Any:
        return self.target.__signature__

    @property
    def __doc__(self) -> str | None:  # type: ignore[override]
        return self.target.__doc__

    def name(self) -> str:
        """The full name: ``"mylib::leaky"``, with the overload after a dot unless that is the default."""
        return self._name

    def refusal(self, args: tuple[Any, ...], kwargs: dict[Any, Any]) -> str | None:
        """Return an error message if the arguments do not match the schema, else None."""
        return refusal(self.target, args, kwargs)

    def __repr__(self) -> str:
        return f"<OpOverload(op='{self._namespace}.{self._opname}', overload='{self._overloadname}')>"

    def __str__(self) -> str:
        return f"{self._namespace}.{self._opname}.{self._overloadname}"

    def __reduce__(self) -> tuple[Any, ...]:
        return _found, (self._namespace, self._opname, self._overloadname)


@quick_calls
class OpOverloadPacket(OperatorHandle):
    """The overloads of an operator, each an attribute: ``torch.ops.mylib.scale`` has ``Tensor`` and ``Scalar``.

    Called, it tries them in the order of their declaration.
    """

    def __init__(self, namespace: str, name: str, found: dict[str, Operator]) -> None:
        self.__name__ = name
        self.__module__ = f"torch.ops.{namespace}"
        self._qualified_op_name = self.__qualname__ = f"{namespace}::{name}"
        self.__torch_name__ = f"{namespace}.{name}"
        self._overload_names = list(found)
        self.__dict__.update({overload: OpOverload(self, op, overload) for overload, op in found.items()})
        self.target = next(iter(found.values())) if len(found) == 1 else self._first_that_takes

    def _first_that_takes(self, *args: Any, **kwargs: Any) -> Any:
        for op in self._each():
            try:
                return op(*args, **kwargs)
            except TypeError:
                if refusal(op, args, kwargs) is None:
                    raise
        raise TypeError("no overload takes these arguments")  # `refusal` below adds details

    def _each(self) -> Iterator[Operator]:
        return (getattr(self, name).target for name in self._overload_names)

    def refusal(self, args: tuple[Any, ...], kwargs: dict[Any, Any]) -> str | None:
        """Return an error message for each overload, or None if one accepts the arguments."""
        texts = [refusal(op, args, kwargs) for op in self._each()]
        if None in texts:
            return None
        if len(texts) == 1:
            return texts[0]
        told = "\n\n".join(map(str, texts))
        return f"Overloaded torch operator invoked from Python failed to match any schema:\n{told}"

    def overloads(self) -> list[str]:
        """The names of the overloads; that of one without a name is ``"default"``."""
        return list(self._overload_names)

    @property
    def __signature__(self) -> Any:
        return next(self._each()).__signature__

    @property
    def __doc__(self) -> str | None:  # type: ignore[override]
        return next(self._each()).__doc__

    def __getattr__(self, name: str) -> OpOverload:
        raise AttributeError(f"The underlying op of '{self.__torch_name__}' has no overload name '{name}'")

    def __iter__(self) -> Iterator[str]:
        return iter(self._overload_names)

    def __repr__(self) -> str:
        return f"<OpOverloadPacket(op='{self.__torch_name__}')>"

    def __str__(self) -> str:
        return self.__torch_name__

    def __reduce__(self) -> tuple[Any, ...]:
        return _found, (self.__module__.removeprefix("torch.ops."), self.__name__, None)


def overload_of(op: Operator) -> OpOverload:
    """The overload that an operator of ``torch.ops`` is found as."""
    space, _, _ = op.namespace.removeprefix("torch.ops.").partition(".")
    return _found(space, op.name, op.schema.overload or "default")


def _found(namespace: str, name: str, overload: str | None) -> Any:
    from flambeau_cext import ops

    packet = getattr(getattr(ops, namespace), name)
    return packet if overload is None else getattr(packet, overload)
