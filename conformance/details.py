"""Replays PyTorch's operator database for what programs see beside numbers: exceptions, strides, overridable functions.

    python conformance/details.py [--ops add,mul] [--json details.json] [-v]

Needs PyTorch 2.13 (CPU) and flambeau in one environment. For each entry of the database that exists here:

- ``errors``: the database's calls that have to fail; ours has to raise the type that PyTorch raises;
- ``strides``: the samples, and the samples with their dimensions laid out in the reverse order; the results' strides
  have to be PyTorch's where both answer.

For the whole, ``overridable`` names functions of PyTorch's ``get_testing_overrides()`` and
``get_overridable_functions()`` that exist here and are not among ours, and ours that are not among PyTorch's.
"""

import json
import sys
import warnings

import torch
from converting import Skip, convert
from torch.testing._internal.common_methods_invocations import op_db
from transforms import RANDOM, Timeout, flat, limited, options, resolve

import flambeau

MODES = ("errors", "strides")
SAMPLES = 40


def rebuilt(x, change):
    """A sample with its tensors changed."""
    if isinstance(x, torch.Tensor):
        return change(x)
    if isinstance(x, (list, tuple)):
        items = [rebuilt(i, change) for i in x]
        return type(x)(*items) if hasattr(x, "_fields") else type(x)(items)
    return {k: rebuilt(v, change) for k, v in x.items()} if isinstance(x, dict) else x


def reversed_layout(t):
    """The same numbers with the dimensions in the reverse order in memory."""
    dims = tuple(range(t.ndim))[::-1]
    return t.permute(dims).contiguous().permute(dims) if t.layout == torch.strided else t


def ours_of(x):
    """Like `convert`, with the strides that the tensor has."""
    if isinstance(x, torch.Tensor) and x.layout == torch.strided and not x.is_nested and not x.is_conj():
        y = convert(x.detach())
        if x.numel() and x.stride() != y.stride() and all(x.stride()):
            y = flambeau.empty_strided(tuple(x.shape), x.stride(), dtype=y.dtype).copy_(y)
        return y
    if isinstance(x, (list, tuple)):
        return type(x)(*map(ours_of, x)) if hasattr(x, "_fields") else type(x)(map(ours_of, x))
    return {k: ours_of(v) for k, v in x.items()} if isinstance(x, dict) else convert(x)


def check_errors(op, function):
    """(how many types agree, of how many, the first that does not)."""
    good, bad = 0, []
    for case in op.error_inputs("cpu"):
        sample = case.sample_input
        given = (sample.input, *sample.args), sample.kwargs
        try:
            args, kwargs = ours_of(given)
        except Exception:
            continue  # says nothing here: another layout, another device
        try:
            op.op(*given[0], **given[1])
        except Exception as error:
            expected = error
        else:
            continue
        try:
            function(*args, **kwargs)
            found = None
        except Exception as error:
            found = error
        if found is not None and type(expected).__name__ in [c.__name__ for c in type(found).__mro__]:
            good += 1
        else:
            bad.append(f"{found and type(found).__name__} for {type(expected).__name__}: {str(expected)[:120]}")
    return good, good + len(bad), bad[:1]


def check_strides(op, function):
    good, bad = 0, []
    dtypes = [d for d in (torch.float32, torch.int64) if d in op.supported_dtypes("cpu")][:1]
    for sample in [s for d in dtypes for s in op.sample_inputs("cpu", d, requires_grad=False)][:SAMPLES]:
        for change in (lambda t: t, reversed_layout):
            given = rebuilt(((sample.input, *sample.args), sample.kwargs), change)
            try:
                args, kwargs = ours_of(given)
                theirs = flat(op.op(*given[0], **given[1]), torch.Tensor)
                found = flat(function(*args, **kwargs), flambeau.Tensor)
            except Exception:
                continue
            for a, b in zip(found, theirs, strict=False):
                sizes = tuple(b.shape)
                if b.layout != torch.strided or tuple(a.shape) != sizes or 0 in sizes:
                    continue
                if all(x == y for n, x, y in zip(sizes, a.stride(), b.stride(), strict=True) if n > 1):
                    good += 1
                else:
                    bad.append(f"{a.stride()} for {b.stride()} of {sizes}")
    return good, good + len(bad), bad[:1]


def overridable():
    """Names that stand in one side's lists alone, of functions that both have."""
    out = {}
    for which in ("get_testing_overrides", "get_overridable_functions", "get_ignored_functions"):
        sides = []
        for module in (flambeau, torch):
            keys = getattr(module.overrides, which)()
            keys = [f for group in keys.values() for f in group] if which == "get_overridable_functions" else keys
            sides.append({name for f in keys if (name := module.overrides.resolve_name(f))})
        here = {name for name in sides[1] if exists(name)}
        out[which] = {"missing": sorted(here - sides[0]), "ours alone": sorted(sides[0] - sides[1])}
    return out


def exists(name):
    x = flambeau
    for word in name.removeprefix("torch.").split("."):
        x = getattr(x, word, None)
        if x is None:
            return False
    return getattr(x, "__doc__", None) != "Not built: raises NotImplementedError."


def main():
    args, _ = options(__doc__, "--ops", 40).parse_known_args()  # the session's arguments are for all its tools
    warnings.simplefilter("ignore")
    only = set(args.ops.split(",")) if args.ops else None
    table, counts = {}, {mode: [0, 0, 0, 0] for mode in MODES}
    for op in op_db:
        key = op.name + ("." + op.variant_test_name if op.variant_test_name else "")
        function = resolve(op.name)
        if function is None or only and op.name not in only and key not in only:
            continue
        row = table[key] = {}
        for mode, check in zip(MODES, (check_errors, check_strides), strict=True):
            if mode == "strides" and op.name in RANDOM or mode == "errors" and op.error_inputs_func is None:
                continue
            try:
                with limited(args.seconds):
                    good, all_, first = check(op, function)
            except Timeout:
                good, all_, first = 0, 1, ["timeout"]
            except (Skip, Exception) as error:  # what makes the database's samples fails
                print(f"{key}: {mode}: {type(error).__name__}: {error}", file=sys.stderr)
                continue
            if all_:
                row[mode] = [good, all_, *first]
                for i, n in enumerate((good, all_, good == all_, 1)):
                    counts[mode][i] += n
            if args.v and first:
                print(key, mode, *first, flush=True)
    table["overridable"] = overridable()
    if args.json:
        args.json.write_text(json.dumps(table, indent=0))
    for mode, (good, all_, whole, entries) in counts.items():
        print(f"{mode}: {good}/{all_} calls, {whole}/{entries} entries")
    for which, found in table["overridable"].items():
        print(f"{which}: {len(found['missing'])} missing, {len(found['ours alone'])} ours alone")
    return 0


if __name__ == "__main__":
    sys.exit(main())
