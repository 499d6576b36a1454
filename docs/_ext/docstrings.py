"""Docstrings are plain text with `code` in backticks: stars and underscores mean themselves, and are escaped here."""

import re

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


def process(app, what, name, obj, options, lines):
    lines[:] = escape(lines)


def setup(app):
    app.connect("autodoc-process-docstring", process, priority=400)  # before napoleon
    return {"parallel_read_safe": True}
