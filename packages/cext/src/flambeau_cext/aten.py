"""The library's operators in the form that PyTorch has in ``torch.ops.aten``, derived from their schemas.

PyTorch has an operator for each kind of argument and one that writes to ``out``; here one schema covers all of them.
The schemas of these overloads follow from it, and the overloads forward to the declared operator. If PyTorch's schemas
differ, the declaration lists them (``aten=``), and they exist already.
"""

from collections.abc import Iterator
from typing import Any

from flambeau_tensor.extend import FUNCTION, Operator, declared_operators, find_operator, overloads

_PREFIXES = {"linalg_": "torch.linalg.", "special_": "torch.special.", "fft_": "torch.fft."}
_PLACES = ("torch.", "torch.Tensor.", "torch._C._nn.", "torch.nn.functional.", "torch._ops.")


# Operators that accept a Python number unchanged in place of a tensor; others have an overload for numbers.
NUMBERS = {
    name + end
    for name in ("add", "div", "divide", "floor_divide", "mul", "multiply", "sub", "subtract", "true_divide")
    for end in ("", "_")
}

# (operator, overload that follows from its schema) -> PyTorch's name for that.
_RENAMED = {
    **{
        (name, "out"): "Tensor_out"
        for name in (
            "bitwise_and",
            "bitwise_or",
            "bitwise_xor",
            "bitwise_left_shift",
            "bitwise_right_shift",
            "eq",
            "ne",
            "lt",
            "le",
            "gt",
            "ge",
            "fmod",
            "remainder",
        )
    },
    **{
        (name + end, scalar): f"Tensor_{scalar}"
        for name in ("bitwise_left_shift", "bitwise_right_shift")
        for end in ("", "_")
        for scalar in ("Scalar", "Scalar_out")
    },
    **{
        (name, overload): f"Tensor_{overload}"
        for name in ("pow", "pow_", "float_power", "float_power_")
        for overload in ("Tensor", "Scalar", "Scalar_out")
        if not (name.endswith("_") and overload == "Tensor")
    },
    **{(name, "out"): "Tensor_Tensor_out" for name in ("pow", "float_power")},
    ("pow_", "Scalar"): "Scalar",
    ("float_power_", "Scalar"): "Scalar",
    **{(name, "Scalar"): "" for name in ("clamp_min", "clamp_max", "clamp_min_", "clamp_max_")},
    **{(name, "out"): "Tensor_out" for name in ("clamp_min", "clamp_max")},
    **{(name, "Scalar_out"): "out" for name in ("clamp_min", "clamp_max")},
    **{(name, "Tensor"): "" for name in ("copy_", "floor_divide", "ldexp_")},
    **{(name, scalar): f"int_{scalar}" for name in ("index_fill", "index_fill_") for scalar in ("Tensor", "Scalar")},
    **{(name, "out"): "all_out" for name in ("all", "any")},
    **{(name, "dim_out"): "out" for name in ("all", "any")},
    **{(name, "out"): "unary_out" for name in ("max", "min")},
    **{(name, "other_out"): "out" for name in ("max", "min")},
    **{(name, "dim_out"): "out" for name in ("std", "var", "mean")},
    ("mean", "out"): "dtype_out",
    ("sum", "dim_IntList_out"): "IntList_out",
    ("prod", "dim_int_out"): "int_out",
    ("arange", "start_step_out"): "start_out",
    ("empty", ""): "memory_format",
    ("flatten", ""): "using_ints",
    ("transpose", ""): "int",
    ("transpose_copy", ""): "int",
    ("transpose_copy", "out"): "int_out",
    ("index", ""): "Tensor",
    ("slice", ""): "Tensor",
    ("slice_copy", ""): "Tensor",
    ("slice_copy", "out"): "Tensor_out",
    ("unsafe_split", ""): "Tensor",
    ("lerp", "out"): "Scalar_out",
    ("xlogy", "out"): "OutTensor",
    ("xlogy", "Scalar"): "Scalar_Other",
    ("xlogy", "Scalar_out"): "OutScalar_Other",
    ("xlogy_", "Scalar"): "Scalar_Other",
}


def declare(name: str) -> bool:
    """Declare the operators of a name in ``torch.ops.aten``; return whether there are any."""
    found = _find(name)
    known = {
        name + "." * bool(op.schema.overload) + op.schema.overload
        for op in declared_operators().values()
        if op.name == name and op.namespace == "torch.ops.aten"
    }
    for op in () if found is None else found.overloads:
        for rest in signatures(op):
            numbers = tuple(n for n in op.numbers if f"Tensor {n}" in rest)
            overload = rest.partition("(")[0]
            if f"{name}{overload}" not in known:
                known.add(f"{name}{overload}")
                overloads(op, f"aten::{name}{rest}", namespace="torch.ops.aten", variants=FUNCTION, numbers=numbers)
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
    """The signatures in PyTorch's schemas of an operator.

    >>> from flambeau_tensor import logaddexp, mul
    >>> list(signatures(logaddexp))[1]
    '.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)'
    >>> [text.partition("(")[0] for text in signatures(mul)]
    ['.Tensor', '.out', '.Scalar', '.Scalar_out']
    """
    arguments = op.schema.arguments
    out = next((a for a in arguments if a.name == "out" and a.write and not a.is_list), None)
    # In place, `out` is there hidden; a factory's `requires_grad` is nothing below autograd.
    given = [
        a
        for a in arguments
        if not (a.name == "out" and (a.write or op.functional)) and not (a.name == "requires_grad" and a.kwarg_only)
    ]
    numbers = [n for n in op.numbers if n != arguments[0].name]
    returns = op.schema.text.rpartition("->")[2].strip()
    main = "Tensor" if numbers and not op.schema.overload else ""
    for overload, numeric in [("Tensor", ()), ("Scalar", numbers)] if main else [(op.schema.overload, ())]:
        texts = [_text(a, a.type.replace("Tensor", "Scalar") if a.name in numeric else a.type) for a in given]
        split = next((i for i, a in enumerate(given) if a.kwarg_only), len(given))
        keywords = texts[split:]
        yield _joined(_RENAMED.get((op.name, overload), overload), texts[:split], keywords, returns)
        if out is not None:
            name = f"{overload}_out" if overload and overload != main else "out"
            keywords = [*keywords, "Tensor(a!) out"]
            yield _joined(_RENAMED.get((op.name, name), name), texts[:split], keywords, "Tensor(a!)")


def _joined(overload: str, positional: list[str], keywords: list[str], returns: str) -> str:
    inside = ", ".join([*positional, *(["*", *keywords] if keywords else [])])
    return f"{'.' if overload else ''}{overload}({inside}) -> {returns}"


def _text(argument: Any, kind: str) -> str:
    return f"{kind} {argument.name}" + (f"={_value(argument.default)}" if argument.has_default else "")


def _value(default: object) -> str:
    if isinstance(default, tuple):
        return f"[{', '.join(map(_value, default))}]"
    return getattr(default, "name", repr(default))
