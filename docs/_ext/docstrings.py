"""Docstrings are plain text with `code` in backticks: stars and underscores mean themselves, and are escaped here."""

import builtins
import importlib
import re
import sys

CODE = re.compile(r"(``.*?``|`[^`]*`)")
MARKUP = re.compile(r"(?<!\\)(\*|\||(?<=\w)_(?!\w))")


def escape(lines):
    """The lines with everything outside backticks and examples made safe for reStructuredText."""
    out, example, literal = [], False, None
    for line in lines:
        text, indent = line.strip(), len(line) - len(line.lstrip())
        if literal is not None and text and indent <= literal:
            literal = None
        example = bool(text) and (example or text.startswith(">>>"))
        if example or literal is not None:
            out.append(line)
            continue
        if text.endswith("::"):
            literal = indent
        parts = CODE.split(line)
        parts[::2] = [MARKUP.sub(r"\\\1", part) for part in parts[::2]]
        out.append("".join(parts))
    return out


def module_names(module, names):
    """Let an example see what it sees in its file: the names of the module that it documents. `torch` is the user's."""
    names.update(
        (name, value)
        for name, value in vars(importlib.import_module(module)).items()
        if not name.startswith("__") and not hasattr(builtins, name) and name != "torch"
    )


def process(app, what, name, obj, options, lines):
    lines[:] = escape(lines)
    module = getattr(obj, "__module__", None)
    if module in sys.modules and any(line.lstrip().startswith(">>>") for line in lines):
        setup = f"__import__('docstrings').module_names({module!r}, globals())"
        lines += ["", ".. testsetup::", "", f"   {setup}", ""]


def setup(app):
    app.connect("autodoc-process-docstring", process, priority=400)  # before napoleon
    return {"parallel_read_safe": True}
