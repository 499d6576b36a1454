"""What each Python file that is compiled gains by it: the samples of the tests, with one file compiled and not.

    python benchmarks/compiled_files.py [--only linear] [--below 1.1]

The files stand under COMPILED in the packages' CMakeLists.txt, each with its gain; an editable install has both the
compiled module and its source. For each file every call is timed in a fresh process with the module, and in one that
takes the source in its place, in turns. Listed are the calls that gain most. A file without gains is not worth
compiling: its errors, its debugger and its build are worse for it.
"""

import argparse
import importlib.util
import json
import math
import pickle
import re
import subprocess
import sys
from importlib.machinery import EXTENSION_SUFFIXES, PathFinder
from pathlib import Path

from every import run_side, sampled

ROOT = Path(__file__).parents[1]


def compiled_files():
    """(package, file inside it) for each."""
    found = []
    for lists in sorted(ROOT.glob("packages/*/CMakeLists.txt")):
        text = re.sub(r"#.*", "", lists.read_text())
        for names in re.findall(r"COMPILED([^)]*)\)", text):
            found += [(f"flambeau_{lists.parent.name}", name) for name in names.split()]
    return found


class Sources:
    """Finds the source of one module, before the package's finder finds the compiled one."""

    def __init__(self, name):
        self.name = name

    def find_spec(self, name, path=None, target=None):
        return PathFinder.find_spec(name, path, target) if name == self.name else None


def take_source(package, name):
    """Let a module of a package be imported from its source."""
    folder = ROOT / "packages" / package.removeprefix("flambeau_") / "src" / package
    shared = folder / f"_compiled{EXTENSION_SUFFIXES[0]}"
    spec = importlib.util.spec_from_file_location(f"{package}._compiled", shared)
    sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules[spec.name])  # it puts its finder first in sys.meta_path
    sys.meta_path.insert(0, Sources(name))


def gains(package, file, calls, rounds):
    """{call: time from the source over time of the compiled module}, and the same of importing."""
    module = f"{package}.{file.removesuffix('.py').replace('/', '.')}"
    best = {}
    for _ in range(rounds):
        for source in (False, True):
            command = [sys.executable, __file__, "--side", f"{package} {module}" if source else "compiled"]
            done = subprocess.run(command, input=pickle.dumps(calls), stdout=subprocess.PIPE, check=True)
            for name, time in json.loads(done.stdout).items():
                if not isinstance(time, str):
                    times = best.setdefault(name, [math.inf, math.inf])
                    times[source] = min(times[source], time)
    return {name: source / compiled for name, (compiled, source) in best.items() if math.isfinite(source + compiled)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="a part of the files' names")
    parser.add_argument("--below", type=float, default=1.15, help="list no gains below this")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--side", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.side:
        if args.side != "compiled":
            take_source(*args.side.split())
        run_side("flambeau", [])
        return
    calls = sampled()
    for package, file in compiled_files():
        if args.only in file:
            found = gains(package, file, calls, args.rounds)
            most = sorted(((gain, name) for name, gain in found.items() if gain >= args.below), reverse=True)
            print(f"{package}/{file}: {len(most)} of {len(found)} calls gain {args.below} or more", flush=True)
            for gain, name in most[:12]:
                print(f"{gain:8.2f}  {name}")


if __name__ == "__main__":
    main()
