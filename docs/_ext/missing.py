"""The directive ``missing``: PyTorch's public names, as ``flambeau_tensor.not_built`` lists them, that are not here."""

import importlib

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

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


class Missing(SphinxDirective):
    """A section for each module, with the share that is built and the names that are not."""

    def run(self):
        self.env.note_reread()
        sections = []
        for place, unordered in names_of_pytorch().items():
            names = sorted(unordered)
            owner = owner_of(place)
            missing = [name for name in names if not built(owner, name)]
            section = nodes.section(ids=[nodes.make_id(place)], names=[place])
            section += nodes.title("", "", nodes.literal(text=place))
            section += nodes.paragraph(text=f"{len(names) - len(missing)} of {len(names)} names are built.")
            if missing:
                line = nodes.paragraph(classes=["names"])
                for name in missing:
                    line += [nodes.literal(text=name), nodes.Text(" ")]
                section += line
            sections.append(section)
        return sections


def setup(app):
    app.add_directive("missing", Missing)
    return {"parallel_read_safe": True}
