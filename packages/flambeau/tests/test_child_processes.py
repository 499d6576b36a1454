"""Processes that a program starts have flambeau under the name ``torch``, too, whatever starts them."""

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

import flambeau

CLEAN = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}


def run(*command, cwd, **options):
    line = [sys.executable, "-m", "flambeau", "run", *map(str, command)]
    done = subprocess.run(line, capture_output=True, text=True, cwd=cwd, env=CLEAN, timeout=120, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


MULTIPROCESSING = """
import multiprocessing, torch, torch.multiprocessing as mp
from concurrent.futures import ProcessPoolExecutor

def name(*_):
    import torch  # the name alone: nothing that was sent has brought it
    return torch.__name__, torch.ones(2).sum().item()

def shown(index, queue):
    queue.put((index, *name()))

class Names(torch.utils.data.Dataset):
    def __len__(self):
        return 2
    def __getitem__(self, i):
        return str(name())

if __name__ == "__main__":
    spawn = multiprocessing.get_context("spawn")
    with spawn.Pool(1) as pool:
        print(pool.map(name, [0]))
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("forkserver")) as pool:
        print(list(pool.map(name, [0])))
    queue = spawn.SimpleQueue()
    mp.spawn(shown, (queue,), nprocs=2)
    print(sorted([queue.get(), queue.get()]))
    print(list(torch.utils.data.DataLoader(Names(), 2, num_workers=1, multiprocessing_context="spawn")))
"""


def test_multiprocessing_in_all_its_forms(tmp_path):
    (tmp_path / "program.py").write_text(MULTIPROCESSING)
    one = "('torch', 2.0)"
    assert run("program.py", cwd=tmp_path).splitlines() == [
        f"[{one}]",
        f"[{one}]",
        "[(0, 'torch', 2.0), (1, 'torch', 2.0)]",
        f'[["{one}", "{one}"]]',
    ]


def test_joblib(tmp_path):
    pytest.importorskip("joblib")
    code = """
from joblib import Parallel, delayed
def f(i):
    import torch
    return torch.__name__ + str(i)
print(Parallel(2)(delayed(f)(i) for i in range(3)))
"""
    assert run("-c", code, cwd=tmp_path) == "['torch0', 'torch1', 'torch2']\n"


def test_pytest_in_several_processes(tmp_path):
    pytest.importorskip("xdist")
    (tmp_path / "test_it.py").write_text(
        "import os, torch, pytest\n@pytest.mark.parametrize('i', range(4))\ndef test_it(i):\n"
        "    assert torch.__name__ == 'torch' and 'PYTEST_XDIST_WORKER' in os.environ\n"
    )
    assert "4 passed" in run("-m", "pytest", "-q", "-n", "2", "-p", "no:cacheprovider", cwd=tmp_path)


def test_subprocesses_of_any_depth(tmp_path):
    code = """
import subprocess, sys
command = sys.argv[1:]
inner = "import torch.nn.functional as F, torch; from importlib.metadata import version; "
inner += "print(F.relu(torch.tensor(-1.)), version('torch'))"
outer = "import subprocess, sys; sys.exit(subprocess.call([sys.executable, '-c', sys.argv[1]]))"
sys.stdout.write(subprocess.check_output([sys.executable, "-c", outer, inner], text=True))
"""
    assert run("-c", code, cwd=tmp_path) == f"tensor(0.) {flambeau.__version__.partition('+')[0]}\n"


BACKEND = """
import torch, zipfile
def build_wheel(folder, *_):
    name = f"built-{torch.__version__.partition('+')[0]}-py3-none-any.whl"
    with zipfile.ZipFile(f"{folder}/{name}", "w") as wheel:
        info = "built-2.13.0.dist-info"
        wheel.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\\nName: built\\nVersion: 2.13.0\\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
    return name
"""


def test_a_wheel_whose_build_imports_torch(tmp_path):
    (tmp_path / "backend.py").write_text(BACKEND)
    (tmp_path / "pyproject.toml").write_text(
        '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n'
    )
    run("-m", "pip", "wheel", "-q", "--no-build-isolation", "--no-deps", "--no-index", "-w", "out", ".", cwd=tmp_path)
    assert [file.name for file in (tmp_path / "out").iterdir()] == ["built-2.13.0-py3-none-any.whl"]


def test_programs_see_their_own_path_first(tmp_path):
    (tmp_path / "program.py").write_text("import sys, os\nprint(sys.path[0], os.environ['PYTHONPATH'])\n")
    own, handed_on = run("program.py", cwd=tmp_path).split()
    assert own == str(tmp_path) and handed_on == str(Path(flambeau.__file__).with_name("_under_torch"))


@pytest.mark.parametrize("has_torch", [True, False])
def test_a_python_without_flambeau_keeps_its_own_torch(tmp_path, has_torch):
    if has_torch:
        (tmp_path / "torch").mkdir()
        (tmp_path / "torch" / "__init__.py").write_text("__version__ = 'its own'\n")
    path = os.pathsep.join([str(Path(flambeau.__file__).with_name("_under_torch")), str(tmp_path)])
    line = [
        sys.executable,
        "-I",
        "-S",
        "-c",
        f"import sys; sys.path[:0] = {path!r}.split({os.pathsep!r})\nimport torch",
    ]
    line[-1] += "\nprint(torch.__version__)"
    done = subprocess.run(line, capture_output=True, text=True)
    if has_torch:
        assert done.stdout == "its own\n", done.stderr
    else:
        assert "ModuleNotFoundError: No module named 'torch'" in done.stderr


def test_nothing_is_written_beside_packages(tmp_path):
    site = Path(sysconfig.get_path("purelib"))
    before = sorted(os.listdir(site))
    run(
        "-c",
        "import torch, subprocess, sys; subprocess.check_call([sys.executable, '-c', 'import torch'])",
        cwd=tmp_path,
    )
    assert sorted(os.listdir(site)) == before
