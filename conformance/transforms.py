"""Replays PyTorch's operator database through forward mode, second derivatives and vmap.

    python conformance/transforms.py [--ops add,mul] [--only jvp,gradgrad,jvpgrad,vmap] [--json results.json] [-v]

Needs PyTorch 2.13 (CPU) and flambeau in one environment; the database's samples and PyTorch's own results are the
reference of ``jvp``, ``gradgrad`` and ``jvpgrad`` (forward over reverse), a loop over the examples that of ``vmap``. An
entry counts where PyTorch supports the mode, the operation exists here and its plain forward agrees.
"""

import argparse
import collections
import contextlib
import faulthandler
import json
import signal
import sys
import types
import warnings
from pathlib import Path

import numpy as np
import torch
from converting import Skip, convert
from torch.autograd import forward_ad as peer_forward
from torch.testing._internal.common_methods_invocations import op_db
from torch.testing._internal.opinfo import core

import flambeau
from flambeau.autograd import forward_ad

MODES = ("jvp", "gradgrad", "jvpgrad", "vmap")
# Draws numbers, or returns memory that nobody wrote.
RANDOM = {
    "bernoulli",
    "multinomial",
    "normal",
    "uniform",
    "cauchy",
    "exponential",
    "geometric",
    "log_normal",
    "rand_like",
    "randn_like",
    "randint_like",
    "randint",
    "rand",
    "randn",
    "empty",
    "empty_like",
    "new_empty",
    "new_empty_strided",
    "empty_strided",
    "nn.functional.rrelu",
    "nn.functional.gumbel_softmax",
    "nn.functional.dropout",
    "nn.functional.dropout2d",
    "nn.functional.dropout3d",
    "nn.functional.alpha_dropout",
    "nn.functional.feature_alpha_dropout",
}


# Reads where an example's elements lie in memory, which is another place in the middle of all examples.
BY_MEMORY = {"as_strided"}


class ForwardError(Exception):
    """The plain call is wrong already."""


def flat(x, kind):
    """The tensors in a sample or result, in order."""
    if isinstance(x, kind):
        return [x]
    if isinstance(x, dict):
        x = list(x.values())
    return [t for item in x for t in flat(item, kind)] if isinstance(x, (list, tuple)) else []


def rebuilt(x, kind, values):
    """``x`` with its tensors replaced, in order, from an iterator."""
    if isinstance(x, kind):
        return next(values)
    if isinstance(x, dict):
        return {k: rebuilt(v, kind, values) for k, v in x.items()}
    if isinstance(x, (list, tuple)):
        parts = [rebuilt(v, kind, values) for v in x]
        return type(x)(*parts) if hasattr(x, "_fields") else type(x)(parts)
    return x


def numpy(x):
    x = x.detach()
    x = x.float() if str(x.dtype) == "torch.bfloat16" else x
    x = x.resolve_conj().resolve_neg()
    return x.numpy(force=True) if isinstance(x, torch.Tensor) else x.numpy()


def agree(ours, theirs, what, tolerance=1e-7):
    if ours is None or theirs is None:
        present = theirs if ours is None else ours
        if present is not None and not np.allclose(numpy(present), 0, atol=tolerance):
            raise AssertionError(f"{what}: only {'PyTorch' if ours is None else 'flambeau'} has one")
        return
    a, b = numpy(ours), numpy(theirs)
    if a.shape != b.shape:
        raise AssertionError(f"{what}: shape {a.shape} for {b.shape}")
    if a.dtype != b.dtype:
        raise AssertionError(f"{what}: dtype {a.dtype} for {b.dtype}")
    scale = max(1.0, float(np.max(np.abs(b), initial=0.0, where=np.isfinite(b)))) if b.size else 1.0
    if not np.allclose(a, b, rtol=1e-6, atol=tolerance * scale, equal_nan=True):
        raise AssertionError(f"{what}: differs by {np.nanmax(np.abs(a - b)):.3g}")


# Entries of the database that call an operation in a way of their own.
CALLS = {
    "einsum": lambda tensors, equation: flambeau.einsum(equation, tensors),
    "nn.functional.embedding": lambda weight, index, **k: flambeau.nn.functional.embedding(index, weight, **k),
    "polygamma": lambda x, n, **k: flambeau.polygamma(n, x, **k),
    "where": lambda x, condition, other, **k: flambeau.where(condition, x, other, **k),
    "zero_": lambda x: flambeau.zero_(x.clone()),
}


