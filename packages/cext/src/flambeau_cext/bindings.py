"""The bindings of C and C++ functions: a Python module in C that checks arguments and calls the functions.

Each bound function has one generated function; ``flambeau/bind.h`` contains the shared code.
"""

import keyword
import re
from collections.abc import Mapping
from pathlib import Path

from flambeau_cext.declarations import Declaration, split_at_commas

INCLUDE = Path(__file__).parent / "include"

# Type as spelled by `declarations` -> (type of the local variable, reader in bind.h, how it is passed to the function).
_PARAMETERS = {
    "fl_tensor": ("fl_tensor", "tensor", "{}"),
    "fl_optional_tensor": ("fl_tensor", "optional_tensor", "{}"),
    "double": ("double", "double", "{}"),
    "float": ("double", "double", "(float){}"),
    "bool": ("int", "bool", "{} != 0"),
    "const char *": ("const char *", "string", "{}"),
    "fl::tensor": ("fl_tensor", "tensor", "fl::tensor::borrow({})"),
    "const fl::tensor &": ("fl_tensor", "tensor", "fl::tensor::borrow({})"),
    "std::string": ("const char *", "string", "{}"),
    "const std::string &": ("const char *", "string", "{}"),
}
# The names of early PyTorch's C library, see TH/TH.h.
_TH = {f"TH{real}Tensor" for real in ("Byte", "Char", "Short", "Int", "Long", "Float", "Double")}
_PARAMETERS |= {f"{constant}{t} *": ("fl_tensor", t, "{}") for t in _TH for constant in ("", "const ")}
_SIGNED = {"signed char", "short", "int", "long", "long long", "int8_t", "int16_t", "int32_t", "int64_t",
           "ptrdiff_t", "intptr_t", "ssize_t", "fl_dtype", "fl_status"}  # fmt: skip
_UNSIGNED = {"unsigned char", "unsigned short", "unsigned int", "unsigned long", "unsigned long long", "uint8_t",
             "uint16_t", "uint32_t", "uint64_t", "size_t", "uintptr_t"}  # fmt: skip
_INTEGERS = _SIGNED | _UNSIGNED

# Result type -> expression that creates a Python object from `result`.
_RESULTS = {
    "fl_tensor": "flb_from_tensor(&signature, result)",
    "double": "flb_from_double(result)",
    "float": "flb_from_double((double)result)",
    "bool": "flb_from_bool(result)",
    "const char *": "flb_from_string(result)",
    "fl::tensor": "flb_from_tensor(&signature, result.release())",
    "std::string": "flb_from_string(result.c_str())",
}
_RESULTS |= {f"{t} *": "flb_from_tensor(&signature, result)" for t in _TH}
_HANDLES = {"fl_tensor", *(f"{t} *" for t in _TH)}  # results that may be an argument, which is borrowed
_RESULTS |= {t: "flb_from_signed(result)" for t in _SIGNED}
_RESULTS |= {t: "flb_from_unsigned(result)" for t in _UNSIGNED}

_SUPPORTED = "fl_tensor, fl_optional_tensor, double, float, bool, integers, const char *"


def write_bindings(name: str, functions: Mapping[str, str], declared: Mapping[str, Declaration], cxx: bool) -> str:
    """The source of module ``name`` with these functions (name → docstring, may be empty).

    ``cxx``: for the C++ compiler, so that C++ functions can be called and their exceptions caught.
    Raises ValueError for a function that is not declared, is static, or has a type without a binding.
    """
    for function in functions:
        if function not in declared:
            raise ValueError(
                f"no source declares the function '{function}' at file scope, which 'functions' or 'backward' names"
            )
    declarations = [declared[function] for function in functions]
    for declaration in declarations:
        _check(declaration)
    types = " ".join(t for d in declarations for t in (d.result, *(p.type for p in d.parameters)))
    parts = [
        f"/* Python bindings of {name}, generated. */",
        "#include <flambeau/bind.h>",
        *(["#include <flambeau/tensor.hpp>"] if "fl::" in types else []),
        *(["#include <TH/TH.h>"] if any(t in types for t in _TH) else []),
        *(["#include <string>"] if "std::string" in types else []),
        "",
        *(_prototype(d, cxx) for d in declarations),
        *(_wrapper(d) for d in declarations),
        _module(name, functions, declarations),
    ]
    return "\n".join(parts)


