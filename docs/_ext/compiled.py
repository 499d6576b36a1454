"""The directive ``compiled``: the figures that `benchmarks/compiled.py` wrote."""

import json

from benchmarks import FOLDER, duration
from charts import machine_line
from sphinx.util.docutils import SphinxDirective
from tables import nothing_stored, table

COMPILED = FOLDER / "compiled.json"
COLUMNS = (("eager", "eager"), ("compiled", "compiled"), ("PyTorch, eager", "peer"), ("jax.jit", "jax"),
           ("first call", "cold"), ("from the cache", "warm"))  # fmt: skip


class Compiled(SphinxDirective):
    """A line for each program, or a note that there are no results."""

    def run(self):
        self.env.note_dependency(str(COMPILED))
        if not COMPILED.exists():
            return nothing_stored("measurements")
        results = json.loads(COMPILED.read_text())
        rows = [
            (name, *(duration(row[key]) if key in row else "" for _, key in COLUMNS), row["equal"])
            for name, row in results["programs"].items()
        ]
        head = ("", *(title for title, _ in COLUMNS), "equal")
        return [machine_line(results["machine"]), table("benchmarks", (28, 10, 10, 12, 10, 10, 10, 10), head, rows)]


def setup(app):
    app.add_directive("compiled", Compiled)
    return {"parallel_read_safe": True}