def resolve(name):
    """Our operation of that name, or None."""
    if name in CALLS:
        return CALLS[name]
    found = getattr(flambeau.Tensor, name, None)
    if hasattr(found, "__get__") and not callable(found):
        return found.__get__
    for root in (
        (flambeau.Tensor, flambeau)
        if isinstance(getattr(flambeau, name, None), flambeau.dtype)
        else (flambeau, flambeau.Tensor)
    ):
        found = root
        for part in name.split("."):
            try:
                found = getattr(found, part, None)
            except (NotImplementedError, ImportError):
                found = None
        if found is not None and not getattr(found, "__not_built__", False):
            return found
    return None


def wrapped(op, function):
    """PyTorch's operation and ours with what the database puts around them for derivatives: arguments of the right
    kind out of any (symmetric, triangular), zeros for what is masked out."""
    names = {**op.gradcheck_wrapper.__globals__, "torch": flambeau}
    wrappers = [value for name, value in vars(core).items() if name.startswith("gradcheck_wrapper_")]
    for wrapper in [*wrappers, op.gradcheck_wrapper]:
        ours = types.FunctionType(wrapper.__code__, names, wrapper.__name__, wrapper.__defaults__, wrapper.__closure__)
        ours.__kwdefaults__ = wrapper.__kwdefaults__
        names[wrapper.__name__] = ours
    return (lambda *a, **k: op.gradcheck_wrapper(op.op, *a, **k)), (lambda *a, **k: ours(function, *a, **k))


def differentiable(tensors):
    return [t for t in tensors if t.requires_grad]


def check_forward(op, function, sample):
    """Leave the entry out where the plain call does not do what PyTorch's does."""
    a, k = convert(((sample.input, *sample.args), sample.kwargs))
    try:
        theirs = flat(op.op(sample.input, *sample.args, **sample.kwargs), torch.Tensor)
    except Exception as error:
        raise Skip("PyTorch refuses") from error
    try:
        ours = flat(function(*a, **k), flambeau.Tensor)
        if len(ours) != len(theirs):
            raise AssertionError("number of results")
        for x, y in zip(ours, theirs, strict=True):
            agree(x, y, "value", 1e-6)
    except Exception as error:
        raise ForwardError(str(error)) from error


def check_jvp(op, function, sample, ours):
    call, function = wrapped(op, function)
    args, kwargs = (sample.input, *sample.args), sample.kwargs
    inputs = flat((args, kwargs), torch.Tensor)
    directions = [torch.randn_like(t) if t.requires_grad else None for t in inputs]
    if not any(d is not None for d in directions):
        raise Skip("nothing to differentiate")

    def duals(values, tangents, make):
        return [v if t is None else make(v.detach(), t) for v, t in zip(values, tangents, strict=True)]

    with peer_forward.dual_level():
        a, k = rebuilt((args, kwargs), torch.Tensor, iter(duals(inputs, directions, peer_forward.make_dual)))
        theirs = [peer_forward.unpack_dual(t) for t in flat(call(*a, **k), torch.Tensor)]
    with forward_ad.dual_level():
        mine = duals(
            flat(ours, flambeau.Tensor), [None if d is None else convert(d) for d in directions], forward_ad.make_dual
        )
        a, k = rebuilt(ours, flambeau.Tensor, iter(mine))
        found = [forward_ad.unpack_dual(t) for t in flat(function(*a, **k), flambeau.Tensor)]
    if len(found) != len(theirs):
        raise AssertionError(f"{len(found)} results for {len(theirs)}")
    for i, (a, b) in enumerate(zip(found, theirs, strict=True)):
        try:
            agree(a.tangent, b.tangent, "tangent")
        except AssertionError:
            if (
                a.tangent is None
                or b.tangent is None
                or not _is_closer(call, args, kwargs, inputs, directions, i, a, b)
            ):
                raise


def _is_closer(call, args, kwargs, inputs, directions, i, ours, theirs):
    """Whether our tangent of result `i` is nearer than PyTorch's to the difference quotient of PyTorch's operation."""
    ends = []
    for step in (1e-6, -1e-6):
        values = [t.detach() if d is None else t.detach() + step * d for t, d in zip(inputs, directions, strict=True)]
        a, k = rebuilt((args, kwargs), torch.Tensor, iter(values))
        ends.append(numpy(flat(call(*a, **k), torch.Tensor)[i]))
    quotient = (ends[0] - ends[1]) / 2e-6
    errors = [np.nan_to_num(np.abs(numpy(t.tangent) - quotient), nan=np.inf).max(initial=0) for t in (ours, theirs)]
    return np.isfinite(errors[0]) and errors[0] <= errors[1]


