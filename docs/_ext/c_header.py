"""The directive ``c-header``: the functions of ``flambeau/tensor.h`` under its own headings and comments.

In the header a comment stands before what it is about: one function, or several that belong together.
"""

import re
import textwrap
from pathlib import Path

from sphinx.util.docutils import SphinxDirective

import flambeau_tensor

HEADER = Path(flambeau_tensor.__file__).with_name("include") / "flambeau" / "tensor.h"
SECTION = re.compile(r"^/\* --- (.+?) -+ \*/$")
FUNCTION = re.compile(r"^(?:static (?:inline |FL_MAYBE_UNUSED )?)(?P<head>[^;{}]*?\b(?P<name>fl_\w+)\([^{;]*\)) ?\{")


def sections(text):
    """Title and entries of each section; an entry is a comment and the declarations that follow it."""
    title, entries = "", []
    lines = iter(text.splitlines())
    for line in lines:
        if found := SECTION.match(line):
            if entries:
                yield title, entries
            title, entries = found[1], []
        elif line.startswith("/*"):
            comment = [line]
            while not comment[-1].rstrip().endswith("*/"):
                comment.append(next(lines))
            entries.append((prose("\n".join(comment)), []))
        elif line.startswith("static ") and "(" in line:
            declaration = line
            while "{" not in declaration:
                declaration += " " + next(lines).strip()
            found = FUNCTION.match(declaration)
            if found and entries:
                entries[-1][1].append(found["head"])
        elif line.startswith("#define FL_CHECK("):
            entries[-1][1].append("FL_CHECK(tensor, dtype, ndim)")
        elif line.startswith("#define FL_LIBRARY("):
            entries[-1][1].append("FL_LIBRARY(name) { ... }")
    yield title, entries


def prose(comment):
    """The text of a comment, without its marks; what is indented stays so."""
    body = comment.removeprefix("/*").rstrip().removesuffix("*/")
    return "\n".join(re.sub(r"^ \* ?", "", line).rstrip() for line in body.splitlines()).strip()


def rendered(text):
    """The page's text, in Markdown."""
    for title, entries in sections(text):
        found = [(comment, heads) for comment, heads in entries if heads]
        if not title or not found:
            continue
        yield from (f"### {title}", "")
        for comment, heads in found:
            yield from ("```c", *(head + ";" for head in heads), "```", "")
            words, _, example = comment.partition("\n    ")
            yield from paragraph(words)
            if example:
                yield from ("", "```c", *textwrap.dedent("    " + example).splitlines(), "```")
            yield ""


def paragraph(words):
    """Prose with the interface's names as code."""
    parts = words.split("`")  # every second one is code already
    parts[::2] = [re.sub(r"\b(fl_\w+|FL_\w+|NULL)\b(?!\()", r"`\1`", part) for part in parts[::2]]
    return "`".join(parts).splitlines()


class CHeader(SphinxDirective):
    """Everything that the header declares static, under its headings."""

    def run(self):
        text = "\n".join(rendered(HEADER.read_text(encoding="utf-8")))
        return self.parse_text_to_nodes(text, allow_section_headings=True)


def setup(app):
    app.add_directive("c-header", CHeader)
    return {"parallel_read_safe": True}
