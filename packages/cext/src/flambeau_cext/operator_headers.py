"""The operators as C++ functions and methods of ``at::Tensor``, written from their schemas.

``python -m flambeau_cext.operator_headers MODULE...`` imports the modules, whose operators it takes, and writes
``ATen/MethodDeclarations.h``, ``ATen/Functions.h`` and ``ATen/ops/``. A call names the arguments that it passes, and
the library finds them by name when it is first made, so an extension compiled with these headers runs with later
schemas as well.

C++ has overloads where a schema has one argument of several types, or results that depend on an argument: those
signatures are listed below, in the language of schemas, with the operator that runs them.
"""

import importlib
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from flambeau_tensor import Tensor
from flambeau_tensor.extend import Operator, functions, operators, parse

INCLUDE = Path(__file__).parent / "include" / "ATen"

_OPTIONS = (
    "*, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, "
    "bool requires_grad=False"
)
# Signatures in place of the schema of the operator of that name. "= name": the operator that runs it. An argument whose
# name begins with _ is taken and not passed on.
_OVERLOADS = """
    linspace(Scalar start, Scalar end, int steps, *, Tensor(a!)? out=None, OPTIONS) -> Tensor
    linspace(Tensor start, Tensor end, int steps, *, OPTIONS) -> Tensor
    logspace(Scalar start, Scalar end, int steps, float base=10.0, *, Tensor(a!)? out=None, OPTIONS) -> Tensor
    logspace(Tensor start, Tensor end, int steps, float base=10.0, *, OPTIONS) -> Tensor
    sum(Tensor self, *, ScalarType? dtype=None) -> Tensor
    sum(Tensor self, int[]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor
    mean(Tensor self, *, ScalarType? dtype=None) -> Tensor
    mean(Tensor self, int[]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor
    prod(Tensor self, *, ScalarType? dtype=None) -> Tensor
    prod(Tensor self, int dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor
    all(Tensor self) -> Tensor
    all(Tensor self, int dim, bool keepdim=False) -> Tensor
    all(Tensor self, int[]? dim, bool keepdim=False) -> Tensor
    any(Tensor self) -> Tensor
    any(Tensor self, int dim, bool keepdim=False) -> Tensor
    any(Tensor self, int[]? dim, bool keepdim=False) -> Tensor
    count_nonzero(Tensor self, int? dim=None) -> Tensor
    count_nonzero(Tensor self, int[] dim) -> Tensor
    norm(Tensor self, Scalar p=2) -> Tensor
    norm(Tensor self, Scalar? p, int[] dim, bool keepdim=False) -> Tensor
    norm(Tensor self, Scalar? p, int[] dim, bool keepdim, ScalarType dtype) -> Tensor
    clamp(Tensor self, Scalar? min, Scalar? max=None) -> Tensor
    clamp(Tensor self, Tensor? min=None, Tensor? max=None) -> Tensor
    clamp_(Tensor(a!) self, Scalar? min, Scalar? max=None) -> Tensor(a!)
    clamp_(Tensor(a!) self, Tensor? min=None, Tensor? max=None) -> Tensor(a!)
    nonzero(Tensor self) -> Tensor
    squeeze(Tensor(a) self) -> Tensor(a)
    squeeze(Tensor(a) self, int dim) -> Tensor(a)
    squeeze(Tensor(a) self, int[] dim) -> Tensor(a)
    movedim(Tensor(a) self, int[] source, int[] destination) -> Tensor(a)
    movedim(Tensor(a) self, int source, int destination) -> Tensor(a)
    slice(Tensor(a) self, int dim=0, int? start=None, int? end=None, int step=1) -> Tensor(a) = _ops.slice
    scatter(Tensor self, int dim, Tensor index, Tensor src) -> Tensor
    scatter(Tensor self, int dim, Tensor index, Scalar value) -> Tensor
    scatter(Tensor self, int dim, Tensor index, Tensor src, *, str reduce) -> Tensor
    scatter(Tensor self, int dim, Tensor index, Scalar value, *, str reduce) -> Tensor
    scatter_(Tensor(a!) self, int dim, Tensor index, Tensor src) -> Tensor(a!)
    scatter_(Tensor(a!) self, int dim, Tensor index, Scalar value) -> Tensor(a!)
    scatter_(Tensor(a!) self, int dim, Tensor index, Tensor src, *, str reduce) -> Tensor(a!)
    scatter_(Tensor(a!) self, int dim, Tensor index, Scalar value, *, str reduce) -> Tensor(a!)
    bernoulli(Tensor self) -> Tensor
    bernoulli(Tensor self, float p) -> Tensor
    arange(Scalar start, OPTIONS) -> Tensor
    arange(Scalar start, Scalar end, OPTIONS) -> Tensor
    arange(Scalar start, Scalar end, Scalar step, OPTIONS) -> Tensor
    eye(int n, OPTIONS) -> Tensor
    eye(int n, int m, OPTIONS) -> Tensor
    einsum(str equation, Tensor[] tensors, int[]? _path=None) -> Tensor = _ops.einsum
    tensordot(Tensor self, Tensor other, int[] dims_self, int[] dims_other) -> Tensor = _ops.tensordot
    meshgrid(Tensor[] tensors) -> Tensor[] = _ops.meshgrid
    meshgrid(Tensor[] tensors, str indexing) -> Tensor[] = _ops.meshgrid
    broadcast_tensors(Tensor[] tensors) -> Tensor[] = _ops.broadcast_tensors
    cartesian_prod(Tensor[] tensors) -> Tensor = _ops.cartesian_prod
    chain_matmul(Tensor[] matrices) -> Tensor = _ops.chain_matmul
    block_diag(Tensor[] tensors) -> Tensor = _ops.block_diag
    _unique2(Tensor self, bool sorted=True, bool return_inverse=False, bool return_counts=False) \
-> (Tensor, Tensor, Tensor) = _ops.unique
    unique_dim(Tensor self, int dim, bool sorted=True, bool return_inverse=False, bool return_counts=False) \
-> (Tensor, Tensor, Tensor) = _ops.unique
    unique_consecutive(Tensor self, bool return_inverse=False, bool return_counts=False, int? dim=None) \
-> (Tensor, Tensor, Tensor) = _ops.unique_consecutive
    pad(Tensor self, int[] pad, str mode='constant', float? value=None) -> Tensor = nn.functional.pad
    bilinear(Tensor input1, Tensor input2, Tensor weight, Tensor? bias=None) -> Tensor = nn.functional.bilinear
    rms_norm(Tensor self, int[] normalized_shape, Tensor? weight=None, float? eps=None) -> Tensor \
= nn.functional.rms_norm
    instance_norm(Tensor self, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, \
bool use_input_stats, float momentum, float eps, bool _cudnn_enabled) -> Tensor = nn.functional.instance_norm
    pairwise_distance(Tensor x1, Tensor x2, float p=2.0, float eps=1e-06, bool keepdim=False) -> Tensor \
= nn.functional.pairwise_distance
    kl_div(Tensor self, Tensor target, str reduction='mean', *, bool log_target=False) -> Tensor \
= nn.functional.kl_div
    hinge_embedding_loss(Tensor self, Tensor target, float margin=1.0, str reduction='mean') -> Tensor \
= nn.functional.hinge_embedding_loss
    margin_ranking_loss(Tensor input1, Tensor input2, Tensor target, float margin=0.0, str reduction='mean') -> Tensor \
= nn.functional.margin_ranking_loss
    cosine_embedding_loss(Tensor input1, Tensor input2, Tensor target, float margin=0.0, str reduction='mean') \
-> Tensor = nn.functional.cosine_embedding_loss
    triplet_margin_loss(Tensor anchor, Tensor positive, Tensor negative, float margin=1.0, float p=2.0, \
float eps=1e-06, bool swap=False, str reduction='mean') -> Tensor = nn.functional.triplet_margin_loss
    avg_pool1d(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=0, bool ceil_mode=False, \
bool count_include_pad=True) -> Tensor = nn.functional.avg_pool1d
    max_pool1d(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=0, int[1] dilation=1, \
bool ceil_mode=False) -> Tensor = nn.functional.max_pool1d
    adaptive_avg_pool1d(Tensor self, int[1] output_size) -> Tensor = nn.functional.adaptive_avg_pool1d
    log_sigmoid(Tensor self) -> Tensor = nn.functional.logsigmoid
    linear(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor = nn.functional.linear
    dropout(Tensor self, float p, bool training) -> Tensor = nn.functional.dropout
    embedding(Tensor weight, Tensor input) -> Tensor = nn.functional.embedding
    one_hot(Tensor tensor, int num_classes=-1) -> Tensor = nn.functional.one_hot
    gelu(Tensor self, *, str approximate='none') -> Tensor = nn.functional.gelu
    glu(Tensor self, int dim=-1) -> Tensor = nn.functional.glu
    celu(Tensor self, Scalar alpha=1.0) -> Tensor = nn.functional.celu
    selu(Tensor self) -> Tensor = nn.functional.selu
    relu6(Tensor self) -> Tensor = nn.functional.relu6
    prelu(Tensor self, Tensor weight) -> Tensor = nn.functional.prelu
    softplus(Tensor self, Scalar beta=1, Scalar threshold=20) -> Tensor = nn.functional.softplus
    softshrink(Tensor self, Scalar lambd=0.5) -> Tensor = nn.functional.softshrink
    hardshrink(Tensor self, Scalar lambd=0.5) -> Tensor = nn.functional.hardshrink
    layer_norm(Tensor self, int[] normalized_shape, Tensor? weight=None, Tensor? bias=None, float eps=1e-05, \
bool _cudnn_enable=True) -> Tensor = nn.functional.layer_norm
    group_norm(Tensor self, int num_groups, Tensor? weight=None, Tensor? bias=None, float eps=1e-05, \
bool _cudnn_enabled=True) -> Tensor = nn.functional.group_norm
    batch_norm(Tensor self, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool training, \
float momentum, float eps, bool _cudnn_enabled) -> Tensor = nn.functional.batch_norm
    cosine_similarity(Tensor x1, Tensor x2, int dim=1, float eps=1e-08) -> Tensor = nn.functional.cosine_similarity
    mse_loss(Tensor self, Tensor target, str reduction='mean') -> Tensor = nn.functional.mse_loss
    l1_loss(Tensor self, Tensor target, str reduction='mean') -> Tensor = nn.functional.l1_loss
    smooth_l1_loss(Tensor self, Tensor target, str reduction='mean', float beta=1.0) -> Tensor \
= nn.functional.smooth_l1_loss
    huber_loss(Tensor self, Tensor target, str reduction='mean', float delta=1.0) -> Tensor = nn.functional.huber_loss
    binary_cross_entropy(Tensor self, Tensor target, Tensor? weight=None, str reduction='mean') -> Tensor \
= nn.functional.binary_cross_entropy
    binary_cross_entropy_with_logits(Tensor self, Tensor target, Tensor? weight=None, Tensor? pos_weight=None, \
str reduction='mean') -> Tensor = nn.functional.binary_cross_entropy_with_logits
    nll_loss(Tensor self, Tensor target, Tensor? weight=None, str reduction='mean', int ignore_index=-100) -> Tensor \
= nn.functional.nll_loss
    cross_entropy_loss(Tensor self, Tensor target, Tensor? weight=None, str reduction='mean', int ignore_index=-100, \
float label_smoothing=0.0) -> Tensor = nn.functional.cross_entropy
    avg_pool2d(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, bool ceil_mode=False, \
bool count_include_pad=True, int? divisor_override=None) -> Tensor = nn.functional.avg_pool2d
    max_pool2d(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, int[2] dilation=1, \
bool ceil_mode=False) -> Tensor = nn.functional.max_pool2d
    adaptive_avg_pool2d(Tensor self, int[2] output_size) -> Tensor = nn.functional.adaptive_avg_pool2d
"""
_METHODS_TOO = {"slice", "where", "clamp_", "scatter_", "bernoulli_", "random_"}
# Written by hand, in ATen/core/Tensor.h and ATen/TensorIndexing.h.
_BY_HAND = set(
    """
    index index_put_ to type view item size stride dim numel data_ptr contiguous is_contiguous storage_offset cuda cpu
    xpu element_size requires_grad_ backward retain_grad is_floating_point is_complex is_signed is_conj is_neg
    get_device is_leaf alias tensor result_type
    """.split()
)
# Without a C++ form: made for Python, with results that depend on arguments, or named like a C++ type.
_PYTHON_ONLY = set(
    """
    numpy tolist apply_ map_ map2_ as_subclass untyped_storage register_hook register_post_accumulate_grad_hook
    from_numpy frombuffer as_tensor asarray new_tensor unique unique_consecutive tensordot range
    bool char short int long float double half byte cfloat cdouble bfloat16 is_inference is_shared is_pinned
    """.split()
)

