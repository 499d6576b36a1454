"""The examples run as they stand: their programs, their doctests, and what they say about themselves."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"


def run(folder, *arguments):
    environment = {**os.environ, "PYTHONWARNINGS": "error"}
    return subprocess.run(
        [sys.executable, *arguments], cwd=EXAMPLES / folder, env=environment, capture_output=True, text=True
    )


@pytest.mark.parametrize("module", ["signals", "silence"])
def test_overridable_library(module):
    code = f"import doctest, {module} as m; print(doctest.testmod(m))"
    done = run("overridable_library", "-c", code)
    assert done.stdout.startswith("TestResults(failed=0, attempted="), done.stdout + done.stderr
    assert "attempted=0" not in done.stdout


def test_overridable_library_as_its_readme_says():
    done = run("overridable_library", "silence.py")
    assert done.stdout == ("Silence(3, rate=10.0) lasts 0.3 s\nSignal([1.0, 0.0, 0.0], rate=1.0) lasts 3.0 s\n"), (
        done.stderr
    )
    done = run("overridable_library", "-m", "flambeau_overrides", "silence:Silence(3, rate=10.0)")
    assert done.stdout == (
        "Silence handles 4 of 5 overridable functions, refuses 1 and misses 0.\n\n"
        "Handled\n  signals: amplified, duration, joined, mean\n\n"
        "Refused\n  signals.Signal: __getitem__\n"
    ), done.stderr


def test_overridable_library_needs_nothing_else():
    code = "import sys, silence; print([m for m in ('numpy', 'flambeau_tensor', 'flambeau') if m in sys.modules])"
    assert run("overridable_library", "-c", code).stdout == "[]\n"


def test_subclasses_of_another_librarys_base():
    code = """
import copy, signals
class Loud(signals.Signal):
    pass
loud = Loud([1.0, 2.0], rate=2.0)
print(signals.amplified(loud, 3), signals.joined([loud, signals.Signal([0.0], rate=2.0)]), loud[1], signals.mean(loud))
class Other(signals.Signal):
    pass
try:
    signals.joined([loud, Other([1.0], rate=2.0)])
except TypeError as error:
    print(error)
"""
    assert run("overridable_library", "-c", code).stdout == (
        "Loud([3.0, 6.0], rate=2.0) Loud([1.0, 2.0, 0.0], rate=2.0) 2.0 1.5\n"
        "Multiple dispatch failed for 'signals.joined'; all __torch_function__ handlers returned NotImplemented:\n\n"
        "  - tensor subclass <class '__main__.Loud'>\n  - tensor subclass <class '__main__.Other'>\n\n"
        "no implementation found for 'signals.joined' on types that implement __torch_function__: [Loud, Other]\n"
    )
