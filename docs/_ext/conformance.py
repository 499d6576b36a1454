"""The directive ``conformance``: what ``nox -s conformance`` found, from the files it wrote to ``conformance/``."""

import json
import tomllib
from pathlib import Path

from charts import bars, machine_line
from docutils import nodes
from sphinx.util.docutils import SphinxDirective
from tables import nothing_stored, table

FOLDER = Path(__file__).parents[2] / "conformance"
RESULTS = FOLDER / "results.json", FOLDER / "transforms.json"
MODULES = FOLDER / "modules.json"
MACHINE = FOLDER / "machine.json"
REASONS = FOLDER / "reasons.toml"  # why entries do not pass, by name
MODES = {"jvp": "forward mode", "gradgrad": "second derivatives", "jvpgrad": "forward over reverse", "vmap": "vmap"}
PASSED = ("ok", "no sample")


def in_words(verdict):
    """What a verdict says that nobody has looked into yet."""
    kind, _, text = verdict.partition(":")
    return text.strip() or kind if kind == "AssertionError" else f"raises {kind}: {text.strip()}"


def is_not_built(verdict):
    """Whether an entry asks for what is not there, and says so."""
    return verdict.endswith("missing") or "is not built" in verdict or "are not built" in verdict


def counted(verdicts):
    """(entries that pass, entries that something here answers)"""
    built = [v for v in verdicts if v is not None and not is_not_built(v)]
    return sum(v in PASSED for v in built), len(built)


def agreement():
    """What to say of each entry's operator: the modes in which it does what PyTorch's does, or that it differs."""
    if not all(path.exists() for path in RESULTS):
        return {}
    forward, transforms = (json.loads(path.read_text()) for path in RESULTS)
    found = {}
    for name, verdict in forward.items():
        verdicts = {"results and gradients": verdict}
        verdicts |= {what: transforms.get(name, {}).get(mode) for mode, what in MODES.items()}
        asked = {what: v for what, v in verdicts.items() if v is not None and not is_not_built(v)}
        agreed = [what for what, v in asked.items() if v in PASSED]
        if agreed:
            rest = " (not in all: see the page Conformance)" if len(agreed) < len(asked) else ""
            found[name] = f"{', '.join(agreed)} as PyTorch's{rest}"
    return found


def share_chart(rows):
    """A bar for each mode; the full width is all entries."""
    return bars(
        [
            (what, f"{passed} of {of}", [("flambeau", passed / of, f"{100 * passed / of:.1f} %")])
            for what, passed, of in rows
        ],
        full=1.0,
    )


def failures(asked):
    """Rows of what does not pass: an entry, the modes, and the reason, where somebody has looked into it."""
    reasons = tomllib.loads(REASONS.read_text())
    found = {}
    for name, mode, verdict in asked:
        if verdict not in PASSED and not is_not_built(verdict):
            why = reasons.get(name) or in_words(verdict)
            found.setdefault((name, why), []).append(mode)
    return [(nodes.literal(text=name), ", ".join(modes), why) for (name, why), modes in found.items()]


class Conformance(SphinxDirective):
    """How many entries pass, by mode, and the name of every one that does not."""

    def run(self):
        for path in (*RESULTS, MODULES, MACHINE, REASONS):
            self.env.note_dependency(str(path))
        self.env.note_reread()
        if not all(path.exists() for path in RESULTS):
            return nothing_stored()
        forward, transforms = (json.loads(path.read_text()) for path in RESULTS)
        rows = [("results and gradients", *counted(forward.values()))]
        rows += [(what, *counted(v.get(mode) for v in transforms.values())) for mode, what in MODES.items()]
        asked = [(name, "results and gradients", verdict) for name, verdict in forward.items()]
        asked += [
            (name, what, verdicts[mode])
            for name, verdicts in transforms.items()
            for mode, what in MODES.items()
            if verdicts.get(mode) is not None
        ]
        if MODULES.exists():
            modules = json.loads(MODULES.read_text())
            rows.append(("modules", *counted(modules.values())))
            asked += [(name, "modules", verdict) for name, verdict in modules.items()]
        failed = failures(asked)
        missing = sum(map(is_not_built, forward.values()))
        out = [
            share_chart(rows),
            machine_line(json.loads(MACHINE.read_text()) if MACHINE.exists() else None),
        ]
        if missing:
            out.append(nodes.paragraph(text=f"Not counted are {missing} entries of operations that are not built."))
        if failed:
            out += [
                nodes.paragraph(text="These do not pass:"),
                table("conformance", (30, 20, 40), ("entry", "in", "why"), failed),
            ]
        return out


def setup(app):
    app.add_directive("conformance", Conformance)
    return {"parallel_read_safe": True}
