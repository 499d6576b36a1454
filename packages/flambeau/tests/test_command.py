"""The command `flambeau`: each part of it, in a process of its own."""

import importlib.util
import re
import subprocess
import sys

import pytest

import flambeau
import flambeau as torch
from flambeau.__main__ import main
from flambeau.program_names import missing_part


def command(*arguments, **options):
    line = [sys.executable, "-m", "flambeau", *map(str, arguments)]
    return subprocess.run(line, capture_output=True, text=True, **options)


@pytest.mark.parametrize("before", [["run"], []])
def test_run(tmp_path, before):
    script = tmp_path / "script.py"
    script.write_text("import sys, torch, helper\nprint(helper.twice(torch.ones(2)).tolist(), sys.argv, __name__)\n")
    (tmp_path / "helper.py").write_text("def twice(x):\n    return 2 * x\n")
    assert command(*before, script, "a", "-b").stdout == f"[2.0, 2.0] {[str(script), 'a', '-b']} __main__\n"


def test_run_a_command_or_a_module(tmp_path):
    (tmp_path / "module.py").write_text("import sys, torch\nprint(torch.__name__, sys.argv[1:], __name__)\n")
    assert command("run", "-m", "module", "a", cwd=tmp_path).stdout == "torch ['a'] __main__\n"
    code = "import sys, torch; print(torch.__name__, sys.argv)"
    assert command("run", "-c", code, "x").stdout == "torch ['-c', 'x']\n"
    assert command("run", "-c", "raise SystemExit(7)").returncode == 7


@pytest.mark.parametrize("before", [["run"], ["run", "-m"], ["run", "-c"]], ids=" ".join)
def test_tracebacks_begin_at_the_program(tmp_path, before):
    code = "import torch\ndef f(x):\n    return x @ x\nf(torch.ones(2, 3))\n"
    (tmp_path / "script.py").write_text(code)
    what = {"run": tmp_path / "script.py", "-m": "script", "-c": code}[before[-1]]
    done = command(*before, what, cwd=tmp_path)
    lines = [line for line in done.stderr.splitlines() if line.startswith("  File ")]
    assert done.returncode == 1 and [line.rpartition(", ")[2] for line in lines] == ["in <module>", "in f"], done.stderr


@pytest.mark.parametrize(
    ("arguments", "status", "text"),
    [
        (["nofile.py"], 2, "there is no file 'nofile.py'"),
        (["run"], 2, "usage: flambeau run"),
        (["run", "-m"], 2, "usage: flambeau run"),
        (["check"], 2, "usage: flambeau check"),
        (["check", "nofile.py"], 2, "nofile.py"),
        ([], 2, "flambeau doctor"),
        (["--help"], 0, "flambeau doctor"),
    ],
)
def test_what_is_wrong_is_said(arguments, status, text, capsys):
    assert main(arguments) == status
    assert text in "".join(capsys.readouterr())


@pytest.mark.parametrize("name", ["demo", "doctor", "coverage"])
def test_each_part_calls_itself_by_its_name(name, capsys):
    with pytest.raises(SystemExit):
        main([name, "--help"])
    assert capsys.readouterr().out.startswith(f"usage: flambeau {name} ")


def test_version(capsys):
    assert main(["--version"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"flambeau {flambeau.RELEASE}" and lines[-1].startswith("Python 3.")
    assert {line.partition(" ")[0] for line in lines} > {"flambeau-tensor", "flambeau-cext", "numpy"}


def test_doctor():
    done = command("doctor")
    assert done.returncode == 0, done.stdout
    assert "CPU level" in done.stdout and re.search(r"pybind11 \d", done.stdout) and "C++ compiler" in done.stdout


def test_demo_takes_options():
    assert "--epochs" in command("demo", "--help").stdout


PROGRAM = """
import torch, torch.nn as nn
from torch.nn import functional as F
from torch.ao.quantization import quantize_dynamic

def f(x):
    y = nn.quantizable.LSTM(F.relu(x), x.T.real)
    return y.sum(), torch.quantize_per_tensor(x, 1.0, 0, torch.qint8).dequantize(), "a b".split(), torch.pi.real
"""


def test_check(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    (tmp_path / "broken.py").write_text("import torch.nothing\nprint(")
    (tmp_path / "other.py").write_text("import numpy as np\nnp.ones(2).dequantize()")
    done = command("check", tmp_path)
    assert done.returncode == 1
    assert "broken.py was left out" in done.stdout and "files: 2, " in done.stdout and "other.py" not in done.stdout
    found = dict(line.strip().rsplit(": ", 1) for line in done.stdout.splitlines() if line.startswith("  "))
    assert found["torch.ao.quantization.quantize_dynamic"] == f"{program}:4"
    assert found["torch.nn.quantizable"] == f"{program}:7"
    assert set(found) <= {
        "torch.ao.quantization.quantize_dynamic",
        "torch.nn.quantizable",
        "torch.quantize_per_tensor",
        "torch.qint8",
        "Tensor.dequantize, if that is a tensor",
    }
    program.write_text("import torch\nprint(torch.ones(2).sum(), torch.optim.Adam, torch.utils.data.DataLoader)\n")
    done = command("check", program)
    assert done.returncode == 0 and "none is missing" in done.stdout


TROUBLES = """\
import torch, torchvision.models
from torch.quasirandom import SobolEngine
from torchaudio import load

def f(x, model):
    device = x.cuda() if torch.cuda.is_available() else x
    if torch.cuda.is_available():
        model.cuda()
    return model.cuda(), torch.cuda.is_available()

def g(x, device="cuda" if torch.cuda.is_available() else "cpu"):
    with torch.autocast("cuda"):
        return x.to("cuda:1"), torch.zeros(2, device="cuda"), "cuda", x.to(device)
"""


def test_check_of_what_is_there_and_does_not_work(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(TROUBLES)
    done = command("check", program)
    assert done.returncode == 1
    found = dict(line.strip().rsplit(": ", 1) for line in done.stdout.splitlines() if line.startswith("  "))
    expected = {
        "torchvision, which is compiled against PyTorch": f"{program}:1",
        "torchaudio, which is compiled against PyTorch": f"{program}:3",
        ".cuda(), which raises: there is only the CPU": f"{program}:9",
        'device "cuda:1", which raises: there is only the CPU': f"{program}:13",
        'device "cuda", which raises: there is only the CPU': f"{program}:13",
    }
    if importlib.util.find_spec("scipy") is None:
        expected["torch.quasirandom.SobolEngine, which needs scipy (not installed)"] = f"{program}:2"
    assert found == expected
    for method in (torch.ones(1).cuda, torch.nn.Linear(1, 1).cuda, lambda: torch.ones(1).to("cuda:1")):
        with pytest.raises(AssertionError, match="CUDA"):
            method()


def test_parts_of_names():
    assert missing_part("torch.utils.data.DataLoader.nothing") == "torch.utils.data.DataLoader.nothing"
    assert missing_part("torch.pi.anything") is None and missing_part("torch.float32.itemsize") is None
    assert missing_part("torch.nn.functional.nothing.more") == "torch.nn.functional.nothing"
