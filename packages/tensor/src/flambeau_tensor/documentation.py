"""Documentation of operators, derived from schemas, for `help`, `inspect.signature`, stubs and the reference."""

_TYPES = {
    "Tensor": "Tensor",
    "int": "int",
    "SymInt": "int",
    "bool": "bool",
    "float": "float",
    "Scalar": "Number",
    "ScalarType": "torch.dtype",
    "str": "str",
    "Device": "torch.device | str",
    "Layout": "torch.layout",
    "MemoryFormat": "torch.memory_format",
    "Generator": "torch.Generator",
    "Dimname": "str",
    "Any": "Any",
    "Data": "Any",
    "Index": "Any",
    "Class": "type",
    "Object": "Any",
    "Storage": "Storage",
    "Size": "torch.Size",
    "Buffer": "Buffer",
    "Callable": "Callable[..., Any]",
    "Node": "Any",
    "Handle": "Any",
    "Hooks": "dict[int, Any]",
    "ContractedDims": "int | Tensor | Sequence[Sequence[int]]",
    "OutputSize": "int | Sequence[int | None]",
    "ScaleFactor": "float | Sequence[float]",
    "TensorOrPair": "Tensor | tuple[Tensor, Tensor]",
    "TensorOrTensors": "Tensor | Sequence[Tensor]",
    "Pair": "tuple[int, int]",
    "Names": "list[str]",
    "Capsule": "Any",
}


class Annotation(str):
    """A type as text, shown without quotes."""

    __slots__ = ()

    def __repr__(self):
        return str(self)


def _without_marks(text):
    """Return a type without alias annotation: ``Tensor(a!)?`` gives ``Tensor?``."""
    start = text.find("(")
    return text if start < 0 else text[:start] + text[text.index(")") + 1 :]


def type_text(argument, number=False):
    """Return a schema argument's type in Python's notation, such as ``"Tensor | None"``.

    Args:
        argument: an argument or a result of a parsed schema.
        number: whether a Python number is accepted instead of a tensor.
    """
    text = _without_marks(argument.type).removesuffix("?")
    if text.endswith("]"):
        base, _, size = text[:-1].partition("[")
        item = _TYPES[base.removesuffix("?")] + (" | None" if base.endswith("?") else "")
        text = f"Sequence[{item}]"
        if size:  # a single value is accepted, too
            text = f"{item} | {text}"
    else:
        text = _TYPES[text]
    if number and text == "Tensor":
        text = "Tensor | Number"
    return text + " | None" if argument.optional and not text.endswith("| None") and text != "Any" else text


def result_text(op):
    """Return the type of an operator's result, as text."""
    returns = [_result(r) for r in op.schema.returns]
    if len(returns) == 1:
        return returns[0]
    return f"tuple[{', '.join(returns)}]" if returns else "None"


def _result(argument):
    if argument.is_list:
        item = _without_marks(argument.type).partition("[")[0].removesuffix("?")
        return f"tuple[{_TYPES[item]}, ...]"
    return type_text(argument)


def given_text(o):
    """Describe an argument in errors about overloads: its type, and those of a list's items."""
    if isinstance(o, (tuple, list)) and o:
        items = ", ".join([type(item).__name__ for item in o])
        return f"tuple of ({items})" if isinstance(o, tuple) else f"list of [{items}]"
    return type(o).__name__


def parameters_text(names, arguments, expected):
    """Return the text of a schema's parameters for these errors; `expected` maps kinds of arguments to words."""
    from flambeau_tensor._core.schema.schema import NO_DEFAULT

    parts = []
    for name, a in zip(names, arguments, strict=True):
        if a.kwarg_only and "*" not in parts:
            parts.append("*")
        text = f"{expected.get(a.kind) or type_text(a).removesuffix(' | None')} {name}"
        parts.append(f"{text} = {a.default!r}" if a.default is not NO_DEFAULT else text)
    return ", ".join(parts)


def parameter_names(op):
    """Return the arguments' names as users see them: the first tensor of a function is ``input``."""
    from keyword import iskeyword

    arguments = list(op.schema.arguments)
    if op.functional is not None:
        arguments = [a for a in arguments if a.name != "out"]
    function = op.is_function and "._" not in op.namespace  # operators behind attributes count as methods
    return [
        ("input" if a.name == "self" and function and not a.is_list else a.name + "_" * iskeyword(a.name), a)
        for a in arguments
    ]


def _identifier(name):
    """Return a name that `Parameter` accepts: Python keywords (``from`` of ``random_``) get an underscore."""
    from keyword import iskeyword

    return name + "_" if iskeyword(name) else name


