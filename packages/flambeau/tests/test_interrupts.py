"""Ctrl-C while a block is entered, or a family of operators is loaded: the next attempt finds things as they were."""

import functools
import os
import signal
import subprocess
import sys

import pytest

import flambeau as torch
from flambeau.utils._python_dispatch import TorchDispatchMode, _get_current_dispatch_mode_stack
from flambeau_overrides.modes import _get_current_function_mode_stack


def interrupted(call, n, wanted=lambda frame: True):
    """Make a call that is interrupted at the ``n``-th line or call of Python; whether there were so many."""
    left = n

    def trace(frame, event, argument):
        nonlocal left
        if not wanted(frame):
            return None
        if event in ("call", "line"):
            left -= 1
            if left == 0:
                sys.settrace(None)
                signal.raise_signal(signal.SIGINT)
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        call()
    except KeyboardInterrupt:
        pass
    finally:
        sys.settrace(before)
    return left <= 0


def test_a_device_that_was_not_entered_is_no_default():
    block, n = torch.device("meta"), 1
    with block:  # imports the module of the mode
        assert torch.empty(1).is_meta
    while interrupted(block.__enter__, n):
        assert _get_current_function_mode_stack() == []
        n += 1
    assert n > 2 and torch.empty(1).is_meta
    assert not interrupted(functools.partial(block.__exit__, None, None, None), 1)  # nothing of it is Python
    assert _get_current_function_mode_stack() == []


@pytest.mark.parametrize("enabled", [True, False])
@pytest.mark.parametrize("nested", [True, False])
def test_a_block_of_autocast_that_was_not_entered_changes_nothing(enabled, nested):
    def state():
        return (
            torch.is_autocast_enabled("cpu"),
            torch.get_autocast_dtype("cpu"),
            torch.is_autocast_cache_enabled(),
            _get_current_function_mode_stack(),
        )

    outer = torch.autocast("cpu", torch.float16, enabled=nested)
    with outer:
        before, n = state(), 1
        block = torch.autocast("cpu", torch.bfloat16, enabled=enabled, cache_enabled=False)
        while interrupted(block.__enter__, n, lambda frame: "autocast_mode" in frame.f_code.co_filename):
            assert state() == before and not block._entered, n
            n += 1
        assert n > 5  # and the last time nothing came in between
        assert torch.is_autocast_enabled("cpu") == enabled
        block.__exit__(None, None, None)
        assert state() == before


def test_a_block_that_is_left_by_an_interrupt_of_its_end_has_ended():
    """The first line of a `__exit__` in Python would be too early to protect anything."""

    class Passing(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            return func(*args, **(kwargs or {}))

    for make in (lambda: torch.autocast("cpu"), Passing, torch.overrides.TorchFunctionMode):

        def block(make=make):
            with make():
                pass

        n = 1
        while interrupted(
            block, n, lambda frame: "flambeau" in frame.f_code.co_filename and __file__ not in str(frame)
        ):
            assert not torch.is_autocast_enabled("cpu"), n
            assert _get_current_function_mode_stack() == _get_current_dispatch_mode_stack() == [], n
            n += 1


FAMILIES = """
import os, sys
sys.path.insert(0, sys.argv[1])
import flambeau as torch
from test_interrupts import interrupted

uses = {
    "fft": lambda: torch.fft.fft(torch.ones(4))[0].real.item() == 4,
    "linalg": lambda: torch.linalg.det(torch.eye(2, requires_grad=True)).item() == 1,
    "special": lambda: torch.special.bessel_j0(torch.zeros(1)).item() == 1,
    "unpooling": lambda: torch.nn.functional.max_unpool1d(
        torch.ones(1, 1, 1), torch.zeros(1, 1, 1, dtype=torch.int64), 2).sum().item() == 1,
    "method": lambda: torch.ones(2, 2).cov().shape == (2, 2),
}
use = uses[sys.argv[2]]


def attempt(n):
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    status = 4
    try:
        status = 3 if interrupted(use, n) else 2
        assert use() and torch.ones(2).requires_grad_().exp().sum().backward() is None
        status -= 2
    finally:
        os._exit(status)


most = 1
while attempt(most) == 1:
    most *= 2
points = sorted({int(most * i / POINTS) + 1 for i in range(POINTS)} | set(range(1, 8)))
wrong = [n for n in points if attempt(n) > 1]
print(len(points), wrong)
""".replace("POINTS", "16")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks")
@pytest.mark.parametrize("family", ["fft", "linalg", "special", "unpooling", "method"])
def test_a_family_whose_loading_was_interrupted_is_loaded_by_the_next_use(family):
    run = subprocess.run(
        [sys.executable, "-c", FAMILIES, os.path.dirname(__file__), family], capture_output=True, text=True, timeout=600
    )
    assert run.returncode == 0, run.stderr[-2000:]
    assert run.stdout.split(" ", 1)[1].strip() == "[]", run.stdout + run.stderr[-3000:]
