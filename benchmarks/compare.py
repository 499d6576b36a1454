"""Times the same programs in PyTorch and in flambeau, in turns: PyTorch's time over ours (above 1: we are faster).

    python benchmarks/compare.py --peer-python PYTHON [--kinds overhead,kernel] [--only softmax,LSTM] [--json FILE]

The programs stand in programs.py. Each round times all of them in a fresh process of either side, one side after the
other; a program's time is the least mean of many short windows over all rounds, which is what an undisturbed moment of
a busy machine gives. What one side cannot run is listed with the reason.
"""

import argparse
import importlib
import json
import math
import subprocess
import sys
from pathlib import Path
from time import perf_counter

from programs import KINDS, PROGRAMS, Data

WINDOW, WINDOWS = 0.003, 40  # seconds of one window, and how many of a program, at least one call each


def least(run, budget):
    """The least mean of a call's seconds over windows, within a budget of seconds."""
    run()
    start = perf_counter()
    run()
    repeats = max(1, round(WINDOW / max(perf_counter() - start, 1e-7)))
    best, end = math.inf, perf_counter() + budget
    for _ in range(WINDOWS):
        start = perf_counter()
        for _ in range(repeats):
            run()
        now = perf_counter()
        best = min(best, (now - start) / repeats)
        if now > end:
            break
    return best


def chosen(kinds, only):
    parts = [part for part in only.split(",") if part]
    named = kinds.split(",")
    return [p for p in PROGRAMS if p[0] in named and (not parts or any(part in p[1] for part in parts))]


def run_side(library, programs, budget, threads):
    """Seconds of each program on one side, or why it cannot run, as JSON."""
    start = perf_counter()
    torch = importlib.import_module(library)
    found = {"import": perf_counter() - start}
    torch.set_num_threads(threads)
    for _, name, make in programs:
        try:
            torch.manual_seed(5)
            found[name] = least(make(torch, Data(torch)), budget)
        except Exception as error:
            found[name] = f"{type(error).__name__}: {error}".splitlines()[0][:160]
    print(json.dumps(found))


def in_turns(args, programs):
    """{name: {kind, peer, ours}}, of a side that fails "peer error" or "ours error"."""
    kinds = {"import": "overhead", **{name: kind for kind, name, _ in programs}}
    rows = {}
    for _ in range(args.rounds):
        for who, python, library in (("peer", args.peer_python, "torch"), ("ours", args.our_python, "flambeau")):
            command = [python, __file__, "--side", library, "--kinds", args.kinds, "--only", args.only]
            command += ["--budget", str(args.budget), "--threads", str(args.threads)]
            done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
            for name, time in json.loads(done.stdout.splitlines()[-1]).items():
                row = rows.setdefault(name, {"kind": kinds[name]})
                if isinstance(time, str):
                    row[f"{who} error"] = time
                else:
                    row[who] = min(time, row.get(who, math.inf))
    return rows


def summary(rows):
    """A line for each program and each kind."""
    ratios = {}
    for name, row in rows.items():
        if "peer" in row and "ours" in row:
            ratio = row["peer"] / row["ours"]
            ratios.setdefault(row["kind"], []).append(ratio)
            yield f"{row['kind']:13} {name:44} {row['peer'] * 1e6:12.2f} {row['ours'] * 1e6:12.2f} us  x{ratio:.2f}"
        else:
            yield f"{row['kind']:13} {name:44} {row.get('peer error', '')} {row.get('ours error', '')}"
    for kind, values in ratios.items():
        mean = math.exp(sum(map(math.log, values)) / len(values))
        ahead = sum(value >= 1 for value in values)
        yield f"{kind}: {ahead} of {len(values)} ahead, geometric mean x{mean:.2f}, least x{min(values):.2f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peer-python", help="a Python with PyTorch")
    parser.add_argument("--our-python", default=sys.executable)
    parser.add_argument("--kinds", default=",".join(KINDS), help="which kinds, separated by commas")
    parser.add_argument("--only", default="", help="parts of names, separated by commas")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--budget", type=float, default=0.3, help="seconds for a program in a round")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--json", type=Path, help="where to write the figures")
    parser.add_argument("--side", help=argparse.SUPPRESS)
    args = parser.parse_args()
    programs = chosen(args.kinds, args.only)
    if args.side:
        run_side(args.side, programs, args.budget, args.threads)
        return
    rows = in_turns(args, programs)
    for line in summary(rows):
        print(line)
    if args.json:
        args.json.write_text(json.dumps(rows, indent=0) + "\n")


if __name__ == "__main__":
    main()
