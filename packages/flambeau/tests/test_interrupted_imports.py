"""Ctrl-C at any line of an import, or of the first use of what loads late: the next attempt does all of it."""

import subprocess
import sys

import pytest

PROGRAM = r"""
import _signal, sys

step, text = int(sys.argv[1]), sys.argv[2]


class Interrupting:
    "Raises Ctrl-C's signal at the n-th line of the library's that is run."

    def __init__(self, n):
        self.left, self.done = n, False

    def __call__(self, frame, event, argument):
        return self.line if "flambeau" in frame.f_code.co_filename else None

    def line(self, frame, event, argument):
        self.left -= event == "line"
        if self.left == 0 and not self.done:
            self.done = True
            sys.settrace(None)
            _signal.raise_signal(_signal.SIGINT)
        return self.line


def load():
    global torch
    import flambeau as torch
    return torch.nn.Linear, torch.optim.SGD


def call():
    return eval(text, {"torch": torch})


if text != "import":
    load()
interrupts, n = 0, step
while True:
    interrupting = Interrupting(n)
    sys.settrace(interrupting)
    try:
        load() if text == "import" else call()
    except KeyboardInterrupt:
        interrupts += 1
    finally:
        sys.settrace(None)
    if not interrupting.done:
        break
    n += step
print(interrupts)
from flambeau_tensor.extend import operators
for name in sorted(operators()):
    print(name)
x = torch.tensor([[2.0, 1.0], [1.0, 3.0]], requires_grad=True)
torch.linalg.det(x).backward()
print(x.grad.tolist(), torch.sort(x)[0].tolist(), torch.func.vmap(torch.sum)(x).tolist(), (x + x).tolist())
"""
AFTER = "[[3.0, -1.0], [-1.0, 2.0]] [[1.0, 2.0], [1.0, 3.0]] [3.0, 4.0] [[4.0, 2.0], [2.0, 6.0]]"


def run(step, text):
    done = subprocess.run([sys.executable, "-c", PROGRAM, str(step), text], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-3000:]
    interrupts, *names, values = done.stdout.splitlines()
    return int(interrupts), names, values


@pytest.fixture(scope="module")
def names():
    interrupts, found, values = run(10**9, "import")
    assert interrupts == 0
    assert values == AFTER
    return found


@pytest.mark.parametrize(
    ("text", "step", "least"),
    [
        ("import", 151, 10),
        ("torch.linalg.det(torch.eye(2))", 31, 1),
        ("torch.sort(torch.ones(3))", 7, 1),
        ("torch.nn.functional.interpolate(torch.ones(1, 1, 4, 4), scale_factor=2)", 11, 1),
        ("torch.func.vmap(torch.sum)(torch.ones(2, 2))", 13, 1),
        ("torch.ones(2).to_sparse()", 5, 1),
    ],
)
def test_the_next_attempt_does_it_all(names, text, step, least):
    interrupts, found, values = run(step, text)
    assert interrupts >= least
    assert found == names
    assert values == AFTER
