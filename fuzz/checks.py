"""Properties that a decided difference must have: a name of an operator excuses nothing by itself.

Each check is told of a `Case` and says whether the difference is of the kind that was decided: sorted alike, the same
matrix restored, the side that is not a number, the side that is nearer to float64.
"""

import cmath
import re

import numpy as np
from outcomes import close, differ, tolerance

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
        values: whether the program's numbers say anything.
    """

    def __init__(self, program, found, ours=None, theirs=None, reference=None, values=True):
        self.program, (self.kind, self.detail) = program, found
        self.name = self.detail.partition(" ")[0]
        self.ours, self.theirs, self.reference, self.values = ours or {}, theirs or {}, reference, values
        lines = program.split("\n")
        made = [x for x in lines if x.startswith(f"{self.name} = ") and not re.match(r"\w = T\(", x)]
        calls = [x for x in lines if not re.match(r"\w = T\(|\(r if |about_|seen = |[\w.]+\.backward\(", x)]
        self.line = (made or [x for x in calls if x.startswith("r = ")][-1:] or calls[-1:] or lines[-1:])[0]

    def instead(self, program):
        """Whether our value of the name is PyTorch's in another program, strides, memory and versions aside."""
        values = self.reference(program) if self.reference else None
        if not values or self.name not in values or self.name not in self.ours:
            return False
        ours, theirs = (x[:7] if x[0] == "tensor" else x for x in (self.ours[self.name], values[self.name]))
        return differ(ours, theirs, self.program, strides=False, values=self.values) is None

    def literals(self):
        """The numbers in the line of the difference."""
        found = re.findall(r"(?<![\w.])-?(?:\d+\*\*\d+|\d+\.?\d*(?:e-?\d+)?|inf\b|nan\b)", self.line)
        return [float(text) if "**" not in text else float(eval(text)) for text in found]

    def summaries(self):
        """What the name holds on both sides."""
        return self.ours.get(self.name), self.theirs.get(self.name)

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
            whole = name != self.name or " grad " in self.detail  # the value itself is the same
            if (
                value
                and value[0] == "tensor"
                and value[5] is not None
                and whole
                and np.size(value[5]) == _size(value[2])
            ):
                out.append(np.array(value[5]).reshape(value[2]))
        return out


def _size(sizes):
    return int(np.prod(sizes, dtype=object))


def _tensors(value, path):
    if value is None:
        return
    if value[0] == "value" and value[1] in ("int", "float", "complex", "bool"):
        yield path, value[1], value[2]
    if value[0] == "tensor":
        yield path, value[1], value[5]
        yield from _tensors(value[6], path + ".grad")
    elif value[0] in ("list", "tuple"):
        for i, item in enumerate(value[1]):
            yield from _tensors(item, f"{path}[{i}]")


def _finite(x):
    return cmath.isfinite(x)


def every(*checks):
    """All of the checks hold."""
    return lambda case: all(check(case) for check in checks)


def some(*checks):
    """One of the checks holds."""
    return lambda case: any(check(case) for check in checks)


def says(pattern):
    """The detail of the difference matches."""
    return lambda case: re.search(pattern, case.detail) is not None


def differ_so(holds):
    """Elements differ, and wherever they do, `holds` is true of ours and PyTorch's."""

    def check(case):
        pairs = case.pairs()
        return bool(pairs) and all(holds(a, b) for a, b in pairs)

    return check


def shapes(holds):
    """`holds` is true of the case, and of our shape and PyTorch's."""

    def check(case):
        ours, theirs = case.summaries()
        return bool(ours and theirs and ours[0] == theirs[0] == "tensor") and holds(case, ours[2], theirs[2])

    return check


def instead(pattern, replacement):
    """Our value is the one that PyTorch gives where its line is written another way.

    `replacement` is what `re.sub` takes; the line is that of the difference.
    """

    def check(case):
        line = re.sub(pattern, replacement, case.line)
        return line != case.line and case.instead(case.program.replace(case.line, line))

    return check


