"""The directives ``deploying``, what `benchmarks/deploying.py` wrote, and ``measures``, the landing page's chart."""

import json
import math

from benchmarks import FOLDER, MACHINE, stored
from charts import bars, machine_line
from conformance import RESULTS, counted
from docutils import nodes
from sphinx.util.docutils import SphinxDirective

DEPLOYING = FOLDER / "deploying.json"
SIDES = (("PyTorch", "peer"), ("flambeau", "ours"))


def megabytes(size):
    return f"{size / 1e6:.0f} MB"


def seconds(value):
    return f"{value:.2f} s"


def both(results, key, spelled):
    return [(name, results[side][key], spelled(results[side][key])) for name, side in SIDES]


class Deploying(SphinxDirective):
    """Megabytes and seconds of both, as bars."""

    def run(self):
        self.env.note_dependency(str(DEPLOYING))
        results = json.loads(DEPLOYING.read_text())
        groups = [
            ("Installed", "with NumPy and all requirements", both(results, "installed", megabytes)),
            ("Zipped", "the same in an archive", both(results, "zipped", megabytes)),
            ("Cold start to the first answer", "files on the disk", both(results, "cold", seconds)),
            ("Warm start", "files in memory", both(results, "warm", seconds)),
            ("Memory", "of the process that has answered", both(results, "memory", megabytes)),
        ]
        return [bars(groups), machine_line(results["machine"])]


class Measures(SphinxDirective):
    """Size, start, overhead and conformance, from the files of the sessions."""

    def run(self):
        for path in (DEPLOYING, MACHINE, *RESULTS):
            self.env.note_dependency(str(path))
        self.env.note_reread()
        deploying = json.loads(DEPLOYING.read_text())
        cases = [v for v in stored().values() if v["kind"] == "overhead" and "peer" in v and "ours" in v]
        mean = math.exp(sum(math.log(v["peer"] / v["ours"]) for v in cases) / len(cases))
        passed, of = counted(json.loads(RESULTS[0].read_text()).values())
        groups = [
            ("Size", "zipped, with NumPy", both(deploying, "zipped", megabytes)),
            ("Start", "from nothing to the first answer of a network", both(deploying, "warm", seconds)),
            (
                "Overhead",
                f"of a small operation, geometric mean of {len(cases)}",
                [("PyTorch", mean, f"{mean:.1f} ×"), ("flambeau", 1.0, "1")],
            ),
            (
                "Conformance",
                "PyTorch's test database, where it is built",
                [("PyTorch", of, f"{of}"), ("flambeau", passed, f"{passed}")],
            ),
        ]
        other = json.loads(MACHINE.read_text()) if MACHINE.exists() else None
        if other == deploying["machine"]:
            lines = [machine_line(other, "Size, start and overhead measured")]
        else:
            lines = [
                machine_line(deploying["machine"], "Size and start measured"),
                machine_line(other, "Overhead measured"),
            ]
        return [nodes.container("", bars(groups), *lines, classes=["measures"])]


def setup(app):
    app.add_directive("deploying", Deploying)
    app.add_directive("measures", Measures)
    return {"parallel_read_safe": True}
