"""Threads that share tensors, modules, generators and compiled functions, with Ctrl-C in between.

    python fuzz/interrupts.py [--minutes 5] [--seed 1] [--round 5]

Each round is a process with two to four threads that run actions of a list, and a main thread that does the same and is
interrupted at random moments. After each interrupt, modes and settings have to be those of a new process; at the end,
each action that has one answer must give it, in the main thread too. A round that crashes, hangs or leaves anything
behind is printed with its seed; `--one SEED` runs it again.
"""

import argparse
import faulthandler
import os
import random
import signal
import sys
import threading
import time
import traceback
import warnings
from functools import partial
from importlib import import_module

import flambeau as torch
from flambeau.func import grad, jacrev, jvp, vmap
from flambeau.overrides import TorchFunctionMode, _get_current_function_mode_stack
from flambeau.utils.checkpoint import checkpoint
from flambeau_tensor.extend import find_operator, operators

dispatching = import_module("flambeau.utils._python_dispatch")
SECONDS = 60  # beyond its own time, until a round hangs
X = torch.arange(12.0).reshape(3, 4) / 7
W = torch.nn.Parameter(torch.ones(4, 4) / 3)
MODEL = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.LayerNorm(8), torch.nn.Linear(8, 2))
LSTM = torch.nn.LSTM(4, 3)
GENERATOR = torch.Generator()
SHARED = torch.zeros(1000)
OPTIMIZED = torch.nn.Linear(4, 4)
OPTIMIZER = torch.optim.Adam(OPTIMIZED.parameters())
COMPILED = torch.compile(lambda x: (x * 2).tanh().sum())
COMPILED_MODEL = torch.compile(MODEL)


class Function(TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))


class Dispatch(dispatching.TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))


class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 2

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * 2 + 0 * x


def leaf():
    return X.clone().requires_grad_()


def under(mode, f):
    with mode:
        return f()


def gradient(f):
    x = leaf()
    f(x).sum().backward()
    return x.grad


def hooked():
    x, seen = leaf(), []
    y = x * 2
    handle = y.register_hook(seen.append)
    y.sum().backward()
    handle.remove()
    return seen[0]


def defaults():
    """A setting of the process, which the main thread alone may change."""
    with torch.device("meta"):
        return torch.ones(2).shape


def step():
    OPTIMIZER.zero_grad()
    OPTIMIZED(X).sum().backward()
    OPTIMIZER.step()


def hooks():
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t.clone(), lambda t: t):
        return gradient(lambda x: x * x)


def forward_ad():
    fw = torch.autograd.forward_ad
    with fw.dual_level():
        return fw.unpack_dual(fw.make_dual(X, X) * 2).tangent


# Actions with one answer, and those without.
CERTAIN = {
    "product": lambda: X @ W,
    "model": lambda: MODEL(X),
    "lstm": lambda: LSTM(X)[0],
    "no_grad": lambda: under(torch.no_grad(), lambda: MODEL(X)),
    "inference": lambda: under(torch.inference_mode(), lambda: X * 2).clone(),
    "autocast": lambda: under(torch.autocast("cpu", torch.bfloat16), lambda: X @ W),
    "function mode": lambda: under(Function(), lambda: X.exp().sum()),
    "dispatch mode": lambda: under(Dispatch(), lambda: X.exp().sum()),
    "grad": lambda: grad(lambda x: (x @ W).tanh().sum())(X),
    "vmap": lambda: vmap(lambda x: x.softmax(-1).sort()[0])(X),
    "jacrev": lambda: jacrev(lambda x: (x * x).sum(0))(X),
    "jvp": lambda: jvp(lambda x: (x * x).sum(), (X,), (X,))[1],
    "per example": lambda: vmap(grad(lambda x: x.prod()))(X),
    "backward": lambda: gradient(lambda x: x @ W.detach()),
    "double backward": lambda: gradient(lambda x: torch.autograd.grad((x**3).sum(), x, create_graph=True)[0]),
    "function": lambda: gradient(Double.apply),
    "hook": hooked,
    "saved hooks": hooks,
    "forward": forward_ad,
    "checkpoint": lambda: gradient(lambda x: checkpoint(lambda y: y.sin().exp(), x, use_reentrant=False)),
    "anomaly": lambda: under(torch.autograd.detect_anomaly(), lambda: gradient(torch.exp)),
    "compiled": lambda: COMPILED(X),
    "compiled model": lambda: COMPILED_MODEL(X),
    "state": lambda: sum(p.sum() for p in MODEL.state_dict().values()),
    "large": lambda: (SHARED.new_ones(200_000) * 2).sum(),
}
FREE = {
    "draw": lambda: torch.rand(100, generator=GENERATOR),
    "normal": lambda: torch.randn(3, 3),
    "write": lambda: SHARED.add_(1).mul_(0.5),
    "resize": lambda: SHARED[:10].clone().resize_(20),
    "shared backward": lambda: (X @ W).sum().backward(),
    "step": step,
    "train": lambda: (MODEL.train(), MODEL.zero_grad()),
    "seed": lambda: torch.manual_seed(1),
    "fork": lambda: under(torch.random.fork_rng(), lambda: torch.manual_seed(3)),
}
ONE_THREAD = {"forward"}  # the level of forward mode is one of the process, as in PyTorch
NAMES = [key for key, op in sorted(operators().items()) if op.is_function and key.startswith("torch.")]


