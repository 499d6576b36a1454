"""Exchanges between processes, data-parallel training and maps beside PyTorch's gloo and mpi4py, in one run.

    python benchmarks/scale.py --peer-python PYTHON_WITH_TORCH --mpi-python PYTHON_WITH_MPI4PY --json FILE

``--mpi-python`` may be given for several MPI libraries; flambeau must be importable there, too. Times are medians of
windows, in microseconds. ``--realtime`` gives the measured processes of all sides precedence over other programs, which
takes root: on a machine that others use there are no quiet processors otherwise.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from machine import described

EVOLUTION_PROGRAM = Path(__file__).parents[1] / "examples/gallery/evolution.py"
SIZES = {"4 B": 1, "32 B": 8, "1 KB": 256, "64 KB": 16_384, "4 MB": 1 << 20, "64 MB": 1 << 24}
BATCHES = [16, 32, 64, 128, 256, 512, 1024, 4096]

# How a measured process begins, behind its imports.
PRECEDENCE = """
import json, os, statistics, sys, time, warnings
warnings.simplefilter("ignore")
if os.environ.get("REALTIME"):
    os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(10))

def windows(call, n):
    times = []
    for _ in range(60 if n < 3e4 else 20 if n < 1e7 else 5):  # as many on every rank
        begin = time.perf_counter()
        for _ in range(20 if n < 3e4 else 1):
            call()
        times.append((time.perf_counter() - begin) / (20 if n < 3e4 else 1))
    return statistics.median(times) * 1e6
"""

EXCHANGES = f"""
import torch, torch.distributed as dist
{PRECEDENCE}
dist.init_process_group("gloo")
torch.set_num_threads(1)
found = {{}}
for name, n in json.loads(sys.argv[1]).items():
    x = torch.zeros(n)
    dist.barrier()
    found[name] = windows(lambda: dist.all_reduce(x), n)
dist.barrier()
if dist.get_rank() == 0:
    print("RESULT", json.dumps(found), flush=True)
dist.destroy_process_group()
"""

RAW = f"""
import numpy as np
from mpi4py import MPI
{PRECEDENCE}
comm, found = MPI.COMM_WORLD, {{}}
for name, n in json.loads(sys.argv[1]).items():
    x = np.zeros(n, np.float32)
    comm.Barrier()
    found[name] = windows(lambda: comm.Allreduce(MPI.IN_PLACE, x), n)
if comm.rank == 0:
    print("RESULT", json.dumps(found), flush=True)
