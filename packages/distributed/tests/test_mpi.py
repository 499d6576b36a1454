"""Groups of processes that MPI has started, if an MPI is installed: what ``ranks.py`` does, under ``mpirun``.

``FLAMBEAU_TEST_MPI`` may name Pythons of environments with mpi4py and an MPI, with the system's separator between them.
"""

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

RANKS = Path(__file__).with_name("ranks.py")
SHARED = (
    "reductions,strides,moves,uneven,objects,messages,asynchronous,groups,gradients,data_parallel,averages,unused,joined,"
    "monitored"
)


def installations():
    """Pythons that have mpi4py and an MPI beside them."""
    found = [python for python in os.environ.get("FLAMBEAU_TEST_MPI", "").split(os.pathsep) if python]
    if importlib.util.find_spec("mpi4py") and launcher(sys.executable):
        found.append(sys.executable)
    return found or [pytest.param("", marks=pytest.mark.skip(reason="mpi4py or mpirun is not installed"))]


def launcher(python):
    return shutil.which("mpirun", path=str(Path(python).parent)) or shutil.which("mpirun")


def mpirun(python, size, *command):
    version = subprocess.run([launcher(python), "--version"], capture_output=True, text=True).stdout
    options = ["--allow-run-as-root", "--oversubscribe"] if "Open MPI" in version else []
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    line = [launcher(python), *options, "-n", str(size), python, *map(str, command)]
    return subprocess.run(line, capture_output=True, text=True, env=environment, timeout=240)


@pytest.mark.parametrize("python", installations())
@pytest.mark.parametrize("size", [2, 4])
def test_what_ranks_compute_together(python, size, tmp_path):
    done = mpirun(python, size, RANKS, SHARED, "mpi", size, tmp_path / "store")
    assert done.returncode == 0 and done.stdout.count("done") == size, done.stdout + done.stderr


@pytest.mark.parametrize("python", installations())
def test_an_exception_ends_the_job(python, tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        "import torch, torch.distributed as dist\ndist.init_process_group('gloo')\n"
        "if dist.get_rank() == 1:\n    raise KeyError('lost')\ndist.all_reduce(torch.ones(1))\n"
    )
    done = mpirun(python, 2, "-m", "flambeau", "run", program)
    assert done.returncode and "KeyError: 'lost'" in done.stderr, done.stderr
    assert "rank 1 of MPI has raised KeyError: the job ends" in done.stderr
    assert "MPI has started this process, so its groups use MPI, not gloo" in done.stderr
