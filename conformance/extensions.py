"""Compiles the C++ sources of public projects with PyTorch's headers and with flambeau's, and compares the operators.

    python conformance/extensions.py --peer-python A --our-python B --sources DIR [--json extensions.json] [name ...]

The first Python has PyTorch and the second one flambeau. extensions.toml says where the sources of a project come
from; they stay in DIR. Each unit is compiled as it is, and the results are stored after each unit and not computed
again for the same sources and headers, so a run may be stopped (--minutes) and continued.

PyTorch's headers take ten times as long as ours, so one unit of each project is timed with both, in seconds of the
processor. The others that compile here are compiled by PyTorch many in one file, with torch/extension.h precompiled
before them, which can only help them; if that fails, so are halves of them, and at last each as it is, as are those
that fail here. Where nothing is linked, the units that are
not timed are checked without code being made. With --failures PyTorch is asked only about units that fail here.

If extension_cases.py has calls of a project's operators, the units that compile with PyTorch are linked and the calls
run on both sides; their results and gradients are compared.
"""

import argparse
import hashlib
import json
import os
import pickle
import shutil
import subprocess
import threading
import time
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from extension_calls import compared
from extension_cases import CASES

HERE = Path(__file__).parent
CALLS = HERE / "extension_calls.py"
PROJECTS = tomllib.loads((HERE / "extensions.toml").read_text())
FLAGS = ["g++", "-std=c++20", "-O1", "-w", "-fPIC", "-fmax-errors=5", "-DTORCH_EXTENSION_NAME=x"]


def fetch(name, sources, python):
    """The folder with the sources of a project; they are fetched if they are not there. The Python has PyTorch, for
    which the files that describe a project ask."""
    project, folder = PROJECTS[name], sources / name
    if folder.exists():
        return folder
    if "sdist" in project:
        place = sources / "sdists" / name
        options = ["--no-deps", "--no-build-isolation", "--no-binary", ":all:", "--dest", str(place)]
        old = {"CMAKE_POLICY_VERSION_MINIMUM": "3.5"}  # what some ask of CMake while they describe themselves
        command = [python, "-m", "pip", "download", "-q", *options, project["sdist"]]
        subprocess.run(command, check=True, env={**os.environ, **old})
        (archive,) = place.iterdir()
        shutil.unpack_archive(archive, place, filter="data")
        (unpacked,) = (path for path in place.iterdir() if path.is_dir())
        unpacked.rename(folder)
    else:
        address, revision = project["repository"]
        git = ["git", "-C", str(folder)]
        subprocess.run(["git", "init", "-q", str(folder)], check=True)
        subprocess.run([*git, "fetch", "-q", "--depth", "1", address, revision], check=True)
        subprocess.run([*git, "checkout", "-q", "FETCH_HEAD"], check=True)
    return folder


def include_flags(python, module):
    """What finds the headers that a Python's library has."""
    code = f"import sysconfig, {module} as m; print(*m.include_paths(), sysconfig.get_paths()['include'], sep='\\n')"
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True)
    return [f"-isystem{path}" for path in done.stdout.splitlines()]


def run(command):
    """How long a command took, and its first error; None if there is none."""
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        said = process.stderr.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    errors = [line for line in said.splitlines() if "error: " in line]
    first = errors[0].partition("error: ")[2] if errors else "the compiler failed"
    return round(used.ru_utime + used.ru_stime, 2), first if process.returncode else None