# Type in a schema -> type of the C++ parameter, function in ATen/core/Call.h that makes a value of it. Functions with a
# name of their own, since choosing among overloads is what compiling the headers costs.
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
    values: tuple[tuple[str, str], ...]  # of the operator's argument, how it is made of the parameter

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


def _parameter(argument: Any, type_text: str) -> _Parameter:
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
    if argument.name.startswith("_"):
        return _Parameter(cxx, _default(argument, cxx), "", ())
    return _Parameter(declared, _default(argument, cxx), argument.name, ((argument.name, f"of_{maker}({name})"),))


def _options(names: set[str]) -> _Parameter:
    values = [("dtype", "dtype_of(options)")]
    if "requires_grad" in names:
        values.append(("requires_grad", "requires_grad_of(options)"))
    return _Parameter("const TensorOptions &options", "{}", "options", tuple(values))


def _signatures(
    schema: Any, operator: str, numbers: Iterable[str], function: bool, method: bool
) -> Iterator[_Signature]:
    """The C++ forms of a schema: one for tensors, one for each choice of numbers in their place, one with ``out``."""
    arguments = [a for a in schema.arguments if not (a.name == "out" and a.kind != 0 or a.name == "generator")]
    names = {a.name for a in arguments}
    factory = {"dtype", "layout", "device"} <= names
    out = next((a for a in arguments if a.name == "out" and a.write), None)
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
            parameters.append(_parameter(a, type_text))
        with_self = any(p.argument == "self" and "Tensor" in p.declared for p in parameters)
        yield _Signature(schema.name, operator, tuple(parameters), returns, written, function, method and with_self)
        if out is not None and function and not scalars and returned == "Tensor":
            target = _Parameter("Tensor &out", None, "out", (("out", "of_tensor(out)"),))
            plain = [p for p in parameters if not factory or p.argument not in ("options", "")]
            yield _Signature(f"{schema.name}_out", operator, (target, *plain), ("Tensor &", "same"), "out", True, False)