def signature(op):
    """Return the `inspect.Signature` of an operator."""
    from inspect import Parameter, Signature

    parameters, numbers = [], op.numbers
    for name, a in parameter_names(op):
        parameters.append(
            Parameter(
                _identifier(name),
                Parameter.KEYWORD_ONLY if a.kwarg_only else Parameter.POSITIONAL_OR_KEYWORD,
                default=a.default if a.has_default else Parameter.empty,
                annotation=Annotation(type_text(a, a.name in numbers)),
            )
        )
    return Signature(parameters, return_annotation=Annotation(result_text(op)))


def testing_signature(op, *others):
    """Return the signature of an operator's dummy function for tests of overrides, with the arguments of all overloads.

    Arguments that all overloads require are required. Arguments that only later overloads have come last.
    """
    from inspect import Parameter, Signature

    found: dict = {}
    schemas = [dict(parameter_names(each)) for each in (op, *others)]
    for each, arguments in zip((op, *others), schemas, strict=True):
        for name, a in arguments.items():
            # PyTorch's notes on extending print the signature of `torch.add` without alpha.
            if name not in found and not (name == "alpha" and each.name in ("add", "sub")):
                keyword = a.kwarg_only and a.name != "out" and (a.has_default or each is not op)
                defaults = [s[name].default for s in schemas if name in s and s[name].has_default]
                required = not defaults and all(name in s for s in schemas)
                found[name] = Parameter(
                    _identifier(name),
                    Parameter.KEYWORD_ONLY if keyword else Parameter.POSITIONAL_OR_KEYWORD,
                    default=Parameter.empty if required else defaults[0] if defaults else None,
                )
    return Signature(sorted(found.values(), key=lambda p: (p.kind, p.default is not p.empty, p.name == "out")))


def set_signature(overloads):
    """Return the `inspect.Signature` that several schemas share: common first arguments, then *args and **kwargs."""
    from inspect import Parameter, Signature

    signatures = [list(signature(op).parameters.values()) for op in overloads.overloads]
    common = []
    for at_this_place in zip(*signatures, strict=False):
        if any(p != at_this_place[0] for p in at_this_place):
            break
        common.append(at_this_place[0])
    positional = [p for p in common if p.kind is not Parameter.KEYWORD_ONLY]
    rest = [Parameter("args", Parameter.VAR_POSITIONAL), Parameter("kwargs", Parameter.VAR_KEYWORD)]
    return Signature(positional + rest)


def set_docstring(overloads):
    """Return the documentation of all operators with a name, each under its signature."""
    parts = [f"{signature_text(op)}\n\n{op.__doc__}" for op in overloads.overloads]
    first = overloads.overloads[0]
    return "\n\n".join([*parts, "\n".join([*_facts_section(first), *_example_section(first)]).rstrip()]).rstrip()


def signature_text(op):
    """Return the signature on one line: ``add(input: Tensor, ...) -> Tensor``."""
    return f"{op.name}{signature(op)}"


def docstring(op, doc):
    """Return an operator's documentation: description, arguments with types, other spellings; shapes, dtypes and
    errors; an example; the schema."""
    if doc is None:
        doc = getattr(op.implementation, "__doc__", None) if callable(op.implementation) else None
    lines = [doc.strip(), ""] if doc else []
    parameters = signature(op).parameters
    if parameters:
        lines.append("Args:")
        for p in parameters.values():
            default = "" if p.default is p.empty or p.default is None else f", default {p.default!r}"
            lines.append(f"    {p.name} ({p.annotation}{default})")
        lines.append("")
    spellings = _spellings(op)
    if spellings:
        lines += [f"Also: {', '.join(spellings)}.", ""]
    if not op.is_overload:
        lines += [*_facts_section(op), *_example_section(op)]
    lines += ["Schema:", f"    {op.schema}"]
    return "\n".join(lines)


def _facts_section(op):
    """Return shapes, dtypes and errors, as determined by trials of the operator's example."""
    from importlib import import_module

    lines = []
    if op.namespace.startswith("torch.ops"):
        return lines  # users' operators, whose kernels would run
    for title, said in import_module("flambeau_tensor.probes").facts(op).items():
        lines += [f"{title}:", *(f"    {line}" for line in said), ""]
    return lines


def _example_section(op):
    """Return a program with its result, if there is one."""
    from importlib import import_module

    # By name: `_core` imports this module, and examples import modules above it.
    lines = import_module("flambeau_tensor.examples").example(op)
    return ["Example:", *(f"    {line}".rstrip() for line in lines), ""] if lines else []


def _spellings(op):
    found = []
    if op.is_function and op.is_method:
        found.append(f"``Tensor.{op.name}``")
    if op.inplace is not None:
        found.append(f"``Tensor.{op.inplace.name}``")
    if op.varargs >= 0:
        found.append(f"`{op.schema.arguments[op.varargs].name}` one by one")
    return found
