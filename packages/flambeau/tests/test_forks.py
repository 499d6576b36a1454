"""Forks while other threads are at work: no lock that such a thread holds keeps the child from going on."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGES = Path(__file__).parents[2]
FORKS = """
import os, signal, sys, threading, time
import flambeau as torch

g = torch.Generator()
draws = {
    "rand": lambda: torch.rand(200_000),
    "randn": lambda: torch.randn(50_000),
    "randperm": lambda: torch.randperm(100_000),
    "multinomial": lambda: torch.multinomial(torch.ones(1000), 20_000, True),
    "own": lambda: torch.rand(200_000, generator=g),
    "bernoulli": lambda: torch.bernoulli(torch.full((100_000,), 0.5)),
    "poisson": lambda: torch.poisson(torch.ones(20_000)),
    "gamma": lambda: torch._standard_gamma(torch.ones(20_000)),
    "products": lambda: torch.ones(300, 300) @ torch.ones(300, 300),
    "state": lambda: torch.get_rng_state(),
    "seed": lambda: torch.manual_seed(0),
}
draw = draws[sys.argv[1]]
draw()
done = False


def work():
    while not done:
        draw()


threads = [threading.Thread(target=work, daemon=True) for _ in range(2)]
for t in threads:
    t.start()
for i in range(25):
    child = os.fork()
    if not child:
        signal.alarm(20)  # what waits for ever is ended
        draw()
        torch.rand(3), torch.randperm(3), torch.manual_seed(1), torch.rand(2, generator=g)
        other = torch.Generator().manual_seed(1)
        os._exit(0 if torch.rand(2).tolist() == torch.rand(2, generator=other).tolist() else 1)
    assert os.waitpid(child, 0)[1] == 0, i
    time.sleep(0.002)
done = True
for t in threads:
    t.join()
print("through")
"""
pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks")


@pytest.mark.parametrize(
    "what",
    "rand randn randperm multinomial own bernoulli poisson gamma products state seed".split(),
)
def test_a_child_draws_although_a_thread_was_drawing(what):
    run = subprocess.run([sys.executable, "-c", FORKS, what], capture_output=True, text=True, timeout=300)
    assert run.returncode == 0 and "through" in run.stdout, run.stderr[-2000:]


def test_a_child_loads_a_family_although_a_thread_was_loading_it():
    code = """
import importlib, os, signal, threading
import flambeau as torch

begun = threading.Event()
real = importlib.import_module

def slowly():
    torch.fft.fft(torch.ones(4))

class Slow:
    def find_spec(self, name, path=None, target=None):
        if name == "flambeau_tensor.ops.fft":
            begun.set()
            import time
            time.sleep(0.5)
        return None

import sys
sys.meta_path.insert(0, Slow())
t = threading.Thread(target=slowly)
t.start()
begun.wait()
child = os.fork()
if not child:
    signal.alarm(20)
    os._exit(0 if torch.fft.fft(torch.ones(4))[0].item() == 4 else 1)
assert os.waitpid(child, 0)[1] == 0
t.join()
print(torch.fft.fft(torch.ones(4))[0].real.item())
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert run.returncode == 0 and run.stdout.strip() == "4.0", run.stderr[-2000:]


def test_every_lock_of_a_module_is_renewed_in_a_child():
    """Files that make locks which outlive a call say what becomes of them at a fork."""
    making = re.compile(
        r"^(?:cdef .*|\w+ *(?::.*)?)= *(?:threading\.)?(?:R?Lock|Condition|PyThread_allocate_lock)\(",
        re.M,
    )
    kept = re.compile(r"cython\.pymutex")
    found = []
    for path in sorted(
        [*PACKAGES.glob("*/src/**/*.py"), *PACKAGES.glob("*/src/**/*.pyx"), *PACKAGES.glob("*/src/**/*.pxd")]
    ):
        text = path.read_text(encoding="utf-8")
        if making.search(text) or kept.search(text):
            beside = path.with_suffix(".pyx")
            found.append(path.name)
            both = text + (beside.read_text(encoding="utf-8") if beside.exists() else "")
            assert "register_at_fork" in both, path
    assert {"parallel.pyx", "registry.pyx", "generator.pxd", "build.py"} <= set(found)
