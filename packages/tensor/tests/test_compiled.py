"""All compiled modules are in one shared object, which finds and loads them by their names."""

import importlib
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import flambeau_tensor
from flambeau_tensor import _compiled
from flambeau_tensor._core.elementwise.cpu_levels import LEVEL, built_levels

SOURCES = Path(__file__).parents[1] / "src"


def names():
    """Yield the module of every source; for hot sources, one per level."""
    for source in (SOURCES / "flambeau_tensor").rglob("*.pyx"):
        name = ".".join(source.relative_to(SOURCES).with_suffix("").parts)
        if ".hot." in name:
            yield from (name.replace(".hot.", f".hot_{level}.") for level in built_levels())
        else:
            yield name


def run(program):
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_every_module_is_found_in_one_file():
    found = {name: find_spec(name) for name in names()}
    assert len(found) > 80
    for name, spec in found.items():
        assert (spec.name, spec.loader, spec.origin) == (name, _compiled, _compiled.__file__)


def test_modules_know_who_they_are():
    module = importlib.import_module("flambeau_tensor._core.elementwise.dtype")
    assert module.__spec__.loader is _compiled and module.__file__ == _compiled.__file__
    package = "flambeau_tensor._core.elementwise"
    assert (module.__name__, module.__package__) == (f"{package}.dtype", package)
    assert module.DType is flambeau_tensor.dtype and module.DType.__module__


def test_equal_last_names():
    """Loops and kernels of a family have the same basename."""
    loops = importlib.import_module(f"flambeau_tensor._kernels.hot_{LEVEL}.pointwise")
    kernels = importlib.import_module("flambeau_tensor._kernels.pointwise")
    assert loops is not kernels and hasattr(loops, "LOOPS") and not hasattr(kernels, "LOOPS")


def test_only_what_is_used_is_loaded():
    program = "import flambeau_tensor, sys; print('flambeau_tensor._kernels.fft' in sys.modules);"
    program += "flambeau_tensor.fft.fft(flambeau_tensor.ones(2)); print('flambeau_tensor._kernels.fft' in sys.modules)"
    assert run(program) == ["False", "True"]


def test_a_module_before_its_package():
    assert run("from flambeau_tensor._kernels.sorting import __name__ as name; print(name)") == [
        "flambeau_tensor._kernels.sorting"
    ]


@pytest.mark.parametrize("name", ["_core.nothing", "_kernels.hot_v9", "_kernels.hot_v9.pointwise"])
def test_unknown_names(name):
    assert _compiled.find_spec(f"flambeau_tensor.{name}") is None
    with pytest.raises(ModuleNotFoundError, match=name.split(".")[1]):
        importlib.import_module(f"flambeau_tensor.{name}")


def test_mistakes():
    with pytest.raises(TypeError, match="needs the name"):
        _compiled.find_spec()
    with pytest.raises(TypeError, match="unhashable"):
        _compiled.find_spec([])
    with pytest.raises(ImportError, match="flambeau_tensor has no compiled module 'math'"):
        _compiled.create_module(find_spec("math"))
    with pytest.raises(AttributeError):
        _compiled.create_module(1)
    with pytest.raises(TypeError):
        _compiled.exec_module(1)


def test_loading_again_changes_nothing():
    module, before = sys.modules["flambeau_tensor._core.elementwise.dtype"], list(sys.meta_path)
    kind = module.DType
    assert importlib.reload(module) is module and module.DType is kind
    assert importlib.reload(_compiled) is _compiled and sys.meta_path == before


TIMER = """
import importlib, signal, sys
import flambeau_tensor

class Late(Exception):
    pass

def late(*args):
    raise Late

signal.signal(signal.SIGALRM, late)
count = 0
for name in sys.argv[1:]:
    for wait in (1e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2):
        try:
            signal.setitimer(signal.ITIMER_REAL, wait)
            try:
                importlib.import_module(name)
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
            break
        except Late:
            count += 1
    importlib.import_module(name)
print(count, signal.getsignal(signal.SIGALRM) is late)
"""


def test_a_timer_that_raises_does_not_leave_half_a_module():
    modules = "fft lapack foreach sampling segments spectral solving histograms distances sorting unique".split()
    command = [sys.executable, "-c", TIMER, *(f"flambeau_tensor._kernels.{name}" for name in modules)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    count, whole = done.stdout.split()
    assert int(count) > 3 and whole == "True"