def first_use(name):
    """Find an operator and call it, which declares its family; what it raises by the arguments does not matter."""
    try:
        found = find_operator(name)
        x = X.clone()
        found(x)
    except (TypeError, ValueError, RuntimeError, IndexError, NotImplementedError, AttributeError) as error:
        return type(error).__name__
    return "fine"


def settings():
    """What has to be as in a new process."""
    return {
        "grad": torch.is_grad_enabled(),
        "inference": torch.is_inference_mode_enabled(),
        "autocast": torch.is_autocast_enabled("cpu"),
        "dtype": torch.get_default_dtype(),
        "device": torch.get_default_device().type,
        "modes": len(_get_current_function_mode_stack()) + len(dispatching._get_current_dispatch_mode_stack()),
        "functions": torch._C._is_torch_function_enabled(),
        "history": (leaf() * 2).requires_grad,
        "device of a tensor": torch.ones(1).device.type,
        "level": type(grad(lambda x: x * x)(torch.tensor(3.0))) is torch.Tensor,
    }


def same(a, b):
    return torch.equal(a, b) if isinstance(a, torch.Tensor) else a == b


def one_round(seed, seconds):
    """Returns what was wrong."""
    rng = random.Random(seed)
    warnings.simplefilter("ignore")
    expected = {name: action() for name, action in rng.sample(sorted(CERTAIN.items()), 20)}
    names = rng.sample(NAMES, 60)
    clean, wrong, going = settings(), [], True
    lock = threading.Lock()

    def report(text):
        with lock:
            wrong.append(text)

    def work(number):
        mine = random.Random(seed * 100 + number)
        while going:
            name = mine.choice(sorted({*expected, *FREE} - ONE_THREAD))
            try:
                found = (CERTAIN.get(name) or FREE[name])()
                if name in expected and not same(found, expected[name]):
                    report(f"thread {number}: {name} gives {found!r}")
            except BaseException:
                report(f"thread {number}: {name} raises\n{traceback.format_exc()}")
                return

    def interrupt():
        mine = random.Random(seed * 100 + 99)
        while going:
            time.sleep(mine.choice([0.0005, 0.003, 0.01, 0.05]) * mine.random())
            if armed.is_set():
                armed.clear()
                os.kill(os.getpid(), signal.SIGINT)

    armed = threading.Event()
    threads = [threading.Thread(target=work, args=(i,)) for i in range(rng.choice([1, 2, 3]))]
    threads.append(threading.Thread(target=interrupt))
    for thread in threads:
        thread.start()
    end, count = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        name = rng.choice([*expected, *FREE, "defaults", *names[:20]])
        action = CERTAIN.get(name) or FREE.get(name) or (defaults if name == "defaults" else partial(first_use, name))
        try:
            armed.set()
            while armed.is_set():  # until it comes
                action()
            time.sleep(0.05)
        except KeyboardInterrupt:
            count += 1
        except BaseException:
            report(f"main: {name} raises\n{traceback.format_exc()}")
        try:
            armed.clear()
            time.sleep(0.002)
        except KeyboardInterrupt:
            pass
        if (now := settings()) != clean:
            report(f"after an interrupt of {name}: {[(k, v, now[k]) for k, v in clean.items() if v != now[k]]}")
            break
    going = False
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for thread in threads:
        thread.join()
    for name, answer in expected.items():
        try:
            found = CERTAIN[name]()
        except Exception:
            report(f"at the end: {name} raises\n{traceback.format_exc()}")
            continue
        if not same(found, answer):
            report(f"at the end: {name} gives {found!r} for {answer!r}")
    for name in names:
        try:
            first_use(name)
        except Exception:
            report(f"at the end: {name}\n{traceback.format_exc()}")
    if not torch.isfinite(SHARED).all() or not torch.rand(3, generator=GENERATOR).isfinite().all():
        report("shared numbers are not whole")
    return wrong, count


def in_child(seed, seconds):
    """Returns (whether it was right, how many interrupts there were)."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reading)
        faulthandler.enable()
        faulthandler.dump_traceback_later(seconds + SECONDS, exit=True)
        code = 1
        try:
            wrong, count = one_round(seed, seconds)
            os.write(writing, str(count).encode())
            for text in wrong[:5]:
                print(f"seed {seed}: {text}", flush=True)
            code = bool(wrong)
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            os._exit(code)
    os.close(writing)
    count = int(os.read(reading, 20) or 0)
    os.close(reading)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if code:
        print(f"seed {seed} ends with {signal.Signals(-code).name if code < 0 else code}", flush=True)
    return code == 0, count


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=5)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--round", type=float, default=5, help="seconds of one process")
    parser.add_argument("--one", type=int, help="run the round of this seed alone")
    args = parser.parse_args()
    if args.one is not None:
        return 0 if in_child(args.one, args.round)[0] else 1
    print(f"seed {args.seed}", flush=True)
    end, seed, wrong, interrupts = time.monotonic() + 60 * args.minutes, args.seed * 1000, 0, 0
    while time.monotonic() < end:
        right, count = in_child(seed, args.round)
        seed, wrong, interrupts = seed + 1, wrong + (not right), interrupts + count
    print(f"{seed - args.seed * 1000} rounds, {interrupts} interrupts, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