def _check(d: Declaration) -> None:
    if d.static:
        raise ValueError(f"function '{d.name}' cannot be bound: it is static; remove 'static'")
    for position, p in enumerate(d.parameters, 1):
        if p.type not in _PARAMETERS and p.type not in _INTEGERS:
            raise ValueError(
                f"function '{d.name}' cannot be bound: parameter '{p.name}' (position {position}) has type '{p.type}'; "
                f"supported are {_SUPPORTED}. Pass arrays as fl_tensor and take their elements with fl_data"
            )
    if d.result not in _RESULTS and d.result != "void":
        raise ValueError(
            f"function '{d.name}' cannot be bound: it returns '{d.result}'; supported are void, {_SUPPORTED}"
        )


def _prototype(d: Declaration, cxx: bool) -> str:
    linkage = 'extern "C" ' if cxx and d.c_linkage else ""
    types = ", ".join(p.type for p in d.parameters) or "void"
    return f"{linkage}{d.result} {d.name}({types});"


def _wrapper(d: Declaration) -> str:
    n = len(d.parameters)
    names = ", ".join(_quoted(python_name(p.name)) for p in d.parameters) or "NULL"
    lines = [
        "",
        f"static PyObject *flb_call_{d.name}(PyObject *module, PyObject *const *args, Py_ssize_t nargs, "
        "PyObject *kwnames) {",
        f"    static const char *const names[] = {{{names}}};",
        f"    static const flb_signature signature = {{{_quoted(d.name)}, names, {n}}};",
        f"    PyObject *slots[{max(n, 1)}];",
    ]
    reads, passed = [], []
    for i, p in enumerate(d.parameters):
        local = f"a{i}"
        if p.type in _PARAMETERS:
            ctype, reader, form = _PARAMETERS[p.type]
            lines.append(f"    {ctype} {local};")
            reads.append(f"flb_read_{reader}(&signature, {i}, args[{i}], &{local})")
            passed.append(form.format(local))
        else:
            lines.append(f"    {p.type} {local};")
            reads.append(f"FLB_READ_INTEGER(&signature, {i}, args[{i}], {local}, {p.type})")
            passed.append(local)
    call = f"{d.name}({', '.join(passed)})"
    lines += [
        "    (void)module;",
        "    if ((kwnames || nargs != signature.count) &&",
        "        !(args = flb_bind(&signature, args, nargs, kwnames, slots))) return NULL;",
        *(f"    if ({read}) return NULL;" for read in reads),
        "    FLB_TRY {",
    ]
    if d.result == "void":
        lines += [f"        {call};", "        return flb_from_void();"]
    else:
        borrowed = [i for i, p in enumerate(d.parameters) if _PARAMETERS.get(p.type, ("",))[0] == "fl_tensor"]
        keeps = bool(borrowed) and d.result in _HANDLES
        watched = keeps and d.result == "fl_tensor"
        if keeps:
            given = ", ".join(f"{{a{i}, args[{i}], Py_REFCNT(args[{i}])}}" for i in borrowed)
            lines.append(f"        flb_given given[] = {{{given}}};")
        lines.append(f"        {d.result} result = {call};")
        if keeps:
            lines.append(f"        flb_keep_argument(result, given, {len(borrowed)});")
        if watched:
            lines += [
                "#if FL_TARGET_MINOR >= 1",
                "        static int told;",
                f"        if (flb_check_history(&signature, result, given, {len(borrowed)}, &told)) {{",
                "            fl_release(result);",
                "            return NULL;",
                "        }",
                "#endif",
            ]
        lines.append(f"        return {_RESULTS[d.result]};")
    lines += ["    } FLB_CATCH", "}"]
    return "\n".join(lines)