def _public_name(op: Operator) -> str | None:
    """What the operator is called in C++, if it has a name there."""
    space = op.namespace
    if op.name.startswith("_") or op.name in _BY_HAND | _PYTHON_ONLY:
        return None
    if space == "torch":
        return op.name
    if space in ("torch.linalg", "torch.special", "torch.fft"):
        return f"{space.rpartition('.')[2]}_{op.name}"
    if space == "torch._C._nn" and "_backward" not in op.name and "pool" not in op.name:
        return op.name
    return None


def signatures() -> list[_Signature]:
    """The C++ forms of all operators that are registered now, by name."""
    known = {name.removeprefix("torch."): op for name, op in operators().items()}
    named = functions("torch")
    found: list[_Signature] = []
    replaced: set[str] = set()
    in_place = {name for name in functions("torch") if name.endswith("_")}
    for line in _OVERLOADS.strip().splitlines():
        text, _, runs = line.strip().replace("OPTIONS", _OPTIONS).partition(" = ")
        schema = parse(text)
        replaced.add(schema.name)
        op = known.get(schema.name) or known.get(f"Tensor.{schema.name}") or named.get(schema.name)
        method = schema.name in _METHODS_TOO or (op is not None and op.is_method)
        function = op is None or op.is_function or schema.name in ("slice",)
        if (runs or schema.name) not in {*known, *named} and f"Tensor.{schema.name}" not in known:
            continue  # its package is not among those imported
        runs = runs or (schema.name if schema.name in {*known, *named} else f"Tensor.{schema.name}")
        found += _signatures(schema, runs, (), function, method)
    for name, op in sorted(known.items(), key=lambda entry: _public_name(entry[1]) or ""):
        public = _public_name(op)
        if public is None or public in replaced:
            continue
        try:
            schema = parse(op.schema.text.replace(op.schema.text.partition("(")[0], public, 1))
            function = op.is_function or public in in_place
            forms = _signatures(schema, name, op.numbers, function, op.is_method)
            found += [_told_apart(form, found) for form in forms]
        except _Unspeakable:
            continue
    found += [form for name, original in _aliases().items() for form in _renamed(found, original, name)]
    return sorted(found, key=lambda s: s.name)  # stable: overloads keep their order


