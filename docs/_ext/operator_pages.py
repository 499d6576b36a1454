"""The pages of families of operations and the entries of single ones, from the operators' schemas and docs.

A family is a module below some package's ``ops``; its page has the same basename. Nothing is listed by hand: what is
declared has its entry.
"""

import sys
from contextlib import suppress
from importlib import import_module

from accuracy import figures, in_words
from arguments import meaning
from conformance import agreement
from derivative_formulas import formulas, refuses
from docstrings import escape

from flambeau._layout import TABLE
from flambeau_tensor.documentation import parameter_names, result_text, type_text
from flambeau_tensor.examples import example
from flambeau_tensor.extend import Operator, find_operator, functions, operators, syntax_operators
from flambeau_tensor.probes import facts

FOLDERS = {"flambeau_tensor": "operators"}  # the packages above it add to torch.nn.functional
AGREEMENT, ACCURACY = agreement(), figures()
REFUSES = "not implemented, backward raises an error"
SYMBOLS = {
    "add": "a + b",
    "sub": "a - b",
    "mul": "a * b",
    "truediv": "a / b",
    "floordiv": "a // b",
    "mod": "a % b",
    "pow": "a ** b",
    "matmul": "a @ b",
    "and": "a & b",
    "or": "a | b",
    "xor": "a ^ b",
    "lshift": "a << b",
    "rshift": "a >> b",
    "lt": "a < b",
    "le": "a <= b",
    "eq": "a == b",
    "ne": "a != b",
    "gt": "a > b",
    "ge": "a >= b",
    "neg": "-a",
    "pos": "+a",
    "abs": "abs(a)",
    "invert": "~a",
    "bool": "bool(a)",
    "int": "int(a)",
    "float": "float(a)",
    "complex": "complex(a)",
    "index": "operator.index(a)",
    "len": "len(a)",
    "iter": "iter(a)",
    "contains": "b in a",
    "getitem": "a[i]",
    "setitem": "a[i] = b",
}


def symbol(word):
    """How Python writes the syntax of that name; in-place words begin with an i."""
    if word in SYMBOLS:
        return SYMBOLS[word]
    left, sign, right = SYMBOLS[word[1:]].split()
    return f"{left} {sign}= {right}"


def public(op):
    return "._" not in op.namespace and op.namespace != "torch.ops.aten" and not op.name.startswith("_")


def find(full_name):
    """What stands under the name that users write; None for a method's."""
    return None if full_name.startswith("torch.Tensor.") else find_operator(full_name)


def families():
    """The operators by the module that declares them, modules in the order of their import."""
    declared = operators()  # loads what waits to be named
    modules = [m for name, m in list(sys.modules.items()) if name.startswith("flambeau_") and ".ops." in name and m]
    home = {}
    for module in modules:
        for value in vars(module).values():
            for op in value.values() if isinstance(value, dict) else [value]:
                if isinstance(op, Operator):
                    home.setdefault(op, module)
    names = {m.__name__: m for m in modules}
    found = {module: [] for module in modules}
    last = None
    for op in declared.values():
        base = op.functional or op
        # An operator that was declared in a loop has no name of its own in its module: it stands beside its neighbour.
        last = home.get(base) or names.get(getattr(base.implementation, "__module__", None)) or last
        if public(op) and op.functional is None:
            found[last].append(op)
    return {module: ops for module, ops in found.items() if ops}


def spelled(value):
    return f"'{value}'" if isinstance(value, str) else repr(value)


def parameters(arguments):
    """Names and defaults as in a Python signature."""
    parts = []
    for name, a in arguments:
        if a.kwarg_only and "*" not in parts:
            parts.append("*")
        parts.append(f"{name}={spelled(a.default)}" if a.has_default else name)
    return ", ".join(parts)


def in_class(op):
    """The signature as a method: without the tensor that it is a method of."""
    return f"Tensor.{op.name}({parameters(parameter_names(op)[1:])})"


def gradient(op):
    """Whether and how the result has a gradient."""
    if not op.records and not op.is_composite:
        return "none"
    shown = dict((a.name, name) for name, a in parameter_names(op))
    written = formulas(op, full_names(op, ())[0])
    names = list(written) if op.is_composite else differentiable(op, written)
    if not names:
        return "follows from the operations that it calls" if op.is_composite else "not built yet"
    parts = []
    for n in names:
        formula, words = written.get(n) or (None, REFUSES if refuses(op, n) else None)
        said = [f"``{formula}``"] if formula else []
        said += [words.replace("`", "``")] if words else []
        parts.append(f"``{shown.get(n, n)}``" + (f": {', '.join(said)}" if said else ""))
    return "with respect to " + ("; " if written else ", ").join(parts)


