"""Asks PyTorch for the table of operators and dtypes: each sample of ours, in every dtype, on both.

    python conformance/dtypes.py [--ops add,mul] [--mixed] [--json dtypes.json] [-v]

Needs PyTorch 2.13 (CPU) and flambeau in one environment. The samples are those of the tests (``samples``), whose real
tensors are drawn in each dtype; what is compared is whether the call is refused, and the dtypes of its results. With
``--mixed``, tensors after the first are float32, and the other way round. What ``DECIDED`` names is counted apart; the
program ends with 1 if anything else differs.
"""

import argparse
import collections
import json
import re
import sys
import types
import warnings
from pathlib import Path

import numpy as np
import torch

import flambeau
import flambeau_tensor

sys.path.insert(0, str(Path(__file__).parents[1]))

from samples import families, table  # noqa: E402

DTYPES = "float64 float32 float16 bfloat16 complex128 complex64 int64 int32 int16 int8 uint8 uint16 uint32 uint64 bool"
ALL = DTYPES.split()


# What is in a row "class sample [dtypes]: ours | theirs", and why it is so, as docs/differences.md says.
MEANING = "functions take what their definition has a meaning for"
DECIDED = {
    r"accepted .*\[.*uint(16|32|64)\b": "what moves or compares elements takes the unsigned dtypes",
    r"accepted .*not implemented for": MEANING,
    r"accepted .*embedding_bag.*Expected tensor for argument": MEANING,
    r"accepted (complex|polar|linalg.vander|Tensor.(real|imag).__set__)\b.* \[.*b?float16": MEANING,
    r"accepted linalg.vander \[bool\]": MEANING,
    r"accepted .*\[.*, .*(expected scalar type|[Ee]xpected .*dtype|same dtype|Found dtype)": "two dtypes promote",
    r"refused pow_?, to 0 .*uint(16|32|64)": "one rule for the exponents of a dtype",
    r"refused rnn_\w+.* \[u?int": "recurrent layers take floating point and complex numbers",
    r"refused affine_grid_generator \[u?int": "a grid has floating point numbers",
    r"refused bincount, weighed \[complex": "no imaginary part is dropped",
    r"refused linalg.solve_triangular.*same dtype": "the right side is not rounded to the matrix's dtype",
    r"dtype _softmax_backward_data": "input_dtype is the result's dtype",
}


def decided(row):
    """Why a row is as it is, or None."""
    text = "{class} {sample} [{dtype}]: {ours} | {theirs}".format(**row)
    return next((why for pattern, why in DECIDED.items() if re.match(pattern, text)), None)


def resolve(name, of=torch):
    """What a name of PyTorch's is in a package, None where there is nothing."""
    for word in name.split("."):
        of = getattr(of, word, None)
    return of


def spelled(sample, name):
    """The name by which users call a sample's operator: a method where the sample says so."""
    if name.startswith("Tensor."):
        return name.partition(",")[0]
    operator = sample.operator
    called = f"{operator.namespace}.{operator.name}".removeprefix("torch.")
    return called if callable(resolve(called)) else f"Tensor.{called}"


def theirs(x):
    """What a sample holds, for PyTorch."""
    if isinstance(x, flambeau_tensor.Tensor):
        if x.dtype in (flambeau_tensor.bfloat16, flambeau_tensor.float16):
            return torch.from_numpy(x.float().numpy().copy()).to(theirs(x.dtype))
        return torch.from_numpy(np.array(x.resolve_conj().resolve_neg().numpy(), copy=True))
    if isinstance(x, (list, tuple)):
        return type(x)(theirs(item) for item in x)
    if isinstance(x, dict):
        return {k: theirs(v) for k, v in x.items()}
    if isinstance(x, (flambeau_tensor.dtype, flambeau_tensor.memory_format, flambeau_tensor.layout)):
        return getattr(torch, str(x).removeprefix("torch."))
    return x


def translated(function):
    """A sample's function, and what it calls in its file, over PyTorch's names."""
    scope = dict(function.__globals__)
    for name, value in scope.items():
        if isinstance(value, types.ModuleType) and value.__name__.startswith("flambeau_"):
            scope[name] = resolve(value.__name__.partition(".")[2]) if "." in value.__name__ else torch
        elif isinstance(value, flambeau_tensor.Tensor):
            scope[name] = theirs(value)
        elif isinstance(value, types.FunctionType):
            scope[name] = types.FunctionType(value.__code__, scope, name, value.__defaults__, value.__closure__)
    cells = tuple(types.CellType(theirs(cell.cell_contents)) for cell in function.__closure__ or ())
    return types.FunctionType(function.__code__, scope, "via", function.__defaults__, cells)


