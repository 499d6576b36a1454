"""PyTorch's operator database through ``torch.compile``: compiled calls against eager ones.

``python conformance/compiled.py --json conformance/compiled.json`` needs PyTorch in the environment, whose database
has the sample inputs of each operator; what they give is compared with flambeau itself, run eagerly. Every sample is
called three times with equal inputs that are new each time, so that compiled code runs. An entry is "bit" where all
results and gradients are those of eager to the last bit, "rounding" where they are close; it is "native" where no
kernel is called, "kernels" where some are, and "eager" with the reason where nothing is compiled.
"""

import argparse
import collections
import inspect
import json
import signal
import sys
import types
import warnings

import numpy as np
import torch as peer
from converting import convert
from torch.testing._internal.common_methods_invocations import op_db

import flambeau as torch

warnings.simplefilter("ignore")
DTYPES = ("float64", "float32", "int64", "bool", "complex128")
CALLS = 3
SEED = 7
# Sparse layouts, what needs a GPU, and entries whose results are memory that nobody wrote.
LEFT_OUT = ("jiterator", "sparse.", "to_sparse", "torch._scaled_mm", "torch.ops.aten._flash", "chalf")
UNWRITTEN = {"empty", "empty_like", "new_empty", "new_empty_strided", "empty_strided", "empty_permuted"}


class Wrong(Exception):
    """A compiled call that differs from the eager one."""


def counterpart(op):
    """What the entry calls, of flambeau's."""
    function = op.op
    if inspect.isfunction(function) and "torch/testing/_internal" in function.__code__.co_filename:
        space = {**function.__globals__, "torch": torch, "wrapper_set_seed": _seeded}
        made = types.FunctionType(function.__code__, space, op.name, function.__defaults__, function.__closure__)
        made.__kwdefaults__ = function.__kwdefaults__
        return made
    for root in (torch, torch.Tensor):
        found = root
        for part in op.name.removeprefix("_refs.").split("."):
            found = getattr(found, part, None)
        if callable(found):
            return found
    return None


def _seeded(function, *args, **kwargs):
    """A call that PyTorch's entry seeds: here every call is seeded from outside, since programs cannot do that."""
    return function(*args, **kwargs)


def tensors(x):
    if isinstance(x, torch.Tensor):
        return [x]
    if isinstance(x, dict):
        x = x.values()
    elif not isinstance(x, (list, tuple)):
        return []
    return [t for item in x for t in tensors(item)]


def others(x):
    """What stands beside tensors in a result."""
    if isinstance(x, (list, tuple)):
        return [others(item) for item in x]
    return None if isinstance(x, torch.Tensor) else x


def bits(t):
    a = np.ascontiguousarray(t.detach().resolve_conj().resolve_neg().view(*_raw(t)).numpy())
    return a


def _raw(t):
    return (torch.int16,) if t.dtype is torch.bfloat16 else ()


def compare(found, expected, what, strides=True):
    """Whether results are equal to the bit.

    Raises:
        Wrong: they differ by more than rounding.
    """
    a, b = tensors(found), tensors(expected)
    if len(a) != len(b) or repr(others(found)) != repr(others(expected)):
        raise Wrong(f"{what}: {others(found)!r} for {others(expected)!r}, {len(a)} tensors for {len(b)}")
    exact = True
    for x, y in zip(a, b, strict=True):
        for name in ("dtype", "shape", "requires_grad"):
            if getattr(x, name) != getattr(y, name):
                raise Wrong(f"{what}: {name} {getattr(x, name)} for {getattr(y, name)}")
        if (
            strides
            and x.numel()
            and any(m != n for m, n, k in zip(x.stride(), y.stride(), x.shape, strict=True) if k > 1)
        ):
            raise Wrong(f"{what}: strides {x.stride()} for {y.stride()}, shape {tuple(x.shape)}")
        p, q = _array(x), _array(y)
        if p.tobytes() == q.tobytes():
            continue
        if q.dtype.kind not in "fc":
            raise Wrong(f"{what}: values differ")
        same_nan = np.array_equal(p, q, equal_nan=True)
        if not same_nan:
            exact = False
            rtol = {2: 1e-2, 4: 1e-5, 8: 1e-11}[min(q.real.dtype.itemsize, 8)]
            scale = float(np.abs(q[np.isfinite(q)]).max(initial=0))
            if not np.allclose(p, q, rtol=rtol, atol=rtol * max(scale, 1e-3), equal_nan=True):
                with np.errstate(all="ignore"):
                    raise Wrong(f"{what}: values differ by {np.nanmax(np.abs(p - q)):.3g}")
    return exact


def _array(t):
    t = t.detach().resolve_conj().resolve_neg()
    if t.dtype is torch.bfloat16:
        t = t.float()
    return np.ascontiguousarray(t.numpy())