class Side:
    """One of the libraries: how its units are compiled and linked.

    Args:
        name: "ours" or "peer".
        python: an interpreter that has it.
        module: what has `include_paths`.
        objects: a folder for what is compiled.
        ahead: a folder for the precompiled header, None to compile everything as it is.
    """

    def __init__(self, name, python, module, objects, ahead=None):
        self.name, self.python, self.objects = name, python, objects / name
        self.flags = include_flags(python, module)
        digest = hashlib.sha256()
        for folder in (Path(flag.removeprefix("-isystem")) for flag in self.flags[:-1]):  # the last are Python's own
            for path in sorted(path for path in folder.rglob("*.h*") if path.is_file()):
                digest.update(str(path.relative_to(folder)).encode() + path.read_bytes())
        self.headers = digest.hexdigest()[:16]
        self.ahead, self._lock = ahead, threading.Lock()

    def compiled(self, name, folder, key, timed):
        """What becomes of a unit: its first error or None, and the seconds if they are asked for."""
        seconds, error = run(self._command(name, folder, folder / key, self.object_of(name, key), timed))
        return {"error": error, "seconds": seconds} if timed else {"error": error}

    def together(self, name, folder, keys):
        """What becomes of units in one file, after the precompiled header; its object is that of the first."""
        self._precompile()
        target = self.object_of(name, keys[0])
        source = target.with_suffix(".together.cpp")
        source.parent.mkdir(parents=True, exist_ok=True)
        lines = []
        for number, key in enumerate(keys):
            own = PROJECTS[name].get("own", ())
            lines += [*(f"#define {word} {word}_{number}" for word in own), f'#include "{folder / key}"',
                      *(f"#undef {word}" for word in own)]  # fmt: skip
        source.write_text("\n".join(lines) + "\n")
        first, *rest = self._command(name, folder, source, target)
        return run([first, f"-I{self.ahead}", "-include", "all.h", *rest])[1]

    def _command(self, name, folder, source, target, timed=False):
        project = PROJECTS[name]
        target.parent.mkdir(parents=True, exist_ok=True)
        makes = ["-c", "-o", str(target)] if timed or name in CASES else ["-fsyntax-only"]
        own = [f"-I{folder / path}" for path in project.get("include", ())]
        return [*FLAGS, *makes, *project.get("flags", ()), str(source), *own, *self.flags]

    def object_of(self, name, unit):
        """The file that a unit of a project is compiled to."""
        return self.objects / name / str(unit).replace("/", "+").replace(".cpp", ".o")

    def linked(self, name, units):
        """The library with all units of a project, of which ``units`` has what became of them."""
        target = self.objects / name / "x.so"
        objects = sorted({str(self.object_of(name, result.get("with", unit))) for unit, result in units.items()})
        libraries = []
        if self.name == "peer":
            [headers] = (flag for flag in self.flags if flag.endswith("torch/include"))
            folder = Path(headers.removeprefix("-isystem")).parent / "lib"
            libraries = [f"-L{folder}", f"-Wl,-rpath,{folder}", "-ltorch", "-ltorch_cpu", "-ltorch_python", "-lc10"]
        options = PROJECTS[name].get("flags", ())
        subprocess.run(["g++", "-shared", *objects, "-o", str(target), *options, *libraries], check=True)
        return target

    def called(self, name, units):
        """What the calls of a project's operators return."""
        results = self.objects / name / "results.pickle"
        command = [self.python, str(CALLS), self.name, name, str(self.linked(name, units)), str(results)]
        subprocess.run(command, check=True, timeout=600)
        return pickle.loads(results.read_bytes())

    def _precompile(self):
        source = self.ahead / "all.h"
        target = source.with_suffix(".h.gch")  # gcc takes the header itself where this does not fit
        with self._lock:
            if not target.exists():
                target.parent.mkdir(parents=True, exist_ok=True)
                source.write_text("#include <torch/extension.h>\n")
                subprocess.run([*FLAGS, *self.flags, "-x", "c++-header", source, "-o", target], check=True)


