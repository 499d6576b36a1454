"""The directive ``accuracy``: the errors that ``conformance/accuracy.py`` found, from the file it wrote."""

import json

from conformance import FOLDER
from sphinx.util.docutils import SphinxDirective
from tables import nothing_stored, table

FIGURES = FOLDER / "accuracy.json"
DTYPES = ("float32", "float64")


def figures():
    """For each function (``sin``, ``special.i0``) and dtype the largest error, in units of the last place."""
    stored = json.loads(FIGURES.read_text()) if FIGURES.exists() else {}
    return {name: {dtype: stored[name][dtype]["units"] for dtype in DTYPES} for name in sorted(stored)}


def in_words(units):
    return ", ".join(f"{units[dtype]:.1f} ulp in {dtype}" for dtype in DTYPES)


class Accuracy(SphinxDirective):
    """A row for each function."""

    def run(self):
        self.env.note_dependency(str(FIGURES))
        rows = [(name, *(f"{units[dtype]:.1f}" for dtype in DTYPES)) for name, units in figures().items()]
        return [table("accuracy", (40, 20, 20), ("function", *DTYPES), rows)] if rows else nothing_stored()


def setup(app):
    app.add_directive("accuracy", Accuracy)
    return {"parallel_read_safe": True}
