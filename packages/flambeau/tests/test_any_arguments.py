"""Every operator, called with arguments of all kinds, answers or raises what Python programs expect: nothing crashes.

The calls are drawn at random from a seed and run in a process of their own, so that a crash is a failed test. In some
the numbers are as large as sizes get, so that sums and products of them wrap around where nobody checks, and containers
hold themselves or are nested more deeply than the stack is.
"""

import random
import subprocess
import sys
import warnings

import numpy as np
import pytest

CALLS = 20000
EXTREME = 1000  # seeds from here on: large numbers, and endless containers
LARGE = (2**63 - 1, 2**62, 2**61 + 1, 2**61 - 1, -(2**63), -(2**62), 2**63 - 2)
# What a bad argument may raise.
EXPECTED = (RuntimeError, TypeError, ValueError, IndexError, OverflowError, MemoryError, AssertionError, BufferError)
DTYPES = (
    "float32 float32 float32 float64 int64 int64 int32 int16 int8 uint8 bool float16 bfloat16 complex64 complex128"
).split()


class Arguments:
    """Draws arguments: mostly of the kind that the schema asks for."""

    def __init__(self, torch, seed):
        self.torch, self.draw, self.extreme = torch, random.Random(seed), seed >= EXTREME
        self.endless = [[1], [torch.ones(2)], torch.ones(2), torch.ones(2)]
        for endless in self.endless[:2]:
            endless.append(endless)
        for _ in range(200_000 if self.extreme else 1):
            self.endless[2:] = [[self.endless[2]], (self.endless[3],)]
        self.kinds = {
            "Tensor": self.tensor,
            "int": self.int,
            "bool": lambda: self.one_of(True, False),
            "str": lambda: self.one_of("mean", "sum", "x"),
            "float": lambda: self.one_of(0.0, 1.0, 0.5, -1.0, float("nan"), 2.0, 1e30),
            "Scalar": lambda: self.one_of(0, 1, 2, -1, 0.5, 1j, True),
            "ScalarType": lambda: getattr(torch, self.one_of(*DTYPES)),
        }
        self.subclass = type("Subclass", (torch.Tensor,), {})

    def one_of(self, *choices):
        return self.draw.choice(choices)

    def int(self):
        if self.extreme and self.draw.random() < 0.4:
            return self.one_of(*LARGE)
        return self.one_of(0, 1, -1, 2, 3, 5, -7, 50)

    def tensor(self):
        torch, chance = self.torch, self.draw.random()
        if self.extreme and chance < 0.1:  # without elements, or nobody would see the end of what goes over them
            sizes = self.one_of((2**62,), (2**61 + 1, 1), (1, 2**61 - 1), (1, 2**62, 1))
            t = torch.empty(0).as_strided([0, *sizes], [1] * (len(sizes) + 1))
            return t.movedim(0, self.draw.randrange(t.ndim))
        dtype = getattr(torch, self.one_of(*DTYPES))
        shape = [self.one_of(0, 1, 1, 2, 3, 3, 3, 4, 9) for _ in range(self.one_of(0, 1, 1, 2, 2, 2, 3, 3, 4, 6))]
        t = (torch.randn(shape) * self.one_of(1, 3, 100)).to(dtype)
        if chance < 0.1 and len(shape) > 1:
            return t.transpose(0, -1)
        if chance < 0.2 and shape:
            return t[::2]
        if chance < 0.25:
            return t.expand(3, *shape)
        if chance < 0.28:
            return t.as_subclass(self.subclass)
        if chance < 0.36 and dtype.is_floating_point:
            t.requires_grad_()
            return t * 2 if chance < 0.32 else t
        return t

    def anything(self, depth=0):
        kinds = (
            self.tensor,
            lambda: self.one_of(-(2**63), 2**70, 100),
            *self.kinds.values(),
            lambda: None,
            object,
            lambda: 1 + 2j,
            lambda: slice(0, 2),
            lambda: Ellipsis,
            lambda: np.ones(2),
            lambda: np.ones(()),
        )
        if self.extreme and self.draw.random() < 0.2:
            return self.one_of(*self.endless)
        if depth < 2 and self.draw.random() < 0.25:
            items = [self.anything(depth + 1) for _ in range(self.one_of(0, 1, 2, 2, 3))]
            return self.one_of(tuple, list)(items)
        return self.one_of(*kinds)()

    def fitting(self, argument):
        draw = self.kinds.get(argument.type.split("(")[0].split("[")[0].rstrip("?"))
        if draw is None or self.draw.random() < 0.12:
            return self.anything()
        return [draw() for _ in range(self.one_of(0, 1, 2, 2, 3))] if argument.is_list else draw()

    def call(self, op):
        positional, named = [], {}
        for argument in op.schema.arguments:
            if argument.kwarg_only:
                if self.draw.random() < 0.3:
                    named[argument.name] = self.fitting(argument)
            elif argument.has_default and self.draw.random() < 0.4:
                break
            else:
                positional.append(self.fitting(argument))
        return positional[:-1] if self.draw.random() < 0.05 else positional, named


def main(seed):
    """Make the calls, and say on standard error which one is being made."""
    import flambeau as torch
    from flambeau_tensor.extend import operators

    warnings.simplefilter("ignore")
    torch.manual_seed(seed)
    arguments = Arguments(torch, seed)
    left_out = {"__deepcopy__", *(("svd_lowrank", "pca_lowrank") if seed >= EXTREME else ())}  # as slow as a size is
    found = [op for name, op in sorted(operators().items()) if op.name not in left_out]
    answered = 0
    for i in range(CALLS // 8 if seed >= EXTREME else CALLS):  # endless containers take their time
        op = arguments.one_of(*found)
        positional, named = arguments.call(op)
        print(f"{i}: {op.namespace}.{op.name} of {op.schema}", file=sys.stderr, flush=True)
        try:
            result = op(*positional, **named)
            answered += 1
            for r in result if isinstance(result, (tuple, list)) else (result,):
                if isinstance(r, torch.Tensor) and r.requires_grad and r.grad_fn is not None:
                    r.abs().sum().backward()
        except EXPECTED:
            pass
    print(answered)


@pytest.mark.parametrize("seed", [*range(3), EXTREME, EXTREME + 1])
def test_nothing_crashes(seed, tmp_path):  # some write files
    run = subprocess.run(
        [sys.executable, __file__, str(seed)], capture_output=True, text=True, timeout=300, cwd=tmp_path
    )
    assert run.returncode == 0, run.stderr[-3000:]
    assert int(run.stdout) > CALLS / (160 if seed >= EXTREME else 5)  # many of the arguments fit


if __name__ == "__main__":
    main(int(sys.argv[1]))
