"""The programs of docs/guides/scale.md, as a reader would start them."""

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest

GUIDE = (Path(__file__).parents[1] / "docs/guides/scale.md").read_text(encoding="utf-8")
PROGRAMS = dict(re.findall(r"^```py\n# (\w+\.py)\n(.*?)^```$", GUIDE, re.MULTILINE | re.DOTALL))
NEEDS = {
    "with_dask.py": "distributed",
    "with_joblib.py": "joblib",
    "with_optuna.py": "optuna",
    "with_ray.py": "ray",
    "with_submitit.py": "submitit",
}
RUN = [sys.executable, "-m", "flambeau", "run"]


@pytest.fixture
def folder(tmp_path):
    for name, text in PROGRAMS.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def run(folder, *arguments):
    done = subprocess.run([*RUN, *arguments], cwd=folder, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_sweep(folder):
    assert [line.split()[0] for line in run(folder, "sweep.py").splitlines()] == ["0.001", "0.01", "0.1"]


@pytest.mark.parametrize("name", NEEDS)
def test_other_engines(folder, name):
    if importlib.util.find_spec(NEEDS[name]) is None:
        pytest.skip(f"{NEEDS[name]} is not installed")
    assert run(folder, name).split()[-1] == ("5" if name == "with_optuna.py" else "2")


def test_data_parallel_training_gives_the_same_weights_for_any_number_of_ranks(folder):
    import flambeau as torch

    torchrun = ["-m", "torch.distributed.run", "--master-port", "0", "--nproc-per-node"]
    weights = []
    for size in (1, 2, 4):
        assert run(folder, *torchrun, str(size), "data_parallel.py") == "0.92 of the other images are read correctly\n"
        weights.append(torch.load(folder / "weights.pt"))
    for name, alone in weights[0].items():
        for together in weights[1:]:
            assert (together[name] - alone).abs().max() < 1e-5
