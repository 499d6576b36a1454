"""Ctrl-C: wherever it comes, it is raised, and what a call or a block has changed is as it was before."""

import dis
import subprocess
import sys
from functools import cache
from types import GeneratorType

import pytest

import flambeau_autograd.forward_ad as fw
import flambeau_autograd.functional as functional
import flambeau_tensor as torch
from flambeau_autograd import (
    Function,
    detect_anomaly,
    detect_mutation,
    enable_grad,
    inference_mode,
    is_anomaly_enabled,
    is_grad_enabled,
    is_inference_mode_enabled,
    is_mutation_detection_enabled,
    no_grad,
)
from flambeau_autograd._engine.levels import dual_level
from flambeau_autograd._engine.levels import level as levels
from flambeau_autograd.checkpoint import checkpoint, set_checkpoint_early_stop
from flambeau_autograd.func import grad, jacfwd, jvp, linearize, vjp, vmap
from flambeau_autograd.graph import (
    allow_mutation_on_saved_tensors,
    disable_saved_tensors_hooks,
    save_on_cpu,
    saved_tensors_hooks,
)
from flambeau_overrides.modes import (
    TorchFunctionMode,
    _enable_torch_function,
    _get_current_function_mode_stack,
    _is_torch_function_enabled,
    _pop_mode_temporarily,
    enable_reentrant_dispatch,
)
from flambeau_tensor.random import fork_rng


class _Interrupting:
    """Raises KeyboardInterrupt at the ``n``-th call or line of Python, those of other libraries left out."""

    def __init__(self, n):
        self.left = n

    def __call__(self, frame, event, arg):
        if not _is_ours(frame.f_code.co_filename):
            return None
        if event == "call" or (event == "line" and not self._ends_a_block(frame)):
            self.left -= 1
            if self.left == 0:
                sys.settrace(None)
                raise KeyboardInterrupt
        return self

    def _ends_a_block(self, frame):
        """Tracing stops once more at a `with` whose block is over, where no interrupt comes, and between items of a
        comprehension, where Python 3.12 and 3.13 do not leave blocks for what a trace function raises (signals do).
        """
        code = frame.f_code.co_code[frame.f_lasti :]
        steps = [(dis.opname[name], value) for name, value in zip(code[::2], code[1::2], strict=True)]
        if steps[0][0] in ("FOR_ITER", "JUMP_BACKWARD"):
            return True
        while steps[0][0] in ("NOP", "SWAP", "PUSH_EXC_INFO"):
            del steps[0]
        nothing = ("LOAD_CONST", frame.f_code.co_consts.index(None)) if None in frame.f_code.co_consts else None
        return steps[0][0] == "WITH_EXCEPT_START" or steps[:3] == [nothing] * 3  # what `__exit__` is called with


@cache
def _is_ours(filename):
    return "flambeau" in filename or filename == __file__ or "contextlib" in filename


def _x(*values):
    return torch.tensor(values or (0.5, 1.0), requires_grad=True)


class Square(Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x):
        return x * x

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)
        ctx.save_for_forward(*inputs)

    @staticmethod
    def backward(ctx, g):
        return 2 * g * ctx.saved_tensors[0]

    @staticmethod
    def jvp(ctx, t):
        return 2 * t * ctx.saved_tensors[0]


