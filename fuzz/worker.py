"""One side of the comparison: runs recipes against `flambeau` or `torch` and tells what came of them.

    python fuzz/worker.py MODULE MEGABYTES

A recipe is the text of a small program over the name ``torch``. Each line runs by itself, so a line that raises does
not end the program. The outcome is what each line raised and what each name holds at the end, in builtin types alone.

The process imports the module once and forks a child for the work, so a crash costs no second import. Frames on stdin
and stdout are pickles with their length before them: lists of recipes come in; out go the child's id, an outcome for
each recipe as soon as it is there, and, when a child has died, how.
"""

import copy
import gc
import importlib
import io
import operator
import os
import pickle
import resource
import signal
import struct
import sys
import warnings

LONGEST = 2**22  # bytes of an outcome: lists in lists in lists are endless, too
HELD = 4096  # elements that an outcome lists; of more, the first and last of them
SPECIAL = (float("nan"), float("inf"), float("-inf"), -0.0, 0.0, 1.0, -1.0, 1e-3)
LIMITS = {
    "uint8": (0, 255),
    "int8": (-128, 127),
    "int16": (-(2**15), 2**15 - 1),
    "int32": (-(2**31), 2**31 - 1),
    "int64": (-(2**63), 2**63 - 1),
}


def values(dtype, pattern, n, seed):
    """`n` numbers of a dtype: every side draws the same, and all are exact in the dtype."""
    state, out = seed * 2654435761 % 2**32 or 1, []
    for _ in range(n):
        state = (1103515245 * state + 12345) % 2**31
        r = state >> 8
        if pattern == "index":
            v = r % 3
        elif pattern == "unit":
            v = (r % 17) / 16
        elif pattern == "edge" and dtype in LIMITS:
            v = (*LIMITS[dtype], 0, 1, LIMITS[dtype][0] + 1)[r % 5]
        elif pattern == "edge" and dtype not in ("bool",):
            v = SPECIAL[r % 8] if r % 3 else (r % 33 - 16) / 4
        else:
            v = r % 9 - 4 + (0 if dtype in LIMITS else (r >> 6) % 4 / 4)
        if dtype == "bool":
            v = bool(r >> 3 & 1)
        elif dtype in LIMITS:
            v = abs(int(v)) if dtype == "uint8" else int(v)
        elif dtype.startswith("complex"):
            v = complex(v, (r >> 4) % 5 - 2)
        out.append(v)
    return out


def flip(data, *changes):
    """The bytes with some of them changed: where, as a share of the whole, and by which bits."""
    data = bytearray(data)
    for where, bits in changes:
        data[int(where * len(data))] ^= bits
    return bytes(data)


def load_damaged(*how):
    from extension import load_damaged  # beside this file; it compiles

    load_damaged(flip, *how)


def maker(torch):
    def make(dtype, sizes, strides=None, offset=0, pattern="small", seed=1, grad=False):
        """A tensor: a window on a storage that is as large as it has to be."""
        if strides is None:
            strides, n = [], 1
            for size in reversed(sizes):
                strides.insert(0, n)
                n *= max(size, 1)
        n = offset + 1 + sum((size - 1) * stride for size, stride in zip(sizes, strides, strict=True) if size > 0)
        data = torch.tensor(values(dtype, pattern, n, seed), dtype=getattr(torch, dtype))
        t = data.as_strided(sizes, strides, offset)
        return t.detach().requires_grad_() if grad else t

    return make


def listed(t):
    if t.numel() == 0:  # its sizes tell all, and may be endless to list
        return []
    return t.tolist() if t.numel() <= HELD else [t.reshape(-1)[:64].tolist(), t.reshape(-1)[-64:].tolist()]


def summary(torch, x, depth=0):
    """What a value is, in builtin types."""
    if isinstance(x, torch.Tensor):
        if x.layout != torch.strided:
            return ("tensor", str(x.dtype), tuple(x.shape), str(x.layout), False, None, None)
        grad = x.grad if x.is_leaf and x.requires_grad else None
        plain = x.detach()
        return (
            "tensor",
            str(x.dtype),
            tuple(x.shape),
            tuple(x.stride()),
            x.requires_grad,
            listed(plain),
            None if grad is None else summary(torch, grad, depth + 1),
        )
    if isinstance(x, (tuple, list)) and depth < 5:
        return (
            "list" if isinstance(x, list) else "tuple",
            [summary(torch, i, depth + 1) for i in x[: 4 if depth > 1 else 64]],
            len(x),
        )
    if x is None or type(x) in (bool, int, float, complex, str, bytes):
        return ("value", type(x).__name__, x)
    if isinstance(x, (torch.dtype, torch.device)):
        return ("value", "dtype" if isinstance(x, torch.dtype) else "device", str(x))
    if isinstance(x, dict) and depth < 5:
        return ("dict", [(str(k), summary(torch, v, depth + 1)) for k, v in x.items()], len(x))
    return ("other", type(x).__name__)


