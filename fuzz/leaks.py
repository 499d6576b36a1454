"""What keeps memory each time it runs: programs of the slice, of `families.py` and of `programs.py`.

    python fuzz/leaks.py [--every 1] [--draw 2000] [--seed 1]

Each runs some dozen times as it stands, and again where every floating tensor requires grad and every result is
differentiated. Python's memory blocks, the bytes of tensors and the references to objects that live for ever are
counted before and after. Errors are a part of it: what a refused call had prepared has to go, too.
"""

import argparse
import gc
import io
import operator
import pickle
import sys
import warnings

import families
import numpy as np
import programs
import slice as recorded
import worker

import flambeau as torch
from flambeau_tensor.extend import memory_stats

IMMORTAL = (None, True, NotImplemented, (), int, float, torch.Tensor, torch.Size, torch.float32, torch.int64)
HUGE = ("2**", "10**", "1e30")  # would take their time to allocate
TURNS, CONFIRM = 12, 300

make = worker.maker(torch)
NAMES = {
    "torch": torch,
    "np": np,
    "nan": float("nan"),
    "inf": float("inf"),
    "operator": operator,
    "pickle": pickle,
    "io": io,
    "flip": worker.flip,
}


def graded(dtype, *args, **kwargs):
    t = make(dtype, *args, **kwargs)
    return t.requires_grad_() if t.is_floating_point() or t.is_complex() else t


def compiled(line):
    """The code of a line; None where Python refuses it, as a keyword that is repeated."""
    try:
        return compile(line, "program", "exec")
    except SyntaxError:
        return None


def execute(lines, grads):
    names = {**NAMES, "T": graded if grads else make}
    for line in lines:
        try:
            exec(line, names)
        except Exception:
            pass
    for value in list(names.values()) if grads else ():
        try:
            if isinstance(value, torch.Tensor) and value.requires_grad and not value.is_leaf:
                torch.autograd.backward(value, torch.ones_like(value), retain_graph=True)
        except Exception:
            pass
    worker.reset(torch)


def counts():
    return [sys.getallocatedblocks(), memory_stats()["allocated"], *map(sys.getrefcount, IMMORTAL)]


def growth(lines, grads, turns):
    """By how much each count has grown at least with every turn."""
    before = counts()
    for _ in range(turns):
        execute(lines, grads)
    return [int((after - count) / turns) for count, after in zip(before, counts(), strict=True)]


def leak(program, grads):
    """The growth of the counts in one turn, or None. What the collector finds is no leak, nor is what a cache keeps."""
    lines = list(filter(None, map(compiled, program.split("\n"))))
    growth(lines, grads, 3)
    if not any(growth(lines, grads, TURNS)):
        return None
    for _ in range(2):  # the first time may fill pools of objects
        gc.collect()
        before = counts()
        for _ in range(CONFIRM):
            execute(lines, grads)
        gc.collect()
        grown = [round((after - count) / CONFIRM, 2) for count, after in zip(before, counts(), strict=True)]
        if max(grown) < 0.9:
            return None
    return grown


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--every", type=int, default=1, help="take one in so many of the slice")
    parser.add_argument("--draw", type=int, default=2000, help="draw so many more")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    texts = [program for program, _ in recorded.stored()][args.seed % args.every :: args.every]
    for seed in range(args.seed * 1_000_000, args.seed * 1_000_000 + args.draw, 2):
        texts += [families.program(seed)[1], programs.program(seed)[1]]
    texts = [text for text in texts if not any(word in text for word in HUGE)]
    gc.collect()
    gc.freeze()
    gc.disable()
    found = 0
    for text in texts:
        for grads in (False, True):
            if grown := leak(text, grads):
                found += 1
                print(f"grows by {grown}{' with gradients' * grads}:\n{text}\n", flush=True)
    print(f"{len(texts)} programs, {found} leaks")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