class Cube(Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 3 * g * x * x


class Through(TorchFunctionMode):
    def __torch_function__(self, function, types, args=(), kwargs=None):
        return function(*args, **(kwargs or {}))


class Again(TorchFunctionMode):
    def __torch_function__(self, function, types, args=(), kwargs=None):
        if function is torch.sin:
            with enable_reentrant_dispatch(), _enable_torch_function():
                return torch.cos(*args)
        return function(*args, **(kwargs or {}))


def _blocks(*contexts):
    def run():
        if not contexts:
            return (_x() * 2).sum()
        with contexts[0]():
            return _blocks(*contexts[1:])()

    return run


def _dual():
    with fw.dual_level():
        dual = fw.make_dual(torch.ones(2), torch.ones(2))
        fw.unpack_dual(Square.apply(dual.sin()))
        fw.unpack_dual(Cube.apply(dual))
        with fw._set_fwd_grad_enabled(False):
            dual * 2


def _modes():
    with Through(), Again():
        torch.sin(torch.ones(2))
        with _pop_mode_temporarily():
            torch.sin(torch.ones(2))


@no_grad()
def _generator():
    for i in range(2):
        yield torch.ones(2) * i


def _hooks():
    x = _x()
    y = x * 2
    y.register_hook(lambda g: g * 2)
    y.retain_grad()
    x.register_post_accumulate_grad_hook(lambda p: None)
    y.grad_fn.register_prehook(lambda g: None)
    (y * y).sum().backward()


def _inside(depth):
    """Backward in a hook of a backward, and so on."""
    x = _x()
    x.register_hook(lambda g: _inside(depth - 1) if depth else None)
    with enable_grad():
        (x * 2).sum().backward()


PROGRAMS = {
    "checkpoint": lambda: (
        checkpoint(lambda a, b: (a.sin() * torch.rand(2)).exp() * b, _x(), _x(), use_reentrant=False).sum().backward()
    ),
    "checkpoint in checkpoint": lambda: (
        checkpoint(
            lambda a: checkpoint(lambda b: b.sin().exp(), a * 2, use_reentrant=False).exp(),
            _x(),
            use_reentrant=False,
            debug=True,
        )
        .sum()
        .backward()
    ),
    "checkpoint, reentrant": lambda: (
        checkpoint(lambda a: (a.sin() * torch.rand(2)).exp(), _x(), use_reentrant=True).sum().backward()
    ),
    "vmap": lambda: vmap(lambda a: a.sin() @ a)(torch.ones(3, 2)),
    "vmap in chunks": lambda: vmap(lambda a: a + torch.rand(2), randomness="same", chunk_size=2)(torch.ones(3, 2)),
    "vmap in a loop": lambda: vmap(lambda a: a * a.sum().item(), fallback="loop")(torch.ones(3, 2)),
    "vmap of a Function": lambda: vmap(Square.apply)(torch.ones(3, 2)),
    "jvp": lambda: jvp(lambda a: a.sin().sort().values * 2, (torch.ones(2),), (torch.ones(2),)),
    "jvp of Functions": lambda: jvp(lambda a: Square.apply(a) + Cube.apply(a), (torch.ones(2),), (torch.ones(2),)),
    "grad": lambda: grad(lambda a: (a.sin() * Cube.apply(a)).sum())(torch.ones(2)),
    "grad of grad": lambda: grad(lambda a: grad(lambda b: (b**3).sum())(a).sum())(torch.ones(2)),
    "vjp": lambda: vjp(torch.sin, torch.ones(2))[1](torch.ones(2)),
    "linearize": lambda: linearize(torch.sin, torch.ones(2))[1](torch.ones(2)),
    "jacfwd": lambda: jacfwd(torch.sin)(torch.ones(2)),
    "forward over reverse": lambda: functional.hessian(
        lambda a: a * 2, torch.ones(()), vectorize=True, outer_jacobian_strategy="forward-mode"
    ),
    "forward mode": _dual,
    "modes": _modes,
    "hooks": _hooks,
    "backward in hooks": lambda: _inside(3),
    "a generator": lambda: list(_generator()),
    "blocks of recording": _blocks(no_grad, enable_grad, inference_mode),
    "decorators": lambda: no_grad()(enable_grad()(inference_mode()(lambda: torch.ones(2) * 2)))(),
    "blocks of saving": _blocks(lambda: saved_tensors_hooks(lambda t: t, lambda t: t), save_on_cpu),
    "a block without hooks": _blocks(lambda: disable_saved_tensors_hooks("no hooks")),
    "a block of mutation": _blocks(allow_mutation_on_saved_tensors),
    "blocks of settings": _blocks(lambda: set_checkpoint_early_stop(False), fork_rng, detect_mutation),
    "anomaly mode": _blocks(detect_anomaly),
}


def _state():
    return {
        "recording": is_grad_enabled(),
        "inference": is_inference_mode_enabled(),
        "levels": levels.levels(),
        "forward mode": dual_level.outer_dual(),
        "modes": _get_current_function_mode_stack(),
        "overriding": _is_torch_function_enabled(),
        "anomaly": is_anomaly_enabled(),
        "mutation": is_mutation_detection_enabled(),
    }


def _use():
    """Plain work of every kind; its results."""
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = (x * x).exp()
    assert y.grad_fn._saved_result.tolist() == y.tolist()
    y.sum().backward()
    with fw.dual_level():
        along = fw.unpack_dual(fw.make_dual(torch.ones(2), torch.ones(2)).sin()).tangent
    with Through(), allow_mutation_on_saved_tensors():
        z = checkpoint(torch.sin, x, use_reentrant=False)
        z.sum().backward()
    with disable_saved_tensors_hooks("no hooks"):
        x * x
    rows = vmap(lambda a: a.sin().sum())(torch.ones(3, 2))
    slope = grad(lambda a: (a**3).sum())(torch.ones(2))
    return [t.tolist() for t in (x.grad, along, rows, slope)]


@pytest.fixture
def lost(monkeypatch):
    """Interrupts that nobody could be told of. One that comes while an unfinished generator goes is Python's loss."""
    found = []

    def hook(info):
        if not isinstance(info.object, GeneratorType) and "closing generator" not in (info.err_msg or ""):
            found.append(str(info))

    monkeypatch.setattr(sys, "unraisablehook", hook)
    return found


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.filterwarnings("ignore:Anomaly Detection", "ignore:vmap runs")
def test_an_interrupt_is_raised_and_leaves_nothing_behind(name, lost):
    program = PROGRAMS[name]
    program()  # what it imports is imported
    state, work = _state(), _use()
    tracing = sys.gettrace()
    count = 0
    while True:
        count += 1
        interrupting = _Interrupting(count)
        sys.settrace(interrupting)
        try:
            program()
        except KeyboardInterrupt:
            pass
        finally:
            sys.settrace(tracing)
        assert _state() == state and not lost, count
        if interrupting.left > 0:  # the program was through before
            break
        if count % 16 == 0:
            assert _use() == work, count
    assert count > 5
    assert _use() == work


FIRST_USE = """
import os, signal
import flambeau_tensor as ft
from flambeau_autograd.func import grad, vmap

def late(*args):
    raise KeyboardInterrupt

signal.signal(signal.SIGALRM, late)
interrupted = 0
for step in range(40):
    pid = os.fork()
    if pid == 0:
        code = 0
        try:
            signal.setitimer(signal.ITIMER_REAL, 1e-5 * 1.2**step)
            vmap(grad(lambda x: x.sin()))(ft.ones(3))
        except KeyboardInterrupt:
            code = 7
        signal.setitimer(signal.ITIMER_REAL, 0)
        assert ft.ones(2).requires_grad_().requires_grad
        assert vmap(grad(lambda x: x * x))(ft.ones(3)).tolist() == [2.0] * 3
        os._exit(code)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    assert code in (0, 7), code
    interrupted += code == 7
print(interrupted)
"""


def test_transforms_whose_first_use_is_interrupted_leave_no_level():
    done = subprocess.run([sys.executable, "-c", FIRST_USE], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 5
