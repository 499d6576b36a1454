"""Shapes, dtypes and errors in an operator's documentation, determined by variations of its example.

Like the examples, they are computed, not stored, so they are always correct. A trial repeats the example's call with
other dtypes, other shapes, or an argument of another type.
"""

import ast
import warnings
from contextlib import suppress
from functools import cache
from keyword import iskeyword

CATEGORIES = {
    "floating point": ("float32", "float64", "float16", "bfloat16"),
    "complex": ("complex64", "complex128"),
    "integers": ("int64", "int32", "int16", "int8", "uint8"),
    "bool": ("bool",),
}
_LONGEST = 240  # of the text of an error


class Call:
    """The call of an operator in its example, with arguments by their names in the schema."""

    def __init__(self, op, arguments, options):
        from flambeau_tensor.documentation import signature

        self.op = op
        if 0 <= op.varargs < len(arguments) and not isinstance(arguments[op.varargs], (list, tuple)):
            arguments = (*arguments[: op.varargs], arguments[op.varargs :])
        bound = signature(op).bind(*arguments, **options).arguments
        self.given = {
            name.removesuffix("_") if iskeyword(name.removesuffix("_")) else name: value
            for name, value in bound.items()
        }

    def run(self, other=()):
        """Return the result with some arguments replaced; uses copies, because an operator may write to them."""
        from flambeau_tensor.random import fork_rng

        values = {name: _each_tensor(value, _copy) for name, value in {**self.given, **dict(other)}.items()}
        first = [values.pop(name) for name in list(values)[:1]]  # named `input` in functions and `self` in methods
        with fork_rng():
            return self.op(*first, **values)

    def error(self, other):
        """Return the error of the call with other arguments as one line, or None if it succeeds."""
        try:
            self.run(other)
        except Exception as e:
            text = " ".join(str(e).partition("\n")[0].split())
            text = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
            return f"{type(e).__name__}: {text}" if text else type(e).__name__
        return None

    def tensors(self):
        """Return (name, tensor) for each tensor among the arguments; tensors in a list have the list's name."""
        found = []
        for name, value in self.given.items():
            _each_tensor(value, lambda t, name=name: found.append((name, t)))
        return found


def _copy(t):
    return t.detach().clone().requires_grad_() if getattr(t, "requires_grad", False) else t.clone()


def _each_tensor(value, change):
    from flambeau_tensor import Tensor

    if isinstance(value, Tensor):
        return change(value)
    if type(value) in (list, tuple):
        return type(value)(_each_tensor(item, change) for item in value)
    return value


class _Finder(ast.NodeTransformer):
    """Replaces calls of a name by calls of ``_call`` with the object and the name."""

    def __init__(self, name):
        self.name = name

    def visit_Call(self, node):
        self.generic_visit(node)
        if isinstance(node.func, ast.Attribute) and node.func.attr == self.name:
            node.args = [node.func.value, ast.Constant(self.name), *node.args]
            node.func = ast.Name("_call", ast.Load())
        return node


def _recorded(program, name):
    """Return the arguments and options of a program's first call of that name."""
    from flambeau_tensor import Tensor
    from flambeau_tensor.examples import run

    found = []

    def call(where, name, *arguments, **options):
        if not found:
            whole = (where, *arguments) if isinstance(where, Tensor) else arguments
            found.append((_each_tensor(whole, _copy), {k: _each_tensor(v, _copy) for k, v in options.items()}))
        return getattr(where, name)(*arguments, **options)

    run(ast.unparse(ast.fix_missing_locations(_Finder(name).visit(ast.parse(program)))), {"_call": call})
    return found[0]


@cache
def _call(op):
    """Return the call of an operator in its example; None if the example has no call, as for an attribute."""
    from flambeau_tensor.examples import full_name, programs
    from flambeau_tensor.extend import find_operator

    try:
        overloads = getattr(find_operator(full_name(op)), "overloads", (op,))
    except AttributeError:  # operators behind attributes have another name
        overloads = (op,)
    for program in programs(op):
        with suppress(Exception):  # an attribute, or an unsuitable argument
            given = _recorded(program, op.name)
            for other in sorted(overloads, key=lambda other: other is not op):  # maybe another overload's example
                with suppress(Exception):
                    call = Call(other, *given)
                    call.run()
                    return call
    return None


def _sizes(value):
    """Return the shape of a tensor, or the shapes of several: ``(2, 3)``."""
    from flambeau_tensor import Tensor

    if isinstance(value, Tensor):
        return f"({', '.join(map(str, value.shape))})"
    if isinstance(value, (tuple, list)) and any(isinstance(item, Tensor) for item in value):
        return ", ".join(_sizes(item) for item in value if isinstance(item, (Tensor, tuple, list)))
    return None


def _shape(call):
    """Return ``for example input (2, 3), index (2) → (2, 2)``; elementwise operators have stars instead."""
    from flambeau_tensor.extend import Elementwise

    given, result = call.tensors(), _sizes(call.run())
    if isinstance((call.op.functional or call.op).implementation, Elementwise):
        names = [name for name, t in given]
        return f"{', '.join(f'{name} (*)' for name in names)} → (*)" + ", broadcast" * (len(names) > 1)
    left = ", ".join(f"{name} {_sizes(t)}" for name, t in given)
    return "for example " + " → ".join(text for text in (left, result) if text) if left or result else None


