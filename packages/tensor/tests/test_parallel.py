"""The thread pool: many short kernels after pauses of any length, from several threads, with more threads than
processors, and in a forked child. Detects a wait for a helper that never comes, and a result that is read too early."""

import os
import subprocess
import sys
import time
from threading import Thread

import numpy as np
import pytest

import flambeau_tensor as ft


@pytest.fixture(params=[2, 3, 8])
def threads(request):
    was = ft.get_num_threads()
    ft.set_num_threads(request.param)
    yield request.param
    ft.set_num_threads(was)


def work(times, failures):
    x = ft.arange(100_000)
    expected = np.arange(100_000) * 3
    for i in range(times):
        if not np.array_equal((x * 3).numpy(), expected):
            failures.append(i)
        time.sleep((0, 0, 1e-6, 2e-5, 2e-4)[i % 5])  # helpers wait actively, are about to sleep, or sleep


def test_pauses_between_kernels(threads):
    failures = []
    work(300, failures)
    assert not failures


def test_callers_in_several_threads(threads):
    failures = []
    callers = [Thread(target=work, args=(100, failures)) for _ in range(4)]
    for t in callers:
        t.start()
    for t in callers:
        t.join()
    assert not failures


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_child_starts_helpers_of_its_own(threads):
    failures = []
    work(5, failures)
    child = os.fork()
    if child == 0:
        work(20, failures)
        os._exit(len(failures))
    assert os.waitpid(child, 0)[1] == 0 and not failures


IMPORTING = """
import os, signal, sys, threading, time
import flambeau_tensor

def importing():
    started.set()
    import flambeau_slow

started = threading.Event()
thread = threading.Thread(target=importing)
thread.start()
started.wait()
time.sleep(0.1)
child = os.fork()
if child == 0:
    signal.alarm(20)  # the default ends the process
    import flambeau_slow
    os._exit(flambeau_slow.DONE)
thread.join()
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_fork_waits_for_imports_of_other_threads(tmp_path):
    """The child lacks the other thread, whose lock of the module it would wait for."""
    (tmp_path / "flambeau_slow.py").write_text("import time\ntime.sleep(0.5)\nDONE = 7\n")
    command = [sys.executable, "-W", "ignore", "-c", IMPORTING]
    done = subprocess.run(
        command, env={**os.environ, "PYTHONPATH": str(tmp_path)}, capture_output=True, text=True, check=False
    )
    assert done.stdout.split() == ["7"], done.stderr
