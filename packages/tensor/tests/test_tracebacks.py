"""Tracebacks show lines of programs, and lines of compiled modules only on request."""

import os
import subprocess
import sys

PROGRAM = """
import traceback
import flambeau_tensor as ft
x = ft.ones(2)
for mistake in (lambda: ft.add(x, ft.ones(3)), lambda: x[5], lambda: x.view(3), lambda: ft.ones("a")):
    try:
        mistake()
    except Exception as error:
        print(sum(".pyx" in frame.filename for frame in traceback.extract_tb(error.__traceback__)))
"""


def frames(**environment):
    environment = {**{k: v for k, v in os.environ.items() if k != "FLAMBEAU_FULL_TRACEBACK"}, **environment}
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, env=environment, check=True)
    return [int(line) for line in done.stdout.split()]


def test_compiled_frames_stay_out():
    assert frames() == [0, 0, 0, 0]
    assert frames(FLAMBEAU_FULL_TRACEBACK="0") == [0, 0, 0, 0]


def test_compiled_frames_come_back():
    assert all(n > 0 for n in frames(FLAMBEAU_FULL_TRACEBACK="1"))
