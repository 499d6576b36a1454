"""The operators as C++ functions and methods of ``at::Tensor``, written from their schemas.

``python -m flambeau_cext.operator_headers flambeau.nn`` imports the named modules, takes their operators, and writes
``ATen/MethodDeclarations.h``, ``ATen/Functions.h`` and the headers of ``torch::fft``, ``linalg`` and ``special``; the
package's build derives the files of ``ATen/ops`` from these. A call names the arguments that it passes, and the library
looks them up at the first call, so an extension that was compiled with these headers also runs with later schemas.

Operators whose declarations have schemas for ``torch.ops.aten`` have these forms in C++, too. Methods that are written
by hand in the headers (``Tensor::to`` with its options, indexing) are omitted.
"""

import functools
import importlib
import itertools
import re
import sys
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from flambeau_tensor import Tensor
from flambeau_tensor.extend import Forward, Operator, functions, operators, parse

INCLUDE = Path(__file__).parent / "include" / "ATen"
_GEOMETRY = {"is_contiguous", "size", "stride"}  # operators for handlers alone; C++ reads them from the tensor
_HAND_WRITTEN = ("core/Tensor.h", "TensorIndexing.h", "Tensor.h", "ATen.h", "Compositions.h", "BackwardFunctions.h")
_DEFINED = re.compile(r"^ *(?!return\b|else\b)(?:[\w:<>,&*]+ )+[&*]?(?:Tensor::)?(\w+)\(", re.MULTILINE)

ATEN = "torch.ops.aten"
# Names that are types or keywords in C++.
_RESERVED = set("bool char short int long float double half byte cfloat cdouble bfloat16".split())

# Type in a schema -> type of the C++ parameter, function in ATen/core/Call.h that converts it to a value. The functions
# have different names, because overload resolution takes most of the time to compile the headers.
_TYPES = {
    "Tensor": ("const Tensor &", "tensor"),
    "Tensor?": ("const optional<Tensor> &", "tensor_or_none"),
    "Tensor[]": ("TensorList", "tensors"),
    "int": ("int64_t", "int"),
    "int?": ("optional<int64_t>", "int_or_none"),
    "int[]": ("IntArrayRef", "ints"),
    "int[]?": ("OptionalIntArrayRef", "ints_or_none"),
    "bool": ("bool", "bool"),
    "bool?": ("optional<bool>", "bool_or_none"),
    "float": ("double", "double"),
    "float?": ("optional<double>", "double_or_none"),
    "float[]": ("ArrayRef<double>", "doubles"),
    "Scalar": ("const Scalar &", "scalar"),
    "Scalar?": ("const optional<Scalar> &", "scalar_or_none"),
    "ScalarType": ("ScalarType", "dtype"),
    "ScalarType?": ("optional<ScalarType>", "dtype_or_none"),
    "str": ("const std::string &", "string"),
    "str?": ("const optional<std::string> &", "string_or_none"),
}
_RETURNS = {
    "": ("void", "void"),
    "Tensor": ("Tensor", "tensor"),
    "Tensor?": ("Tensor", "tensor"),
    "Tensor[]": ("std::vector<Tensor>", "tensors"),
    "Tensor, Tensor": ("std::tuple<Tensor, Tensor>", "two"),
    "Tensor, Tensor, Tensor": ("std::tuple<Tensor, Tensor, Tensor>", "three"),
    "bool": ("bool", "bool"),
    "int": ("int64_t", "int"),
    "float": ("double", "double"),
    "Scalar": ("Scalar", "scalar"),
}
_OPTION_NAMES = ("dtype", "layout", "device", "pin_memory", "requires_grad")


@dataclass(frozen=True)
class _Parameter:
    declared: str  # "const Scalar &alpha"
    default: str | None
    argument: str  # of the operator; "" if it is not passed on
    values: tuple[tuple[str, str], ...]  # (argument of the operator, expression of the parameter)

    def text(self, with_default: bool) -> str:
        return f"{self.declared} = {self.default}" if with_default and self.default is not None else self.declared

    @property
    def name(self) -> str:
        return self.declared.rpartition(" ")[2].lstrip("&")


@dataclass(frozen=True)
class _Signature:
    """One C++ function or method."""

    name: str
    operator: str
    parameters: tuple[_Parameter, ...]
    returns: tuple[str, str]
    written: str  # the argument that is written to and returned, or ""
    function: bool
    method: bool


class _Unspeakable(Exception):
    """A schema without a C++ form."""


