"""Calls operators of public C++ extensions with seeded arguments, and stores their results and gradients.

    python conformance/extension_calls.py ours|peer project library results.pickle

`ours` calls them in flambeau, `peer` in PyTorch. The library is a project's sources, built for one of them:
extensions.py builds them, runs this file on both sides and compares what the calls return. An error is a result, too:
its type and its first line. A tensor that requires grad gets the gradient of a random combination of all results.
"""

import importlib.machinery
import importlib.util
import pickle
import sys
import warnings
import zlib
from pathlib import Path

import numpy as np
from extension_cases import CASES

# Relative difference that another order of additions may make: float16 and bfloat16, float32, float64.
ROUNDING = {2: 1e-2, 4: 2e-5, 8: 1e-12}


class Calls:
    """Calls functions and keeps their results.

    Args:
        torch: the library.
        functions: the module of a project, or its operators.
    """

    def __init__(self, torch, functions):
        self.torch, self.functions, self.results = torch, functions, []
        self.random = np.random.RandomState(0)

    def __call__(self, name, *args, written=(), **keywords):
        """Call a function; the tensors in `written` are results, too."""
        label = f"{name} {len(self.results)}"
        rng = np.random.RandomState(zlib.crc32(label.encode()))
        leaves = [x for x in args if isinstance(x, self.torch.Tensor) and x.requires_grad]
        try:
            returned = getattr(self.functions, name)(*args, **keywords)
            tensors = [x for x in self._flat((returned, list(written))) if isinstance(x, self.torch.Tensor)]
            found = [self._kept(x) for x in self._flat((returned, list(written)))]
            differentiable = [x for x in tensors if x.requires_grad and x.grad_fn is not None]
            if leaves and differentiable:
                weights = [self.torch.tensor(rng.standard_normal(x.shape)).to(x.dtype) for x in differentiable]
                grads = self.torch.autograd.grad(differentiable, leaves, weights, allow_unused=True)
                found += [self._kept(x) for x in grads]
        except Exception as error:
            text = str(error).partition("\n")[0].replace(", please report a bug to PyTorch", "")
            returned, found = None, [f"{type(error).__name__}: {text}"]
        self.results.append((label, found))
        return returned

    def _flat(self, x):
        x = list(x.values()) if isinstance(x, dict) else x
        return [leaf for item in x for leaf in self._flat(item)] if isinstance(x, (tuple, list)) else [x]

    def _kept(self, x):
        if isinstance(x, self.torch.Tensor):
            return x.detach().clone().numpy()
        return x if isinstance(x, (int, float, str, type(None))) else type(x).__name__

    def real(self, *shape, dtype="float32", grad=False, low=None, high=None):
        """Random numbers: normal, or uniform between `low` and `high`."""
        values = self.random.standard_normal(shape) if low is None else self.random.uniform(low, high, shape)
        return self.torch.tensor(values.astype(dtype)).requires_grad_(grad)

    def integers(self, *shape, below, dtype="int64", ordered=False):
        """Random integers from 0, in ascending order if asked."""
        values = self.random.randint(0, below, shape)
        return self.tensor(np.sort(values, -1) if ordered else values, dtype)

    def tensor(self, values, dtype="int64"):
        return self.torch.tensor(np.asarray(values, dtype=dtype))

    def zeros(self, *shape, dtype="float32"):
        return self.torch.tensor(np.zeros(shape, dtype))

    def boxes(self, n, size=20.0, dtype="float32"):
        """Corners of boxes with positive sides."""
        corner = self.random.uniform(0, size * 0.6, (n, 2))
        return self.tensor(np.concatenate([corner, corner + self.random.uniform(1, size * 0.4, (n, 2))], 1), dtype)

    def rois(self, n, batch, size=20.0, dtype="float32"):
        """Boxes with the number of an image before them."""
        images = self.tensor(self.random.randint(0, batch, (n, 1)), dtype)
        return self.torch.cat([images, self.boxes(n, size, dtype)], 1)

    def rotated(self, n, size=20.0, dtype="float32", degrees=180):
        """Centers, sides and angles of boxes."""
        center, sides = self.random.uniform(2, size - 2, (n, 2)), self.random.uniform(2, 8, (n, 2))
        angles = self.random.uniform(-degrees, degrees, (n, 1))
        return self.tensor(np.concatenate([center, sides, angles], 1), dtype)

    def graph(self, nodes, edges):
        """Row pointers, rows and columns of a sparse matrix without duplicates."""
        cells = np.sort(self.random.choice(nodes * nodes, edges, replace=False))
        rows, columns = cells // nodes, cells % nodes
        pointers = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=nodes))])
        return self.tensor(pointers), self.tensor(rows), self.tensor(columns)


def compared(ours, peer):
    """Count the calls whose results are equal, equal up to rounding and different, and name the latter."""
    equal, rounded, different = 0, 0, []
    for (label, a), (other, b) in zip(ours, peer, strict=True):
        assert label == other
        grades = [grade(x, y) for x, y in zip(a, b, strict=False)] if len(a) == len(b) else [2]
        worst = max(grades, default=0)
        equal, rounded = equal + (worst == 0), rounded + (worst == 1)
        if worst == 2:
            different.append(label)
    return {"calls": len(ours), "equal": equal, "rounded": rounded, "different": different}


def grade(a, b):
    """0 for equal results, 1 for those that differ by rounding, 2 for others."""
    if not isinstance(a, np.ndarray) or not isinstance(b, np.ndarray):
        return 0 if type(a) is type(b) and a == b else 2
    if a.dtype != b.dtype or a.shape != b.shape:
        return 2
    if np.array_equal(a, b, equal_nan=a.dtype.kind in "fc"):
        return 0
    if a.dtype.kind not in "fc":
        return 2
    tolerance = ROUNDING[a.real.dtype.itemsize]
    size = np.abs(b[np.isfinite(b)]).max(initial=0)
    return 1 if np.allclose(a, b, rtol=tolerance, atol=tolerance * size, equal_nan=True) else 2


def main():
    side, project, library, target = sys.argv[1:]
    if side == "ours":
        import flambeau

        flambeau.install_as_torch()
    import torch

    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    if b"PyInit_x" in Path(library).read_bytes():
        loader = importlib.machinery.ExtensionFileLoader("x", library)
        functions = importlib.util.module_from_spec(importlib.util.spec_from_loader("x", loader))
        loader.exec_module(functions)
    else:
        torch.ops.load_library(library)
        functions = getattr(torch.ops, project.removesuffix("_0_21"))
    calls = Calls(torch, functions)
    CASES[project](calls)
    Path(target).write_bytes(pickle.dumps(calls.results))


if __name__ == "__main__":
    main()
