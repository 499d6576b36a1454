"""Every example of the reference runs as a reader pastes it, and its formulas give the gradients of backward()."""

import subprocess
import sys
from pathlib import Path

RUNNER = Path(__file__).parents[1] / "docs" / "run_reference.py"
FORMULAS = RUNNER.with_name("run_formulas.py")


def test_examples_can_be_pasted():
    done = subprocess.run([sys.executable, str(RUNNER)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert int(done.stdout.split()[0]) > 1500, done.stdout


def test_a_wrong_example_is_found(tmp_path):
    code = f"""
import sys
sys.path.insert(0, {str(RUNNER.parent)!r})
import run_reference
print([bool(run_reference.run("x", text)) for text in (">>> torch.ones(1)\\ntensor([1.])", ">>> ones(1)")])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout == "[False, True]\n"


def test_formulas_of_derivatives():
    done = subprocess.run([sys.executable, str(FORMULAS)], capture_output=True, text=True, check=True)
    assert done.stdout.count("\n") == 1, done.stdout
    assert int(done.stdout.split()[0]) > 180, done.stdout


def test_a_wrong_formula_is_found(tmp_path):
    code = f"""
import sys
sys.path.insert(0, {str(FORMULAS.parent)!r})
import run_formulas
from flambeau_tensor.extend import find_operator
op = find_operator("torch.sin")
sample = run_formulas.samples()[op][0]
for formula in ("grad * cos(input)", "grad * sin(input)"):
    wrong, count = run_formulas.evaluate(op, sample, {{"self": (formula, None)}})
    print(len(wrong), count)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout == "0 1\n1 1\n"
