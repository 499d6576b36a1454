"""Evaluates the formulas of derivatives that the reference shows and compares them with backward().

Each formula is evaluated on the first sample of its operator that has a gradient, in double precision. It prints the
formulas that are wrong or missing, and how many were evaluated.
"""

import builtins
import math
import sys
import warnings
from importlib import import_module
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_ext"))
sys.path.insert(0, str(Path(__file__).parents[1]))

import operator_pages
from derivative_formulas import formulas, refuses

import flambeau as torch
from flambeau_tensor.documentation import parameter_names
from flambeau_tensor.extend import OverloadSet

ROOT = Path(__file__).parents[1]


def samples():
    """Operator -> its samples, those of overloads under each of them."""
    found = {}
    for folder in ("tensor", "nn"):
        for path in sorted((ROOT / "samples" / folder).glob("[!_]*.py")):
            for name, sample in import_module(f"samples.{folder}.{path.stem}").TABLE.items():
                op = sample.named(name).operator
                for overload in op.overloads if isinstance(op, OverloadSet) else [op]:
                    found.setdefault(overload, []).append(sample)
    return found


def is_real(x):
    return isinstance(x, torch.Tensor) and x.is_floating_point()


class Scope(dict):
    """Names in a formula: the call's arguments and results, then builtins and public functions."""

    def __missing__(self, name):
        for module in (builtins, torch, torch.special, torch.nn.functional):
            if hasattr(module, name):
                return getattr(module, name)
        raise KeyError(name)


def evaluate(op, sample, written):
    """The names of the arguments whose formulas are wrong, and how many formulas were evaluated."""
    tensors = [t.requires_grad_() if is_real(t) and not sample.writes else t for t in sample.one(torch.float64)]
    arguments, options = sample.bind(tensors)
    bound = {a.name: a.default for a in op.schema.arguments if a.has_default}
    bound |= dict(zip((a.name for a in op.schema.arguments), arguments, strict=False)) | options
    try:
        results = op(*arguments, **options)
    except TypeError:  # the sample of another overload
        return [], 0
    names = [r.name or "result" for r in op.schema.returns]
    results = dict(zip(names, results if isinstance(results, tuple) else (results,), strict=True))
    first = next(iter(results.values()))
    if not is_real(first):
        return [], 0
    grad = torch.rand_like(first)
    shown = {name: bound.get(a.name) for name, a in parameter_names(op)}
    scope = Scope(shown | {"input": next(iter(shown.values()))} | shown | results)
    scope.update(grad=grad, math=math, result=first)
    wrong, count = [], 0
    for name, (formula, _) in written.items():
        x = bound.get(name)
        if formula and is_real(x) and x.requires_grad:
            (expected,) = torch.autograd.grad(first, x, grad, retain_graph=True)
            value = eval(formula, {}, scope).detach()
            if value.numel() < x.numel():  # a part that gets no gradient, which the formula's words say
                continue
            count += 1
            if not torch.allclose(value.sum_to_size(x.shape), expected):
                wrong.append(f"{op.schema.name}, {name}: {formula}\n  gives {value}\n  backward() {expected}\n")
    return wrong, count


def main():
    operator_pages.load()
    found, count = samples(), 0
    torch.manual_seed(0)
    for op in {op for ops in operator_pages.families().values() for op in ops}:
        written = {} if op.writes else formulas(op, operator_pages.full_names(op, ())[0])
        if op.records and not op.is_composite and not op.writes:
            lacking = set(operator_pages.differentiable(op, written)) - set(written)
            sys.stdout.writelines(f"{op.schema.name}, {n}: no formula\n" for n in lacking if not refuses(op, n))
        for sample in found.get(op, ()) if any(f for f, _ in written.values()) else ():
            if sample.via is None and sample.derivative and torch.float64 in sample.admitted:
                wrong, evaluated = evaluate(op, sample, written)
                sys.stdout.writelines(wrong)
                count += evaluated
                if evaluated:
                    break
    print(f"{count} formulas evaluated")


if __name__ == "__main__":
    with warnings.catch_warnings(action="ignore"):
        main()
