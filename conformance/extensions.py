"""Compiles the C++ sources of public projects with PyTorch's headers and with flambeau's, and counts what compiles.

    python conformance/extensions.py --peer-python A --our-python B --sources DIR [--json extensions.json] [name ...]

The first Python has PyTorch and the second one flambeau. extensions.toml says where the sources of a project come
from; they stay in DIR. Each unit is compiled as it is, up to the point where code would be written; the seconds are the
processor's, so that what else the machine does counts little. What is found of a project is written as soon as it is
there, and what PyTorch's headers did is taken from the file for the same sources. They take ten times as long as ours:
with --failures they are asked only about units that fail here.
"""

import argparse
import json
import os
import resource
import shutil
import subprocess
import tomllib
from pathlib import Path

HERE = Path(__file__).parent
PROJECTS = tomllib.loads((HERE / "extensions.toml").read_text())
FLAGS = ["g++", "-std=c++20", "-O1", "-w", "-fPIC", "-fsyntax-only", "-fmax-errors=5"]


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


def compiled(name, folder, unit, flags):
    """How long a unit took, and its first error; None if there is none."""
    project = PROJECTS[name]
    own = [f"-I{folder / path}" for path in project.get("include", ())]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [*FLAGS, "-DTORCH_EXTENSION_NAME=x", *project.get("flags", ()), str(unit)]
    done = subprocess.run([*command, *own, *flags], capture_output=True, text=True)
    errors = [line for line in done.stderr.splitlines() if "error: " in line]
    first = errors[0].partition("error: ")[2] if errors else "the compiler failed"
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return seconds, None if done.returncode == 0 else first


def report(name, folder, sides, known, failures_alone):
    """What compiles of a project on each side."""
    found = {"source": PROJECTS[name].get("sdist") or PROJECTS[name]["repository"][1][:12], "peer": {}, "ours": {}}
    units = sorted({path for pattern in PROJECTS[name]["units"] for path in folder.glob(pattern)})
    found["units"] = len(units)
    if known.get("source") == found["source"] and known.get("units") == len(units):
        found["peer"] = known["peer"]
    for unit in units:
        key = str(unit.relative_to(folder))
        for side in ("ours", "peer"):
            if key in found[side] or (side == "peer" and failures_alone and not found["ours"][key]["error"]):
                continue
            seconds, error = compiled(name, folder, unit, sides[side])
            found[side][key] = {"seconds": round(seconds, 2), "error": error}
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="name")
    parser.add_argument("--peer-python", required=True)
    parser.add_argument("--our-python", required=True)
    parser.add_argument("--sources", type=Path, required=True)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--failures", action="store_true", help="PyTorch's headers for units that fail here alone")
    options = parser.parse_args()
    options.sources.mkdir(parents=True, exist_ok=True)
    stored = json.loads(options.json.read_text()) if options.json and options.json.exists() else {}
    sides = {
        "peer": include_flags(options.peer_python, "torch.utils.cpp_extension"),
        "ours": include_flags(options.our_python, "flambeau_cext"),
    }
    missed = 0
    for name in options.names or PROJECTS:
        folder = fetch(name, options.sources, options.peer_python)
        found = stored[name] = report(name, folder, sides, stored.get(name, {}), options.failures)
        fails = [unit for unit, r in found["ours"].items() if r["error"] is not None]
        neither = [unit for unit in fails if found["peer"][unit]["error"] is not None]
        bad = [unit for unit in fails if unit not in neither]
        missed += len(bad)
        compiles = found["units"] - len(fails)
        print(f"{name}: of {found['units']} units {compiles} compile here, {len(bad)} with PyTorch alone, "
              f"{len(neither)} of the others with neither")  # fmt: skip
        for unit in bad:
            print(f"    {unit}: {found['ours'][unit]['error']}", flush=True)
        if options.json:
            options.json.write_text(json.dumps(stored, indent=1) + "\n")
    raise SystemExit(missed > 0)


if __name__ == "__main__":
    main()