# One side or the other is infinite or no number wherever they differ.
not_finite = differ_so(lambda a, b: not (_finite(a) and _finite(b)))
# Ours is a number where PyTorch's is none; ours may be infinite.
number_for_none = differ_so(lambda a, b: a == a and b != b)
finite_for_none = differ_so(lambda a, b: _finite(a) and not _finite(b))
# As what no float holds.
out_of_range = differ_so(lambda a, b: a == 0 or not _finite(a))
_NAME = r"(?<![\w.'])([a-m])(?![\w'])(?! = )"
# The operands are copied, so that they are contiguous and nothing else has their memory.
contiguous = instead(_NAME, r"\1.clone(memory_format=torch.contiguous_format)")


def without_out(case):
    """What was written to `out=` is what the call gives without it."""
    written = [x for x in case.program.split("\n") if re.match("r = .*out=", x)] or [case.line]
    given = re.search(r"(?:, )?out=\(?([\w, ]+?),?\)?(?=[,)])", written[0])
    if not given or not case.reference:
        return False
    for instead_of in ("", f", dtype={given[1]}.dtype"):
        line = written[0].replace(given[0], instead_of).replace("pin_memory=True", "pin_memory=False")
        values = case.reference(case.program.replace(written[0], line)) or {}
        theirs, ours = values.get("r"), case.ours.get(case.name)
        names = given[1].split(", ")
        if ours and case.name not in ("r", *names):  # it may have the memory of what was written
            whole = case.ours.get(names[0])
            ours = whole if whole and ours[0] == whole[0] == "tensor" and ours[7:8] == whole[7:8] else None
        if ours and ours[0] == "same":
            ours = case.ours.get(ours[1])
        if theirs and theirs[0] == "tuple" and case.name in names:
            theirs = theirs[1][names.index(case.name)]
        if not ours or not theirs or ours[0] != "tensor" or theirs[0] != "tensor" or ours[2] != theirs[2]:
            continue
        if not case.values or close(ours[5], theirs[5], tolerance(ours[1], case.program)):
            return True
    return False


def from_operands(case):
    """Each element of ours that differs is one of an operand, a number, or an element of PyTorch's result."""
    there = {0.0, 1.0, *case.literals()}
    if "out=" in case.line and case.reference:
        values = case.reference(re.sub(r", out=\w+", "", case.program)) or {}
        for _, _, elements in _tensors(values.get("r"), ""):
            there.update(np.ravel(np.array(elements)).tolist())
    for side in (case.theirs, case.ours if case.name == "r" else {}):
        for name, value in side.items():
            if name != case.name or side is case.theirs:
                for _, _, elements in _tensors(value, ""):
                    there.update(np.ravel(np.array(elements)).tolist())
    return differ_so(lambda a, b: a != a or any(close(a, x, 4e-3) for x in there))(case)


def empty(case):
    """An operand has no elements."""
    return any(not x.size for x in case.operands()) or re.search(r"T\('\w+', \([^)]*\b0\b", case.program) is not None


def unbounded(case):
    """An operand has elements that are infinite or no numbers, or the line has such numbers."""
    numbers = [*case.operands(), np.array(case.literals())]
    return any(x.dtype.kind in "fc" and not np.isfinite(x).all() for x in numbers)


def overflows(case):
    """The square of a number that goes in is beyond float32, or near zero."""
    numbers = np.concatenate([np.abs(np.ravel(x)).astype(float) for x in [*case.operands(), np.array(case.literals())]])
    numbers = numbers[np.isfinite(numbers)]
    return bool((numbers > 1e4).any() or ((numbers > 0) & (numbers <= 0.1)).any())


def whole_extremes(case):
    """An operand has the smallest or largest integer of its dtype, or had it before it was written."""
    if re.search(r"= T\('int\d+'.*pattern='edge'", case.program):
        return True
    return any(x.dtype.kind == "i" and x.size and (np.abs(x.astype(float)) >= 127).any() for x in case.operands())


