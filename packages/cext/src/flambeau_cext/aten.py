"""The library's operators as PyTorch has them in ``torch.ops.aten``, from their schemas.

PyTorch has an operator for each kind of argument and one that writes to ``out``; here one schema says all that. Their
schemas follow from it, and the operators forward to the declared one. Where PyTorch's schemas are others, the
declaration says so (``aten=``), and those are there already.
"""

from collections.abc import Iterator
from typing import Any

from flambeau_tensor.extend import Operator, find_operator, overloads

_PREFIXES = {"linalg_": "torch.linalg.", "special_": "torch.special.", "fft_": "torch.fft."}
_PLACES = ("torch.", "torch._C._nn.", "torch.nn.functional.", "torch.Tensor.")


def declare(name: str) -> bool:
    """Declare the operators of a name in ``torch.ops.aten``; whether there are any."""
    found = _find(name)
    for op in () if found is None else found.overloads:
        schemas = [f"aten::{name}{rest}" for rest in signatures(op)]
        overloads(op, *schemas, namespace="torch.ops.aten", variants="function")
    return found is not None


def _find(name: str) -> Any:
    places = [prefix + name.removeprefix(start) for start, prefix in _PREFIXES.items() if name.startswith(start)]
    for place in (*places, *(space + name for space in _PLACES)):
        try:
            return find_operator(place)
        except AttributeError:
            continue
    return None


def signatures(op: Operator) -> Iterator[str]:
    """What follows the name in PyTorch's schemas of an operator.

    >>> from flambeau_tensor import logaddexp, mul
    >>> list(signatures(logaddexp))[1]
    '.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)'
    >>> [text.partition("(")[0] for text in signatures(mul)]
    ['.Tensor', '.out', '.Scalar', '.Scalar_out']
    """
    arguments = op.schema.arguments
    out = next((a for a in arguments if a.name == "out" and a.write and not a.is_list), None)
    given = [a for a in arguments if a.name != "out" or not (a.write or op.functional)]  # in place, it is there hidden
    numbers = [n for n in op.numbers if n != arguments[0].name]
    returns = op.schema.text.rpartition("->")[2].strip()
    main = "Tensor" if numbers and not op.schema.overload else ""
    for overload, numeric in [("Tensor", ()), ("Scalar", numbers)] if main else [(op.schema.overload, ())]:
        texts = [_text(a, a.type.replace("Tensor", "Scalar") if a.name in numeric else a.type) for a in given]
        split = next((i for i, a in enumerate(given) if a.kwarg_only), len(given))
        keywords = texts[split:]
        yield _joined(overload, texts[:split], keywords, returns)
        if out is not None:
            name = f"{overload}_out" if overload and overload != main else "out"
            yield _joined(name, texts[:split], [*keywords, "Tensor(a!) out"], "Tensor(a!)")


def _joined(overload: str, positional: list[str], keywords: list[str], returns: str) -> str:
    inside = ", ".join([*positional, *(["*", *keywords] if keywords else [])])
    return f"{'.' if overload else ''}{overload}({inside}) -> {returns}"


def _text(argument: Any, kind: str) -> str:
    return f"{kind} {argument.name}" + (f"={_value(argument.default)}" if argument.has_default else "")


def _value(default: object) -> str:
    if isinstance(default, tuple):
        return f"[{', '.join(map(_value, default))}]"
    return getattr(default, "name", repr(default))