def _module(name: str, functions: Mapping[str, str], declarations: list[Declaration]) -> str:
    rows = []
    for d in declarations:
        signature = ", ".join(("$module", *(python_name(p.name) for p in d.parameters)))
        text = f"{d.name}({signature})\n--\n\n{functions[d.name] or str(d)}"
        rows.append(
            f"    {{{_quoted(d.name)}, (PyCFunction)(void (*)(void))flb_call_{d.name}, "
            f"METH_FASTCALL | METH_KEYWORDS,\n     {_quoted(text)}}},"
        )
    table = "\n".join(rows)
    return f"""
static PyMethodDef flb_methods[] = {{
{table}
    {{NULL, NULL, 0, NULL}}}};

FLB_MODULE({name}, flb_methods)
"""


# The types of C++ functions that flambeau/functions.hpp binds, without their namespaces.
_PLAIN = {"Tensor", "Variable", "variable_list", "tensor_list", "double", "float", "bool", "string", "Scalar",
          "ScalarType", "Dtype", *(t.replace(" ", "") for t in _INTEGERS)}  # fmt: skip
_VIEWS = {"IntArrayRef": "ArrayRef<int64_t>", "TensorList": "ArrayRef<Tensor>"}
_NAMESPACE = re.compile(r"\b(?:std|torch::autograd|torch|at|c10)::(?=\w)")
_TEMPLATE = re.compile(r"(vector|ArrayRef|optional|tuple|pair)<(.+)>")


def binds_directly(declaration: Declaration) -> bool:
    """Return True if flambeau/functions.hpp binds a C++ function, as far as the spelling of its types tells.

    >>> from flambeau_cext.declarations import find_functions
    >>> text = "at::Tensor f(const at::Tensor &x, std::optional<double> y); void g(std::map<int, int> m);"
    >>> [binds_directly(d) for d in find_functions(text, ["f", "g"], cxx=True).values()]
    [True, False]
    """
    passed = all(_is_direct(p.type, result=False) for p in declaration.parameters)
    return passed and not declaration.static and (declaration.result == "void" or _is_direct(declaration.result, True))


def _is_direct(spelled: str, result: bool) -> bool:
    kind = _NAMESPACE.sub("", spelled.removeprefix("const ").removesuffix(" &").replace(" ", ""))
    if kind in _PLAIN:
        return True
    kind = _VIEWS.get(kind, kind)
    found = _TEMPLATE.fullmatch(kind)
    one_way = {"tuple", "pair"} if not result else {"ArrayRef"}
    if not found or found[1] in one_way or kind == "ArrayRef<bool>":
        return False
    return all(_is_direct("".join(part), result) for part in split_at_commas(list(found[2])))


def direct_module(name: str, functions: Mapping[str, str], declared: Mapping[str, Declaration]) -> str:
    """Return code that binds functions of tensors with flambeau/functions.hpp, to be appended to their source."""
    declarations = [declared[f] for f in functions]
    bound = []
    for d in declarations:
        names = [_quoted(python_name(p.name)) for p in d.parameters] or ["nullptr"]
        bound.append(f"FL_BIND({d.name}, {len(d.parameters)}, {', '.join(names)})")
    texts = {d.name: f"{d}\n\n{functions[d.name] or d.name}\n" for d in declarations}
    return "\n".join(["", *bound, _module(name, texts, declarations)])


def pybind_module(functions: Mapping[str, str]) -> str:
    """Return code that binds functions (name → docstring) with pybind11, to be appended to their source."""
    lines = [
        f"  m.def({_quoted(f)}, torch::wrap_pybind_function({f}), {_quoted(text or f)});"
        for f, text in functions.items()
    ]
    return "\n".join(["", "PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {", *lines, "}", ""])


def python_name(parameter: str) -> str:
    """Return the keyword for a parameter: its name, with an underscore appended if it is a keyword of Python.

    >>> python_name("lambda"), python_name("alpha")
    ('lambda_', 'alpha')
    """
    return f"{parameter}_" if keyword.iskeyword(parameter) else parameter


def _quoted(text: str) -> str:
    """A C string literal."""
    out = []
    for byte in text.encode():
        c = chr(byte)
        out.append(c if 32 <= byte < 127 and c not in '"\\?' else f"\\{byte:03o}")
    return '"' + "".join(out) + '"'