def drawn(sample, dtype, rest):
    """The tensors of a call: the first of real numbers in `dtype`, the others in `rest`."""
    wide = [d.kind == "real" for d in sample.drawn]
    a, b = sample.one(dtype), sample.one(rest)
    first = wide.index(True)
    return [x if i <= first else y for i, (x, y) in enumerate(zip(a, b, strict=True))]


def outcome(call, tensor):
    """The dtypes of the results, or the error."""
    try:
        found = call()
    except Exception as error:
        return None, f"{type(error).__name__}: {str(error).splitlines()[0][:150] if str(error) else ''}"
    items = found if isinstance(found, (list, tuple)) else [found]
    return [str(t.dtype).removeprefix("torch.") if isinstance(t, tensor) else type(t).__name__ for t in items], None


def compare(sample, function, dtype, rest):
    """(what differs, ours, theirs), or None."""
    tensors = drawn(sample, getattr(flambeau_tensor, dtype), getattr(flambeau_tensor, rest))
    try:
        given = [theirs(t) for t in tensors]
    except TypeError:
        return None
    if sample.via is not None:
        a = outcome(lambda: sample.via(sample.operator, *tensors), flambeau_tensor.Tensor)
        via = translated(sample.via)
        b = outcome(lambda: via(function, *given), torch.Tensor)
    else:
        arguments, options = sample.bind(tensors)
        there = theirs(arguments), theirs(options)
        a = outcome(lambda: sample.operator(*arguments, **options), flambeau_tensor.Tensor)
        b = outcome(lambda: function(*there[0], **there[1]), torch.Tensor)
    if (a[0] is None) != (b[0] is None):
        return ("refused", a[1], b[0]) if a[0] is None else ("accepted", a[0], b[1])
    if a[0] != b[0]:
        return "dtype", a[0], b[0]
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ops")
    parser.add_argument("--mixed", action="store_true")
    parser.add_argument("--json", type=Path)
    parser.add_argument("-v", action="store_true")
    args, _ = parser.parse_known_args()
    warnings.simplefilter("ignore")
    rows, absent, asked = [], set(), 0
    for name, family, sample in chosen(args.ops):
        called = spelled(sample, name)
        function = resolve(called)
        inner = called.startswith("_C._nn.") and resolve(called, flambeau) is not sample.operator
        if inner or not callable(function):  # or one that only ours are made of
            absent.add(called)
            continue
        pairs = [(d, d) for d in ALL]
        if args.mixed:
            several = sum(d.kind == "real" for d in sample.drawn) > 1
            pairs = [p for d in ALL if several and d != "float32" for p in ((d, "float32"), ("float32", d))]
        found = [(pair, compare(sample, function, *pair)) for pair in pairs]
        asked += len(found)
        if all(f and f[0] == "accepted" for _, f in found):
            continue  # PyTorch refuses the call, not the dtype
        for (dtype, rest), difference in found:
            if difference:
                kind, ours, peers = difference
                which = dtype if dtype == rest else f"{dtype}, {rest}"
                row = {"family": family, "sample": name, "dtype": which, "class": kind, "ours": ours, "theirs": peers}
                rows.append(row | {"decided": decided(row)})
    if args.json:
        args.json.write_text(json.dumps(rows, indent=1))
    print(f"{asked} calls; {len(absent)} operators are not PyTorch's")
    counts = collections.Counter((row["decided"] or "not decided", row["class"]) for row in rows)
    for (why, kind), n in sorted(counts.items()):
        print(f"{n:6} {kind:9} {why}")
    left = [row for row in rows if not row["decided"]]
    if args.v or left:
        merged = collections.defaultdict(list)
        for row in rows if args.v else left:
            key = row["class"], row["family"], row["sample"], str(row["ours"]), str(row["theirs"])
            merged[key].append(row["dtype"])
        for (kind, family, sample, ours, peers), dtypes in sorted(merged.items()):
            print(f"{kind:9} {family}/{sample} [{'; '.join(dtypes)}]: {ours} | {peers}")
    return 1 if left else 0


def chosen(ops):
    """Samples with tensors of real numbers, with their names and families."""
    only = set(ops.split(",")) if ops else None
    for package in ("tensor", "nn"):
        for family in families(package):
            for name, sample in table(f"{package}.{family}").items():
                wanted = only is None or name in only or sample.operator.name in only
                if wanted and any(d.kind == "real" for d in sample.drawn):
                    yield name, family, sample


if __name__ == "__main__":
    sys.exit(main())