def _varied(call):
    """Return the names of the arguments that have the operator's dtype, unlike indices or masks."""
    given = call.tensors()
    kinds = (
        lambda t: t.is_floating_point() or t.is_complex(),
        lambda t: not str(t.dtype).endswith("bool"),
        lambda t: True,
    )
    for kind in kinds:
        if names := {name: None for name, t in given if kind(t)}:
            return list(names), kind
    return [], None


def _has_dtype(call):
    """Whether the call has tensors or a dtype argument."""
    return bool(call.tensors()) or any(a.name == "dtype" for a in call.op.schema.arguments)


def _of_dtype(call, dtype):
    names, kind = _varied(call)
    if not names:
        return {"dtype": dtype}
    return {name: _each_tensor(call.given[name], lambda t: _to(t, dtype) if kind(t) else t) for name in names}


def _to(t, dtype):
    """Convert a tensor to another dtype; for integers, rounds 0.5 to 1, so that divisors do not become zero."""
    whole = t.is_floating_point() and not (dtype.is_floating_point or dtype.is_complex)
    return (t.ceil() if whole else t).to(dtype)


def _try_dtypes(call):
    """Return the dtype of the result, or the error, for each dtype."""
    import flambeau_tensor as torch

    found = {}
    for name in (name for names in CATEGORIES.values() for name in names):
        try:
            result = call.run(_of_dtype(call, getattr(torch, name)))
            found[name] = str(result.dtype).removeprefix("torch.") if isinstance(result, torch.Tensor) else None
        except Exception as e:
            found[name] = e
    return found


@cache
def dtypes(op):
    """Return the names of the dtypes that an operator accepts; None if its example has no tensor.

    >>> from flambeau_tensor import hypot
    >>> sorted(dtypes(hypot))
    ['bfloat16', 'float16', 'float32', 'float64']
    """
    call = _quietly(_call, op)
    if call is None or not _has_dtype(call):
        return None
    return {name for name, result in _quietly(_try_dtypes, call).items() if not isinstance(result, Exception)}


def _dtypes(call):
    """Return ``floating point, integers → float32``: accepted categories, and the result's dtype if it differs."""
    found, parts = _try_dtypes(call), []
    for category, names in CATEGORIES.items():
        taken = [name for name in names if not isinstance(found[name], Exception)]
        if taken:
            same = all(found[name] in (name, None) for name in taken)
            results = {found[name] for name in taken}
            text = category if len(taken) == len(names) else ", ".join(taken)
            parts.append(text if same or len(results) > 1 else f"{text} → {results.pop()}")
    names = ", ".join(_varied(call)[0]) or "dtype"
    return f"{names}: {', '.join(parts)}" if parts else None


def _other_sizes(call):
    """Return arguments whose shapes may not match: a longer or higher second tensor, or a single 0-d tensor."""
    tensors = [(name, t) for name, t in call.tensors() if t.dim()]
    names = list(dict(tensors))
    if len(names) > 1:
        t = call.given[names[1]]
        if hasattr(t, "new_ones"):
            longer, higher = ([*t.shape[:-1], t.shape[-1] + 4], [t.shape[0] + 4, *t.shape[1:]])
            return [{names[1]: t.new_ones(shape)} for shape in (longer, higher)]
    if len(names) == 1 and hasattr(call.given[names[0]], "flatten"):
        return [{names[0]: call.given[names[0]].flatten()[0]}]
    return []


def _errors(call):
    """Return the errors for wrong arguments, one per line."""
    import flambeau_tensor as torch
    from flambeau_tensor.documentation import parameter_names

    found = []
    for name in ("int64", "complex64", "bool", "float32") if _has_dtype(call) else ():
        if error := call.error(_of_dtype(call, getattr(torch, name))):
            found.append(error)
            break
    found += [error for sizes in _other_sizes(call) if (error := call.error(sizes))][:1]
    parameters = dict(parameter_names(call.op))
    if getattr(parameters.get("dim"), "type", "").startswith("int"):
        found.append(call.error({"dim": 9}))
    kinds = {name: a for name, a in parameters.items() if a.type != "Any"}
    if kinds:
        found.append(call.error({next(iter(kinds)): object()}))
    return list(dict.fromkeys(error for error in found if error))


def _quietly(function, *arguments):
    """Call a function without modes and warnings."""
    from flambeau_overrides import DisableTorchFunction
    from flambeau_tensor._core.call.dispatching import Undispatched

    with DisableTorchFunction(), Undispatched(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*arguments)


@cache
def facts(op):
    """Return the results of trials of an operator: ``{"Shape": [lines], "Dtypes": [lines], "Raises": [lines]}``.

    >>> from flambeau_tensor import hypot
    >>> facts(hypot)["Shape"]
    ['input (*), other (*) → (*), broadcast']
    """
    call = _quietly(_call, op)
    if call is None:
        return {}
    found = {"Shape": [_quietly(_shape, call)], "Raises": _quietly(_errors, call)}
    if _has_dtype(call):
        found["Dtypes"] = [_quietly(_dtypes, call)]
    return {name: found[name] for name in ("Shape", "Dtypes", "Raises") if any(found.get(name) or ())}
