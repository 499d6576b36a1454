"""Groups of processes over shared memory: real processes, which ``ranks.py`` tells what to do."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

RANKS = Path(__file__).with_name("ranks.py")
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="files are not locked so there")

GOOD = """
reductions nans strides moves uneven objects messages asynchronous groups gradients data_parallel averages unused joined
""".split()


def ranks(names, size, tmp_path, codes=None):
    """Run checks on so many ranks; what they print."""
    line = [sys.executable, str(RANKS), names]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    started = [
        subprocess.Popen(
            [*line, str(rank), str(size), str(tmp_path / "store")],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=environment,
        )
        for rank in range(size)
    ]
    try:
        said = [process.communicate(timeout=120)[0] for process in started]
    finally:
        for process in started:
            process.kill()
    assert [process.returncode for process in started] == (codes or [0] * size), "\n".join(said)
    return said


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_what_ranks_compute_together(size, tmp_path):
    names = ",".join([*GOOD, *["mismatches"] * (size > 1)])
    assert ranks(names, size, tmp_path) == ["done\n"] * size
    assert not (tmp_path / "store").exists()  # the last one has taken it away


@pytest.mark.parametrize("size", [2, 3])
def test_a_rank_that_is_late(size, tmp_path):
    ranks("late", size, tmp_path)


@pytest.mark.parametrize("size", [2, 3])
def test_a_rank_that_is_killed(size, tmp_path):
    codes = [0] * size
    codes[1] = -9
    ranks("killed", size, tmp_path, codes)


def test_a_rank_that_has_left(tmp_path):
    ranks("gone", 2, tmp_path)


@pytest.mark.skipif(not os.path.isdir("/dev/shm"), reason="there is no such folder")
def test_nothing_is_left_in_shared_memory(tmp_path):
    ranks("killed", 2, tmp_path, [0, -9])
    assert not [name for name in os.listdir("/dev/shm") if "flambeau-group" in name]
