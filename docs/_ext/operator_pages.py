"""Writes a page for each family of operations, from the operators' schemas and docs, before Sphinx reads its sources.

A family is a module below some package's ``ops``; its page has the same basename. Nothing is listed by hand: what is
declared has its entry.
"""

import re
import sys
from contextlib import suppress
from importlib import import_module
from pathlib import Path

from accuracy import figures, in_words
from conformance import agreement
from derivative_formulas import formulas
from docstrings import escape

from flambeau._layout import TABLE
from flambeau_tensor.documentation import parameter_names, result_text, type_text
from flambeau_tensor.examples import example
from flambeau_tensor.extend import Operator, functions, operators, syntax_operators
from flambeau_tensor.probes import facts

FOLDERS = {"flambeau_tensor": "operators"}  # the packages above it add to torch.nn.functional
AGREEMENT, ACCURACY = agreement(), figures()
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


def families():
    """The operators by the module that declares them, modules in the order of their import."""
    declared = operators()  # loads what waits to be named
    modules = [m for name, m in list(sys.modules.items()) if name.startswith("flambeau_") and ".ops." in name and m]
    home = {}
    for module in modules:
        for value in vars(module).values():
            if isinstance(value, Operator):
                home.setdefault(value, module)
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
    if op.is_composite:
        return "through the operations that it calls"
    if not op.records:
        return "none"
    names = getattr(op.derivative, "argument_names", ())
    shown = dict((a.name, name) for name, a in parameter_names(op))
    written = formulas(op.derivative) if names else {}
    parts = [f"``{shown.get(n, n)}``" + (f": ``{as_shown(written[n])}``" if n in written else "") for n in names]
    return "for " + ("; " if written else ", ").join(parts) if names else "not built yet"


def as_shown(formula):
    """A formula with the names that readers know: the first tensor of a function is ``input``."""
    return re.sub(r"\bself(?=\b|_)", "input", formula)


def table(op):
    rows = [
        (name, type_text(a, a.name in op.numbers), spelled(a.default) if a.has_default else None)
        for name, a in parameter_names(op)
    ]
    if not rows:
        return []
    lines = [
        ".. list-table::",
        "   :class: arguments",
        "   :header-rows: 1",
        "   :widths: 20 50 30",
        "",
        "   * - argument",
        "     - type",
        "     - default",
    ]
    for name, kind, default in rows:
        kinds = kind.replace("*", r"\*")
        lines += [
            f"   * - ``{name}``",
            f"     - {kinds}",
            f"     - ``{default}``" if default is not None else "     - *required*",
        ]
    return [*lines, ""]


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


def entry(op, aliases, syntax, seen, shown_examples):
    """The reference entry of an operator and its variants, as reStructuredText. Of several with one name, the index has
    the first."""
    names = [op.name, *aliases]
    arguments = parameters(parameter_names(op))
    if op.is_function:
        head, signatures = "py:function", [f"{name}({arguments}) -> {result_text(op)}" for name in names]
    else:
        head, signatures = "py:method", [in_class(op)]
    body = [*description(op), "", *table(op)]
    facts = [("Gradient", gradient(op))]
    if op.returns_view:
        facts.append(("Memory", "the result is a view: it shares the elements of the first argument"))
    symbols = [f"``{symbol(word)}``" for word in syntax]
    if symbols:
        facts.append(("Syntax", ", ".join(symbols)))
    entries = [name.removeprefix("torch.").removeprefix("Tensor.") for name in full_names(op, aliases)]
    facts += [("Conformance", AGREEMENT[name]) for name in entries if name in AGREEMENT][:1]
    facts += [("Accuracy", f"at most {in_words(ACCURACY[name])}, measured") for name in entries if name in ACCURACY][:1]
    first = (op.namespace, op.name) not in shown_examples  # of a name's overloads, which the example is of
    facts += tried(op) if first else []
    facts.append(("Schema", f"``{op.schema}``"))
    body += [line for name, text in facts for line in f":{name}: {text}".split("\n")]
    shown = example(op) if first else ()
    shown_examples.add((op.namespace, op.name))
    if shown:
        body += ["", ".. code-block:: pycon", "", *("   " + line for line in shown)]
    methods = [in_class(op)] if op.is_method and op.is_function else []
    if op.inplace is not None:
        methods.append(in_class(op.inplace))
    lines = [f".. {head}:: " + signatures[0], *("   " * 5 + s for s in signatures[1:])]
    lines += ["   :no-index:", ""] if (head, op.namespace, op.name) in seen else [""]
    seen.add((head, op.namespace, op.name))
    lines += ["   " + line if line else "" for line in body]
    lines.append("")
    for method in methods:
        name = method.partition("(")[0]
        lines += [
            f"   .. py:method:: {method}",
            "      :module: torch",
            "      :no-index:" if name in seen else "      :no-index-entry:",
            "",
        ]
        seen.add(name)
    if op.inplace is not None and op.inplace.is_function:
        known = (op.namespace, op.inplace.name) in seen
        lines += [
            f"   .. py:function:: {op.inplace.name}({parameters(parameter_names(op.inplace))})",
            "      :no-index:" if known else "      :no-index-entry:",
            "",
        ]
        seen.add((op.namespace, op.inplace.name))
    return [*lines, ""]


