"""The directives ``clients``, ``cppextensions``, ``docstrings`` and ``arrayapi``: what was found by ``nox -s clients``
and ``nox -s extensions``, and for PyTorch's docstrings and the array API standard by ``nox -s conformance``, from the
files that these wrote to ``conformance/``."""

import json
from collections import Counter
from pathlib import Path

from docutils import nodes
from sphinx.util.docutils import SphinxDirective
from tables import nothing_stored, table

FOLDER = Path(__file__).parents[2] / "conformance"
PATH, DOCSTRINGS, ARRAY_API = (FOLDER / f"{name}.json" for name in ("clients", "docstrings", "array_api"))
EXTENSIONS = FOLDER / "extensions.json"


class Clients(SphinxDirective):
    """A line for each package, and what happens in the tests that pass on PyTorch alone."""

    def run(self):
        self.env.note_dependency(str(PATH))
        self.env.note_reread()
        if not PATH.exists():
            return nothing_stored()
        found = json.loads(PATH.read_text())
        rows = [
            (
                f"{name} {r['version']}",
                f"{r['peer']}{'' if r['complete'] else ' (a part)'}",
                r["ours"],
                f"{100 * r['ours'] / r['peer']:.1f} %" if r["peer"] else "",
            )
            for name, r in found.items()
        ]
        peer, ours = (sum(r[side] for r in found.values()) for side in ("peer", "ours"))
        rows.append(("all", peer, ours, f"{100 * ours / peer:.1f} %"))
        out = [table("clients", (30, 20, 20, 20), ("package", "pass on PyTorch", "of these here", ""), rows)]
        reasons = Counter((name, reason) for name, r in found.items() for reason in r["missed"].values())
        if reasons:
            out.append(nodes.paragraph(text="Where they do not pass here:"))
            rows = [(name, n, text) for (name, text), n in reasons.items()]
            out.append(table("conformance", (25, 10, 65), ("package", "tests", "what happens"), rows))
        return out


class Extensions(SphinxDirective):
    """A line for each project, how its operators agree, and what compiles with PyTorch's headers alone."""

    def run(self):
        self.env.note_dependency(str(EXTENSIONS))
        self.env.note_reread()
        if not EXTENSIONS.exists():
            return nothing_stored()
        rows, failed = [], []
        found = json.loads(EXTENSIONS.read_text())
        for name, r in sorted(found.items()):
            ours, peer = r["ours"], r["peer"]
            here = [unit for unit in ours if ours[unit]["error"] is None]
            there = [unit for unit in peer if peer[unit]["error"] is None]
            missed = [unit for unit in there if unit in ours and unit not in here]
            timed = [unit for unit in here if "seconds" in peer.get(unit, ()) and "seconds" in ours[unit]]
            seconds = (f"{side[timed[0]]['seconds']:.1f}" if timed else "" for side in (peer, ours))
            both = len(set(there) & set(here))
            rows.append((name, r["units"], len(here), len(peer), len(there), both, *seconds))
            failed += [(name, unit, ours[unit]["error"]) for unit in missed]
        sums = [sum(row[i] for row in rows) for i in range(1, 6)]
        rows.append(("all", *sums, "", ""))
        heads = ("project", "units", "compile here", "tried with PyTorch", "compile with PyTorch", "of these here",
                 "seconds with PyTorch", "seconds here")  # fmt: skip
        text = f"Of {sums[3]} units that compile with PyTorch's headers, {sums[4]} compile with flambeau's."
        out = [nodes.paragraph(text=text), table("clients", (22, 8, 10, 12, 13, 10, 13, 12), heads, rows)]
        called = [(name, r["calls"]) for name, r in sorted(found.items()) if "calls" in r]
        if called:
            out.append(nodes.paragraph(text="Calls of their operators, with gradients, in both libraries:"))
            rows = [(n, c["calls"], c["equal"], c["rounded"], len(c["different"])) for n, c in called]
            heads = ("project", "calls", "bitwise equal", "equal up to rounding", "different")
            out.append(table("clients", (32, 14, 18, 22, 14), heads, rows))
        if failed:
            out.append(nodes.paragraph(text="What does not compile here:"))
            out.append(table("conformance", (20, 35, 45), ("project", "unit", "first error"), failed))
        return out


class Docstrings(SphinxDirective):
    """How many examples print the same, and the docstrings where one does not."""

    def run(self):
        self.env.note_dependency(str(DOCSTRINGS))
        self.env.note_reread()
        if not DOCSTRINGS.exists():
            return nothing_stored()
        found = json.loads(DOCSTRINGS.read_text())
        peer, ours = (sum(v[side] for v in found.values()) for side in ("peer", "ours"))
        text = (
            f"Of {peer} examples in the docstrings of {len(found)} functions and classes, {ours} print the same: "
            f"{100 * ours / peer:.1f} %. An example of these does not: "
        )
        paragraph = nodes.paragraph(text=text)
        names = [name for name, v in found.items() if v["ours"] < v["peer"]]
        for i, name in enumerate(names):
            paragraph += [nodes.literal(text=name), nodes.Text("." if i == len(names) - 1 else ", ")]
        return [paragraph]


class ArrayAPI(SphinxDirective):
    """How many tests of the standard's suite pass, and why others do not."""

    def run(self):
        self.env.note_dependency(str(ARRAY_API))
        self.env.note_reread()
        if not ARRAY_API.exists():
            return nothing_stored()
        found = json.loads(ARRAY_API.read_text())
        text = f"Of {found['of']} tests of version {found['version']}, {found['passed']} pass. The others:"
        rows = [(n, why) for why, n in Counter(found["failed"].values()).items()]
        return [nodes.paragraph(text=text), table("array_api", (20, 80), ("tests", "why they do not pass"), rows)]


def setup(app):
    app.add_directive("arrayapi", ArrayAPI)
    app.add_directive("docstrings", Docstrings)
    app.add_directive("clients", Clients)
    app.add_directive("cppextensions", Extensions)
    return {"parallel_read_safe": True}
