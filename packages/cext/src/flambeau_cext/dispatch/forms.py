"""The form of an operator for PyTorch's handlers: its overload of ``torch.ops.aten``, and the arguments.

Most follow from the schemas: an overload that forwards to the operator, with arguments of the same names. The tables
contain those that PyTorch names differently.
"""

from collections.abc import Iterator
from typing import Any

from flambeau_cext.aten import NUMBERS
from flambeau_cext.dispatch.tables import FILLED, FIRST, NAMED, NOT_DISPATCHED, SAME_NAME
from flambeau_cext.overloads import OpOverload, overload_of
from flambeau_tensor.extend import FUNCTION, Forward, Operator, dispatching, find_operator
from flambeau_tensor.extend import overloads as declare_overloads

Form = dispatching.Form  # of `_core.call.dispatching`


def forms_of(op: Operator) -> tuple[Any, ...]:
    """Return the forms that a call of the operator may have, in the order to try them; none: handlers do not see it."""
    name = op.__torch_name__
    if op.namespace.startswith("torch.ops."):
        return tuple(_named(op, name)) or (Form(op, overload_of(op), op.schema),)
    if name in NOT_DISPATCHED or (
        name not in NAMED
        and (
            op.object_state
            or op.namespace in ("torch._get", "torch._set")
            or not any("Tensor" in r.type for r in op.schema.returns)
        )
    ):
        return ()
    return tuple([*_named(op, name), *_of_schema(op)])


def _named(op: Operator, name: str) -> Iterator[Any]:
    for text, settings in NAMED.get(name, ()):
        yield _form(op, text, **settings)


def declare_named(name: str) -> bool:
    """Declare the operators of this name that only handlers see; return whether there are any."""
    found = False
    for ours, entries in NAMED.items():
        for text, settings in entries:
            if text.partition("(")[0].partition(".")[0] == name:
                _form(find_operator(ours), text, **settings)
                found = True
    return found


def _form(op: Operator, text: str, **settings: Any) -> Any:
    """Return a form for a schema of PyTorch, and declare its overload if it does not exist."""
    schema_name = text.partition("(")[0]
    name, _, overload = schema_name.partition(".")
    func = _overload(name, overload or "default")
    if func is None:
        swapped = settings.get("names") or {}
        if settings.get("first"):
            FIRST[name](op, text)
        elif swapped:
            declare_forwarding(op, text, swapped, settings.get("instead") or {})
        else:
            declare_overloads(op, text, namespace="torch.ops.aten", variants=FUNCTION)
        func = _overload(name, overload or "default")
    assert func is not None, text
    return Form(op, func, func.target.schema, **settings)


def declare_forwarding(op: Operator, text: str, names: dict[str, str], instead: dict[str, Any]) -> None:
    """Declare an overload whose arguments have other names than those of the operator that it calls."""

    def forward(*values: Any) -> Any:
        given = {
            names.get(name, name): None if name in instead and value == instead[name] else value
            for name, value in zip(order, values, strict=True)
        }
        return op(**{name: value for name, value in given.items() if name in ours})

    ours = {a.name for a in op.schema.arguments}
    doc = f"`{op.__torch_name__}` with the arguments that PyTorch hands over."
    new = Operator(text, forward, namespace="torch.ops.aten", variants=FUNCTION, composite=True, doc=doc)
    order = [a.name for a in new.schema.arguments]


def _overload(name: str, overload: str) -> OpOverload | None:
    from flambeau_cext import ops
    from flambeau_cext.aten import declare

    if name not in vars(ops.aten) and not declare(name):
        return None
    try:
        return getattr(getattr(ops.aten, name), overload)
    except AttributeError:
        return None


def _of_schema(op: Operator) -> Iterator[Any]:
    """Yield the overloads of ``torch.ops.aten`` under the operator's name that differ only in their arguments."""
    from flambeau_cext import ops

    name = SAME_NAME.get(op.__torch_name__, op.name)
    try:
        packet = getattr(ops.aten, name)
    except AttributeError:
        if op.__torch_name__ in NAMED:
            return
        packet = _own(op)
    found = [getattr(packet, overload) for overload in packet.overloads()]
    possible = [f for f in found if _has_all(op, f.target.schema)]
    found = [f for f in possible if behind(f.target) is op] or possible or [_own(op).default]
    found.sort(key=lambda f: f._overloadname.endswith("out"))
    for numbers in (name in NUMBERS, True) if op.numbers else (False,):  # a number for a tensor if nothing else will do
        for func in found:
            yield Form(op, func, func.target.schema, numbers=numbers, filled=FILLED.get(name), ignored=("implicit",))


def _has_all(op: Operator, schema: Any) -> bool:
    """Whether the operator has all arguments that the schema needs."""
    ours = {a.name for a in op.schema.arguments}
    return all(a.name in ours or a.has_default for a in schema.arguments)


def _own(op: Operator) -> Any:
    """Return an overload in our own namespace for an operator that PyTorch lacks."""
    from flambeau_cext import ops

    texts = [a for a in [str(op.schema)] if a]
    declare_overloads(op, *texts, namespace="torch.ops.flambeau", variants=FUNCTION)
    return getattr(ops.flambeau, op.name)


def behind(op: Operator) -> Operator | None:
    """The operator that a signature forwards to in the end."""
    while isinstance(op.implementation, Forward):
        if op.implementation.fixed:
            return None
        target = op.implementation.target
        op = target if op.functional is None else target.inplace
    return op


Decomposition = Any  # a function, an operator that represents a composition, or a Question


def decomposition(op: Operator) -> Decomposition | None:
    """Return the composition that replaces an operator under ``__torch_dispatch__`` handlers, as in PyTorch's C++.

    Return None if handlers see the operator itself, or the operators of its composition.
    """
    from flambeau_cext.dispatch.attributes import QUESTIONS
    from flambeau_cext.dispatch.decompositions import TABLE

    name = op.__torch_name__
    return TABLE.get(name) or QUESTIONS.get(name)


__all__ = ["behind", "decomposition", "find_operator", "forms_of"]
