"""The directive ``benchmarks``: the figures that ``nox -s bench`` wrote to the JSON files in ``benchmarks/``."""

import json
from pathlib import Path

from charts import machine_line, ratio
from docutils import nodes
from sphinx.util.docutils import SphinxDirective
from tables import nothing_stored, table

FOLDER = Path(__file__).parents[2] / "benchmarks"
PATHS = [FOLDER / "results.json", FOLDER / "extensions.json"]
NARROW = [FOLDER / "results_avx2.json"]
MACHINE = FOLDER / "machine.json"
UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (0.0, "ns"))


def duration(seconds):
    """Three digits and a unit."""
    size, unit = next((size, unit) for size, unit in UNITS if seconds >= size)
    return f"{seconds / (size or 1e-9):.3g} {unit}"


def stored(paths=PATHS):
    """What was timed, by name, as the sessions wrote it."""
    found = (json.loads(path.read_text()) for path in paths if path.exists())
    return {name: times for results in found for name, times in results.items()}


def compared(cases):
    """What was timed, by name; one line each."""
    rows = []
    for name, times in cases:
        faster = times["peer"] / times["ours"]
        rows.append((name, duration(times["peer"]), duration(times["ours"]), f"{faster:.2g} ×", ratio(faster)))
    return table("benchmarks", (35, 13, 13, 13, 26), ("", "PyTorch", "flambeau", "ratio", "behind | ahead"), rows)


def sections(found, note=""):
    """A table for each kind of work."""
    kinds, failed = {}, []
    for name, times in found.items():
        if "peer" in times and "ours" in times:
            kinds.setdefault(times["kind"], []).append((name, times))
        else:
            failed.append(name)
    for kind, cases in kinds.items():
        section = nodes.section(ids=[nodes.make_id(kind + note)], names=[kind + note])
        section += nodes.title(text=kind.capitalize() + note)
        section += compared(cases)
        yield section
    if failed:
        yield nodes.paragraph(text=f"Not measured on both sides: {', '.join(failed)}.")


class Benchmarks(SphinxDirective):
    """The tables, or a note that there are no results; at the end what was measured with both held to AVX2."""

    def run(self):
        for path in (*PATHS, *NARROW, MACHINE):
            self.env.note_dependency(str(path))
        self.env.note_reread()
        found = stored()
        if not found:
            return nothing_stored("measurements")
        machine = machine_line(json.loads(MACHINE.read_text()) if MACHINE.exists() else None)
        return [machine, *sections(found), *sections(stored(NARROW), ", with AVX2")]


def setup(app):
    app.add_directive("benchmarks", Benchmarks)
    return {"parallel_read_safe": True}
