"""Exchanges between processes, data-parallel training and maps beside PyTorch's gloo and mpi4py, in one run.

    python benchmarks/scale.py --peer-python PYTHON_WITH_TORCH --mpi-python PYTHON_WITH_MPI4PY --json FILE

``--mpi-python`` may be given for several MPI libraries; flambeau must be importable there, too. Times are the least of
many windows, in microseconds.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SIZES = {"4 B": 1, "1 KB": 256, "64 KB": 16_384, "4 MB": 1 << 20}

EXCHANGES = """
import json, sys, time, warnings
warnings.simplefilter("ignore")
import torch, torch.distributed as dist
dist.init_process_group("gloo")
torch.set_num_threads(1)
found = {}
for name, n in json.loads(sys.argv[1]).items():
    x = torch.zeros(n)
    dist.barrier()
    best = 1e9
    for _ in range(100 if n < 3e4 else 20 if n < 1e7 else 4):  # as many on every rank
        begin = time.perf_counter()
        for _ in range(20 if n < 3e4 else 1):
            dist.all_reduce(x)
        best = min(best, (time.perf_counter() - begin) / (20 if n < 3e4 else 1))
    found[name] = best * 1e6
dist.barrier()
if dist.get_rank() == 0:
    print("RESULT", json.dumps(found), flush=True)
dist.destroy_process_group()
"""

RAW = """
import json, sys, time
import numpy as np
from mpi4py import MPI
comm, found = MPI.COMM_WORLD, {}
for name, n in json.loads(sys.argv[1]).items():
    x = np.zeros(n, np.float32)
    comm.Barrier()
    best = 1e9
    for _ in range(100 if n < 3e4 else 20 if n < 1e7 else 4):
        begin = time.perf_counter()
        for _ in range(20 if n < 3e4 else 1):
            comm.Allreduce(MPI.IN_PLACE, x)
        best = min(best, (time.perf_counter() - begin) / (20 if n < 3e4 else 1))
    found[name] = best * 1e6
if comm.rank == 0:
    print("RESULT", json.dumps(found), flush=True)
"""

TRAINING = """
import json, sys, time, warnings
warnings.simplefilter("ignore")
import torch, torch.distributed as dist
from torch import nn
dist.init_process_group("gloo")
torch.set_num_threads(1)
rank, size = dist.get_rank(), dist.get_world_size()
found = {}
for batch in json.loads(sys.argv[1]):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(16, 32), nn.Tanh(), nn.Linear(32, 4))
    if size > 1:
        model = nn.parallel.DistributedDataParallel(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    x, y = torch.randn(batch, 16), torch.randn(batch, 4)
    best = 1e9
    for _ in range(30):
        begin = time.perf_counter()
        for _ in range(10):
            optimizer.zero_grad()
            nn.functional.mse_loss(model(x), y).backward()
            optimizer.step()
        best = min(best, (time.perf_counter() - begin) / 10)
    found[batch] = best * 1e6
if rank == 0:
    print("RESULT", json.dumps(found), flush=True)
dist.destroy_process_group()
"""

SWEEP = """
import json, sys, time
from concurrent.futures import ProcessPoolExecutor
import multiprocessing
import torch
from torch import nn

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
    print("RESULT", json.dumps({"first two": first, "forty": best}), flush=True)
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
    parser.add_argument("--json")
    options = parser.parse_args()
    ours = [sys.executable, "-m", "flambeau", "run"]
    sizes, batches = json.dumps(SIZES), json.dumps([32, 256, 1024])
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    found = {"all_reduce": {}, "training": {}, "sweep": {}, "load": os.getloadavg()[0]}
    with tempfile.TemporaryDirectory() as folder:
        files = {name: Path(folder) / f"{name}.py" for name in ("exchanges", "raw", "training", "sweep")}
        for name, text in zip(files, (EXCHANGES, RAW, TRAINING, SWEEP), strict=True):
            files[name].write_text(text)
        run = ["-m", "torch.distributed.run", "--nproc-per-node"]
        peers = {"flambeau": ours}
        if options.peer_python:
            peers["PyTorch"] = [options.peer_python]
        for name, start in peers.items():
            kind = {"flambeau": "flambeau, shared memory", "PyTorch": "PyTorch, gloo"}[name]
            tail = ["--master-port", 29555]
            found["all_reduce"][kind] = result([*start, *run, 2, *tail, files["exchanges"], sizes], env=environment)
            for ranks in (1, 2):
                found["training"][f"{name}, {ranks}"] = result(
                    [*start, *run, ranks, *tail, files["training"], batches], env=environment
                )
            found["sweep"][name] = result([*start, files["sweep"], "pool"], env=environment)
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
