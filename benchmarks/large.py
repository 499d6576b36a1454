"""A call of every elementwise operator, reduction and index on a million elements, on both sides: where PyTorch's time
over ours is least, first.

    python benchmarks/large.py --peer-python PYTHON [--only gather,erfinv] [--dtypes float32,int64] [--below 1]
        [--gradients]

Called are the samples of the tests, as in every.py, with tensors enlarged to about a million elements: real numbers
between the same bounds, and indices over the whole of the dimension. With --gradients, the sum of each result is
differentiated, too. One thread computes, whose processor time counts:
other work on the machine matters little. Each round times all calls in a fresh process of either side, in turns.
"""

import contextlib
import importlib
import json
import math
import pickle
import resource
import sys
import warnings
from pathlib import Path
from time import thread_time_ns

import numpy as np
from every import bound, called, in_turns, parser, parts_of, plain, summary, write

ELEMENTS = 1_000_000
BUDGET = 15_000_000  # nanoseconds for a call's repetitions
SHORT = 20_000  # nanoseconds of what does not touch all elements, or any, and is not listed
MEMORY = 4 << 30  # for samples that grow with a power of their tensors: they are not timed
PLACED = ("gathering", "indexing", "segments", "lookup")  # families whose integers are places in a dimension
FAMILIES = {
    "tensor": "activation_backward copies cumulative gathering indexing joining lookup placement pointwise rearranging "
    "reductions segments softmax sorting special statistics".split(),
    "nn": ["activation", "loss"],
}


def sampled(dtypes, gradients):
    """Name, family, path, arguments and options of the calls, whose tensors are small still; and `gradients`."""
    sys.path.insert(0, str(Path(__file__).parents[1]))
    import flambeau
    from samples import families, table

    found = []
    for package, wanted in FAMILIES.items():
        for family in (name for name in families(package) if name in wanted):
            for name, sample in table(f"{package}.{family}").items():
                if sample.in_place_of is not None or name.startswith("_ops."):
                    continue
                path = sample.operator.__torch_name__.removeprefix("torch.")
                told = path + name[len(name.partition(",")[0]) :]
                for dtype in dtypes:
                    if getattr(flambeau, dtype) not in sample.admitted:
                        continue
                    # functions, generators, and what is no call of the operator
                    with contextlib.suppress(pickle.PicklingError, AttributeError):
                        arguments, options = plain(bound(sample, getattr(flambeau, dtype)), flambeau.Tensor)
                        call = f"{told}, {dtype}", family, path, list(arguments), options, gradients
                        pickle.dumps(call)
                        found.append(call)
    return found


def arrays(x):
    """The arrays among arguments."""
    if isinstance(x, np.ndarray):
        return [x]
    if isinstance(x, dict):
        x = list(x.values())
    return [a for item in x for a in arrays(item)] if isinstance(x, (list, tuple)) else []


def enlarged(x, factor, placed, random):
    """Arguments with `factor` times as many elements along each dimension that has several."""
    if isinstance(x, np.ndarray):
        shape = [n * factor if n > 1 else n for n in x.shape]
        if not x.size or not x.ndim:
            return x
        if x.dtype == bool:
            return random.random(shape) < 0.5
        if x.dtype.kind != "i":
            return random.uniform(x.min(), x.max(), shape).astype(x.dtype)
        if not placed:
            return random.integers(x.min(), x.max() + 1, shape, x.dtype)
        for d in range(x.ndim):
            x = np.repeat(x, factor, d)
        inside = np.tile(np.arange(factor, dtype=x.dtype), (x.shape[-1] // factor, 1))
        return x * factor + random.permuted(inside, axis=1).reshape(-1)  # places that differ go on to differ
    if isinstance(x, (list, tuple)):
        return type(x)([enlarged(item, factor, placed, random) for item in x])
    return {k: enlarged(v, factor, placed, random) for k, v in x.items()} if isinstance(x, dict) else x


def grown(arguments, options, placed):
    """The arguments with about `ELEMENTS` elements in the largest of the tensors."""
    largest = max(arrays([arguments, options]), key=lambda a: a.size)
    factor = round((ELEMENTS / largest.size) ** (1 / max(1, sum(n > 1 for n in largest.shape))))
    return enlarged((arguments, options), factor, placed, np.random.default_rng(0))


def differentiated(torch, path, arguments, options):
    """The call, and the gradients of its summed result with respect to the tensors of floats among its arguments."""
    arguments = [
        torch.tensor(x, requires_grad=True) if isinstance(x, np.ndarray) and x.dtype.kind == "f" else x
        for x in arguments
    ]
    call, leaves = called(torch, path, arguments, options), [x for x in arguments if isinstance(x, torch.Tensor)]
    return lambda: torch.autograd.grad(call().sum(), leaves)


def least(function):
    """The least processor time of a call, in nanoseconds."""
    function()
    best, spent, runs = math.inf, 0, 0
    while runs < 3 or spent < BUDGET:
        start = thread_time_ns()
        function()
        time = max(1, thread_time_ns() - start)
        best, spent, runs = min(best, time), spent + time, runs + 1
    return best


def run_side(library, only):
    """Times of one side as JSON, {name: nanoseconds or the error}; the samples' calls come from stdin."""
    warnings.simplefilter("ignore")
    torch = importlib.import_module(library)
    for name in ("special", "linalg"):
        importlib.import_module(f"{library}.{name}")
    torch.set_num_threads(1)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    found = {}
    for name, family, path, arguments, options, gradients in pickle.load(sys.stdin.buffer):
        if (only and not any(part in name for part in only)) or not arrays([arguments, options]):
            continue
        try:
            make = differentiated if gradients else called
            found[name] = least(make(torch, path, *grown(arguments, options, family in PLACED)))
        except Exception as error:
            found[name] = f"{type(error).__name__}: {error}"[:200]
    print(json.dumps(found))


def main():
    options = parser(__doc__, rounds=2)
    options.add_argument("--dtypes", default="float32,float64,int64")
    options.add_argument("--gradients", action="store_true", help="time the call with its gradients")
    args = options.parse_args()
    if args.side:
        run_side(args.side, parts_of(args))
        return
    rows, absent = in_turns(__file__, args, sampled(args.dtypes.split(","), args.gradients))
    for name, row in rows.items():
        if row["ratio"] <= args.below and row["ours"] > SHORT:
            print(f"{row['ratio']:8.2f}  {name:70}  {row['ours'] / 1e3:10.0f}  {row['peer'] / 1e3:10.0f} us")
    print(summary(rows))
    write(args, rows, absent)


if __name__ == "__main__":
    main()
