"""Directives: ``missing``, PyTorch's public names, as ``flambeau_tensor.not_built`` lists them, that are not here; and
``left-out``, what packages name of them, from left_out.toml, with the reason."""

import importlib
import tomllib
from pathlib import Path

from docutils import nodes
from sphinx.util.docutils import SphinxDirective
from tables import table

from flambeau_tensor.not_built import names_of_pytorch


def owner_of(place):
    """The module or class behind ``torch.nn`` or ``torch.Tensor``; None where there is none."""
    module, _, name = place.rpartition(".")
    try:
        return importlib.import_module(place)
    except ImportError:
        return getattr(importlib.import_module(module), name) if name[0].isupper() else None


def built(owner, name):
    """Whether the name is there and does something: what only says that it is not built is marked as such."""
    try:
        found = getattr(owner, name)
    except (AttributeError, ImportError):
        return False
    return not getattr(found, "__not_built__", False)


def literals(names):
    line = nodes.paragraph(classes=["names"])
    for name in names:
        line += [nodes.literal(text=name), nodes.Text(" ")]
    return line


class Missing(SphinxDirective):
    """A row for each module of which names are missing, with the share that is built; then those that are whole."""

    def run(self):
        self.env.note_reread()
        rows, whole = [], []
        for place, unordered in sorted(names_of_pytorch().items()):
            owner = owner_of(place)
            missing = [name for name in sorted(unordered) if not built(owner, name)]
            if missing:
                share = f"{len(unordered) - len(missing)} of {len(unordered)}"
                rows.append((nodes.literal(text=place), share, literals(missing)))
            else:
                whole.append(place)
        complete = nodes.paragraph("", "Nothing is missing of ", *literals(whole).children)
        return [table("missing", (30, 14, 48), ("module", "built", "not built"), rows), complete]


class LeftOut(SphinxDirective):
    """A row for each reason, with its names."""

    def run(self):
        source = Path(self.env.srcdir) / "left_out.toml"
        self.env.note_dependency(str(source))
        rows = []
        for entry in tomllib.loads(source.read_text())["left_out"]:
            why = nodes.paragraph()
            why += self.parse_inline(entry["why"])[0]
            rows.append((literals(entry["names"]), why))
        return [table("left-out", (50, 42), ("names", "why"), rows)]


def setup(app):
    app.add_directive("missing", Missing)
    app.add_directive("left-out", LeftOut)
    return {"parallel_read_safe": True}