def differentiable(op, written):
    """The names of the arguments that a gradient goes to."""
    rule = op.derivative
    if getattr(rule, "composition", None) is None:
        return getattr(rule, "argument_names", ())
    return [name for name in rule.argument_names if name in written] or [n for n in rule.argument_names if n != "out"]


def fields(op, family):
    """The arguments with types, meanings and defaults, then the type of the result, as fields."""
    lines, full_name = [], full_names(op, ())[0]
    for name, a in parameter_names(op):
        if name.startswith("_"):
            continue
        said = [meaning(full_name, family, name)]
        if a.has_default and a.default is not None:
            said.append(f"Default: ``{spelled(a.default)}``.")
        kind = type_text(a, a.name in op.numbers).replace("*", r"\*")
        lines += [f":param {name}: {' '.join(filter(None, said))}", f":type {name}: {kind}"]
    return [*lines, f":rtype: {result_text(op)}"]


def description(op):
    """What an operator's documentation says before it lists arguments, as lines of reStructuredText."""
    lines = []
    for line in op.__doc__.splitlines():
        if line in ("Args:", "Shape:", "Dtypes:", "Raises:", "Example:", "Schema:") or line.startswith("Also: "):
            break
        lines.append(line)
    while lines and not lines[-1]:
        lines.pop()
    return escape(lines)


def tried(op):
    """Shapes, dtypes and errors, as (name, text)."""
    said = facts(op)
    rows = [(name, " ".join(escape(said[name]))) for name in ("Shape", "Dtypes") if name in said]
    errors = [f"- ``{line}``" for line in said.get("Raises", ())]
    return [*rows, ("Raises", "\n   ".join(["", *errors]))] if errors else rows


def full_names(op, aliases):
    """The name that users write, and its aliases, in full."""
    name = op.__torch_name__
    if op.is_overload:
        name = name.removesuffix(f".{op.schema.overload or 'default'}")
    return [name, *(f"{op.namespace}.{alias}" for alias in aliases)]


def entry(op, family, aliases, syntax, first):
    """The reference entry of an operator and its variants, as reStructuredText. Of several with one name, the index has
    the first, which also has the example and what was tried."""
    names = [op.name, *aliases]
    arguments = parameters(parameter_names(op))
    if op.is_function:
        head, signatures = "py:function", [f"{op.namespace}.{name}({arguments}) -> {result_text(op)}" for name in names]
    else:
        head, signatures = "py:method", [f"torch.{in_class(op)} -> {result_text(op)}"]
    body = [*description(op), "", *fields(op, family)]
    facts = [("Gradient", gradient(op))]
    if op.returns_view:
        facts.append(("Memory", "the result is a view: it shares the elements of the first argument"))
    symbols = [f"``{symbol(word)}``" for word in syntax]
    if symbols:
        facts.append(("Syntax", ", ".join(symbols)))
    entries = [name.removeprefix("torch.").removeprefix("Tensor.") for name in full_names(op, aliases)]
    facts += [("Conformance", AGREEMENT[name]) for name in entries if name in AGREEMENT][:1]
    facts += [("Accuracy", f"at most {in_words(ACCURACY[name])}, measured") for name in entries if name in ACCURACY][:1]
    facts += tried(op) if first else []
    facts.append(("Schema", f"``{op.schema}``"))
    body += [line for name, text in facts for line in f":{name}: {text}".split("\n")]
    shown = example(op) if first else ()
    if shown:
        body += ["", ".. code-block:: pycon", "", *("   " + line for line in shown)]
    lines = [f".. {head}:: " + signatures[0], *("   " * 5 + s for s in signatures[1:])]
    lines += [""] if first else ["   :no-index:", ""]
    lines += ["   " + line if line else "" for line in body]
    lines.append("")
    methods = [in_class(op)] if op.is_method and op.is_function else []
    if op.inplace is not None:
        methods.append(in_class(op.inplace))
    variants = [("py:method", f"torch.{text}") for text in methods]
    if op.inplace is not None and op.inplace.is_function:
        text = f"{op.namespace}.{op.inplace.name}({parameters(parameter_names(op.inplace))})"
        variants.append(("py:function", text))
    indent = "   " if op.namespace == "torch" else ""  # in an entry of another module it would be a member of that
    for kind, text in variants:
        option = ":no-index-entry:" if first else ":no-index:"
        lines += [f"{indent}.. {kind}:: {text}", f"{indent}   {option}", ""]
    return [*lines, ""]


