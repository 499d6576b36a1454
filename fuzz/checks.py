"""Properties that a decided difference must have: a name of an operator excuses nothing by itself.

Each check is told of a `Case` and says whether the difference is of the kind that was decided: sorted alike, the same
matrix restored, the side that is not a number, the side that is nearer to float64.
"""

import cmath
import re

import numpy as np
from outcomes import close, tolerance

EXACT = {"float16": "float64", "bfloat16": "float64", "float32": "float64", "complex32": "complex128"}
EXACT["complex64"] = "complex128"
_DEFAULT = "torch.set_default_dtype(torch."


class Case:
    """A difference in a program.

    Args:
        program: its text.
        found: what `outcomes.compare` returned.
        ours, theirs: what the names hold at the end, as `worker.summary` tells it.
        reference: gives the values of a program in PyTorch, to run it in float64; None where there is no PyTorch.
    """

    def __init__(self, program, found, ours=None, theirs=None, reference=None):
        self.program, (self.kind, self.detail) = program, found
        self.name = self.detail.partition(" ")[0]
        self.ours, self.theirs, self.reference = ours or {}, theirs or {}, reference
        self.line = next((x for x in program.split("\n") if x.startswith(f"{self.name} = ")), program.split("\n")[-1])

    def tensors(self, values, name=None):
        """(path, dtype, nested list) of each tensor that a name holds, with gradients."""
        return list(_tensors(values.get(name or self.name), ""))

    def differing(self):
        """(path, dtype, ours, theirs) of the tensors whose elements differ."""
        mine, others = self.tensors(self.ours), self.tensors(self.theirs)
        return [
            (path, dtype, a, b)
            for (path, dtype, a), (_, _, b) in zip(mine, others, strict=False)
            if not close(a, b, tolerance(dtype, self.program))
        ]

    def pairs(self):
        """All pairs of numbers that differ."""
        out = []
        for _, dtype, a, b in self.differing():
            a, b = np.ravel(np.array(a)).tolist(), np.ravel(np.array(b)).tolist()
            rtol = tolerance(dtype, self.program)
            out += [(x, y) for x, y in zip(a, b, strict=False) if not close(x, y, rtol)]
        return out

    def operands(self):
        """The arrays that names in the line of the difference hold, which both sides agree on."""
        out = []
        for name in dict.fromkeys(re.findall(r"\b[a-m]\b", self.line.partition(" = ")[2] or self.line)):
            value = self.theirs.get(name)
            if value and value[0] == "tensor" and value[5] is not None and name != self.name:
                out.append(np.array(value[5]).reshape(value[2]))
        return out


def _tensors(value, path):
    if value is None:
        return
    if value[0] == "tensor":
        yield path, value[1], value[5]
        yield from _tensors(value[6], path + ".grad")
    elif value[0] in ("list", "tuple"):
        for i, item in enumerate(value[1]):
            yield from _tensors(item, f"{path}[{i}]")


def _finite(x):
    return cmath.isfinite(x)


def not_finite(case):
    """One side or the other is infinite or no number wherever they differ."""
    pairs = case.pairs()
    return bool(pairs) and all(not (_finite(a) and _finite(b)) for a, b in pairs)


def theirs_not_finite(case):
    """PyTorch's side is infinite or no number wherever they differ."""
    pairs = case.pairs()
    return bool(pairs) and all(not _finite(b) for _, b in pairs)


def out_of_range(case):
    """Our side is zero or infinite wherever they differ, as what no float holds."""
    pairs = case.pairs()
    return bool(pairs) and all(a == 0 or not _finite(a) for a, _ in pairs)


def chosen(case):
    """The same elements stand in the same order, and indices that differ are of equal elements.

    NaNs count as equal. Of sums of gradients that go to equal elements the total is the same.
    """
    operands = case.operands()
    for path, dtype, a, b in case.differing():
        if path.endswith("grad"):
            if not close(_total(a), _total(b), 1e-4):
                return False
            continue
        if path in ("", "[0]") and _better(operands, a, b, _unordered(case)):
            continue
        if dtype != "torch.int64" or not operands:
            return False
        a, b, x = np.array(a), np.array(b), operands[0]
        if a.shape != b.shape or a.ndim > x.ndim or not x.size:
            return False
        if not any(_equal_along(x, a, b, d, _unordered(case)) for d in range(max(x.ndim, 1))):
            return False
    return True


def _unordered(case):
    return re.search(r"sorted=False|\btopk\(.*(True|False), False\)", case.line) is not None


def _better(operands, ours, theirs, unordered):
    """Whether values are the same in another order, where none is promised, or those of PyTorch are in no operand."""
    mine, others = np.array(ours), np.array(theirs)
    if unordered and mine.shape == others.shape and mine.ndim:
        return any(np.array_equal(np.sort(mine, d), np.sort(others, d)) for d in range(mine.ndim))
    there = {x for operand in operands for x in operand.ravel().tolist()}
    strange = [(a, b) for a, b in zip(mine.ravel().tolist(), others.ravel().tolist(), strict=False) if a != b]
    return bool(strange) and all(a in there and b not in there for a, b in strange)


def same_totals(case):
    """What differs are gradients, and each adds up to the same."""
    found = case.differing()
    return bool(found) and all(path.endswith("grad") and close(_total(a), _total(b), 1e-4) for path, _, a, b in found)


def _total(nested):
    return np.array(nested).sum().item()


