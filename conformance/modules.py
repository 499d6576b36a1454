"""Replays PyTorch's database of modules: results, gradients, initial values, ``state_dict``, ``repr``, pickling.

    python conformance/modules.py [--modules Conv2d,LSTM] [--json modules.json] [-v]

Needs PyTorch 2.13 (CPU) and flambeau in one environment. An entry passes where, for each of the database's samples in
double and in single precision, in training and in evaluation where these differ,

- both print alike and begin with the same numbers for the same seed;
- ``state_dict`` of either, as its ``save`` writes it, loads into the other, by the same names;
- results and their dtypes agree, and so do the gradients by arguments and parameters;
- a pickle of ours comes back the same, and whole modules that one library saves are loaded by the other.
"""

import dataclasses
import io
import json
import pickle
import sys
import warnings

import numpy as np
import torch
from converting import Skip, convert
from torch.testing._internal.common_modules import module_db
from transforms import Timeout, flat, limited, numpy, options

import flambeau

# float64 | float32: what rounding may make, in products and in gradients of norms.
TOLERANCES = {torch.float64: 1e-7, torch.float32: 2e-4}


def as_leaves(x, copies):
    """Samples with tensors that do not depend on each other; what is one tensor in two places stays one."""
    if isinstance(x, torch.Tensor):
        if id(x) not in copies:
            copies[id(x)] = x.detach().clone().requires_grad_(x.requires_grad), x
        return copies[id(x)][0]
    if isinstance(x, (list, tuple)) and not hasattr(x, "_fields"):
        return type(x)(as_leaves(item, copies) for item in x)
    return {k: as_leaves(v, copies) for k, v in x.items()} if isinstance(x, dict) else x


def converted(x, known=None):
    """Like `convert`, of modules, their options and functions, too. `known` has tensors that there are already."""
    known = {} if known is None else known
    if isinstance(x, torch.nn.Module):
        return exchanged(x, torch, flambeau)
    if isinstance(x, torch.Tensor):
        if id(x) not in known:
            known[id(x)] = convert(x)
        return known[id(x)]
    if dataclasses.is_dataclass(x):
        return getattr(flambeau.nn, type(x).__name__)(**dataclasses.asdict(x))
    if callable(x) and hasattr(flambeau.nn.functional, getattr(x, "__name__", "")):
        return getattr(flambeau.nn.functional, x.__name__)
    if isinstance(x, (list, tuple)) and not hasattr(x, "_fields"):
        return type(x)(converted(item, known) for item in x)
    return {k: converted(v, known) for k, v in x.items()} if isinstance(x, dict) else convert(x)


def exchanged(x, writer, reader):
    """What one library reads where the other one wrote ``x``."""
    file = io.BytesIO()
    writer.save(x, file)
    file.seek(0)
    return reader.load(file, weights_only=False)


def compare(ours, theirs, what, tolerance):
    ours, theirs = flat(ours, flambeau.Tensor), flat(theirs, torch.Tensor)
    if len(ours) != len(theirs):
        raise AssertionError(f"{what}: {len(ours)} tensors for {len(theirs)}")
    for x, y in zip(ours, theirs, strict=True):
        a, b = numpy(x), numpy(y)
        if (a.shape, a.dtype) != (b.shape, b.dtype):
            raise AssertionError(f"{what}: {a.dtype} of shape {a.shape} for {b.dtype} of shape {b.shape}")
        if not np.allclose(a, b, rtol=tolerance, atol=tolerance, equal_nan=True):
            raise AssertionError(f"{what}: values differ by up to {np.nanmax(np.abs(a - b)):.3g}")


def leaves(x, kind):
    return [t for t in flat(x, kind) if t.requires_grad]


def compare_gradients(ours, theirs, what, tolerance):
    """``(results, arguments, module)`` of each: the gradients of random combinations of the results."""
    (y, given, module), (peer_y, peer_given, peer) = ours, theirs
    y, peer_y = leaves(y, flambeau.Tensor), leaves(peer_y, torch.Tensor)
    if len(y) != len(peer_y):
        raise AssertionError(f"{what}: {len(y)} differentiable results for {len(peer_y)}")
    if not y:
        return
    weights = [torch.randn_like(t) for t in peer_y]
    inputs = [*leaves(given, flambeau.Tensor), *module.parameters()]
    peer_inputs = [*leaves(peer_given, torch.Tensor), *peer.parameters()]
    found = flambeau.autograd.grad(y, inputs, convert(weights), allow_unused=True)
    expected = torch.autograd.grad(peer_y, peer_inputs, weights, allow_unused=True)
    for x, z in zip(found, expected, strict=True):
        if (x is None) != (z is None):
            raise AssertionError(f"{what}: only {'PyTorch' if x is None else 'flambeau'} has one")
    compare([x for x in found if x is not None], [z for z in expected if z is not None], what, tolerance)