def _told_apart(form: _Signature, others: list[_Signature]) -> _Signature:
    """The form with as many arguments required as it takes to tell its calls from those of earlier forms."""
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
    """The further names of operators, in ``torch`` or of methods, with what they are names of."""
    names = {name: op.name for name, op in functions("torch").items() if name != op.name}
    for name in dir(Tensor):
        op = getattr(getattr(Tensor, name), "target", None)
        if isinstance(op, Operator) and name != op.name:
            names.setdefault(name, op.name)
    return {name: original for name, original in names.items() if not name.startswith("_") and name not in _BY_HAND}


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


_NOTE = "/* Written by flambeau_cext.operator_headers from the operators' schemas: do not edit. */"


def headers() -> dict[str, str]:
    """The generated headers, by name."""
    forms = signatures()
    declarations = [f"{_joined(s.returns[0], s.name)}({_method_parameters(s, True)}) const;" for s in forms if s.method]
    functions = [_function(s) for s in forms if s.function]
    methods = [_method(s) for s in forms if s.method]
    # PyTorch has a header for each operator, with its in-place and out= forms.
    names = {s.name.removesuffix("_out") if s.written == "out" else s.name.rstrip("_") for s in forms if s.function}
    one_by_one = {f"ops/{name}.h": "#pragma once\n#include <ATen/ATen.h>\n" for name in names}
    around = (_NOTE, "#pragma once", "", "#include <ATen/core/Call.h>", "", "namespace at {", "")
    return {
        **one_by_one,
        "MethodDeclarations.h": "\n".join((_NOTE, *declarations, "")),
        "Functions.h": "\n".join((*around, *functions, "", *methods, "", "}  // namespace at", "")),
    }


def main() -> None:
    """Write the headers with the operators of the modules that are named on the command line."""
    for module in sys.argv[1:]:
        importlib.import_module(module)
    (INCLUDE / "ops").mkdir(exist_ok=True)
    for name, text in headers().items():
        (INCLUDE / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