"""

TRAINING = f"""
import torch, torch.distributed as dist
from torch import nn
{PRECEDENCE}
dist.init_process_group("gloo")
torch.set_num_threads(1)
rank, size = dist.get_rank(), dist.get_world_size()
found = {{}}
for batch in json.loads(sys.argv[1]):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(16, 32), nn.Tanh(), nn.Linear(32, 4))
    if size > 1:
        model = nn.parallel.DistributedDataParallel(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    x, y = torch.randn(batch, 16), torch.randn(batch, 4)

    def step():
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()

    found[batch] = windows(step, 1)
if rank == 0:
    print("RESULT", json.dumps(found), flush=True)
dist.destroy_process_group()
"""

SWEEP = f"""
import multiprocessing
from concurrent.futures import ProcessPoolExecutor
import torch
from torch import nn
{PRECEDENCE}
def train(seed):
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    model = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x = torch.randn(32, 4)
    y = x.sum(1, keepdim=True)
    for _ in range(200):
        optimizer.zero_grad()
        loss = ((model(x) - y) ** 2).mean()
        loss.backward()
        optimizer.step()
    return loss.item()

if __name__ == "__main__":
    if sys.argv[1] == "map":
        from flambeau import parallel
        run = lambda n: list(parallel.map(train, range(n), workers=2))
    else:
        pool = ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn"))
        run = lambda n: list(pool.map(train, range(n)))
    begin = time.perf_counter()
    run(2)
    first, best = time.perf_counter() - begin, 1e9
    for _ in range(3):
        begin = time.perf_counter()
        run(40)
        best = min(best, time.perf_counter() - begin)
    print("RESULT", json.dumps({{"first two": first, "forty": best}}), flush=True)
"""

EVOLUTION = f"""
import evolution
{PRECEDENCE}
if __name__ == "__main__":
    found = {{n: min(evolution.train(int(sys.argv[1]), n)[1] for _ in range(2)) for n in (1, 2, 4)}}
    print("RESULT", json.dumps(found), flush=True)
"""

# What the gallery's program finds as "flambeau" when it runs on PyTorch: `map` by the standard library's executor.
PYTORCH_AS_FLAMBEAU = """
import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from types import SimpleNamespace
import torch
from torch import nn

def __getattr__(name):
    return getattr(torch, name)

def seeded(f, seed, i, item):
    torch.set_num_threads(1)
    torch.manual_seed(1000 * seed + i)
    return f(item)

pools = {}
def map(f, items, *, workers, seed=0, chunk=1):
    if workers not in pools:
        pools[workers] = ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn"))
    futures = [pools[workers].submit(seeded, f, seed, i, item) for i, item in enumerate(items)]
    return (future.result() for future in futures)

parallel = SimpleNamespace(map=map)
"""


def result(line, **options):
    sys.stderr.write(f"{line[0]} {line[-2]}\n")
    done = subprocess.run([str(part) for part in line], capture_output=True, text=True, timeout=500, **options)
    found = [text for text in done.stdout.splitlines() if text.startswith("RESULT ")]
    if not found:
        raise RuntimeError(f"{line}: {done.stdout}{done.stderr}")
    return json.loads(found[0].removeprefix("RESULT "))


def mpirun(python, size):
    launcher = shutil.which("mpirun", path=str(Path(python).parent)) or "mpirun"
    version = subprocess.run([launcher, "--version"], capture_output=True, text=True).stdout
    open_mpi = "Open MPI" in version
    options = ["--allow-run-as-root", "--oversubscribe"] if open_mpi else []
    return "Open MPI" if open_mpi else "MPICH", [launcher, *options, "-n", size, python]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--peer-python")
    parser.add_argument("--mpi-python", nargs="*", default=[])
    parser.add_argument("--realtime", action="store_true")
    parser.add_argument("--json")
    options = parser.parse_args()
    ours = [sys.executable, "-m", "flambeau", "run"]
    sizes, batches = json.dumps(SIZES), json.dumps(BATCHES)
    environment = {**os.environ, "OMP_NUM_THREADS": "1", **({"REALTIME": "1"} if options.realtime else {})}
    found = {"all_reduce": {}, "training": {}, "sweep": {}, "evolution": {}}
    found["machine"] = described(sys.executable, options.peer_python or sys.executable)
    found["load"], found["realtime"] = os.getloadavg()[0], options.realtime
    with tempfile.TemporaryDirectory() as folder:
        texts = {"exchanges": EXCHANGES, "raw": RAW, "training": TRAINING, "sweep": SWEEP, "generations": EVOLUTION}
        files = {name: Path(folder) / f"{name}.py" for name in texts}
        for name, text in texts.items():
            files[name].write_text(text)
        shutil.copy(EVOLUTION_PROGRAM, folder)
        (Path(folder) / "peer" / "flambeau").mkdir(parents=True)
        (Path(folder) / "peer" / "flambeau" / "__init__.py").write_text(PYTORCH_AS_FLAMBEAU)
        run = ["-m", "torch.distributed.run", "--nproc-per-node"]
        peers = {"flambeau": (ours, {})}
        if options.peer_python:
            peers["PyTorch"] = [options.peer_python], {"PYTHONPATH": f"{folder}/peer"}
        for name, (start, more) in peers.items():
            kind = {"flambeau": "flambeau, shared memory", "PyTorch": "PyTorch, gloo"}[name]
            tail = ["--master-port", 29555]
            found["all_reduce"][kind] = result([*start, *run, 2, *tail, files["exchanges"], sizes], env=environment)
            for ranks in (1, 2):
                found["training"][f"{name}, {ranks}"] = result(
                    [*start, *run, ranks, *tail, files["training"], batches], env=environment
                )
            found["sweep"][name] = result([*start, files["sweep"], "pool"], env=environment)
            found["evolution"][name] = result([*start, files["generations"], 5], env={**environment, **more})
        found["sweep"]["flambeau.parallel.map"] = result([*ours, files["sweep"], "map"], env=environment)
        for python in options.mpi_python:
            library, start = mpirun(python, 2)
            found["all_reduce"][f"mpi4py, {library}"] = result([*start, files["raw"], sizes], env=environment)
            line = [*start, "-m", "flambeau", "run", files["exchanges"], sizes]
            found["all_reduce"][f"flambeau, {library}"] = result(line, env=environment)
    text = json.dumps(found, indent=1)
    print(text)
    if options.json:
        Path(options.json).write_text(text + "\n")


if __name__ == "__main__":
    main()
