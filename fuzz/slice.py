"""Programs with the outcomes that PyTorch gave them, for tests that run without it.

    python fuzz/slice.py --peer-python PYTHON_WITH_TORCH [--seed 1] [--draw 20000]

Draws programs, keeps up to three for each operator that raise nothing and two that do, where flambeau agrees, and
writes them to slice.txt.gz: a line is the literal of (program, type of the exception by line, values by name).
"""

import argparse
import collections
import gzip
import sys
from pathlib import Path

HERE = Path(__file__).parent
FILE = HERE / "slice.txt.gz"
LONGEST = 700
NUMBERS = {"nan": float("nan"), "inf": float("inf"), "nanj": complex(0, float("nan")), "infj": complex(0, float("inf"))}


def stored():
    """The programs and PyTorch's outcomes, as `compare` takes them."""
    out = []
    for line in gzip.decompress(FILE.read_bytes()).decode().splitlines():
        program, errors, values = eval(line, NUMBERS)
        out.append((program, ({number: (name, [], "") for number, name in errors.items()}, values)))
    return out


def record(args):
    import calls
    import programs
    from outcomes import compare
    from peers import Peer

    table = calls.targets()
    ours, theirs = Peer(args.our_python, "flambeau"), Peer(args.peer_python, "torch")
    drawn = [calls.recipe(args.seed * 1_000_000 + i, table) for i in range(args.draw)]
    drawn += [programs.program(args.seed * 1_000_000 + i) for i in range(args.draw // 20)]
    kept, lines = collections.Counter(), []
    for start in range(0, len(drawn), 200):
        batch = drawn[start : start + 200]
        texts = [text for _, text in batch]
        for (key, text), a, b in zip(batch, ours.outcomes(texts), theirs.outcomes(texts), strict=True):
            if isinstance(b, str) or not calls.has_values(text) or "AttributeError" in str(b[0]):
                continue
            if kept[key, bool(b[0])] >= {"syntax": 150, "program": 150}.get(key, 2 if b[0] else 3):
                continue
            line = repr((text, {number: error[0] for number, error in b[0].items()}, b[1]))
            if compare(a, b, text) is None and "torch.Generator()" not in text and len(line) < LONGEST:
                kept[key, bool(b[0])] += 1
                lines.append(line)
    FILE.write_bytes(gzip.compress("\n".join(sorted(lines)).encode(), 9, mtime=0))
    print(f"{len(lines)} programs, {FILE.stat().st_size} bytes")


if __name__ == "__main__":
    sys.path.insert(0, str(HERE))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peer-python", default=sys.executable)
    parser.add_argument("--our-python", default=sys.executable)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--draw", type=int, default=20000)
    record(parser.parse_args())