def second_derivatives(op, call, sample):
    """PyTorch's: inputs, cotangents, gradients' weights by the gradient's number, and their derivatives."""
    if not op.supports_gradgrad:
        raise Skip("no second derivative")
    theirs = differentiable(
        flat(sample.output_process_fn_grad(call(sample.input, *sample.args, **sample.kwargs)), torch.Tensor)
    )
    inputs = differentiable(flat(((sample.input, *sample.args), sample.kwargs), torch.Tensor))
    if not theirs:
        raise Skip("nothing to differentiate")
    seeds = [torch.randn_like(t).requires_grad_() for t in theirs]
    try:
        g = torch.autograd.grad(theirs, inputs, seeds, create_graph=True, allow_unused=True)
        weights = {i: torch.randn_like(t) for i, t in enumerate(g) if t is not None and t.requires_grad}
        gg = weights and torch.autograd.grad(
            [g[i] for i in weights], inputs + seeds, [*weights.values()], allow_unused=True
        )
    except RuntimeError as error:
        raise Skip("PyTorch refuses") from error
    if not weights:
        raise Skip("linear without parameters")
    return inputs, seeds, weights, gg


def check_gradgrad(op, function, sample, ours):
    call, function = wrapped(op, function)
    _, seeds, weights, gg = second_derivatives(op, call, sample)
    mine = differentiable(flat(sample.output_process_fn_grad(function(*ours[0], **ours[1])), flambeau.Tensor))
    own, own_seeds = differentiable(flat(ours, flambeau.Tensor)), [convert(s) for s in seeds]
    h = flambeau.autograd.grad(mine, own, own_seeds, create_graph=True, allow_unused=True)
    if any(not h[i].requires_grad for i in weights):
        raise AssertionError("gradgrad: a gradient has no history")
    hh = flambeau.autograd.grad(
        [h[i] for i in weights], own + own_seeds, [convert(w) for w in weights.values()], allow_unused=True
    )
    for a, b in zip(hh, gg, strict=True):
        agree(a, b, "second derivative", 1e-6)


def check_jvpgrad(op, function, sample, ours):
    """The tangents of the gradients in one direction, against PyTorch's second derivatives in that direction."""
    call, function = wrapped(op, function)
    inputs, seeds, weights, gg = second_derivatives(op, call, sample)
    if not op.supports_forward_ad:
        raise Skip("no forward mode")
    directions = [torch.randn_like(t) for t in inputs + seeds]
    own, own_seeds = differentiable(flat(ours, flambeau.Tensor)), [convert(s) for s in seeds]
    with forward_ad.dual_level():
        duals = [forward_ad.make_dual(t, convert(d)) for t, d in zip(own + own_seeds, directions, strict=True)]
        given = iter(duals)
        a, k = rebuilt(
            ours, flambeau.Tensor, iter([next(given) if t.requires_grad else t for t in flat(ours, flambeau.Tensor)])
        )
        mine = differentiable(flat(sample.output_process_fn_grad(function(*a, **k)), flambeau.Tensor))
        h = flambeau.autograd.grad(mine, own, duals[len(own) :], allow_unused=True)
        tangents = {i: forward_ad.unpack_dual(h[i]).tangent for i in weights}
    found = sum(inner(convert(w), tangents[i]) for i, w in weights.items())
    wanted = sum(inner(a, b) for a, b in zip(gg, directions, strict=True))
    if not np.isclose(found, wanted, rtol=1e-6, atol=1e-6, equal_nan=True):
        raise AssertionError(f"forward over reverse: {found} for {wanted}")


def inner(a, b):
    return 0.0 if a is None or b is None else float(np.vdot(numpy(a), numpy(b)).real)