def cancelled(case):
    """What differs is small beside the operands."""
    numbers = [np.abs(np.ravel(x)).astype(float) for x in [*case.operands(), np.array(case.literals())]]
    largest = max([x[np.isfinite(x)].max(initial=1.0) for x in numbers])
    orders = [p for p in case.literals() if 0 < p < 1 and "triplet" in case.line]
    for p in orders:  # the sum of n powers is up to n times the largest, whose root is
        largest *= 3.0 ** (1 / p)
    rtol = {dtype: tolerance(dtype, case.program) for _, dtype, *_ in case.differing()}
    rtol = max([*rtol.values(), 0]) * 10
    if orders and re.search("'(u?int|bool)", case.program):  # distances of whole numbers are float32
        rtol = max(rtol, 1e-6)
    return differ_so(lambda a, b: _finite(a) and _finite(b) and abs(a - b) <= rtol * largest)(case)


_WRITE = (
    re.compile(r"^(?P<head>(?:with [^:]*: |\w = )?\w\.\w+_\()(?P<of>.*)$"),
    re.compile(r"^(?P<head>(?:with [^:]*: )?\w(?:\[.*\] \S{0,2}= | \S{1,2}= ))(?P<of>.*)$"),
    re.compile(r"^(?P<head>(?:with [^:]*: |\w = )?[\w.]+\()(?P<of>.*)(?P<tail>,? out=.*)$"),
    re.compile(r"^(?P<head>(?:\w = )?torch\.(?:Tensor\.)?\w+_\((?:\[[^]]*\]|\([^)]*\)|\w))(?P<of>.*)$"),
)


def reads_first(case):
    """Our values are those of PyTorch where each write is made from copies of what it reads."""
    lines = []
    for line in case.program.split("\n"):
        found = None if re.match(r"\w = T\(", line) else next(filter(None, (w.match(line) for w in _WRITE)), None)
        if found:
            tail = found.groupdict().get("tail") or ""
            head = found["head"].partition("[")
            index = re.sub(_NAME, r"\1.clone()", head[2])
            line = head[0] + head[1] + index + re.sub(_NAME, r"\1.clone()", found["of"]) + tail
        lines.append(line)
    text = "\n".join(lines)
    return text != case.program and case.instead(text)


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


def in_shared_cells(case):
    """Elements differ only where another element of the same tensor has the same memory."""
    ours, theirs = case.summaries()
    if not ours or not theirs or ours[0] != "tensor" or theirs[0] != "tensor" or " grad " in case.detail:
        return False
    at = np.zeros(ours[2], dtype=int)
    for d, (n, stride) in enumerate(zip(ours[2], ours[3], strict=True)):
        at += (np.arange(n) * stride).reshape([n if k == d else 1 for k in range(len(ours[2]))])
    cells, counts = np.unique(at, return_counts=True)
    shared = np.isin(at, cells[counts > 1])
    a, b = np.array(ours[5]), np.array(theirs[5])
    return a.shape == at.shape and bool(((a == b) | ((a != a) & (b != b)) | shared).all())


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


LARGEST = {"torch.float16": 65504.0, "torch.bfloat16": 3.39e38, "torch.float32": 3.4028235e38}
LARGEST |= {"torch.complex64": LARGEST["torch.float32"]}


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
            c = c.astype(complex if c.dtype.kind == "c" else float)
            c = np.where(np.abs(c) > LARGEST.get(dtype, np.inf), np.sign(c) * np.inf, c)
            mine, others = np.abs(a - c), np.abs(b - c)
            others = np.where(others != others, np.inf, others)
            unit = np.maximum(1.0, np.abs(np.where(np.isfinite(c), c, 0))) * tolerance(dtype, case.program)
            allowed = np.maximum(2 * others, unit)
            same = (a == c) | (a == b) | ((a != a) & ((b != b) | (c != c)))
        if not np.all((np.isfinite(c) & (mine <= allowed)) | same):
            return False
    return bool(exact)


def _exactly(match):
    name = match[1] or match[2]
    return match[0].replace(name, EXACT[name]) if name in EXACT else match[0]
