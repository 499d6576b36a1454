"""Several threads at once, and interruption."""

import os
import signal
import subprocess
import sys
import threading

import pytest

import flambeau_autograd as autograd
import flambeau_tensor as torch


def in_threads(n, work):
    errors = []

    def run():
        try:
            work()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run) for _ in range(n)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not errors, errors


@pytest.mark.parametrize(("size", "steps"), [(3, 2000), (100_000, 50)])
def test_a_shared_leaf_loses_no_gradient(size, steps):
    w = torch.zeros(size, requires_grad=True)
    ones = torch.ones(size)

    def work():
        for _ in range(steps):
            (w * ones).sum().backward()

    in_threads(4, work)
    assert w.grad.min().item() == w.grad.max().item() == 4 * steps


def test_a_shared_graph(leaf):
    x = leaf(1.0, 2.0)
    y = (x * x).exp().sum()
    (expected,) = autograd.grad(y, x, retain_graph=True)
    wrong = []

    def work():
        for _ in range(300):
            (g,) = autograd.grad(y, x, retain_graph=True)
            if g.tolist() != expected.tolist():
                wrong.append(g)

    in_threads(4, work)
    assert not wrong


def test_python_functions_in_threads(leaf):
    class Slow(autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            total = 0
            for i in range(50):
                total += i
            return g * 2

    x = leaf(1.0)

    def work():
        for _ in range(300):
            Slow.apply(Slow.apply(x)).sum().backward()

    in_threads(4, work)
    assert x.grad.item() == 4 * 300 * 4


@pytest.fixture
def interruptible():
    """SIGINT raises KeyboardInterrupt, also in a run whose parent ignores it, as shells do in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.skipif(os.name == "nt", reason="os.kill does not raise KeyboardInterrupt there")
def test_interruption(leaf, interruptible):
    x = leaf(1.0)
    y = x
    for _ in range(300_000):
        y = y * 1.0
    y.register_hook(lambda g: os.kill(os.getpid(), signal.SIGINT))
    ran = []
    (y * 1.0).register_hook(ran.append)
    x.register_hook(ran.append)
    with pytest.raises(KeyboardInterrupt):
        y.sum().backward()
    assert not ran and x.grad is None and autograd.is_grad_enabled()
    (x * 2).sum().backward()
    assert x.grad.tolist() == [2.0]


def test_other_threads_get_a_turn():
    """The engine runs without the interpreter, and still lets others in whenever the interpreter would."""
    y = x = torch.ones(1, requires_grad=True)
    for _ in range(300_000):
        y = y * 1.0
    turns, started, stop = [], threading.Event(), threading.Event()

    def count():
        while not stop.is_set():
            turns.append(1)
            started.set()

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-4)  # a run takes a hundred times as long
    t = threading.Thread(target=count)
    t.start()
    try:
        started.wait()
        during, runs = 0, 0
        while during <= 1 and runs < 100:  # the other thread may be waiting for a processor, not for the interpreter
            before = len(turns)
            y.backward(retain_graph=True)
            during = len(turns) - before
            runs += 1
    finally:
        sys.setswitchinterval(interval)
        stop.set()
        t.join()
    assert x.grad.tolist() == [float(runs)]
    assert during > 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_child_process_runs_backward():
    """After a backward whose kernels used the thread pool, which the child does not have."""
    script = """
import os, flambeau_tensor as torch, flambeau_autograd
torch.set_num_threads(2)
def run():
    x = torch.full((1_000_000,), 0.5, requires_grad=True)
    (x * x).sin().sum().backward()
    return round(x.grad[0].item(), 6)
first = run()
child = os.fork()
if child == 0:
    os._exit(0 if run() == first else 1)
assert os.waitpid(child, 0)[1] == 0 and run() == first
"""
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", script], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
