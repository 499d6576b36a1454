"""What it takes to bring a small network to a server: megabytes, and the time until a fresh process has answered.

    python benchmarks/deploying.py --our-python PYTHON --peer-python PYTHON --json benchmarks/deploying.json

Each PYTHON is an environment in which flambeau, or PyTorch, is installed from wheels. Counted is what the distribution
and its requirements install, and nothing else of the environment. Before a cold start the system is told to forget
these files, so that they come from the disk; a warm one finds them in memory.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

from machine import described

CLOSURE = """
import json, re, sys
from importlib.metadata import distribution
seen, todo = {}, sys.argv[1:]
while todo:
    name = re.split(r"[^A-Za-z0-9._-]", todo.pop())[0].lower().replace("_", "-")
    if name in seen: continue
    found = distribution(name)
    seen[name] = [str(found.locate_file(f).resolve()) for f in found.files or ()]
    todo += [line for line in found.requires or () if "extra ==" not in line and "python_version <" not in line
             and "platform_system" not in line and "sys_platform" not in line]
print(json.dumps(seen))
"""
SAVE = """
import sys, {library} as torch
torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.ReLU(), torch.nn.Linear(128, 10))
torch.save(model.state_dict(), sys.argv[1])
"""
ANSWER = """
import sys, {library} as torch
model = torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.ReLU(), torch.nn.Linear(128, 10))
model.load_state_dict(torch.load(sys.argv[1]))
with torch.no_grad():
    answer = model(torch.ones(1, 64)).argmax(1).item()
import resource, time
print(time.time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)
"""


def run(python, code, *args):
    done = subprocess.run([python, "-c", code, *args], capture_output=True, text=True, check=True)
    return done.stdout


def files_of(python, names):
    """What the distributions and those they require have installed, without what Python makes of it."""
    files = {f for found in json.loads(run(python, CLOSURE, *names)).values() for f in found}
    return [f for f in map(Path, sorted(files)) if f.is_file() and f.suffix != ".pyc"]


def sizes(kept):
    """Bytes installed, and bytes of them in a zip archive, as a function in the cloud is uploaded."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "function.zip")
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for f in kept:
                archive.write(f)
        return sum(f.stat().st_size for f in kept), path.stat().st_size


def forget(files):
    """Have the system drop the files from memory."""
    for path in files:
        for f in (path, *path.parent.glob(f"__pycache__/{path.stem}.*.pyc")):
            descriptor = os.open(f, os.O_RDONLY)
            os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
            os.close(descriptor)


def start(python, library, weights):
    """Seconds from starting the process to its answer, and the memory that it took."""
    begin = time.time()
    end, memory = map(float, run(python, ANSWER.format(library=library), weights).split())
    return end - begin, memory


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--our-python", default=sys.executable)
    parser.add_argument("--peer-python", default=sys.executable)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--json", type=Path, required=True)
    options = parser.parse_args()
    sides = {
        "ours": (options.our_python, "flambeau", files_of(options.our_python, ["flambeau"])),
        "peer": (options.peer_python, "torch", files_of(options.peer_python, ["torch", "numpy"])),
    }
    results = {"machine": described(options.our_python, options.peer_python)}
    with tempfile.TemporaryDirectory() as folder:
        weights = str(Path(folder, "weights.pt"))
        run(options.our_python, SAVE.format(library="flambeau"), weights)
        times = {side: {"cold": [], "warm": []} for side in sides}
        for _ in range(options.rounds):  # in turns, so that a busy moment meets both
            for side, (python, library, files) in sides.items():
                forget(files)
                times[side]["cold"].append(start(python, library, weights)[0])
                seconds, memory = start(python, library, weights)
                times[side]["warm"].append(seconds)
                times[side]["memory"] = memory
    for side, (_python, _library, files) in sides.items():
        installed, zipped = sizes(files)
        results[side] = {"installed": installed, "zipped": zipped, "memory": times[side]["memory"]}
        results[side] |= {kind: statistics.median(times[side][kind]) for kind in ("cold", "warm")}
    options.json.write_text(json.dumps(results, indent=1) + "\n")
    print(options.json.read_text())


if __name__ == "__main__":
    main()
