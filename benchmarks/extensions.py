"""Extensions built and called in PyTorch and in flambeau: the same sources, in turns, on the same machine.

    python benchmarks/extensions.py --peer-python PY_WITH_TORCH --our-python PY_WITH_FLAMBEAU [--json FILE]

Cold builds begin with an empty cache folder and run with each library's own flags. The programs that are called are
those of the tests, after PyTorch's tutorials, compiled with -O3 on both sides. Every figure is the best of the rounds.
"""

import argparse
import importlib
import json
import math
import os
import runpy
import subprocess
import sys
import tempfile
import time
from pathlib import Path

BUILDING, CALLING = "building an extension", "calling an extension"
PROGRAMS = Path(__file__).parents[1] / "packages" / "cext" / "tests" / "programs"

C_FUNCTION = "double twice(double x) { return 2 * x; }"
TORCH_FUNCTION = "torch::Tensor swish(torch::Tensor x) { return x * torch::sigmoid(x); }"
BOUND = '\nPYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("swish", &swish); }'

# A kernel in C, or in C++ where there is no C: y = x / (1 + |x|).
C_OPERATOR = r"""
#include <math.h>
static int32_t softsign(void *context, const fl_value *args, int32_t nargs, fl_value *results, int32_t n) {
    fl_tensor x = args[0].as.tensor;
    if (FL_CHECK(x, FL_FLOAT32, FL_ANY)) return -1;
    fl_tensor y = fl_empty_like(x);
    if (!y) return -1;
    const float *from = fl_const_data(x);
    float *to = fl_data(y);
    for (int64_t i = 0; i < fl_numel(x); i++) to[i] = from[i] / (1 + fabsf(from[i]));
    results[0] = fl_of_tensor(y);
    return n;
}
FL_LIBRARY(bench) {
    fl_operator op = fl_define("bench::softsign(Tensor x) -> Tensor", NULL);
    if (op) fl_implement(op, softsign, NULL, 0);
}
"""
CXX_OPERATOR = r"""
#include <torch/library.h>
#include <ATen/ATen.h>
at::Tensor softsign(const at::Tensor &x) {
  TORCH_CHECK(x.dtype() == at::kFloat && x.is_contiguous());
  at::Tensor y = at::empty_like(x);
  const float *from = x.const_data_ptr<float>();
  float *to = y.data_ptr<float>();
  for (int64_t i = 0; i < x.numel(); i++) to[i] = from[i] / (1 + std::fabs(from[i]));
  return y;
}
TORCH_LIBRARY(bench, m) { m.def("softsign(Tensor x) -> Tensor"); }
TORCH_LIBRARY_IMPL(bench, CPU, m) { m.impl("softsign", &softsign); }
"""


def build_cases(ours):
    """name -> arguments of load_inline. PyTorch has no C sources: a C function is a C++ function there."""
    c = {"c_sources" if ours else "cpp_sources": C_FUNCTION}
    return {
        "C function": {**c, "functions": ["twice"]},
        "C++ function, no header of tensors": {"cpp_sources": C_FUNCTION, "functions": ["twice"]},
        "torch/extension.h": {"cpp_sources": TORCH_FUNCTION, "functions": ["swish"]},
        "torch/extension.h, bound with pybind11": {"cpp_sources": TORCH_FUNCTION + BOUND},
    }


def run_build(lib, case):
    """Seconds of the first load in this process, and of the second."""
    importlib.import_module(lib)
    load_inline = importlib.import_module(f"{lib}.utils.cpp_extension").load_inline
    options = build_cases(lib != "torch")[case]
    seconds = []
    for _ in range(2):
        started = time.perf_counter()
        load_inline("measured", **options)
        seconds.append(time.perf_counter() - started)
    return seconds