def title(text, mark="="):
    return [text, mark * len(text), ""]


def titled(family):
    """``linear_algebra.solving`` as a title: "Linear algebra: solving"."""
    words = family.replace("_", " ").replace(".", ": ")
    return words.upper() if words in ("ctc", "fft") else words[:1].upper() + words[1:]


def page(family, module, ops):
    """The text of a family's page."""
    aliases, syntax = {}, {}
    for namespace in {op.namespace for op in ops}:
        for name, value in functions(namespace).items():
            for op in getattr(value, "overloads", (value,)):  # another name is a set of its own
                if name != op.name:
                    aliases.setdefault(op, []).append(name)
    for word, op in syntax_operators().items():
        syntax.setdefault(op.functional or op, []).append(word)
    lines = [":tocdepth: 2", "", *title(titled(family))]
    lines += [(module.__doc__ or "").strip(), ""]
    lines += [".. list-table::", "   :class: summary", "   :widths: 30 70", ""]
    for name, sentences in summary(ops).items():
        lines += [f"   * - {name}", f"     - {' '.join(sentences)}".rstrip()]
    lines += [""]
    namespace, seen, shown_examples = None, set(), set()
    for op in ops:
        if op.namespace != namespace:
            namespace = op.namespace
            lines += [f".. py:currentmodule:: {namespace}", ""]
        lines += entry(op, aliases.get(op, ()), syntax.get(op, ()), seen, shown_examples)
    return "\n".join(lines) + "\n"


def summary(ops):
    """What each name does: the sentences of its overloads, each once."""
    found = {}
    for op in ops:
        sentences = found.setdefault(role(op), [])
        if (sentence := first_sentence(op)) not in sentences:
            sentences.append(sentence)
    return found


def role(op):
    name = full_names(op, ())[0]
    return f":py:func:`~{name}`" if op.is_function else f":py:meth:`~{name}`"


def first_sentence(op):
    text = " ".join(line.strip() for line in description(op)).strip()
    end = text.find(". ")
    return text if end < 0 else text[: end + 1]


def load():
    """Import every module of the layout: what loads when first named declares operators too."""
    for name in TABLE:
        with suppress(ModuleNotFoundError):
            import_module(f"flambeau.{name}")


def write(app):
    """Write what has changed, and delete the pages of families that are gone."""
    load()
    root = Path(app.srcdir) / "reference"
    written = set()
    for module, ops in families().items():
        package, _, family = module.__name__.partition(".ops.")
        path = root / FOLDERS.get(package, "functional") / f"{family}.rst"
        path.parent.mkdir(exist_ok=True)
        text = page(family, module, ops)
        if not path.exists() or path.read_text() != text:
            path.write_text(text)
        written.add(path)
    for folder in {*FOLDERS.values(), "functional"}:
        for path in set((root / folder).glob("*.rst")) - written:
            path.unlink()


def setup(app):
    app.connect("builder-inited", write)
    return {"parallel_read_safe": True}
