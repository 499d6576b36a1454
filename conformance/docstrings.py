"""Runs the examples in the docstrings of an installed PyTorch on PyTorch and on flambeau, and compares what they print.

    python conformance/docstrings.py --peer-python A --our-python B [--json docstrings.json] [-v]

Nothing is copied: the docstrings are read from the PyTorch that the first Python has, each example is run there with a
seed, and what it prints then, not what the docstring says, is what flambeau has to print. An example is a line of code
with its result; those that raise on PyTorch do not count.
"""

import argparse
import contextlib
import doctest
import io
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

LONGEST = 300  # characters of a text that is kept
PLACES = ("torch", "torch.Tensor", "torch.nn.functional", "torch.linalg", "torch.fft", "torch.special", "torch.nn")


def run(code, space):
    """What a line of code prints, or the name of the exception that it raises."""
    out = io.StringIO()
    try:
        with contextlib.redirect_stdout(out):
            exec(compile(code, "<example>", "single"), space)
    except Exception as e:
        return {"raises": f"{type(e).__name__}: {str(e)[:120]}"}
    return {"prints": out.getvalue()}


def space():
    """The names that examples take for granted."""
    import math

    import numpy as np
    import torch

    torch.manual_seed(0)
    torch.set_default_dtype(torch.float32)
    return {"torch": torch, "nn": torch.nn, "F": torch.nn.functional, "np": np, "math": math, "optim": torch.optim}


def collect():
    """In PyTorch's process: every docstring's examples, with what they print."""
    import torch

    found = {}
    parser = doctest.DocTestParser()
    for place in PLACES:
        owner = eval(place, {"torch": torch})
        for name in dir(owner):
            text = getattr(getattr(owner, name, None), "__doc__", None)
            if name.startswith("_") or not isinstance(text, str) or ">>>" not in text:
                continue
            try:
                codes = [example.source for example in parser.get_examples(text)]
            except ValueError:  # not laid out as examples are
                continue
            if any("cuda" in code or "distributed" in code for code in codes):
                continue
            here = space()
            found[f"{place}.{name}"] = [{"code": code, **run(code, here)} for code in codes]
    return found


def answers(examples):
    """In flambeau's process: what the same examples print."""
    import flambeau

    flambeau.install_as_torch()
    out = {}
    for name, lines in examples.items():
        here = space()
        out[name] = [run(line["code"], here) for line in lines]
    return out


def verdicts(peer, answered):
    """Of each docstring: how many examples PyTorch runs, how many are the same here, and the first that is not."""
    out = {}
    for name, lines in peer.items():
        pairs = [
            (a, b) for a, b in zip(lines, answered[name], strict=True) if "prints" in a and " at 0x" not in a["prints"]
        ]
        wrong = [(a, b) for a, b in pairs if b.get("prints") != a["prints"]]
        out[name] = {"peer": len(pairs), "ours": len(pairs) - len(wrong)}
        if wrong:
            a, b = wrong[0]
            ours = b.get("prints", b.get("raises"))
            out[name]["first"] = {"code": a["code"][:LONGEST], "peer": a["prints"][:LONGEST], "ours": ours[:LONGEST]}
    return out


def main():
    if sys.argv[1:2] == ["collect"]:
        Path(sys.argv[2]).write_text(json.dumps(collect()))
        return
    if sys.argv[1:2] == ["answer"]:
        Path(sys.argv[3]).write_text(json.dumps(answers(json.loads(Path(sys.argv[2]).read_text()))))
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peer-python", type=os.path.abspath, required=True)
    parser.add_argument("--our-python", type=os.path.abspath, required=True)
    parser.add_argument("--json", type=Path)
    parser.add_argument("-v", "--verbose", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        peer, ours = (str(Path(folder) / name) for name in ("peer", "ours"))
        subprocess.run([args.peer_python, "-W", "ignore", __file__, "collect", peer], check=True, cwd=folder)
        subprocess.run([args.our_python, "-W", "ignore", __file__, "answer", peer, ours], check=True, cwd=folder)
        found = verdicts(json.loads(Path(peer).read_text()), json.loads(Path(ours).read_text()))
    if args.verbose:
        for name, verdict in found.items():
            if "first" in verdict:
                print(name, json.dumps(verdict["first"]))
    same = sum(v["peer"] == v["ours"] for v in found.values())
    lines = [sum(v[side] for v in found.values()) for side in ("peer", "ours")]
    print(f"docstrings: {same} of {len(found)} the same; examples: {lines[1]} of {lines[0]}")
    if args.json:
        args.json.write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