def check_vmap(op, function, sample, ours, more_samples, other):
    tensors, more = flat(ours, flambeau.Tensor), flat(other, flambeau.Tensor)
    if not tensors or [t.shape for t in tensors] != [t.shape for t in more]:
        raise Skip("no second example")
    tensors, more = [t.detach() for t in tensors], [t.detach() for t in more]
    arrangements = [[0] * len(tensors), [-1] * len(tensors)]
    if len(tensors) > 1:
        arrangements += [[0] + [None] * (len(tensors) - 1), [None] + [0] * (len(tensors) - 1)]

    def run(*given):
        a, k = rebuilt(ours, flambeau.Tensor, iter(given))
        return tuple(flat(function(*a, **k), flambeau.Tensor))

    def peer(*given):
        a, k = rebuilt(sample, torch.Tensor, iter(given))
        return tuple(flat(op.op(*a, **k), torch.Tensor))

    for dims in arrangements:
        if op.name in BY_MEMORY and -1 in dims:
            continue
        try:
            torch.vmap(peer, in_dims=tuple(dims), randomness="different")(
                *[
                    t.detach() if d is None else torch.stack([t.detach(), m.detach()], d)
                    for t, d, m in zip(flat(sample, torch.Tensor), dims, flat(more_samples, torch.Tensor), strict=True)
                ]
            )
        except Exception:
            continue  # PyTorch does not support it
        rows = [
            run(*[t if d is None else example for t, d, example in zip(tensors, dims, examples, strict=True)])
            for examples in (tensors, more)
        ]
        stacked = [t if d is None else flambeau.stack([t, m], d) for t, d, m in zip(tensors, dims, more, strict=True)]
        found = flambeau.func.vmap(run, in_dims=tuple(dims), randomness="different")(*stacked)
        for i, out in enumerate(found):
            agree(out, flambeau.stack([row[i] for row in rows]), f"vmap{dims}")


def check(op, function, modes):
    """How each mode fares: "ok", an error, or None where there was nothing to check."""
    verdicts = {}
    dtypes = [d for d in (torch.float64, torch.complex128) if d in op.supported_dtypes("cpu")]
    plain = [torch.int64] if not dtypes else []
    for mode in modes:
        if mode == "jvp" and not op.supports_forward_ad or mode != "vmap" and not op.supports_autograd:
            continue
        if op.name in RANDOM:
            continue
        n = 0
        try:
            for dtype in dtypes if mode != "vmap" else dtypes + plain:
                wants = mode != "vmap" and op.supports_autograd
                torch.manual_seed(1)
                samples = list(op.sample_inputs("cpu", dtype, requires_grad=wants))
                torch.manual_seed(2)
                others = list(op.sample_inputs("cpu", dtype, requires_grad=False)) if mode == "vmap" else samples
                for sample, other in zip(samples, others, strict=False):
                    try:
                        ours = convert(((sample.input, *sample.args), sample.kwargs))
                        check_forward(op, function, sample)
                        if mode == "jvp":
                            check_jvp(op, function, sample, ours)
                        elif mode == "gradgrad":
                            check_gradgrad(op, function, sample, ours)
                        elif mode == "jvpgrad":
                            check_jvpgrad(op, function, sample, ours)
                        else:
                            more = (other.input, *other.args), other.kwargs
                            check_vmap(
                                op, function, ((sample.input, *sample.args), sample.kwargs), ours, more, convert(more)
                            )
                        n += 1
                    except Skip:
                        continue
            verdicts[mode] = "ok" if n else None
        except ForwardError as error:
            return {"forward": f"differs: {error}"[:200].replace("\n", " ")}
        except Exception as error:
            verdicts[mode] = f"{type(error).__name__}: {error}"[:200].replace("\n", " ")
    return verdicts


class Timeout(BaseException):
    pass


def options(about, entries, seconds):
    """The parser of a tool that replays a database: which ``entries``, how long for one of them, where to write."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(entries, help="names, separated by commas")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--seconds", type=int, default=seconds, help="for one entry")
    parser.add_argument("-v", action="store_true")
    return parser


@contextlib.contextmanager
def limited(seconds):
    """Raises Timeout in what runs within it, after so many seconds."""

    def alarm(*_):
        raise Timeout

    signal.signal(signal.SIGALRM, alarm)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)


def main():
    parser = options(__doc__, "--ops", 40)
    parser.add_argument("--only", default=",".join(MODES), help="modes, separated by commas")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    faulthandler.enable()
    only = set(args.ops.split(",")) if args.ops else None
    table, counts = {}, collections.defaultdict(lambda: [0, 0])
    for op in op_db:
        key = op.name + ("." + op.variant_test_name if op.variant_test_name else "")
        if only and op.name not in only and key not in only:
            continue
        function = resolve(op.name)
        if function is None:
            continue
        try:
            with limited(args.seconds):
                table[key] = check(op, function, args.only.split(","))
        except Timeout:
            table[key] = {"all": "timeout"}
        for mode, verdict in table[key].items():
            if verdict is not None and mode in MODES:
                counts[mode][0] += verdict == "ok"
                counts[mode][1] += 1
        if args.v:
            bad = {m: v for m, v in table[key].items() if v not in ("ok", None)}
            print(key, bad or "ok", flush=True)
    if args.json:
        args.json.write_text(json.dumps(table, indent=0))
    for mode, (good, all_) in counts.items():
        print(f"{mode}: {good}/{all_}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