def report(name, folder, sides, found, options, store):
    """Find out what compiles of a project on each side; ``store()`` writes it down."""
    source = PROJECTS[name].get("sdist") or PROJECTS[name]["repository"][1][:12]
    units = sorted({path for pattern in PROJECTS[name]["units"] for path in folder.glob(pattern)})
    keys = [str(unit.relative_to(folder)) for unit in units]
    headers = {side: sides[side].headers for side in sides}
    for side in sides:
        if found.get("source") != source or found.get("headers", {}).get(side) != headers[side]:
            found[side] = {}
    found |= {"source": source, "units": len(units), "headers": headers}

    def known(key):
        result = found[side].get(key)
        if result is None or result["error"] is not None or name not in CASES:
            return result is not None
        return sides[side].object_of(name, result.get("with", key)).exists()

    def keep(results):
        with sides[side]._lock:
            found[side] |= results
            store()

    def together(keys):
        if not keys or time.monotonic() > options.until:
            return
        if sides[side].together(name, folder, keys) is None:
            keep({key: {"error": None, "with": keys[0]} for key in keys})
        elif len(keys) > 1:
            for half in (keys[: len(keys) // 2], keys[len(keys) // 2 :]):
                together(half)

    def timed():
        return next((key for key in keys if found["ours"].get(key, {"error": None})["error"] is None), None)

    def alone(key):
        if time.monotonic() < options.until and not known(key):
            keep({key: sides[side].compiled(name, folder, key, key == timed())})

    for side in ("ours", "peer"):
        wanted = keys
        fails = [key for key in keys if found["ours"].get(key, {"error": None})["error"] is not None]
        if side == "peer" and options.failures:
            wanted = fails
        with ThreadPoolExecutor(options.jobs) as pool:
            if sides[side].ahead is not None and PROJECTS[name].get("precompiled", True):
                rest = [key for key in wanted if key != timed() and key not in fails and not known(key)]
                list(pool.map(together, (rest[i :: options.jobs] for i in range(options.jobs))))
            list(pool.map(alone, wanted))
    works = {side: [key for key in keys if found[side].get(key, {"error": ""})["error"] is None] for side in sides}
    if name in CASES and works["peer"] and set(works["peer"]) <= set(works["ours"]):
        text = CALLS.read_bytes() + CALLS.with_name("extension_cases.py").read_bytes()
        setting = [headers, hashlib.sha256(text).hexdigest()[:16]]
        if found.get("calls", {}).get("setting") != setting:
            results = [sides[side].called(name, {k: found[side][k] for k in works["peer"]}) for side in sides]
            found["calls"] = {"setting": setting, **compared(*results)}
    store()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="name")
    parser.add_argument("--peer-python", required=True)
    parser.add_argument("--our-python", required=True)
    parser.add_argument("--sources", type=Path, required=True)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--failures", action="store_true", help="PyTorch's headers for units that fail here alone")
    parser.add_argument("--minutes", type=float, default=1e9, help="compile nothing more after this time")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), help="compilers at a time")
    options = parser.parse_args()
    options.until = time.monotonic() + 60 * options.minutes
    options.sources.mkdir(parents=True, exist_ok=True)
    stored = json.loads(options.json.read_text()) if options.json and options.json.exists() else {}

    def store():
        if options.json:
            new = options.json.with_suffix(".new")
            new.write_text(json.dumps(stored, indent=1, sort_keys=True) + "\n")
            new.replace(options.json)

    objects = options.sources / "objects"
    ahead = options.sources / "precompiled"
    sides = {
        "ours": Side("ours", options.our_python, "flambeau_cext", objects),
        "peer": Side("peer", options.peer_python, "torch.utils.cpp_extension", objects, ahead),
    }
    missed = 0
    for name in options.names or PROJECTS:
        try:
            folder = fetch(name, options.sources, options.peer_python)
        except (OSError, subprocess.CalledProcessError) as error:
            print(f"{name}: its sources cannot be had: {error}", flush=True)
            continue
        found = stored.setdefault(name, {})
        report(name, folder, sides, found, options, store)
        ours, peer = found["ours"], found["peer"]
        fails = [unit for unit in ours if ours[unit]["error"] is not None]
        bad = [unit for unit in fails if unit in peer and peer[unit]["error"] is None]
        missed += len(bad)
        both = [unit for unit in peer if peer[unit]["error"] is None and unit in ours and unit not in fails]
        print(f"{name}: {found['units']} units, {len(ours)} compiled here: {len(ours) - len(fails)} well; "
              f"{len(peer)} with PyTorch: {len(both) + len(bad)} well, {len(bad)} of them fail here",
              flush=True)  # fmt: skip
        for unit in bad:
            print(f"    {unit}: {ours[unit]['error']}", flush=True)
        if calls := found.get("calls"):
            missed += len(calls["different"])
            print(f"    {calls['calls']} calls, {calls['equal']} bitwise equal, {calls['rounded']} up to rounding, "
                  f"different: {calls['different'] or 'none'}", flush=True)  # fmt: skip
    raise SystemExit(missed > 0)


if __name__ == "__main__":
    main()