def run(torch, program, codes={}):  # noqa: B006, compiled lines
    names = {
        "torch": torch,
        "T": make_tensor,
        "nan": float("nan"),
        "inf": float("inf"),
        "operator": operator,
        "pickle": pickle,
        "io": io,
        "copy": copy,
        "flip": flip,
        "load_damaged": load_damaged,
    }
    before = set(names)
    if np is not None:
        names["np"] = np
        before.add("np")
    errors = {}
    torch.manual_seed(0)
    for number, line in enumerate(program.split("\n")):
        try:
            code = codes.get(line)
            if code is None:
                code = compile(line, "recipe", "exec")
                if len(codes) < 20000:
                    codes[line] = code
            exec(code, names)
        except BaseException as error:  # a program may interrupt itself
            cls = type(error)
            errors[number] = (cls.__name__, [c.__name__ for c in cls.__mro__], str(error)[:300])
            error = None
    out, seen, memory = {}, {}, {}
    for name, value in list(names.items()):  # a lying object may change them
        if name in before or name.startswith("_") or callable(value) and not issubclass(type(value), torch.Tensor):
            continue
        if id(value) in seen and issubclass(type(value), torch.Tensor):
            out[name] = ("same", seen[id(value)])
            continue
        seen[id(value)] = name
        try:
            out[name] = summary(torch, value)
            if out[name][0] == "tensor" and value.layout == torch.strided and value.numel():
                shared = memory.setdefault(value.untyped_storage().data_ptr(), name)
                out[name] += (shared, -1 if value.is_inference() else value._version)
            plain(out[name])
        except BaseException as error:
            out[name] = ("unreadable", type(error).__name__, str(error)[:300])
    return errors, out


def reset(torch):
    torch.set_default_dtype(torch.float32)
    torch.set_grad_enabled(True)


def read_exactly(fd, n):
    parts = []
    while n:
        part = os.read(fd, n)
        if not part:
            sys.exit(0)
        parts.append(part)
        n -= len(part)
    return b"".join(parts)


def read():
    (n,) = struct.unpack("<I", read_exactly(0, 4))
    return pickle.loads(read_exactly(0, n))


class Plain(pickle.Pickler):
    """Refuses all but builtin types: what a handler returned may only be read in the process that made it."""

    def reducer_override(self, value):
        if value is complex or type(value) is complex:
            return NotImplemented
        raise pickle.PicklingError(f"a {type(value).__name__} in an outcome")


def plain(what):
    data = io.BytesIO()
    Plain(data).dump(what)
    return data.getvalue()


def write(fd, what):
    data = plain(what)
    if len(data) > LONGEST:
        data = pickle.dumps(("outcome", ({}, {"unsaid": ("other", "long")})))
    data = memoryview(struct.pack("<I", len(data)) + data)
    while data:
        data = data[os.write(fd, data) :]


def serve(torch, fd, megabytes):
    if megabytes:
        with open("/proc/self/statm") as f:
            room = int(f.read().split()[0]) * resource.getpagesize() + megabytes * 2**20
        resource.setrlimit(resource.RLIMIT_AS, (room, room))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    write(fd, ("child", os.getpid()))
    while True:
        for program in read():
            outcome = run(torch, program)
            try:
                write(fd, ("outcome", outcome))
            except ValueError:  # an int too long to say
                write(fd, ("outcome", ({}, {"unsaid": ("other", "ValueError")})))
            reset(torch)
        gc.collect()


def main():
    global make_tensor, np
    warnings.simplefilter("ignore")
    fd = os.dup(1)
    os.dup2(2, 1)  # what recipes print
    torch = importlib.import_module(sys.argv[1])
    if sys.argv[1] == "torch":
        importlib.import_module("torch.func")
    else:
        importlib.import_module(sys.argv[1] + ".func")
    try:
        import numpy

        np = numpy
    except ImportError:
        np = None
    torch.set_num_threads(1)
    make_tensor = maker(torch)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    megabytes = int(sys.argv[2])
    while True:
        pid = os.fork()
        if pid == 0:
            import faulthandler

            faulthandler.enable()
            code = 3
            try:
                serve(torch, fd, megabytes)
            except SystemExit:  # the other end has gone
                code = 0
            finally:
                os._exit(code)
        _, status = os.waitpid(pid, 0)
        code = os.waitstatus_to_exitcode(status)
        if code == 0:
            return
        write(fd, ("died", signal.Signals(-code).name if code < 0 else f"exit {code}"))


if __name__ == "__main__":
    main()