def _type_of(argument: Any) -> str:
    text = argument.type
    while "(" in text:
        text = text[: text.index("(")] + text[text.index(")") + 1 :]
    while any(c.isdigit() for c in text):
        text = "".join(c for c in text if not c.isdigit())
    return text.replace("SymInt", "int")


def _default(argument: Any, cxx: str) -> str | None:
    if not argument.has_default:
        return None
    value = argument.default
    if value is None:
        return "nullopt" if cxx != "TensorList" else "{}"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return "{" + ", ".join(str(v) for v in value) + "}"
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, float) and value != value:
        raise _Unspeakable("nan")
    return repr(value)


def _parameter(argument: Any, type_text: str, passed: bool) -> _Parameter:
    name = f"{argument.name}_" if argument.name in ("default", "operator", "this", "register") else argument.name
    if argument.name == "reduction" and type_text == "str":
        how = f"Reduction::{argument.default.capitalize()}"
        return _Parameter("int64_t reduction", how, "reduction", (("reduction", "of_reduction(reduction)"),))
    if type_text not in _TYPES:
        raise _Unspeakable(type_text)
    cxx, maker = _TYPES[type_text]
    if argument.write:
        cxx = "Tensor &"
    declared = f"{cxx}{name}" if cxx.endswith("&") else f"{cxx} {name}"
    if not passed:
        return _Parameter(cxx, _default(argument, cxx), "", ())
    return _Parameter(declared, _default(argument, cxx), argument.name, ((argument.name, f"of_{maker}({name})"),))


def _options(names: set[str]) -> _Parameter:
    values = [("dtype", "dtype_of(options)"), ("device", "device_of(options)")]
    if "requires_grad" in names:
        values.append(("requires_grad", "requires_grad_of(options)"))
    return _Parameter("const TensorOptions &options", "{}", "options", tuple(values))


def _signatures(
    schema: Any, operator: str, numbers: Iterable[str], passed: Container[str], function: bool, method: bool
) -> Iterator[_Signature]:
    """The C++ forms of a schema: one for tensors, one for each choice of numbers in their place, one with ``out``.

    ``passed`` are the arguments of the operator; other arguments are accepted and ignored.
    """
    arguments = [a for a in schema.arguments if not (a.name == "out" and a.kind != 0 or a.name == "generator")]
    names = {a.name for a in arguments}
    factory = {"dtype", "layout", "device"} <= names
    out = next((a for a in schema.arguments if a.name == "out" and a.write), None)
    written = next((a.name for a in arguments if a.write and a is not out), "")
    returned = ", ".join(_type_of(r) for r in schema.returns)
    returns = ("Tensor &", "same") if written and returned == "Tensor" else _RETURNS.get(returned)
    if returns is None or (written and returns[1] != "same"):
        raise _Unspeakable(returned)
    choices = [n for n in numbers if n in names]
    for scalars in [(), *(((n,)) for n in choices)]:
        parameters = []
        for a in arguments:
            type_text = _type_of(a)
            if a.name == "out":
                continue
            if factory and a.name in _OPTION_NAMES:
                if a.name == "dtype":
                    parameters.append(_options(names))
                continue
            if type_text.startswith("MemoryFormat"):
                parameters.append(_Parameter("optional<MemoryFormat>", "nullopt", "", ()))
                continue
            if type_text.startswith(("Any", "Generator", "Device", "Layout", "Dimname")):
                if a.has_default:
                    continue
                raise _Unspeakable(type_text)
            if a.name in scalars:
                type_text = type_text.replace("Tensor", "Scalar")
            parameters.append(_parameter(a, type_text, a.name in passed))
        with_self = any(p.argument == "self" and "Tensor" in p.declared for p in parameters)
        if out is None or out.has_default:  # an overload that requires `out` has no other form
            yield _Signature(schema.name, operator, tuple(parameters), returns, written, function, method and with_self)
        if out is not None and function:
            plain = [p for p in parameters if not factory or p.argument not in ("options", "")]
            names_out = [r.name or f"out{i}" for i, r in enumerate(schema.returns)] if out.is_list else ["out"]
            names_out = [f"{name}_out" if name in names - {"out"} else name for name in names_out]
            if returned == ", ".join(["Tensor"] * len(names_out)) and (out.is_list or returned == "Tensor"):
                value = "of_tensors(flambeau_out)" if out.is_list else "of_tensor(out)"
                targets = [_Parameter(f"Tensor &{name}", None, "out", ()) for name in names_out]
                targets[0] = replace(targets[0], values=(("out", value),))
                result = f"std::tuple<{', '.join(['Tensor &'] * len(names_out))}>" if out.is_list else "Tensor &"
                how = (result, "these" if out.is_list else "same")
                written_to = ", ".join(names_out)
                yield _Signature(f"{schema.name}_out", operator, (*targets, *plain), how, written_to, True, False)


