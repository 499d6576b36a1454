"""Write down what backward still allows in PyTorch once a call's inputs and results are written to:
``python conformance/saved.py > …/pytorch_saved.txt``.

A line of the record has a call and, after a tab, for each choice of inputs that require grad which of its tensors may
be written to between the call and backward: ``01:+!|+`` says that with gradients of inputs 0 and 1 the first one may
be, the second one may not, and the result may. Its calls are those of the record that there is;
`packages/flambeau/tests/test_saved_tensors.py` reads it and makes them here. `calls` makes them from the samples.
"""

import sys
import warnings
from pathlib import Path

import numpy as np

RECORD = Path(__file__).parent.parent / "packages/flambeau/tests/pytorch_saved.txt"


class Tensors:
    """The functions that stand for tensors in a call, each a random number generator's next."""

    def __init__(self, torch, recorded=()):
        self.torch, self.state, self.recorded, self.made = torch, np.random.RandomState(3), recorded, []

    def names(self):
        return {"torch": self.torch, **{name: getattr(self, name) for name in ("real", "whole", "truth", "given")}}

    def _put(self, values, moves=False):
        t = self.torch.tensor(values)
        if len(self.made) in self.recorded:
            t.requires_grad_()
        self.made.append((t, moves))
        return t

    def real(self, *shape, low=-2.0, high=2.0):
        return self._put(self.state.uniform(low, high, shape), True)

    def whole(self, *shape, low=0, high=2):
        return self._put(self.state.randint(low, high, shape))

    def truth(self, *shape):
        return self._put(self.state.random_sample(shape) < 0.5)

    def given(self, values):
        t = self.torch.tensor(values)
        return self._put(values, False) if not t.is_floating_point() else self._put(np.asarray(values, float), True)


def run(call, torch, recorded):
    """The tensors that a call was given, and its results."""
    tensors = Tensors(torch, recorded)
    names = tensors.names()
    result = eval(call, names)
    return [t for t, _ in tensors.made], flat(result, torch)


def flat(result, torch):
    if isinstance(result, torch.Tensor):
        return [result]
    return [t for item in result for t in flat(item, torch)] if isinstance(result, (list, tuple)) else []


def outcome(call, torch):
    """What backward allows, as a line of the record says it; None where nothing has a gradient."""
    tensors = Tensors(torch)
    with warnings.catch_warnings(action="ignore"):
        eval(call, tensors.names())
        moving = [i for i, (_, moves) in enumerate(tensors.made) if moves]
        choices = [moving, *([i] for i in moving if len(moving) > 1)]
        parts = [part for chosen in choices if (part := _allowed(call, torch, chosen))]
    return " ".join(parts) or None


def _allowed(call, torch, recorded):
    given, results = run(call, torch, recorded)
    if not any(r.requires_grad for r in results):
        return ""
    marks = []
    for kind, count in (("given", len(given)), ("results", len(results))):
        mark = ""
        for i in range(count):
            given, results = run(call, torch, recorded)
            changed = (given if kind == "given" else results)[i].detach()
            changed.copy_(changed.clone())
            outputs = [r for r in results if r.requires_grad]
            leaves = [given[k] for k in recorded]
            try:
                torch.autograd.grad(outputs, leaves, [torch.ones_like(r) for r in outputs], allow_unused=True)
                mark += "+"
            except RuntimeError as e:
                if "modified by an inplace operation" not in str(e):
                    raise
                mark += "!"
        marks.append(mark)
    return f"{''.join(map(str, recorded))}:{'|'.join(marks)}"


def calls():
    """The samples as calls: texts that need nothing but `Tensors`."""
    import samples
    from flambeau_tensor.extend import Operator

    def text(x):
        if isinstance(x, samples.Given):
            return f"given({np.asarray(x.values[0]).tolist()!r})"
        if isinstance(x, samples.Drawn):
            shape = ", ".join(map(str, x.shape))
            if x.kind == "truth":
                return f"truth({shape})"
            name = "real" if x.kind == "real" else "whole"
            return f"{name}({shape}{', ' if shape else ''}low={x.low}, high={x.high})"
        if isinstance(x, (list, tuple)):
            items = ", ".join(text(item) for item in x)
            return f"[{items}]" if isinstance(x, list) else f"({items}{',' if len(x) == 1 else ''})"
        if x is None or isinstance(x, (bool, int, float, complex, str, slice)) or x is Ellipsis:
            if isinstance(x, float) and x != x or x in (float("inf"), -float("inf")):
                return f"float('{x}')"
            return repr(x)
        shown = str(x)
        if shown.startswith("torch."):
            return shown
        raise ValueError(shown)

    for package in ("tensor", "nn"):
        for family in samples.families(package):
            for sample in samples.table(f"{package}.{family}").values():
                op = sample.operator
                if sample.via is not None or not isinstance(op, Operator) and not hasattr(op, "overloads"):
                    continue
                name = op.__torch_name__ if isinstance(op, Operator) else f"{op!r}".split()[1].rstrip(":")
                if name.startswith(("torch._ops", "torch._get", "torch._set")):
                    continue
                try:
                    arguments = [text(a) for a in sample.arguments]
                    options = [f"{k}={text(v)}" for k, v in sample.options.items()]
                except ValueError:
                    continue
                if sample.writes or name.endswith("_") or sample.in_place_of is not None:
                    if not arguments or arguments[0].startswith("["):
                        continue
                    arguments[0] += ".clone()"
                short = op.name if isinstance(op, Operator) else name.rpartition(".")[2]
                place = name.rsplit(".", 1)[0] if isinstance(op, Operator) else name.rpartition(".")[0]
                if isinstance(op, Operator):
                    place = op.namespace
                yield f"{place}.{short}({', '.join([*arguments, *options])})"


def main():
    import torch

    print(
        f"# What backward allows in PyTorch {torch.__version__.partition('+')[0]} once tensors of a call were written "
        "to; see\n# test_saved_tensors.py. Written by conformance/saved.py."
    )
    for line in (RECORD if len(sys.argv) < 2 else Path(sys.argv[1])).read_text().splitlines():
        if line.startswith("#"):
            continue
        call = line.partition("\t")[0]
        try:
            found = outcome(call, torch)
        except Exception:  # what is not in PyTorch, or called otherwise there
            continue
        if found is not None:
            print(f"{call}\t{found}")


if __name__ == "__main__":
    main()
