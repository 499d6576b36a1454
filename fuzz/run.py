"""Random programs beside PyTorch; README.md says what they are and what is compared.

    python fuzz/run.py [--minutes 5] [--peer-python PYTHON] [--what calls,families] [--only add,syntax]

Ends with 1 if anything crashed, hung or differed in value without standing in known.py.
"""

import argparse
import collections
import json
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

import calls  # noqa: E402
import families  # noqa: E402
import hostile  # noqa: E402
import programs  # noqa: E402
from checks import Case  # noqa: E402
from known import reason  # noqa: E402
from outcomes import WRONG, compare  # noqa: E402
from peers import Peer, minimize_crash, smaller  # noqa: E402
from sharing import shows_memory  # noqa: E402

BATCH = 200
CORPUS = HERE / "corpus.txt"
BETWEEN = "\n\n"  # between the programs of a corpus


class Comparison:
    """Two workers, and what was found so far."""

    def __init__(self, args):
        self.ours, self.theirs = Peer(args.our_python, "flambeau"), Peer(args.peer_python, "torch")
        self.strides, self.minimize = args.strides, args.minimize
        self.total, self.counts, self.found = 0, collections.Counter(), collections.defaultdict(list)
        self.modes = collections.defaultdict(collections.Counter)  # what was found, by what was drawn
        self.fatal = []

    def run(self, mode, batch):
        """Compare the outcomes of (key, program) pairs."""
        texts = [text for _, text in batch]
        alone = batch[0][0] in ("damage", "hostile")
        self.ours.seconds = 60 if mode == "cache" else 10  # a compiler runs
        self.ours.start(texts)
        if not alone:
            self.theirs.start(texts)
        dead = []
        mine = self.outcomes(self.ours, texts, dead)
        if alone:  # what never ends in PyTorch either is no fault
            theirs = [
                self.theirs.outcomes([t])[0] if a == "hang" else ({}, {}) for t, a in zip(texts, mine, strict=True)
            ]
        else:
            theirs = self.outcomes(self.theirs, texts)
        for last, how in dead:  # both workers have sent all of the batch, and are free for more
            self.keep(last, how)
        for (key, text), a, b in zip(batch, mine, theirs, strict=True):
            self.total += 1
            self.modes[mode]["programs"] += 1
            if alone:
                a = a if isinstance(a, str) else ({}, {})
            elif isinstance(b, str):
                self.counts["PyTorch: " + b.partition(":")[0]] += 1
            else:
                self.counts["raise in PyTorch"] += bool(b[0])
            found = compare(a, b, text, strides=self.strides, values=calls.has_values(text))
            if not found:
                continue
            ours, theirs = (side[1] if isinstance(side, tuple) else {} for side in (a, b))
            known = reason(Case(text, found, ours, theirs, self.reference, calls.has_values(text)))
            self.counts["known: " + known if known else found[0]] += 1
            self.modes[mode]["known" if known else found[0]] += 1
            if found[0] == "strides" and shows_memory(text, found[1]):
                found = ("layout", found[1])
            if not known:
                self.found[key, found[0]].append((text, found[1]))

    def reference(self, text):
        """What a program's names hold in PyTorch, None where it does not end."""
        self.theirs.start([text])
        (found,) = self.outcomes(self.theirs, [text])
        return None if isinstance(found, str) else found[1]

    def outcomes(self, peer, texts, dead=None):
        """The outcomes of what was started, and in ``dead`` what killed the child; the rest is started anew."""
        out = []
        while len(out) < len(texts):
            done = len(out)
            out += peer.finish(len(texts) - done)
            if isinstance(out[-1], str) and dead is not None:
                dead.append((texts[done : len(out)], out[-1]))
            if len(out) < len(texts):
                peer.start(texts[len(out) :])
        return out

    def keep(self, texts, how):
        """A crash or a hang, as small as it gets, for the corpus."""
        if how == "hang" and self.theirs.outcomes(texts[-1:]) == ["hang"]:
            return
        small = minimize_crash(self.ours, texts) if how.startswith("crash") else texts[-1:]
        self.fatal.append((how, small))
        print(f"{how}\n" + BETWEEN.join(small), flush=True)

    def smallest(self, text, kind):
        """The lines of a program that are enough for a difference of the same kind."""

        def still(lines):
            a, b = (peer.outcomes(["\n".join(lines)])[0] for peer in (self.ours, self.theirs))
            found = compare(a, b, "\n".join(lines), strides=self.strides)
            return found is not None and found[0] == kind

        return "\n".join(smaller(text.split("\n"), still, 60))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=5)
    parser.add_argument("--count", type=int, default=10**12, help="end after so many programs")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--peer-python", default=sys.executable, help="a Python that has PyTorch 2.13")
    parser.add_argument("--our-python", default=sys.executable)
    parser.add_argument(
        "--what",
        default="calls,odd,calls,families,families,programs,damage,hostile,cache",
        help="what to draw, in turns",
    )
    parser.add_argument("--only", help="call these operators alone, and 'syntax'")
    parser.add_argument("--no-strides", dest="strides", action="store_false", help="do not compare strides")
    parser.add_argument("--minimize", action="store_true", help="shorten one program for each kind of difference")
    parser.add_argument("--report", type=Path, default=HERE / "out", help="folder for report.json")
    args = parser.parse_args()
    print(f"seed {args.seed}", flush=True)
    table = calls.targets()
    words = args.only.split(",") if args.only else []
    only = [k for k, target in table.items() if k in words or target.name.rpartition(".")[2] in words]
    only += ["syntax"] * ("syntax" in words)
    draw = {
        "calls": lambda seed: calls.recipe(seed, table, only),
        "odd": lambda seed: calls.odd(seed, table, only),
        "families": families.program,
        "programs": programs.program,
        "damage": programs.damage,
        "cache": programs.cache,
        "hostile": lambda seed: hostile.program(seed, table),
    }
    comparison = Comparison(args)
    corpus = [text for text in CORPUS.read_text().split(BETWEEN) if text.strip()]
    comparison.run("corpus", [("corpus", text.strip("\n")) for text in corpus])
    end, seed, turn = time.monotonic() + 60 * args.minutes, args.seed * 1_000_000, 0
    while time.monotonic() < end and comparison.total < args.count:
        what = args.what.split(",")
        kind = what[turn % len(what)]
        comparison.run(kind, [draw[kind](seed + i) for i in range(5 if kind == "cache" else BATCH)])
        seed, turn = seed + BATCH, turn + 1
    return write_report(comparison, args)


def write_report(comparison, args):
    rows = []
    for (key, kind), found in sorted(comparison.found.items(), key=lambda item: -len(item[1])):
        if args.minimize and kind not in ("crash", "hang"):
            found.insert(0, (comparison.smallest(found[0][0], kind), found[0][1]))
        rows.append({"target": key, "class": kind, "count": len(found), "examples": found[:40]})
    args.report.mkdir(exist_ok=True)
    (args.report / "report.json").write_text(json.dumps(rows, indent=1))
    print(f"{comparison.total} programs, seed {args.seed}; {args.report / 'report.json'} has the differences")
    for kind, n in comparison.counts.most_common():
        print(f"{kind:24} {n:7} {n / max(comparison.total, 1):.2%}")
    for mode, counts in comparison.modes.items():
        n = counts["programs"]
        others = ", ".join(
            f"{kind} {counts[kind]} ({counts[kind] / n:.2%})" for kind in sorted({*counts} - {"programs"})
        )
        print(f"{mode}: {n} programs; {others}")
    wrong = [row for row in rows if row["class"] in WRONG]
    for row in wrong[:40]:
        text, detail = row["examples"][0]
        print(f"\n{row['class']} in {row['target']} ({row['count']}): {detail}\n{text}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