def title(text, mark="="):
    return [text, mark * len(text), ""]


TITLES = {
    "arrays": "NumPy protocols",
    "attributes": "Tensor attributes and conversions",
    "bags": "Bags of embeddings",
    "calculus": "Numerical integration and differentiation",
    "contraction": "Tensor contractions",
    "copies": "Copies of views",
    "ctc": "CTC loss",
    "cumulative": "Cumulative operations",
    "decompositions": "Decompositions of operations",
    "dimension_order": "Order of dimensions",
    "factories": "Creating tensors",
    "fft": "Fourier transforms",
    "gathering": "Gathering and scattering",
    "joining": "Joining and splitting",
    "loss": "Loss functions",
    "lookup": "Membership and lookup",
    "margins": "Margin losses",
    "matmul": "Matrix products",
    "native": "Layer functions of torch",
    "placement": "Devices and placement",
    "pointwise": "Elementwise operations",
    "random": "Random numbers",
    "sampling": "Random samples with parameters",
    "segments": "Segment reductions",
    "signal": "Short-time Fourier transforms and windows",
    "sorting": "Sorting, ranking and searching",
    "special": "Special functions",
    "storages": "Storage and shared memory",
    "views": "Views and reshaping",
    "linear_algebra.eigenpairs": "Linear algebra: few eigenpairs",
    "linear_algebra.indefinite": "Linear algebra: indefinite and low-rank",
    "linear_algebra.spectral": "Linear algebra: eigenvalues and singular values",
}


def titled(family):
    """The title of a family: its own, or its name in words."""
    words = family.replace("_", " ").replace(".", ": ")
    return TITLES.get(family, words[:1].upper() + words[1:])


def page(family, module, ops):
    """The text of a family's page: what it is, and a line for each name."""
    lines = [*title(titled(family)), (module.__doc__ or "").strip(), ""]
    return "\n".join(lines + summary_table((role(name), text) for name, text in summary(ops).items())) + "\n"


def summary_table(rows):
    lines = [".. list-table::", "   :class: summary", "   :widths: 30 70", ""]
    for name, text in rows:
        lines += [f"   * - {name}", f"     - {text}".rstrip()]
    return [*lines, ""] if len(lines) > 4 else []


def spellings(ops):
    """The aliases and the syntax of operators, by operator."""
    aliases, syntax = {}, {}
    for namespace in {op.namespace for op in ops}:
        for name, value in functions(namespace).items():
            for op in getattr(value, "overloads", (value,)):  # another name is a set of its own
                if name != op.name:
                    aliases.setdefault(op, []).append(name)
    for word, op in syntax_operators().items():
        syntax.setdefault(op.functional or op, []).append(word)
    return aliases, syntax


def by_name(ops):
    """The operators of a family by the full name that users write."""
    found = {}
    for op in ops:
        found.setdefault(full_names(op, ())[0], []).append(op)
    return found


def summary(ops):
    """What each name does: the sentences of its overloads, each once."""
    return {name: " ".join(dict.fromkeys(map(first_sentence, each))) for name, each in by_name(ops).items()}


def role(full_name):
    return f":py:meth:`~{full_name}`" if full_name.startswith("torch.Tensor.") else f":py:func:`~{full_name}`"


def first_sentence(op):
    text = " ".join(line.strip() for line in description(op)).strip()
    end = text.find(". ")
    return text if end < 0 else text[: end + 1]


def load():
    """Import every module of the layout: what loads when first named declares operators too."""
    for name in TABLE:
        with suppress(ModuleNotFoundError):
            import_module(f"flambeau.{name}")


def family_of(module):
    """The folder and the name of a family's page."""
    package, _, family = module.__name__.partition(".ops.")
    return FOLDERS.get(package, "functional"), family


def pages():
    """The text of each family's page, by its path below the reference."""
    return {"/".join(family_of(m)): page(family_of(m)[1], m, ops) for m, ops in families().items()}
