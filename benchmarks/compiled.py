"""What `torch.compile` brings to small programs: they run as they are and compiled, in PyTorch, and in JAX.

    python benchmarks/compiled.py --our-python PYTHON --peer-python PYTHON --jax-python PYTHON \\
        --json benchmarks/compiled.json

The second and third may be left out. Each program has a process of its own on each side, in turns, on one thread.
A time is the least mean of many windows of a third of a millisecond. The first call of a compiled function is timed
with an empty cache (cold) and in a second process (warm). What compiled functions return is compared with what the
same program returns as it is. Each row is stored once it is measured; with --only, the others stay as they are.
"""

import argparse
import json
import os
import subprocess
import tempfile
from pathlib import Path

from machine import described

HERE = Path(__file__).parent
NOT_IN_JAX = {"wide_step", "convolutions", "recurrent", "attention"}
PROGRAMS = {
    "x + 1 of four numbers": "plus_one",
    "the motion of a cart with a pole": "cart",
    "a Runge–Kutta step of it": "advance",
    "the Jacobian of that step": "jacobian",
    "the Hessian of a cost after two steps": "hessian",
    "a network of 8-64-64-2 for one example": "policy",
    "a training step of 16-32-4, batch 8": "small_step",
    "a training step of 64-64-64-1, batch 32": "middle_step",
    "a training step of 784-256-10, batch 128": "large_step",
    "a training step of 1024-1024-1024-10, batch 256": "wide_step",
    "a training step of two convolutions, batch 64 of 28 x 28": "convolutions",
    "a training step of an LSTM, 50 steps, batch 16": "recurrent",
    "a training step of a transformer block, 8 x 64 tokens": "attention",
    "a physics-informed loss with gradients": "physics",
    "a chain of elementwise operations on two million floats": "chain",
}


def measured(python, file, side, name, cache):
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "FLAMBEAU_EXTENSIONS_DIR": cache, "JAX_PLATFORMS": "cpu",
                   "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"}  # fmt: skip
    command = [python, "-W", "ignore", str(HERE / file), side, name]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300, env=environment)
    if done.returncode != 0:
        raise SystemExit(f"{side}, {name}: {done.stderr[-2000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--our-python", required=True)
    parser.add_argument("--peer-python")
    parser.add_argument("--jax-python")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--only", nargs="*", choices=PROGRAMS.values(), help="names of programs")
    given = parser.parse_args()
    sides = [
        ("eager", given.our_python, "compiled_programs.py"),
        ("compiled", given.our_python, "compiled_programs.py"),
    ]
    sides += [("peer", given.peer_python, "compiled_programs.py")] if given.peer_python else []
    sides += [("jax", given.jax_python, "compiled_jax.py")] if given.jax_python else []
    machine = described(given.our_python, given.peer_python or given.our_python)
    before = json.loads(given.json.read_text())["programs"] if given.only and given.json and given.json.exists() else {}
    found = {title: before[title] for title in PROGRAMS if title in before}
    with tempfile.TemporaryDirectory() as folder:
        for title, name in PROGRAMS.items():
            if given.only and name not in given.only:
                continue
            row = {}
            cache = str(Path(folder, name))
            for turn in range(given.rounds):
                for side, python, file in sides:
                    if side == "jax" and name in NOT_IN_JAX:
                        continue
                    got = measured(python, file, side, name, cache)
                    row[side] = min(got["seconds"], row.get(side, got["seconds"]))
                    if side == "compiled":
                        row["cold" if turn == 0 else "warm"] = got["first"]
                        row["equal"] = got["equal"]
            print(
                title,
                *(f"{side} {row[side] * 1e6:.2f} µs" for side, *_ in sides if side in row),
                row["equal"],
                sep=" | ",
                flush=True,
            )
            found[title] = row
            if given.json:
                ordered = {title: found[title] for title in PROGRAMS if title in found}
                results = {"machine": machine, "programs": ordered}
                given.json.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
