"""Functions of an extension whose gradients are computed by others: ``backward={"f": "f_backward"}``.

The parameter names of a function that computes a gradient determine its arguments: ``grad`` (of the result),
``result``, and any parameter of the function itself. If the function itself has a parameter ``grad``, because it
computes a gradient, the gradient of its result is ``grad_grad``.
"""

import functools
from collections.abc import Callable, Iterable, Mapping
from types import ModuleType
from typing import Any

from flambeau_cext.bindings import python_name
from flambeau_cext.declarations import Declaration

Backward = Mapping[str, str | Mapping[str, str]]

_TYPES = {
    "fl_tensor": "Tensor", "fl_optional_tensor": "Tensor?", "fl::tensor": "Tensor", "Tensor": "Tensor",
    "optional<Tensor>": "Tensor?", "double": "float", "float": "float", "bool": "bool", "const char *": "str",
    "string": "str",
}  # fmt: skip


def functions_of(caller: str, backward: Backward) -> dict[str, dict[str, str]]:
    """Return, for each function, the functions that compute gradients, by parameter; ``""`` is the only tensor.

    Raises TypeError if a value is not a mapping of names.
    """
    found: dict[str, dict[str, str]] = {}
    for name, how in backward.items():
        pairs = {"": how} if isinstance(how, str) else how
        words = [name, *(word for pair in pairs.items() for word in pair)] if isinstance(pairs, Mapping) else [None]
        if not all(isinstance(word, str) for word in words):
            raise TypeError(f"{caller}(): argument 'backward' must map functions to functions, got {name!r}: {how!r}")
        found[name] = dict(pairs)
    return found


def names(backward: dict[str, dict[str, str]]) -> list[str]:
    """Return the functions that must be bound for these derivatives."""
    return list(dict.fromkeys([*backward, *(f for how in backward.values() for f in how.values())]))


def attach(
    caller: str, module: ModuleType, declared: Mapping[str, Declaration], backward: dict[str, dict[str, str]]
) -> None:
    """Make functions of the module operators ``name::function`` with these gradients.

    Raise ValueError if a function is not declared, or has a parameter that cannot be provided.
    """
    from flambeau_cext.library import custom_op, register_autograd

    space = module.__name__.rpartition(".")[2]

    def operator(name: str) -> Any:
        """Make a function of the module an operator."""
        schema = ", ".join(f"{_kind(p.type)} {python_name(p.name)}" for p in declared[name].parameters)
        op = custom_op(f"{space}::{name}", getattr(module, name), mutates_args=(), schema=f"({schema}) -> Tensor")
        setattr(module, name, op)
        return op

    for name in names(backward):
        if name not in declared:
            raise ValueError(f"{caller}(): argument 'backward': no source declares the function '{name}'")
    for name, how in backward.items():
        d = declared[name]
        tensors = [p.name for p in d.parameters if _kind(p.type).startswith("Tensor")]
        if "" in how and len(tensors) != 1:
            raise ValueError(
                f"{caller}(): argument 'backward': {name} has {len(tensors)} tensor parameters: say which function "
                f"computes the gradient of which, {{'{name}': {{'parameter': 'function'}}}}"
            )
        how = {tensors[0]: how[""]} if "" in how else how
        known = {_incoming(p.name for p in d.parameters), "result", *(p.name for p in d.parameters)}
        for parameter, function in how.items():
            wrong = [p.name for p in declared[function].parameters if p.name not in known]
            if parameter not in tensors or wrong:
                what = f"'{wrong[0]}' of {function}" if wrong else f"'{parameter}'"
                raise ValueError(
                    f"{caller}(): argument 'backward': {what} is none of {', '.join(sorted(known))}, which are the "
                    f"gradient of the result, the result, and the parameters of {name}"
                )
        op = operator(name)
        gradients = [
            None if p.name not in how else (how[p.name], [q.name for q in declared[how[p.name]].parameters])
            for p in d.parameters
        ]
        rule = functools.partial(_run, module, [p.name for p in d.parameters], gradients)
        register_autograd(op, rule, setup_context=_keep)
    for name in names(backward):
        if name not in backward:  # an operator without a derivative, so that a second one raises an error
            operator(name)


def _incoming(parameters: Iterable[str]) -> str:
    """Return the name of the gradient of the result."""
    return "grad_grad" if "grad" in parameters else "grad"


def _kind(spelled: str) -> str:
    """Return the schema type for a type of C or C++."""
    kind = spelled.removeprefix("const ").removesuffix(" &") if spelled != "const char *" else spelled
    for prefix in ("std::", "torch::", "at::", "c10::"):
        kind = kind.replace(prefix, "")
    return _TYPES.get(kind, "int")


def _keep(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
    from flambeau_tensor import Tensor  # not needed to load a cached library

    ctx.others = [None if isinstance(x, Tensor) else x for x in inputs]
    ctx.save_for_backward(output, *(x if isinstance(x, Tensor) else None for x in inputs))


def _run(
    module: ModuleType, parameters: list[str], gradients: list[tuple[str, list[str]] | None], ctx: Any, grad: Any
) -> Any:
    result, *tensors = ctx.saved_tensors
    values = [other if t is None else t for t, other in zip(tensors, ctx.others, strict=True)]
    given = {_incoming(parameters): grad.contiguous(), "result": result, **dict(zip(parameters, values, strict=True))}
    computed: list[Any] = []
    for needed, how in zip(ctx.needs_input_grad, gradients, strict=True):
        function: Callable[..., Any] | None = getattr(module, how[0]) if how and needed else None
        computed.append(None if function is None or how is None else function(*(given[n] for n in how[1])))
    return tuple(computed) if len(computed) > 1 else computed[0]
