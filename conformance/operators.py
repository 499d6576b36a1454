"""Replays PyTorch's operator database: values, dtypes and shapes of every entry's samples, and their gradients.

    python conformance/operators.py [--ops add,mul] [--json conformance/results.json] [-v]

Needs PyTorch 2.13 (CPU) and flambeau in one environment. An entry passes where all of its samples do, in every dtype
that the database names for the CPU (at most `DTYPES` of them), and gradients agree in double precision.
"""

import faulthandler
import json
import sys
import warnings

import numpy as np
import torch
from converting import Skip, convert
from torch.testing._internal.common_methods_invocations import op_db
from transforms import (
    RANDOM,
    Timeout,
    agree,
    differentiable,
    flat,
    limited,
    numpy,
    options,
    resolve,
    wrapped,
)

import flambeau

# In this order: those that say most first.
DTYPES = (
    torch.float32,
    torch.float64,
    torch.int64,
    torch.complex64,
    torch.bool,
    torch.bfloat16,
    torch.float16,
    torch.uint8,
)
TOLERANCES = {torch.bfloat16: 1.6e-2, torch.float16: 4e-3}  # a product and a sum may be rounded once or twice
SAMPLES = 24  # of one entry in one dtype
# Which of several equal elements is meant is not specified: of these, the places are compared by what stands there.
PLACES = {"sort", "argsort", "topk", "kthvalue", "mode", "median", "nanmedian"}


def close(ours, theirs, what):
    """Whether two results agree, as nearly as their dtype allows."""
    if str(ours.dtype).rpartition(".")[2] != str(theirs.dtype).rpartition(".")[2]:
        raise AssertionError(f"{what}: dtype {ours.dtype} for {theirs.dtype}")
    a, b = numpy(ours), numpy(theirs)
    if a.shape != b.shape:
        raise AssertionError(f"{what}: shape {a.shape} for {b.shape}")
    if a.dtype.kind not in "fc":
        if not np.array_equal(a, b):
            raise AssertionError(f"{what}: elements differ")
        return
    single = a.dtype.itemsize <= (8 if a.dtype.kind == "c" else 4)
    tolerance = TOLERANCES.get(theirs.dtype, 1e-4 if single else 1e-7)
    if not np.allclose(a, b, rtol=tolerance, atol=tolerance, equal_nan=True):
        raise AssertionError(f"{what}: differs by {np.nanmax(np.abs(a - b)):.3g}")


def check_values(op, function, sample):
    args, kwargs = convert(((sample.input, *sample.args), sample.kwargs))
    try:
        theirs = op.op(sample.input, *sample.args, **sample.kwargs)
    except Exception as error:
        raise Skip("PyTorch refuses") from error
    theirs, ours = flat(theirs, torch.Tensor), flat(function(*args, **kwargs), flambeau.Tensor)
    if len(ours) != len(theirs):
        raise AssertionError(f"{len(ours)} results for {len(theirs)}")
    for i, (a, b) in enumerate(zip(ours, theirs, strict=True)):
        if op.name in RANDOM:
            if tuple(a.shape) != tuple(b.shape) or str(a.dtype) != str(b.dtype):
                raise AssertionError(f"result {i}: {a.dtype} of {tuple(a.shape)} for {b.dtype} of {tuple(b.shape)}")
        elif not (op.name in PLACES and b.dtype is torch.int64 and (i or op.name == "argsort")):
            close(a, b, f"result {i}")


def check_gradients(op, function, sample):
    """Those of all differentiable inputs, for the same weights on both sides."""
    args, kwargs = convert(((sample.input, *sample.args), sample.kwargs))
    call, function = wrapped(op, function)
    inputs = differentiable(flat(((sample.input, *sample.args), sample.kwargs), torch.Tensor))
    own = differentiable(flat((args, kwargs), flambeau.Tensor))
    try:
        outputs = sample.output_process_fn_grad(call(sample.input, *sample.args, **sample.kwargs))
        theirs = differentiable(flat(outputs, torch.Tensor))
        if not theirs:
            raise Skip("nothing to differentiate")
        weights = [torch.randn_like(t) for t in theirs]
        expected = torch.autograd.grad(theirs, inputs, weights, allow_unused=True)
    except RuntimeError as error:
        raise Skip("PyTorch refuses") from error
    ours = differentiable(flat(sample.output_process_fn_grad(function(*args, **kwargs)), flambeau.Tensor))
    found = flambeau.autograd.grad(ours, own, [convert(w) for w in weights], allow_unused=True)
    for a, b in zip(found, expected, strict=True):
        agree(a, b, "gradient", 1e-6)


def check(op):
    """ "ok", "no sample", "missing", or the first error of an entry."""
    function = resolve(op.name)
    if function is None:
        return "missing"
    dtypes = [dtype for dtype in DTYPES if dtype in op.supported_dtypes("cpu")]
    n = 0
    for dtype in dtypes:
        torch.manual_seed(3)
        for sample in list(op.sample_inputs("cpu", dtype, requires_grad=False))[:SAMPLES]:
            try:
                torch.manual_seed(4)
                check_values(op, function, sample)
                n += 1
            except Skip:
                continue
            except Exception as error:
                return f"{type(error).__name__}: {str(dtype)[6:]}: {error}"[:200].replace("\n", " ")
    if op.supports_autograd and torch.float64 in dtypes and op.name not in RANDOM:
        torch.manual_seed(3)
        for sample in list(op.sample_inputs("cpu", torch.float64, requires_grad=True))[:SAMPLES]:
            try:
                check_gradients(op, function, sample)
            except Skip:
                continue
            except Exception as error:
                return f"{type(error).__name__}: gradients: {error}"[:200].replace("\n", " ")
    return "ok" if n else "no sample"


def main():
    faulthandler.enable()
    warnings.simplefilter("ignore")
    args = options(__doc__, "--ops", 120).parse_args()
    wanted = args.ops.split(",") if args.ops else None
    results = {}
    for op in op_db:
        name = op.name + (f".{op.variant_test_name}" if op.variant_test_name else "")
        if wanted and op.name not in wanted:
            continue
        try:
            with limited(args.seconds):
                results[name] = check(op)
        except Timeout:
            results[name] = f"no end after {args.seconds} s"
        if args.v or results[name] not in ("ok", "no sample", "missing"):
            print(name, results[name], flush=True)
    asked = [verdict for verdict in results.values() if verdict not in ("no sample", "missing")]
    print(f"{sum(verdict == 'ok' for verdict in asked)} of {len(asked)} entries; {len(results) - len(asked)} not asked")
    if args.json:
        args.json.write_text(json.dumps(results, indent=0) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
