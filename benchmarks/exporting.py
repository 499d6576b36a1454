"""What leaves Python as C, WebAssembly and for CasADi: bytes, times and memory, and whether it gives Python's numbers.

    python benchmarks/exporting.py --json benchmarks/exporting.json

Each program of `exported_programs.py` is compiled with every warning an error by gcc, clang and zig, with C's functions
and with its own; its self-test runs, once more under AddressSanitizer and UndefinedBehaviorSanitizer, and in an
emulated Cortex-M4. Needed are gcc, clang with its run-time libraries, Node, qemu-system-arm, and the packages ziglang
and casadi. Times are the least of rounds in which C and Node take turns.
"""

import argparse
import contextlib
import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import casadi
import numpy as np
from exported_programs import PROGRAMS, runge_kutta
from machine import described

import flambeau as torch
from flambeau import nn
from flambeau.compiler import compile as compiled
from flambeau.compiler import export_c, export_wasm
from flambeau_compile.exporting.files import Unit, _table
from flambeau_compile.exporting.objects import sizes
from flambeau_compile.exporting.recorded import record
from flambeau_compile.exporting.wasm import around

STRICT = ["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-O2"]
ZIG = [sys.executable, "-m", "ziglang", "cc"]
COMPILERS = {"gcc": ["gcc"], "clang": ["clang"], "zig": ZIG}
SANITIZE = ["-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
CORTEX = ["--target=thumb-freestanding-eabihf", "-mcpu=cortex_m4+vfp4d16sp", "-std=c99", "-Os", "-ffp-contract=off",
          "-fno-math-errno", "-fno-sanitize=undefined", "-fno-unwind-tables"]  # fmt: skip
FAST = ["-std=c99", "-O3", "-march=native", "-ffp-contract=off", "-fno-math-errno"]
STARTUP = r"""
#include <stdint.h>
int main(void);
static void call(uint32_t what, const void *with) {
    register uint32_t r0 __asm__("r0") = what; register const void *r1 __asm__("r1") = with;
    __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
}
int printf(const char *format, ...) { call(4, format); return 0; }
static void ended(uint32_t status) { const uint32_t block[2] = {0x20026, status}; call(0x20, block); for (;;) {} }
static void fault(void) { ended(99); }
static void reset(void) {
    *(volatile uint32_t *)0xe000ed88u |= 0xfu << 20; /* the processor's floating point unit */
    __asm__ volatile("dsb\nisb");
    ended((uint32_t)main());
}
__attribute__((section(".vectors"), used)) static void *const vectors[8] = {
    (void *)0x20400000u, (void *)reset, (void *)fault, (void *)fault, (void *)fault, (void *)fault, (void *)fault, 0};
"""
LINK = """
MEMORY { flash (rx) : ORIGIN = 0, LENGTH = 4M ram (rwx) : ORIGIN = 0x20000000, LENGTH = 4M }
SECTIONS {
  .text : { KEEP(*(.vectors)) *(.text*) *(.rodata*) } > flash
  .ARM.exidx : { *(.ARM.exidx*) } > flash
  .data : { *(.data*) } > ram
  .bss : { *(.bss*) *(COMMON) } > ram
}
ENTRY(reset)
"""
TIMED = """
#define _POSIX_C_SOURCE 199309L
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
void run(void); {declared}
{tables}
int main(void) {{
    double best = 1e9; int round, i;
    {begin}
    for (round = 0; round < 300; round++) {{
        struct timespec a, b; double t;
        clock_gettime(CLOCK_MONOTONIC, &a);
        for (i = 0; i < {calls}; i++) run();
        clock_gettime(CLOCK_MONOTONIC, &b);
        t = ((double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec)) / {calls};
        if (t < best) best = t;
    }}
    printf("%.12g\\n", best);
    return 0;
}}
"""
NODE = """
import {{ load }} from "./net.mjs"; import fs from "node:fs";
const net = await load(fs.readFileSync("net.wasm"));
{begin}
let best = Infinity;
for (let round = 0; round < 300; round++) {{
  const begin = process.hrtime.bigint();
  for (let i = 0; i < {calls}; i++) net.run();
  best = Math.min(best, Number(process.hrtime.bigint() - begin) * 1e-9 / {calls});
}}
console.log(best);
"""


def run(command, folder):
    done = subprocess.run(list(map(str, command)), cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(map(str, command[:4]))} …: {done.stdout[-500:]}{done.stderr[-1500:]}")
    return done.stdout


def self_tests(function, examples, folder):
    """Compile strictly and run; returns how many builds gave Python's numbers."""
    passed = 0
    for math in ("libm", "own"):
        export_c(function, examples, folder, "net", math=math)
        for name, compiler in COMPILERS.items():
            for more in ([], SANITIZE) if name != "zig" else ([],):
                run([*compiler, *STRICT, *more, "net.c", "net_test.c", "-o", "net", "-lm"], folder)
                assert run(["./net"], folder) == "as in Python\n"
                passed += 1
    return passed


def cortex(folder):
    """Sizes of the function with its own mathematics, and its self-test in an emulated Cortex-M4."""
    for name, text in (("startup.c", STARTUP), ("link.ld", LINK),
                       ("math.h", '#define NAN __builtin_nanf("")\n#define INFINITY __builtin_inff()\n'
                                  "#define fabs __builtin_fabs\n"),
                       ("stdio.h", "int printf(const char *, ...);\n")):  # fmt: skip
        (folder / "bare" / name).write_text(text)
    run([*ZIG, *CORTEX, "-c", "net.c", "-o", "net.o"], folder)
    run(
        [*ZIG, *CORTEX, "-Ibare", "net.c", "net_test.c", "bare/startup.c", "-T", "bare/link.ld", "-o", "net.elf"],
        folder,
    )
    command = ["qemu-system-arm", "-M", "mps2-an386", "-cpu", "cortex-m4", "-nographic", "-monitor", "none", "-serial",
               "none", "-semihosting-config", "enable=on,target=native", "-kernel", "net.elf"]  # fmt: skip
    run(command, folder)
    return sizes(folder / "net.o")


def timed(unit, folder, calls):
    """Prepare the C program and the module for Node, from the same function."""
    inputs = unit.recorded.inputs
    tables = "\n".join(_table(f"given_{n.name}", n) for n in inputs)
    declared = " ".join(["void init(void);"] * unit.has_state + [f"void *at_{n.name}(void);" for n in inputs])
    begin = "init(); " * unit.has_state
    begin += " ".join(f"memcpy(at_{n.name}(), given_{n.name}, sizeof given_{n.name});" for n in inputs)
    (folder / "net.h").write_text(unit.header())
    (folder / "net.c").write_text(unit.source())
    (folder / "around.c").write_text(around(unit))
    (folder / "timed.c").write_text(TIMED.format(declared=declared, tables=tables, begin=begin, calls=calls))
    run(["gcc", *FAST, "net.c", "around.c", "timed.c", "-o", "timed", "-lm"], folder)
    begin = " ".join(f"net.{n.name}.set({n.value.reshape(-1).tolist()});" for n in inputs)
    (folder / "timed.mjs").write_text(NODE.format(begin=begin, calls=calls))


def least(function, examples, calls=200):
    found = []
    for _ in range(20):
        begin = time.perf_counter()
        for _ in range(calls):
            function(*examples)
        found.append((time.perf_counter() - begin) / calls)
    return min(found)


def measured(make):
    """All that is stored of one program."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        (folder / "bare").mkdir()
        torch.manual_seed(0)
        function, examples = make()
        found = {"what": make.__doc__.strip(), "self_tests": self_tests(function, examples, folder)}
        found.update({f"cortex_{k}": v for k, v in cortex(folder)._asdict().items()})
        unit = Unit(record(function, examples), "net", "static", math="single")
        numbers = dict(line.split()[1:3] for line in unit.header().splitlines() if "_BYTES " in line)
        found["state"], found["work"] = int(numbers["NET_STATE_BYTES"]), int(numbers["NET_WORK_BYTES"])
        found["wasm"] = export_wasm(function, examples, folder, "net")[0].stat().st_size
        timed(unit, folder, 200)
        rounds = [(float(run(["./timed"], folder)), float(run(["node", "timed.mjs"], folder))) for _ in range(5)]
        found["c_time"], found["wasm_time"] = (min(each) for each in zip(*rounds, strict=True))
        with torch.no_grad() if isinstance(function, nn.Module) else contextlib.nullcontext():
            found["eager_time"] = least(function, examples, 50)
            found["compiled_time"] = least(compiled(function), examples)
        return found


def optimal_control():
    """Seconds to bring a dynamics with a network in it into a problem with forty steps, and to solve that."""
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(5, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 4)).double()

    def dynamics(x, u):
        return runge_kutta(x, u, 0.05) + 0.01 * net(torch.cat([x, u]))

    x, u = torch.zeros(4, dtype=torch.float64), torch.zeros(1, dtype=torch.float64)
    found, steps = {}, 40
    with tempfile.TemporaryDirectory() as scratch:
        clock = [time.perf_counter()]

        def lap(name):
            clock.append(time.perf_counter())
            found[name] = clock[-1] - clock[-2]

        export_c(dynamics, (x, u), scratch, "dynamics", abi="casadi")
        lap("export")
        run(["gcc", "-std=c99", "-O2", "-shared", "-fPIC", "dynamics.c", "-o", "dynamics.so", "-lm"], scratch)
        lap("compile")
        f = casadi.external("dynamics", f"{scratch}/dynamics.so")
        problem = casadi.Opti()
        states, forces = problem.variable(4, steps + 1), problem.variable(1, steps)
        for k in range(steps):
            problem.subject_to(states[:, k + 1] == f(states[:, k], forces[:, k]))
        problem.subject_to(states[:, 0] == np.array([0, 0, 0.4, 0]))
        problem.subject_to(states[:, steps] == np.zeros(4))
        problem.minimize(casadi.sumsqr(forces) + casadi.sumsqr(states))
        problem.solver("ipopt", {"print_time": False}, {"print_level": 0, "sb": "yes", "max_iter": 200})
        lap("problem")
        solution = problem.solve()
        lap("solution")
        found["iterations"] = int(solution.stats()["iter_count"])
        values = solution.value(states)
        off = max(
            float(np.abs(dynamics(torch.from_numpy(values[:, k].copy()), torch.tensor([solution.value(forces)[k]],
                  dtype=torch.float64)).detach().numpy() - values[:, k + 1]).max()) for k in range(steps)
        )  # fmt: skip
        assert off < 1e-6, off
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", help="where the results go")
    parser.add_argument("names", nargs="*", help="of programs; left out, all")
    given = parser.parse_args()
    missing = [tool for tool in ("gcc", "clang", "node", "qemu-system-arm") if shutil.which(tool) is None]
    if missing:
        parser.error(f"missing: {', '.join(missing)}")
    results = {"programs": {}}
    for name, make in PROGRAMS.items():
        if not given.names or name in given.names:
            results["programs"][name] = measured(make)
            print(name, results["programs"][name], flush=True)
    if not given.names:
        results["control"] = optimal_control()
        print(results["control"])
    results["machine"] = described(sys.executable, sys.executable)
    if given.json:
        Path(given.json).write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