def calls(lib):
    """name -> what is timed."""
    torch = importlib.import_module(lib)
    torch.manual_seed(0)
    cpp = importlib.import_module(f"{lib}.utils.cpp_extension")
    flags = {"extra_cflags": ["-O3"]}
    cell = cpp.load("lltm", [str(PROGRAMS / "lltm.cpp")], **flags)
    cpp.load("muladd", [str(PROGRAMS / "muladd.cpp")], **flags)
    if lib == "torch":
        cpp.load_inline("softsign", CXX_OPERATOR, is_python_module=False, no_implicit_headers=True, **flags)
    else:
        cpp.load_inline("softsign", c_sources=C_OPERATOR, is_python_module=False, **flags)

    lltm = runpy.run_path(str(PROGRAMS / "lltm.py"))["differentiable"](torch.autograd.Function, cell)

    def train(given):
        sum(t.sum() for t in lltm.apply(*given)).backward()

    def both_ways(batch, features, state):
        shapes = [(batch, features), (3 * state, features + state), (1, 3 * state), (batch, state), (batch, state)]
        given = [torch.randn(shape).requires_grad_(n in (1, 2)) for n, shape in enumerate(shapes)]
        size = f"{batch}x{features}, state {state}"
        plain = [t.detach() for t in given]
        yield f"LSTM-like cell forward, {size}", lambda: cell.forward(*plain)
        yield f"LSTM-like cell forward and backward, {size}", lambda: train(given)

    yield from both_ways(3, 17, 5)
    yield from both_ways(16, 32, 128)  # the tutorial's
    yield from both_ways(256, 512, 512)
    ops = torch.ops.extension_cpp
    muladd, mul, add_out = ops.mymuladd.default, ops.mymul.default, ops.myadd_out.default
    softsign = torch.ops.bench.softsign.default
    for n, size in ((3, "3"), (1000, "1,000"), (1_000_000, "1M")):
        a, b, out = torch.randn(n), torch.randn(n), torch.empty(n)
        yield f"muladd by TORCH_LIBRARY, {size} elements", lambda a=a, b=b: muladd(a, b, 0.5)
        yield f"mul by TORCH_LIBRARY, {size} elements", lambda a=a, b=b: mul(a, b)
        yield f"add_out by TORCH_LIBRARY, {size} elements", lambda a=a, b=b, out=out: add_out(a, b, out)
        yield f"softsign in C through torch.ops, {size} elements", lambda a=a: softsign(a)


def clock(f, budget=0.4):
    """Seconds of a call: the best of many runs of many calls."""
    f()
    n, best = 1, math.inf
    while True:
        started = time.perf_counter()
        for _ in range(n):
            f()
        taken = time.perf_counter() - started
        if taken > budget / 20 or n >= 1 << 20:
            break
        n *= 2
    end = time.perf_counter() + budget
    while time.perf_counter() < end:
        started = time.perf_counter()
        for _ in range(n):
            f()
        best = min(best, (time.perf_counter() - started) / n)
    return best


def run_side(lib, case, only):
    """Print what one case takes in one library, as JSON."""
    if case == "calls":
        print(json.dumps({name: clock(f) for name, f in calls(lib) if only in name}))
    else:
        print(json.dumps(run_build(lib, case)))


def child(python, lib, case, folder, only=""):
    env = {**os.environ, "FLAMBEAU_EXTENSIONS_DIR": folder, "TORCH_EXTENSIONS_DIR": folder}
    env["PATH"] = f"{Path(python).parent}{os.pathsep}{env['PATH']}"  # ninja, which PyTorch needs
    command = [python, __file__, "--side", lib, case, folder, "--only", only]
    done = subprocess.run(command, env=env, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def measure(sides, rounds, only, cache):
    """The best of the rounds: name -> {"kind", "peer", "ours"}; the programs that are called are built in ``cache``."""
    results = {}

    def note(kind, name, who, seconds):
        row = results.setdefault(name, {"kind": kind})
        row[who] = min(seconds, row.get(who, math.inf))

    with tempfile.TemporaryDirectory() as scratch:
        kept = {who: str(Path(cache or scratch, who)) for who in sides}
        for folder in kept.values():
            os.makedirs(folder, exist_ok=True)
        for _ in range(rounds):
            for who, (python, lib) in sides.items():
                for case in build_cases(True):
                    if only not in case:
                        continue
                    folder = tempfile.mkdtemp(dir=scratch)
                    cold, same = child(python, lib, case, folder)
                    warm, _ = child(python, lib, case, folder)
                    note(BUILDING, f"{case}: cold", who, cold)
                    note(BUILDING, f"{case}: cached, in another process", who, warm)
                    note(BUILDING, f"{case}: cached, in the same process", who, same)
                for name, seconds in child(python, lib, "calls", kept[who], only).items():
                    note(CALLING, name, who, seconds)
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peer-python", help="a Python with PyTorch and ninja")
    parser.add_argument("--our-python", default=sys.executable)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default="", help="a part of the names of what to measure")
    parser.add_argument("--cache", help="a folder to keep the built programs in, for another run")
    parser.add_argument("--json", help="where to write the figures")
    parser.add_argument("--side", nargs=3, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.side:
        run_side(*args.side[:2], args.only)
        return
    sides = {"ours": (args.our_python, "flambeau")}
    if args.peer_python:
        sides = {"peer": (args.peer_python, "torch"), **sides}
    results = measure(sides, args.rounds, args.only, args.cache)
    for name, row in results.items():
        times = "".join(f"  {who} {row[who] * 1e6:12.2f} us" for who in sides)
        ratio = f"  x{row['peer'] / row['ours']:.2f}" if "peer" in row else ""
        print(f"{name:60}{times}{ratio}")
    if args.json:
        path = Path(args.json)
        if args.only and path.exists():  # the others stay
            results = {**json.loads(path.read_text(encoding="utf-8")), **results}
        path.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
