"""The directive ``benchmarks``: the figures that ``nox -s bench`` wrote to the JSON files in ``benchmarks/``."""

import json
from pathlib import Path

from charts import machine_line, ratio
from docutils import nodes
from sphinx.util.docutils import SphinxDirective
from tables import nothing_stored, table

FOLDER = Path(__file__).parents[2] / "benchmarks"
PATHS = [FOLDER / "results.json", FOLDER / "extensions.json"]
MACHINE = FOLDER / "machine.json"
UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (0.0, "ns"))


def duration(seconds):
    """Three digits and a unit."""
    size, unit = next((size, unit) for size, unit in UNITS if seconds >= size)
    return f"{seconds / (size or 1e-9):.3g} {unit}"


def stored():
    """What was timed, by name, as the sessions wrote it."""
    found = (json.loads(path.read_text()) for path in PATHS if path.exists())
    return {name: times for results in found for name, times in results.items()}


def compared(cases):
    """What was timed, by name; one line each."""
    rows = []
    for name, times in cases:
        faster = times["peer"] / times["ours"]
        rows.append((name, duration(times["peer"]), duration(times["ours"]), f"{faster:.2g} ×", ratio(faster)))
    return table("benchmarks", (35, 13, 13, 13, 26), ("", "PyTorch", "flambeau", "ratio", "behind | ahead"), rows)


class Benchmarks(SphinxDirective):
    """A table for each kind of work, or a note that there are no results."""

    def run(self):
        for path in (*PATHS, MACHINE):
            self.env.note_dependency(str(path))
        self.env.note_reread()
        found = stored()
        if not found:
            return nothing_stored("measurements")
        kinds, failed = {}, []
        for name, times in found.items():
            if "peer" in times and "ours" in times:
                kinds.setdefault(times["kind"], []).append((name, times))
            else:
                failed.append(name)
        sections = [machine_line(json.loads(MACHINE.read_text()) if MACHINE.exists() else None)]
        for kind, cases in kinds.items():
            section = nodes.section(ids=[nodes.make_id(kind)], names=[kind])
            section += nodes.title(text=kind.capitalize())
            section += compared(cases)
            sections.append(section)
        if failed:
            sections.append(nodes.paragraph(text=f"Not measured on both sides: {', '.join(failed)}."))
        return sections


def setup(app):
    app.add_directive("benchmarks", Benchmarks)
    return {"parallel_read_safe": True}