def _public_name(op: Operator) -> str | None:
    """Return the name of the operator in C++, or None if it has none."""
    space = op.namespace
    if space == ATEN:
        return None if op.name in _GEOMETRY else op.name
    if op.name.startswith("_") or op.name in _RESERVED | _by_hand():
        return None
    if space == "torch":
        return op.name
    if space in ("torch.linalg", "torch.special", "torch.fft"):
        return f"{space.rpartition('.')[2]}_{op.name}"
    if space == "torch._C._nn" and "_backward" not in op.name and "pool" not in op.name:
        return op.name
    return None


@functools.cache
def _by_hand() -> set[str]:
    """The methods and functions that are written in the headers themselves."""
    text = "".join((INCLUDE / name).read_text(encoding="utf-8") for name in _HAND_WRITTEN)
    return set(_DEFINED.findall(text))


def signatures() -> list[_Signature]:
    """The C++ forms of all operators that are registered now, by name."""
    named = functions("torch")
    in_place = {name for name in named if name.endswith("_")}
    found: list[_Signature] = []
    # Operators of torch.ops.aten that exist only for handlers are Python functions, without an operator behind them.
    spoken = [
        (name, op) for name, op in operators().items() if op.namespace != ATEN or isinstance(op.implementation, Forward)
    ]
    everything = sorted(spoken, key=lambda item: (_public_name(item[1]) or "", item[1].namespace != ATEN))
    of_aten = [op for _, op in everything if op.namespace == ATEN]
    behind = [op.implementation.target for op in of_aten]
    replaced = {op.name for op in of_aten} | {op.name for op in behind if op.namespace == "torch._ops"}
    for name, op in everything:
        public = _public_name(op)
        if public is None or (public in replaced and op.namespace != ATEN):
            continue
        function, method, passed = op.is_function or public in in_place, op.is_method, op.schema
        # Calls name the operator of each signature, which the library also finds by the common name.
        if op.namespace == ATEN:
            name, passed = _common_name(op.implementation.target), op.implementation.target.schema
            function, method = True, hasattr(Tensor, public) or bool(op.schema.returns[0].alias)
        elif isinstance(op.implementation, Forward) and op.implementation.target.namespace == "torch._ops":
            name = _common_name(op)
        try:
            schema = parse(op.schema.text.replace(op.schema.text.partition("(")[0], public, 1))
            names = {a.name for a in passed.arguments}
            forms = _signatures(schema, name.removeprefix("torch."), op.numbers, names, function, method)
            found += [_told_apart(form, found) for form in forms if not _is_said(form, found)]
        except _Unspeakable:
            continue
    found += [form for name, original in _aliases().items() for form in _renamed(found, original, name)]
    return sorted(found, key=lambda s: s.name)  # stable: overloads keep their order


def _common_name(op: Operator) -> str:
    """Return the name of the operator, or the common name if overloads differ in their arguments."""
    name = op.__torch_name__
    if not op.is_overload or (not isinstance(op.implementation, Forward) and _is_named_alike(op)):
        return name
    return name.removesuffix(f".{op.schema.overload or 'default'}")


def _is_named_alike(op: Operator) -> bool:
    """Whether an earlier operator has the same name and argument names, so that these do not distinguish them."""
    public = functions(op.namespace).get(op.name)
    names = [a.name for a in op.schema.arguments]
    earlier = itertools.takewhile(lambda other: other is not op, getattr(public, "overloads", ()))
    return any(names == [a.name for a in other.schema.arguments] for other in earlier)


def _is_said(form: _Signature, others: list[_Signature]) -> bool:
    """Whether an operator of another namespace has the same name and arguments."""
    types = [p.declared.rpartition(" ")[0] for p in form.parameters]
    return any(
        other.name == form.name
        and other.method == form.method
        and [p.declared.rpartition(" ")[0] for p in other.parameters] == types
        for other in others
    )


def _told_apart(form: _Signature, others: list[_Signature]) -> _Signature:
    """Return the form with enough required arguments to distinguish its calls from those of earlier forms."""
    types = [p.declared.rpartition(" ")[0] for p in form.parameters]
    least = sum(p.default is None for p in form.parameters)
    while least < len(types) and any(
        other.name == form.name
        and sum(p.default is None for p in other.parameters) <= least <= len(other.parameters)
        and [p.declared.rpartition(" ")[0] for p in other.parameters[:least]] == types[:least]
        for other in others
    ):
        least += 1
    parameters = [replace(p, default=None) if i < least else p for i, p in enumerate(form.parameters)]
    return replace(form, parameters=tuple(parameters))


