"""The directives ``deploying``, ``exporting`` and ``scaling``, what `deploying.py`, `exporting.py` and `scale.py` in
`benchmarks` wrote, ``onnx_models``, what `conformance/onnx_models.py` wrote, and ``measures``, the landing page's
chart."""

import json
import math

from benchmarks import FOLDER, MACHINE, duration, stored
from charts import bars, machine_line
from conformance import RESULTS, counted
from docutils import nodes
from sphinx.util.docutils import SphinxDirective
from tables import nothing_stored, table

DEPLOYING = FOLDER / "deploying.json"
EXPORTING = FOLDER / "exporting.json"
SCALING = FOLDER / "scale.json"
ONNX = FOLDER.parent / "conformance" / "onnx_models.json"
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


class Exporting(SphinxDirective):
    """Tables of exported programs: ``c``, ``bytes`` and ``casadi``."""

    required_arguments = 1

    def run(self):
        self.env.note_dependency(str(EXPORTING))
        if not EXPORTING.exists():
            return nothing_stored()
        results = json.loads(EXPORTING.read_text())
        programs, (what,) = results["programs"], self.arguments
        if what == "c":
            head = ("a call", "Python", "compiled", "C", "WebAssembly in Node")
            times = ("eager_time", "compiled_time", "c_time", "wasm_time")
            rows = [(f"{name}: {v['what']}", *(duration(v[key]) for key in times)) for name, v in programs.items()]
            found = table("benchmarks", (40, 15, 15, 15, 15), head, rows)
        elif what == "bytes":
            head = ("bytes", "code, Cortex-M4", "constants there", "state", "scratch", "WebAssembly")
            keys = ("cortex_code", "cortex_constants", "state", "work", "wasm")
            rows = [(name, *(f"{v[key]:,}" for key in keys)) for name, v in programs.items()]
            found = table("benchmarks", (30, 14, 14, 14, 14, 14), head, rows)
        else:
            control = results["control"]
            steps = [(name, duration(control[name])) for name in ("export", "compile", "problem", "solution")]
            found = table("benchmarks", (60, 40), ("", "time"), [*steps, ("iterations", control["iterations"])])
        return [found, machine_line(results["machine"])]


def gain(alone, together):
    """How many times the examples a second of one rank two ranks compute."""
    return f"{2 * alone / together:.2f} ×"


class Scaling(SphinxDirective):
    """Tables of processes that compute together: ``exchanges``, ``steps`` and ``runs``."""

    required_arguments = 1

    def run(self):
        self.env.note_dependency(str(SCALING))
        results, (what,) = json.loads(SCALING.read_text()), self.arguments
        if what == "exchanges":
            found = results["all_reduce"]
            sizes = list(next(iter(found.values())))
            rows = [(name, *(duration(v[size] / 1e6) for size in sizes)) for name, v in found.items()]
            return [table("benchmarks", (40, *[10] * len(sizes)), ("all-reduce", *sizes), rows), *self.machine(results)]
        if what == "steps":
            found = results["training"]
            rows = []
            for batch in found["flambeau, 1"]:
                times = [found[f"{name}, {ranks}"][batch] for name in ("flambeau", "PyTorch") for ranks in (1, 2)]
                one, two, peer_one, peer_two = (duration(t / 1e6) for t in times)
                rows.append((batch, one, two, gain(*times[:2]), peer_one, peer_two, gain(*times[2:])))
            head = ("examples for each rank", "1 rank", "2 ranks", "gain", "PyTorch, 1", "2", "gain")
            return [table("benchmarks", (22, 13, 13, 13, 13, 13, 13), head, rows)]
        rows = []
        for name, v in results["sweep"].items():
            rows.append((f"40 trainings, 2 workers: {name}", duration(v["forty"]), duration(v["first two"])))
        for name, times in results["evolution"].items():
            rows += [(f"a generation, {n} workers: {name}", duration(v), "") for n, v in times.items()]
        return [table("benchmarks", (60, 20, 20), ("", "time", "start of the workers, and two trainings"), rows)]

    def machine(self, results):
        text = f"The load of the machine was {results['load']:.0f} on {results['machine']['cores']} processors"
        more = ", and the measured processes of all sides had precedence" if results["realtime"] else ""
        return [machine_line(results["machine"]), nodes.paragraph(text=f"{text}{more}.", classes=["machine"])]


class OnnxModels(SphinxDirective):
    """The models that went to ONNX, and how far onnxruntime's numbers are from eager's."""

    def run(self):
        self.env.note_dependency(str(ONNX))
        if not ONNX.exists():
            return nothing_stored()
        models = json.loads(ONNX.read_text())["models"]
        rows = [
            (name, v["nodes"], f"{v['difference']:.1g}", "yes" if v["other_sizes"] else "fixed")
            for name, v in models.items()
        ]
        head = ("model", "nodes", "largest difference", "other batch sizes")
        return [table("benchmarks", (46, 14, 20, 20), head, rows)]


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
    app.add_directive("exporting", Exporting)
    app.add_directive("scaling", Scaling)
    app.add_directive("onnx_models", OnnxModels)
    app.add_directive("measures", Measures)
    return {"parallel_read_safe": True}