def made(info, sample, dtype, training):
    """The two modules of a sample, from one seed."""
    args, kwargs = sample.constructor_input.args, sample.constructor_input.kwargs
    modules = []
    for library, given in (torch, (args, kwargs)), (flambeau, (converted(args), converted(kwargs))):
        cls = info.module_cls if library is torch else getattr(flambeau.nn, info.module_cls.__name__)
        library.manual_seed(3)
        module = cls(*given[0], **given[1])
        modules.append(module.to(getattr(library, str(dtype)[6:])).train(training))
    return modules


def check_sample(info, sample, dtype, training):
    peer, module = made(info, sample, dtype, training)
    tolerance = TOLERANCES[dtype]
    if repr(module) != repr(peer):
        raise AssertionError(f"repr: {module!r} for {peer!r}")
    lazy = "Lazy" in info.name
    if not lazy:
        check_state(module, peer, tolerance)
    args, kwargs = as_leaves((sample.forward_input.args, sample.forward_input.kwargs), {})
    given = converted((args, kwargs))
    torch.manual_seed(7)
    peer_result = peer(*args, **kwargs)
    flambeau.manual_seed(7)
    result = module(*given[0], **given[1])
    if lazy:  # they have their parameters now, by one seed each
        check_state(module, peer, None)
        peer_result, result = peer(*args, **kwargs), module(*given[0], **given[1])
    compare(result, peer_result, "result", tolerance)
    compare_gradients((result, given, module), (peer_result, (args, kwargs), peer), "gradient", tolerance)
    again = pickle.loads(pickle.dumps(module))
    if repr(again) != repr(module):
        raise AssertionError("pickle: prints otherwise")
    compare(again.state_dict(), peer.state_dict(), "pickle", tolerance)
    for whole in (exchanged(peer, torch, flambeau), exchanged(module, flambeau, torch)):
        if repr(whole) != repr(peer):
            raise AssertionError("saved whole: prints otherwise")


def check_state(module, peer, tolerance):
    """Initial values, if there is a tolerance; then states both ways, after which ours has PyTorch's numbers."""
    if list(module.state_dict()) != list(peer.state_dict()):
        raise AssertionError(f"state_dict: {list(module.state_dict())} for {list(peer.state_dict())}")
    if tolerance is not None:
        compare(module.state_dict(), peer.state_dict(), "initial values", tolerance)
    state = exchanged(peer.state_dict(), torch, flambeau)
    module.load_state_dict(state)
    peer.load_state_dict(exchanged(module.state_dict(), flambeau, torch))


def check(info):
    """How many samples there were."""
    count = 0
    for dtype in TOLERANCES:
        for training in (True, False) if info.train_and_eval_differ else (True,):
            torch.manual_seed(0)
            samples = info.module_inputs_func(
                info, device="cpu", dtype=dtype, requires_grad=dtype is torch.float64, training=training
            )
            for sample in samples:
                if sample.forward_input is not None:
                    check_sample(info, sample, dtype, training)
                    count += 1
    return count


def main():
    args, _ = options(__doc__, "--modules", 120).parse_known_args()  # the session's arguments are for all its tools
    warnings.simplefilter("ignore")
    only = set(args.modules.split(",")) if args.modules else None
    table = {}
    for info in module_db:
        if only and info.module_cls.__name__ not in only:
            continue
        try:
            with limited(args.seconds):
                verdict = "ok" if check(info) else "no sample"
        except (Skip, Timeout, Exception) as error:
            verdict = f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"
        table[info.name] = verdict
        if args.v or verdict != "ok":
            print(info.name, verdict, flush=True)
    if args.json:
        args.json.write_text(json.dumps(table, indent=0))
    print(f"{sum(verdict == 'ok' for verdict in table.values())}/{len(table)} modules")
    return 0


if __name__ == "__main__":
    sys.exit(main())