def _equal_along(x, a, b, dim, unordered=False):
    """Whether indices along a dimension name equal elements, in the same order where one is promised."""
    x = x.reshape(-1) if not x.ndim else x
    if a.ndim < x.ndim:
        a, b = (np.expand_dims(i, dim) for i in (a, b)) if a.ndim == x.ndim - 1 else (a, b)
    try:
        one, two = (np.take_along_axis(x, i, dim) for i in (a, b))
    except (IndexError, ValueError):
        return False
    if a.shape[dim] > 1 and any(len(set(row)) < len(row) for row in np.moveaxis(a, dim, -1).reshape(-1, a.shape[dim])):
        return False  # an element twice
    if unordered:
        one, two = np.sort(one, dim), np.sort(two, dim)
    return np.array_equal(one, two, equal_nan=one.dtype.kind in "fc")


def written(case):
    """Where several writes meet, each element that differs is one that the program wrote or that was there."""
    if any(path.endswith("grad") for path, *_ in case.differing()):
        return repeated(case)
    there = {0.0, 1.0}
    for value in case.theirs.values():
        for _, _, elements in _tensors(value, ""):
            there.update(np.ravel(np.array(elements)).tolist())
    there.update(float(text) for text in re.findall(r"-?\d+\.?\d*", case.line))
    return all(a != a or any(close(a, x, 1e-2) for x in there) for a, _ in case.pairs()) and repeated(case)


def repeated(case):
    """An operand of whole numbers has one of them twice, so two writes meet."""
    whole = [x.ravel() for x in case.operands() if x.dtype.kind in "iub"]
    return any(len(np.unique(x)) < x.size for x in whole) or "[" in case.line and not whole


def singular(case):
    """An operand is a matrix without an inverse but for rounding, or has elements that are no numbers."""
    for x in case.operands():
        if x.dtype.kind == "b" or not x.size:
            continue
        if not np.isfinite(x).all():
            return True
        if x.ndim >= 2:
            s = np.linalg.svd(x.astype(complex), compute_uv=False)
            if s.size and (s[..., -1] <= 1e-4 * s[..., 0]).any():
                return True
    return False


def restored(case):
    """The factors give the matrix back, or differ from PyTorch's in signs and phases alone."""
    if all(close(_sizes(a), _sizes(b), tolerance(d, case.program)) for _, d, a, b in case.differing()):
        return True
    factors = [np.array(x) for _, dtype, x in case.tensors(case.ours) if not dtype.endswith("int64")]
    for x in case.operands():
        if not x.size or not np.isfinite(x).all():
            continue
        for made in _products(factors, x):
            if made.shape == x.shape and np.allclose(made, x, rtol=1e-3, atol=1e-3 * max(np.abs(x).max(), 1)):
                return True
    return False


def _sizes(nested):
    return np.sort(np.abs(np.array(nested)), axis=None).tolist()


def _products(factors, x):
    """What two or three factors may be of: Q R, U S V, V w V⁻¹."""
    try:
        if len(factors) == 3:
            u, s, v = factors
            yield (u[..., : s.shape[-1]] * s[..., None, :]) @ v[..., : s.shape[-1], :]
            yield (u[..., : s.shape[-1]] * s[..., None, :]) @ v[..., : s.shape[-1]].conj().swapaxes(-1, -2)
        if len(factors) == 2:
            a, b = factors
            if b.ndim >= 2 and a.ndim == b.ndim:
                yield a @ b
            if b.ndim == a.ndim + 1:  # values and vectors
                yield x if np.allclose(x @ b, b * a[..., None, :], rtol=1e-3, atol=1e-3) else np.zeros(0)
    except ValueError:
        return


def solved(case):
    """A·X ≈ B as nearly as PyTorch's X, where X is the first result and A and B are the operands."""
    if singular(case):
        return True
    operands = case.operands()
    ours, theirs = (next((np.array(x) for _, _, x in case.tensors(side)), None) for side in (case.ours, case.theirs))
    if len(operands) < 2 or ours is None or theirs is None:
        return False
    a, b = operands[:2]
    try:
        mine, others = (np.linalg.norm(a @ x - b) for x in (ours, theirs))
    except ValueError:
        return False
    return mine <= others * (1 + 1e-3) + 1e-3 * max(np.linalg.norm(b), 1)


def nearer(case):
    """Computed in float64, the result is not farther from ours than from PyTorch's, but for a unit of the dtype."""
    if case.reference is None:
        return False
    text = re.sub(r"'(\w+)'|torch\.(\w+)", _exactly, case.program)
    values = case.reference(f"{_DEFAULT}float64)\n{text}\n{_DEFAULT}float32)")
    exact = [np.array(x) for _, _, x in case.tensors(values or {})]
    for (_, dtype, a), (_, _, b), c in zip(case.tensors(case.ours), case.tensors(case.theirs), exact, strict=False):
        a, b = np.array(a), np.array(b)
        if a.shape != c.shape or b.shape != c.shape:
            return False
        with np.errstate(all="ignore"):
            mine, others = np.abs(a - c), np.abs(b - c)
            unit = max([1.0, *np.abs(c[np.isfinite(c)]).ravel()]) * tolerance(dtype, case.program)
            allowed = np.maximum(2 * others, 4 * unit)
        if not np.all((mine <= allowed) | ~np.isfinite(c) | ~np.isfinite(b)):
            return False
    return bool(exact)


def _exactly(match):
    name = match[1] or match[2]
    return match[0].replace(name, EXACT[name]) if name in EXACT else match[0]
