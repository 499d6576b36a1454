"""Runs the test suites of published packages on PyTorch and on flambeau, and counts what passes.

    python conformance/clients.py --peer-python A --our-python B [--sources DIR] [--json clients.json] [name ...]

Both Pythons have the packages that clients.toml names; the first one has PyTorch and the second one flambeau. Tests
that are not installed with their package are looked for in DIR/NAME, where `fetch` puts them: the sdist that pip
downloads, or the repository at a revision.

What is found of a package is written as soon as it is there. What PyTorch did is kept in the folder `--scratch`, and
holds as long as the package's table in clients.toml and the version of PyTorch are the same.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

HERE = Path(__file__).parent
CLIENTS = tomllib.loads((HERE / "clients.toml").read_text())


def fetch(name, sources):
    """The folder with the source of a package; it is fetched if it is not there."""
    folder = sources / name
    source = CLIENTS[name]["source"]
    if not folder.exists():
        if source == "sdist":
            options = ["--no-deps", "--no-binary", ":all:", "--dest", str(sources / "sdists" / name)]
            requirement = CLIENTS[name]["requirement"]
            subprocess.run([sys.executable, "-m", "pip", "download", "-q", *options, requirement], check=True)
            (archive,) = (sources / "sdists" / name).iterdir()
            shutil.unpack_archive(archive, sources / "sdists" / name, filter="data")
            (unpacked,) = (f for f in (sources / "sdists" / name).iterdir() if f.is_dir())
            unpacked.rename(folder)
        else:
            address, revision = source
            git = ["git", "-C", str(folder)]
            subprocess.run(["git", "init", "-q", str(folder)], check=True)
            subprocess.run([*git, "fetch", "-q", "--depth", "1", address, revision], check=True)
            subprocess.run([*git, "checkout", "-q", "FETCH_HEAD"], check=True)
    return folder


def tests_of(name, python, sources, scratch):
    """A folder with nothing but a package's tests, so that what is imported is the installed package."""
    client = CLIENTS[name]
    folder = scratch / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    if "installed" in client:
        top = client["installed"][0].partition("/")[0]
        code = f"import importlib.util as u; print(u.find_spec({top!r}).submodule_search_locations[0])"
        done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True)
        place = Path(done.stdout.strip()).parent
        return folder, [str(place / path) for path in client["installed"]]
    source = fetch(name, sources)
    for path in {Path(path).parts[0] for path in client["tests"]}:
        shutil.copytree(source / path, folder / path)
    return folder, client["tests"]


def outcomes(name, python, options, sources, scratch, limit):
    """What came of each test of a package, by its name: (outcome, reason). The rest is left out after `limit`
    seconds."""
    folder, tests = tests_of(name, python, sources, scratch)
    client = CLIENTS[name]
    log = scratch / f"{name}.jsonl"
    log.unlink(missing_ok=True)
    log.touch()
    path = os.pathsep.join(filter(None, [str(HERE), os.environ.get("PYTHONPATH")]))
    env = {**os.environ, **client.get("env", {}), "OUTCOMES": str(log), "PYTHONPATH": path, "OMP_NUM_THREADS": "1"}
    env["OUTCOMES_SECONDS"] = str(client.get("seconds", 60))
    # Without the settings of a checkout that the folder lies in.
    command = [python, "-m", "pytest", "-q", "-p", "outcomes", "-p", "no:cacheprovider", "--tb=short", "--rootdir", "/"]
    command += ["-c", os.devnull]
    command += ["--continue-on-collection-errors", *options, *client.get("options", []), *tests]
    with open(scratch / f"{name}.log", "w") as output:
        try:
            subprocess.run(command, cwd=folder, env=env, stdout=output, stderr=subprocess.STDOUT, timeout=limit)
            complete = True
        except subprocess.TimeoutExpired:
            complete = False
    found = {}
    for line in log.read_text().splitlines():
        line = json.loads(line)
        # The installation's place is no part of a test's name, nor is an address of memory.
        test = line["test"].rpartition("site-packages/")[2].rpartition(f"{name}/")[2]
        before = found.get(test, ("", ""))
        if before[0] != "failed":
            found[test] = line["outcome"], line.get("reason", "")
    if not complete:
        found = {test: what for test, what in found.items() if what[0] != "ended the process"}
    return {"complete": complete, "tests": found}


def kept_outcomes(name, python, sources, scratch, limit):
    """What came of each test on PyTorch, from the file of an earlier run if that was of the same package and tests."""
    code = "import importlib.metadata as m; print(m.version('torch'))"
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True)
    of = {"torch": done.stdout.strip(), **CLIENTS[name]}
    kept = scratch / f"{name}.peer.json"
    found = json.loads(kept.read_text()) if kept.exists() else {}
    if found.get("of") != of:
        found = {"of": of, **outcomes(name, python, [], sources, scratch / "peer", limit)}
        kept.write_text(json.dumps(found))
    return found


def compared(peer, ours):
    """How many pass on PyTorch, how many of these pass here, and what came of the others."""
    passing = [
        test
        for test, (outcome, _) in peer["tests"].items()
        if outcome == "passed" and (ours["complete"] or test in ours["tests"])
    ]
    came = {test: ours["tests"].get(test, ("not collected", "")) for test in passing}
    missed = {test: ": ".join(filter(None, what)) for test, what in came.items() if what[0] != "passed"}
    return {
        "complete": peer["complete"] and ours["complete"],
        "peer": len(passing),
        "ours": len(passing) - len(missed),
        "missed": missed,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", default=list(CLIENTS))
    parser.add_argument("--peer-python", type=os.path.abspath, required=True)
    parser.add_argument("--our-python", type=os.path.abspath, required=True)
    parser.add_argument("--sources", type=Path, default=Path("sources"))
    parser.add_argument("--scratch", type=Path, default=Path("clients"))
    parser.add_argument("--json", type=Path)
    parser.add_argument("--limit", type=float, default=3600, help="seconds for a package on one side")
    args = parser.parse_args()
    sources, scratch = args.sources.resolve(), args.scratch.resolve()
    scratch.mkdir(parents=True, exist_ok=True)
    for name in args.names or CLIENTS:
        peer = kept_outcomes(name, args.peer_python, sources, scratch, args.limit)
        ours = outcomes(name, args.our_python, ["-p", "flambeau.as_torch"], sources, scratch / "ours", args.limit)
        result = compared(peer, ours)
        results = json.loads(args.json.read_text()) if args.json and args.json.exists() else {}
        results[name] = {"version": CLIENTS[name]["requirement"].partition("==")[2], **result}
        print(f"{name:26} {result['peer']:6} {result['ours']:6}", flush=True)
        if args.json:
            args.json.write_text(json.dumps({name: results[name] for name in CLIENTS if name in results}, indent=1))


if __name__ == "__main__":
    main()