def _aliases() -> dict[str, str]:
    """Return the aliases of operators, in ``torch`` or as methods, with their targets."""
    firsts = {name: op.overloads[0].name for name, op in functions("torch").items()}
    names = {name: original for name, original in firsts.items() if name != original}
    for name in dir(Tensor):
        op = getattr(getattr(Tensor, name, None), "target", None)
        if isinstance(op, Operator) and name != op.name:
            names.setdefault(name, op.name)
    return {name: original for name, original in names.items() if not name.startswith("_") and name not in _by_hand()}


def _renamed(forms: list[_Signature], original: str, name: str) -> Iterator[_Signature]:
    for form in forms:
        if form.name == original:
            yield replace(form, name=name, method=form.method and hasattr(Tensor, name))
        elif form.name == f"{original}_out" and not name.endswith("_"):
            yield replace(form, name=f"{name}_out")


def _call(s: _Signature, this: bool) -> str:
    """``FL_CALL(tensor, "add", "self other", of_tensor(self), of_tensor(other))``."""
    values = [pair for p in s.parameters for pair in p.values]
    names = " ".join(argument for argument, _ in values)
    made = ["of_tensor(*this)" if this and argument == "self" else how for argument, how in values] or ["fl_none()"]
    how = s.returns[1]
    if how == "same":
        how = f"same({'*this' if this and s.written == 'self' else s.written})"
    if how == "these":
        call = f'FL_CALL(these({s.written}), "{s.operator}", "{names}", {", ".join(made)})'
        return f"const Tensor flambeau_out[] = {{{s.written}}}; {call}"
    return f'FL_CALL({how}, "{s.operator}", "{names}", {", ".join(made)})'


def _joined(result: str, name: str) -> str:
    return f"{result}{name}" if result.endswith("&") else f"{result} {name}"


def _function(s: _Signature) -> str:
    parameters = ", ".join(p.text(True) for p in s.parameters)
    return f"inline {_joined(s.returns[0], s.name)}({parameters}) {{ {_call(s, False)} }}"


def _method_parameters(s: _Signature, with_default: bool) -> str:
    return ", ".join(p.text(with_default) for p in s.parameters if p.argument != "self")


def _method(s: _Signature) -> str:
    head = f"inline {_joined(s.returns[0], f'Tensor::{s.name}')}({_method_parameters(s, False)}) const"
    return f"{head} {{ {_call(s, True)} }}"


_SPACES = ("fft", "linalg", "special")


def _in_space(space: str, forms: list[_Signature]) -> str:
    """Return the header of a namespace of ``torch``, whose name is the prefix of its functions' names in ``at``."""
    lines = []
    for s in forms:
        if s.function and s.name.startswith(f"{space}_") and all(p.argument for p in s.parameters):
            head = _joined(s.returns[0], s.name.removeprefix(f"{space}_"))
            parameters = ", ".join(p.text(True) for p in s.parameters)
            given = ", ".join(p.name for p in s.parameters)
            lines.append(f"inline {head}({parameters}) {{ return at::{s.name}({given}); }}")
    begin = ("#include <torch/types.h>", "", "namespace torch {", f"namespace {space} {{", "using namespace at;", "")
    end = ("", f"}}  // namespace {space}", "}  // namespace torch", "")
    return "\n".join((_NOTE, "#pragma once", "", *begin, *lines, *end))


_NOTE = "/* Written by flambeau_cext.operator_headers from the operators' schemas: do not edit. */"


def headers() -> dict[str, str]:
    """The generated headers, by name."""
    forms = signatures()
    declarations = [f"{_joined(s.returns[0], s.name)}({_method_parameters(s, True)}) const;" for s in forms if s.method]
    functions = [_function(s) for s in forms if s.function]
    methods = [_method(s) for s in forms if s.method]
    around = (_NOTE, "#pragma once", "", "#include <ATen/core/Call.h>", "", "namespace at {", "")
    return {
        **{f"../torch/{space}.h": _in_space(space, forms) for space in _SPACES},
        "MethodDeclarations.h": "\n".join((_NOTE, *declarations, "")),
        "Functions.h": "\n".join((*around, *functions, "", *methods, "", "}  // namespace at", "")),
    }


def main() -> None:
    """Write the headers with the operators of the modules that are named on the command line."""
    for module in sys.argv[1:]:
        importlib.import_module(module)
    for name, text in headers().items():
        (INCLUDE / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
