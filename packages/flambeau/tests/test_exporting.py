"""``flambeau export``, and loops of C in exported functions."""

import subprocess
import sys

import pytest

import flambeau as torch
from flambeau.exporting import main

PROGRAM = """
import torch
torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 2))
examples = (torch.rand(1, 4),)
def power(x):
    return torch.while_loop(lambda i, v: i < 5, lambda i, v: (i + 1, v * x), (torch.tensor(0), x))[1]
def rollout(x, forces):
    from torch._higher_order_ops import scan
    return scan(lambda state, force: (state * 0.9 + force, state.sin()), x, forces)
"""


@pytest.fixture
def program(tmp_path):
    (tmp_path / "net.py").write_text(PROGRAM)
    return tmp_path


def export(program, *arguments):
    command = [sys.executable, "-m", "flambeau", "export", *arguments, "--folder", str(program / "out")]
    done = subprocess.run(command, cwd=program, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


EXPORTED = {
    "module": ["net.py:net"],
    "loop": ["net.py:power", "--input", "3"],
    "scan": ["net.py:rollout", "--input", "2", "--input", "5x2"],
}


@pytest.mark.parametrize("arguments", EXPORTED.values(), ids=EXPORTED)
def test_files_that_test_themselves(program, arguments):
    status, listed, _ = export(program, *arguments, "--name", "f")
    assert status == 0 and [line.split()[0].split("/")[-1] for line in listed.splitlines()] == [
        "f.h",
        "f.c",
        "f_test.c",
    ]
    command = ["cc", "-std=c99", "-Wall", "-Werror", "-O2", "f.c", "f_test.c", "-o", "f", "-lm"]
    subprocess.run(command, cwd=program / "out", check=True)
    done = subprocess.run(["./f"], cwd=program / "out", capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "as in Python\n")


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["net.py:nothing"], "has no 'nothing'"),
        (["net.py:net", "--input", "3y"], "an input is written 1x16 or 4:float64, not '3y'"),
        (["net.py:net", "--input", "3:float99"], "an input is written"),
        (["net.py:net", "--name", "a-b"], "name must be a C identifier"),
        (["missing.py:net"], "missing.py"),
    ],
)
def test_mistakes(program, arguments, message):
    status, _, error = export(program, *arguments)
    assert status == 1 and error.startswith("flambeau export: ") and message in error
    assert not (program / "out").exists()


def test_what_is_no_function_of_a_program(capsys):
    with pytest.raises(SystemExit):
        main(["net.py"])
    assert "program.py:name" in capsys.readouterr().err


def test_names_in_compiler():
    assert issubclass(torch.compiler.ExportError, RuntimeError)
    assert torch.compiler.export_c.__module__.startswith("flambeau")


def test_sizes_of_object_files(program):
    """Of this machine's compiler: code, a table of 80 bytes, and an array of 400."""
    from flambeau_compile.exporting.objects import sizes

    text = "const double table[10] = {1}; int many[100]; int first(int i) { return many[i]; }"
    (program / "some.c").write_text(text)
    subprocess.run(["cc", "-fno-asynchronous-unwind-tables", "-c", "some.c"], cwd=program, check=True)
    found = sizes(program / "some.o")
    assert (found.constants - found.constants % 80, found.memory) == (80, 400) and 4 < found.code < 100
    with pytest.raises(ValueError, match="is no object file in the format ELF"):
        sizes(program / "some.c")
