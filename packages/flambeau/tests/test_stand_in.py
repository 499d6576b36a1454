"""flambeau in PyTorch's place: for pytest, for pip, and for what tells tensors by the module of their class."""

import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement

import flambeau
from flambeau import stand_in


def run(code, **options):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, **options)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_classes_of_tensors_say_torch_where_torch_is_flambeau():
    # PyTorch: torch torch.nn.parameter <class 'torch.Tensor'> <class 'torch.nn.parameter.Parameter'>
    show = """
print(type(torch.tensor(1.)).__module__, torch.nn.Parameter.__module__, torch.Tensor, torch.nn.Parameter)
print(torch.Tensor.__name__, torch.Tensor.__qualname__)
"""
    shown = "torch torch.nn.parameter <class 'torch.Tensor'> <class 'torch.nn.parameter.Parameter'>\nTensor Tensor\n"
    assert run("import flambeau; flambeau.install_as_torch(); import torch" + show) == shown
    assert run("import flambeau, flambeau.nn; flambeau.install_as_torch(); import torch" + show) == shown
    names = flambeau.Tensor.__module__, flambeau.nn.Parameter.__module__
    assert names == ("flambeau", "flambeau.nn.parameter")


def test_pytest_runs_a_project_written_for_pytorch(tmp_path):
    (tmp_path / "test_it.py").write_text(
        "import torch\ndef test_it():\n    assert torch.ones(2).sum() == 2\n"
        "    assert torch.__name__ == 'torch' and hasattr(torch, 'RELEASE')\n"
    )
    for command in (["-m", "pytest", "-p", "flambeau.as_torch"], ["-m", "flambeau", "-m", "pytest"]):
        done = subprocess.run(
            [sys.executable, *command, "-q", "-p", "no:cacheprovider"], cwd=tmp_path, capture_output=True, text=True
        )
        assert done.returncode == 0 and "1 passed" in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize("wanted", ["torch", "torch>=2.0", "torch==2.13.*", "torch!=2.0.1,<3", "torch==2.13.0"])
def test_the_wheel_is_torch_to_pip(tmp_path, wanted):
    version = stand_in.write(tmp_path).name.split("-")[1]
    assert version == f"2.13.0+flambeau.{flambeau.RELEASE}" and Requirement(wanted).specifier.contains(version)


def test_the_wheel_gives_flambeau(tmp_path):
    wheel = subprocess.run(
        [sys.executable, "-m", "flambeau.stand_in", str(tmp_path)], capture_output=True, text=True, check=True
    ).stdout.strip()
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "site")
        record = next(name for name in archive.namelist() if name.endswith("RECORD"))
        assert {line.split(",")[0] for line in archive.read(record).decode().splitlines()} == set(archive.namelist())
    out = run(f"""
import sys
sys.path.insert(0, {str(tmp_path / "site")!r})
import torch.nn.functional as F, torch, flambeau
from importlib import metadata, util
print(torch is flambeau, F.relu(torch.tensor([-1., 2.])), metadata.version("torch"), torch.Tensor.__module__)
print(metadata.requires("torch"), util.find_spec("torch") is not None)
""")
    assert out == (
        f"True tensor([0., 2.]) 2.13.0+flambeau.{flambeau.RELEASE} torch\n['flambeau=={flambeau.RELEASE}'] True\n"
    )
    assert Path(wheel).parent == tmp_path


def test_the_wheel_has_a_stub_for_every_module(tmp_path):
    wheel = stand_in.write(tmp_path)
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        stubs = {name: archive.read(name).decode() for name in names if name.endswith(".pyi")}
    assert "torch/py.typed" in names
    for module in ("", "nn/", "nn/functional", "optim/lr_scheduler", "linalg", "utils/data/", "func", "amp/", "cuda/"):
        assert f"torch/{module}__init__.pyi" in names or f"torch/{module}.pyi" in names, module
    assert "from flambeau_tensor import *" in stubs["torch/__init__.pyi"]
    for name, text in stubs.items():
        assert name[:-1] in names, f"{name} has no module beside it"
        for child in re.findall(r"^from \. import (\w+) as", text, re.MULTILINE):
            folder = name.rpartition("/")[0]
            assert {f"{folder}/{child}.pyi", f"{folder}/{child}/__init__.pyi"} & names, f"{name}: {child}"