def outcome(function, sample, cotangents, arguments):
    """(results, gradients, arguments afterwards) of a call."""
    torch.manual_seed(SEED)
    first, args, kwargs = arguments
    result = function(first, *args, **kwargs)
    gradients = []
    if cotangents is not None:
        made = [t for t in tensors(result) if t.requires_grad and (t.is_floating_point() or t.is_complex())]
        leaves = [t for t in tensors(arguments) if t.requires_grad and t.is_leaf]
        if made and leaves:
            if not cotangents:
                peer.manual_seed(SEED)
                cotangents.extend(
                    convert(peer.randn(t.shape, dtype=getattr(peer, str(t.dtype).partition(".")[2]))) for t in made
                )
            gradients = list(torch.autograd.grad(made, leaves, cotangents, allow_unused=True))
    return result, gradients, arguments


def run_sample(function, compiled, op, sample, with_grad):
    """Whether a sample's compiled calls equal the eager one to the bit; why not, where it does not run eagerly."""
    given = sample.input, sample.args, sample.kwargs
    cotangents = [] if with_grad else None
    try:
        expected = outcome(function, sample, cotangents, convert(given))
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    written = op.name in UNWRITTEN
    exact = True
    for i in range(CALLS):
        try:
            found = outcome(compiled, sample, cotangents, convert(given))
        except Timeout:
            raise
        except Exception as error:
            raise Wrong(f"call {i + 1} raises {type(error).__name__}: {error}") from error
        if written:
            continue
        for a, b, what in zip(found, expected, ("result", "gradient", "argument"), strict=True):
            exact &= compare(a, b, f"call {i + 1}: {what}", strides=what == "result")
    return exact


class Timeout(BaseException):
    pass


def expired(*_):
    raise Timeout


def run_entry(op, limit, dtypes):
    """(verdict, form, reasons) of an entry."""
    function = counterpart(op)
    if function is None:
        return {"verdict": "missing"}
    have = op.supported_dtypes("cpu")
    exact, ran, kernels, reasons, programs, refused = True, 0, collections.Counter(), set(), 0, "no samples"
    for name in dtypes:
        dtype = getattr(peer, name)
        if dtype not in have:
            continue
        with_grad = op.supports_autograd and name in ("float64", "complex128")
        peer.manual_seed(SEED)
        try:
            samples = list(op.sample_inputs("cpu", dtype, requires_grad=with_grad))
        except Exception:
            continue
        most = limit if name == "float64" or len(have) == 1 else max(1, limit // 3)
        for sample in _spread(samples, most):
            compiled = torch.compile(lambda *a, **k: function(*a, **k))
            try:
                equal = run_sample(function, compiled, op, sample, with_grad)
            except Wrong as error:
                return {"verdict": "wrong", "why": f"{name}: {error}"[:300].replace("\n", " ")}
            if isinstance(equal, str):
                refused = equal
                continue
            ran += 1
            exact &= equal
            for entry in compiled.entries:
                if entry.eager:
                    reasons.update(
                        e.removeprefix("runs eagerly: ") for e in compiled.about.events if e.startswith("runs")
                    )
                else:
                    programs += 1
                    kernels.update(entry.about["kernels"])
                    if entry.joint is not None:
                        kernels.update(entry.joint.backward.about["kernels"])
    if not ran:
        return {"verdict": "not run eagerly", "why": refused[:200]}
    found = {"verdict": "bit" if exact else "rounding", "samples": ran}
    found["form"] = ("kernels" if kernels else "native") if programs else "eager"
    if kernels:
        found["kernels"] = sorted(kernels)
    if reasons:
        found["reasons"] = sorted(reasons)
    return found


def _spread(samples, most):
    """Some of the samples, from all parts of the list."""
    if len(samples) <= most:
        return samples
    return [samples[round(i * (len(samples) - 1) / max(most - 1, 1))] for i in range(most)]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ops", help="names of entries, with commas between")
    parser.add_argument("--json", help="where results go")
    parser.add_argument("--part", default="0/1", help="which part of how many of all entries")
    parser.add_argument("--dtypes", default=",".join(DTYPES))
    parser.add_argument("--samples", type=int, default=6, help="of each entry and dtype")
    parser.add_argument("--seconds", type=int, default=60, help="that an entry may take")
    args = parser.parse_args()
    signal.signal(signal.SIGALRM, expired)
    only = set(args.ops.split(",")) if args.ops else None
    part, parts = map(int, args.part.split("/"))
    table = {}
    for i, op in enumerate(op_db):
        key = op.name + (f".{op.variant_test_name}" if op.variant_test_name else "")
        if key.startswith(LEFT_OUT) or i % parts != part or only and not {op.name, key} & only:
            continue
        signal.alarm(args.seconds)
        try:
            table[key] = run_entry(op, args.samples, args.dtypes.split(","))
        except Timeout:
            table[key] = {"verdict": "timeout"}
        finally:
            signal.alarm(0)
        print(key, json.dumps(table[key]), flush=True)
        if args.json:
            with open(args.json, "w") as f:
                json.dump(dict(sorted(table.items())), f, indent=1)
    print(collections.Counter((v["verdict"], v.get("form", "")) for v in table.values()), file=sys.stderr)


if __name__ == "__main__":
    main()
