"""Properties of single differences that were decided: what a row of `known.py` says of its function alone."""

import decimal
import math
import re

import numpy as np
from checks import differ_so, every, instead, not_finite, restored, same_totals, says, singular, some, unbounded
from outcomes import close
from sharing import root_of, whole_of

MADE = r"T\([^()]*(?:\([^()]*\)[^()]*)*\)"  # a tensor


def size(shape):
    return math.prod(shape)


def first(value):
    """A tensor, or the first of several."""
    return value[1][0] if value and value[0] in ("tuple", "list") and value[1] else value


def broadcast(case, ours, theirs):
    """Our shape is that of the operands together."""
    return ours == np.broadcast_shapes(*[x.shape for x in case.operands()])


def masks_and_indices(case, ours, theirs):
    whole = [x.shape for x in case.operands() if x.dtype.kind in "biu"]
    return bool(whole) and 0 in ours and ours == np.broadcast_shapes(*whole)


def rows_of_the_matrix(case, ours, theirs):
    return size(theirs) <= 1 and any(x.ndim == 2 and 0 in x.shape and x.shape[:1] == ours for x in case.operands())


def as_many_channels_as_the_weight(case, ours, theirs):
    differing = [(a, b) for a, b in zip(ours, theirs, strict=True) if a != b] if len(ours) == len(theirs) else []
    return len(differing) == 1 and differing[0][1] == 0 and differing[0][0] in {x.shape[0] for x in case.operands()}


def attention(case, ours, theirs):
    """Batches that are broadcast, the rows of the query, the features of the values."""
    given = [x.shape for x in case.operands() if x.dtype.kind != "b"][:3]
    if len(given) < 3 or any(len(shape) < 2 for shape in given):
        return False
    return ours == (*np.broadcast_shapes(*[shape[:-2] for shape in given]), given[0][-2], given[2][-1])


def unchanged(case, ours, theirs):
    return 0 in theirs and any(x.shape == theirs for x in case.operands()) and len(ours) == len(theirs)


def equations(case):
    """The solution has the broadcast batch."""
    given, ours = case.operands()[:2], first(case.summaries()[0])
    if len(given) < 2 or given[0].ndim < 2 or not ours or ours[0] != "tensor":
        return False
    a, b = given
    matrix = b.ndim >= 2 and (b.ndim != a.ndim - 1 or b.shape != a.shape[:-1])
    batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2] if matrix else b.shape[:-1])
    return ours[2] == (*batch, a.shape[-1], *(b.shape[-1:] if matrix else ()))


def coefficients(case):
    """The second result has the shape of the matrix that was given."""
    ours = case.summaries()[0]
    return "(item 1)" in case.detail and ours[1][1][2] in {x.shape for x in case.operands()}


def zeros(case):
    """Our gradient is zero in the shape of its tensor."""
    ours = case.summaries()[0]
    grad = ours[6] if ours and ours[0] == "tensor" else None
    return grad is not None and grad[2] == ours[2] and not np.any(np.array(grad[5]))


def other_dimensions(case):
    """Our shape is PyTorch's where dimensions are counted from the start."""
    operands = case.operands()
    if not operands:
        return False
    dims = re.sub(r"-(\d)", lambda m: str(operands[0].ndim - int(m[1])), case.line)
    return case.instead(case.program.replace(case.line, dims))


def wrapped(case):
    """Ours is the cropped tensor, repeated."""
    ours, x = case.summaries()[0], (case.operands() or [None])[0]
    found = re.search(r"pad\(\w+, \(([^)]*)\)", case.line)
    if x is None or not found or not ours or ours[0] != "tensor":
        return False
    pads = [int(n) for n in found[1].split(",") if n.strip()]
    places = np.arange(x.size).reshape(x.shape)
    for d, (before, after) in enumerate(zip(pads[::2], pads[1::2], strict=True)):
        at = np.arange(places.shape[-1 - d])[max(-before, 0) : places.shape[-1 - d] - max(-after, 0)]
        at = np.take(at, range(-max(before, 0), len(at) + max(after, 0)), mode="wrap")
        places = np.take(places, at, axis=-1 - d)
    if " grad " in case.detail:  # of the sum: how often each element occurs
        return close(ours[6][5], np.bincount(places.ravel(), minlength=x.size).reshape(x.shape).tolist(), 0)
    return ours[2] == places.shape and close(ours[5], x.ravel()[places].tolist(), 0)


def flags_by_name(match):
    names = ("return_inverse", "return_counts", "dim")
    given = [text.partition("=")[2] or text for text in re.findall(MADE + r"|[\w=-]+", match[2])]
    given += [] if "dim=" not in match[2] or len(given) > 2 else [f"False, dim={given.pop()}"]
    return (
        f"torch.unique_consecutive({match[1]}" + "".join(f", {n}={v}" for n, v in zip(names, given, strict=False)) + ")"
    )


def bags(case):
    """Our result is that of a loop over the bags, the last of which ends with the indices or at the last offset."""
    call = re.search(r"embedding_bag\((\(?)(\w).*?, (\w), torch\.tensor\((\[.*?\])\), mode='(\w+)'", case.line)
    ours = first(case.summaries()[0])
    if not call or not ours or ours[0] != "tensor":
        return says("grad")(case) and same_totals(case)
    indices, weight = (np.array(case.theirs[name][5]).reshape(case.theirs[name][2]) for name in (call[2], call[3]))
    below = re.search(r"% (\d+)\)", case.line)
    indices = indices.ravel() % int(below[1]) if below else indices.ravel()
    ends = eval(call[4])
    last = "include_last_offset=True" in case.line
    ends = ends if last else [*ends, len(indices)]
    padding = re.search(r"padding_idx=(\d)", case.line)
    rows, gradient = [], np.zeros(weight.shape)
    for start, end in zip(ends, ends[1:], strict=False):
        chosen = [i for i in indices[start:end] if not padding or i != int(padding[1])]
        found = weight[chosen]
        np.add.at(gradient, chosen, 1 / len(chosen) if chosen and call[5] == "mean" else 1)
        row = {"sum": found.sum, "mean": found.mean, "max": found.max}[call[5]](0) if len(chosen) else weight[0] * 0
        rows.append(row.tolist())
    if case.detail.startswith(call[3]):
        of_weight = case.ours[call[3]][6]
        same = of_weight is not None and close(of_weight[5], gradient.tolist(), 1e-4)
        return same if call[5] != "max" else same_totals(case)
    return close(ours[5], rows, 4e-2 if "16" in case.program else 1e-4)


def tiny_or_huge_order(case):
    return any(x != x or not 0.2 <= abs(x) <= 90 for x in case.literals())


def huge_degree(case):
    """A degree from 2**14 on, among the numbers of the call."""
    return (
        max([0, *map(abs, case.literals()), *(np.abs(x.astype(float)).max(initial=0) for x in case.operands())]) > 2**14
    )


def correct(function):
    """Ours is what SciPy computes in double precision."""

    def check(case):
        import scipy.special

        operands, ours = case.operands(), first(case.summaries()[0])
        if not operands or not ours or ours[0] != "tensor":
            return False
        exact = getattr(scipy.special, function)(operands[0].astype(float))
        exact = exact[0] if isinstance(exact, tuple) else exact
        if function == "airy":  # SciPy has no number for large arguments
            exact = np.where(operands[0].astype(float) < -1e5, np.vectorize(_airy_ai)(operands[0]), exact)
            return np.allclose(np.array(ours[5]), exact, rtol=1e-2, atol=1e-4, equal_nan=True)
        with np.errstate(invalid="ignore"):
            return np.allclose(np.array(ours[5]), exact, rtol=1e-2, atol=1e-2, equal_nan=True)

    return check


def _airy_ai(x):
    """Ai(-x) ≈ sin(2/3 x^1.5 + pi/4) / (sqrt(pi) x^0.25), with digits enough for the phase."""
    x = float(np.float32(x)) * -1
    if not 1 <= x < math.inf:
        return math.nan
    with decimal.localcontext() as context:
        context.prec = 60
        pi = decimal.Decimal("3.14159265358979323846264338327950288419716939937510582097494")
        exact = decimal.Decimal(x)
        phase = float(((exact * exact * exact).sqrt() * 2 / 3 + pi / 4) % (2 * pi))
    return math.sin(phase) / (math.sqrt(math.pi) * x**0.25)


def inverse_of_the_product(case):
    """Ours is the inverse of L Lᴴ, or of Uᴴ U."""
    ours = first(case.summaries()[0])
    for x in case.operands():
        if x.ndim >= 2 and x.shape[-1] == x.shape[-2] and x.dtype.kind == "c" and ours[0] == "tensor":
            for a in (np.tril(x), np.triu(x).conj().swapaxes(-1, -2)):
                product = a @ a.conj().swapaxes(-1, -2) @ np.array(ours[5]).reshape(ours[2])
                if np.allclose(product, np.eye(x.shape[-1]), atol=1e-2):
                    return True
    return False


def same_counts(case):
    """Wherever counts differ, they add up to the same."""
    found = case.differing()
    return bool(found) and all(close(np.sum(a).item(), np.sum(b).item(), 1e-4) for _, _, a, b in found)


def shorter(case):
    """A vector of an operand is not longer than the last number of the call."""
    eps = abs((case.literals() or [0])[-1])
    along = [np.linalg.norm(x, axis=d) for x in case.operands() for d in range(x.ndim)]
    return " grad " in case.detail and any((norms <= eps).any() for norms in along)


def history_of_whole_numbers(case):
    """PyTorch's tensor of whole numbers has a history, ours has none."""
    value = case.theirs.get(case.name.removeprefix("about_"))
    whole = (
        bool(value) and value[0] == "tensor" and not value[1].startswith(("torch.float", "torch.bf", "torch.complex"))
    )
    return whole and ("requires_grad: False for True" in case.detail or "value: True for False (item 0)" in case.detail)


def detached(case):
    """The name is a view of a tensor that was detached, or was made to require no grad."""
    name = case.name.removeprefix("about_")
    ended = re.findall(r"\b(\w)\.(?:detach_\(\)|requires_grad_\(False\))", case.program)
    roots = whole_of(case.program)
    of_view = name in roots and root_of(roots, name) in {root_of(roots, x) for x in ended}
    return (
        of_view and re.search(r"(requires_grad|value): (False for True|True for False)|grad: ", case.detail) is not None
    )


def zero_on_the_diagonal(case):
    return any(x.ndim >= 2 and (np.diagonal(x, axis1=-2, axis2=-1) == 0).any() for x in case.operands())


def of_nothing(case):
    """A transform's result whose function does not depend on its input requires grad in PyTorch alone."""
    return "requires_grad: False for True" in case.detail and "torch." in case.line and "lambda x" in case.line


def handed_back(case):
    """PyTorch's result is the input, which may have another shape by now, and ours a tensor with the same elements."""
    ours, theirs = case.summaries()
    if not theirs or theirs[0] != "same" or not ours or ours[0] != "tensor":
        return False
    same = case.theirs[theirs[1]]
    flat = [np.ravel(value[5]).tolist() for value in (same, ours)] if same[0] == "tensor" else [None, 0]
    return same[1] == ours[1] and close(*flat, 1e-6)


def unreadable_zeros(case):
    """PyTorch cannot list its gradient, ours is zero."""
    return case.summaries()[1][0] == "unreadable" and zeros(case)


def fits(case):
    """Our gradient has the shape and dtype of its tensor, which were changed."""
    ours = case.summaries()[0]
    return (
        bool(ours) and ours[0] == "tensor" and " grad" in case.detail and (ours[6] is None or ours[6][1:3] == ours[1:3])
    )


def version_of_the_memory(case):
    """What differs is a version, and a tensor got the memory of another."""
    return re.search(r"^about_\w value: \d+ for \d+ \(item 1\)", case.detail) is not None


def counts_none(case):
    """The version of a new result counts one or two writes less in ours than in PyTorch."""
    found = re.search(r"^about_(\w) value: (?:0 for [12]|1 for [23]|2 for [34]) \(item 1\)", case.detail)
    made = re.search(rf"^(with [^:]*: )?{found[1]} = (?!T\()", case.program, re.MULTILINE) if found else None
    return made is not None and found[1] not in whole_of(case.program)


def written_in_inference_mode(case):
    """The name has the memory of an inference tensor, or is PyTorch's where nothing is written to such tensors."""
    roots = whole_of(case.program)
    made = re.findall(r"^with torch\.inference_mode\(\): (\w) = ", case.program, re.MULTILINE)
    made = {root_of(roots, x) for x in made}
    names = {case.name.removeprefix("about_"), *re.findall(r"\b[a-m]\b", case.line)}
    if {root_of(roots, name) for name in names} & made:
        return True
    writes = re.compile(r"(\w)(?:\.\w+_\(|\[.*\] \S?= | \S{1,2}= )")
    lines = case.program.split("\n")
    found = [writes.match(line) for line in lines]
    kept = [x for x, m in zip(lines, found, strict=True) if not m or root_of(roots, m[1]) not in made]
    return len(kept) < len(lines) and case.instead("\n".join(kept))


def cumulated(case):
    """Our elements are those of the cumulative function called on a copy."""
    line = re.sub(r"(\w)\.(cumsum|cumprod)_\(", r"\1.clone().\2(", case.line).replace(f"{case.name} = ", "")
    if not case.reference or line == case.line:
        return False
    values = case.reference(case.program.replace(case.line, f"w = {line}")) or {}
    there = {x for _, _, elements in case.tensors(values, "w") for x in np.ravel(np.array(elements)).tolist()}
    return differ_so(lambda a, b: a in there or a != a)(case)


def assigned(case):
    """The memory of the name, or of one that shares it, was replaced."""
    roots = whole_of(case.program)
    moved = re.findall(r"\b(\w)\.data = (\w)", case.program)
    return root_of(roots, case.name) in {root_of(roots, x) for pair in moved for x in pair}


def one_write(case):
    """Ours counts one write to the tensor of `out=`."""
    found = re.search(r"version: (\d+) for (\d+)", case.detail)
    written = len(re.findall(rf"out=\(?.*\b{case.name}\b", case.program))
    return found is not None and int(found[1]) == written


def more_entries(case):
    found = re.search(r"^seen value: (\d) for (\d)\b", case.detail)
    return found is not None and int(found[1]) >= int(found[2])


def pieces(case, ours, theirs):
    return ours != theirs


def of_rows(shape):
    """The strides of a tensor without gaps whose last dimension runs fastest."""
    steps, n = [], 1
    for length in reversed(shape):
        steps.insert(0, n)
        n *= length
    return tuple(steps)


def _strides(case):
    """Our strides, PyTorch's and the shape that the detail names; None if it names none."""
    found = re.search(r"strides: (\(.*?\)) for (\(.*?\)) of (\(.*?\))", case.detail)
    return [eval(text) for text in found.groups()] if found else None


def _alike(shape, one, other):
    return all(a == b or n == 1 for a, b, n in zip(one, other, shape, strict=True))


def row_by_row(case):
    """Our result is contiguous, PyTorch's has the order of a step inside."""
    found = _strides(case)
    return found is not None and _alike(found[2], found[0], of_rows(found[2]))


def column_by_column(case):
    """PyTorch's result has the elements of a column side by side, as LAPACK wants them; ours has no gaps."""
    found = _strides(case)
    if not found or len(found[2]) < 2:
        return False
    *batch, rows, columns = found[2]
    steps = of_rows((*batch, columns, rows))
    return _dense(found[2], found[0]) and _alike(found[2], found[1], (*steps[:-2], steps[-1], steps[-2]))


def without_gaps(case):
    """PyTorch's result has the strides of an operand with gaps; ours has none."""
    found = _strides(case)
    mine = [v for name, v in case.ours.items() if name != case.name and v[0] == "tensor" and v[2] == tuple(found[2])]
    return row_by_row(case) and any(_alike(found[2], v[3], found[1]) for v in mine)


def permuted(case):
    """Both results have no gaps; they have their dimensions in another order."""
    found = _strides(case)
    return found is not None and all(_dense(found[2], strides) for strides in found[:2])


def _dense(shape, strides):
    n = 1
    for stride, length in sorted(zip(strides, shape, strict=True)):
        if length > 1 and stride != n:
            return False
        n *= length
    return True


def operand_shares_memory(case):
    """An operand in the line has elements that share memory, so that its strides do not tell an order."""
    names = set(re.findall(r"\b[a-m]\b", case.line))
    for name in names:
        value = case.ours.get(name)
        if value and value[0] == "tensor" and not isinstance(value[3], str):
            reach = 0
            for stride, length in sorted(zip(value[3], value[2], strict=True)):
                if length > 1 and stride <= reach:
                    return True
                reach += (length - 1) * stride
    return False


def layout_of_the_input(case):
    """Our result has the layout of the first operand that has its shape."""
    ours, theirs = case.summaries()
    item = re.search(r"\(item (\d+)\)", case.detail)
    ours = ours[1][int(item[1])] if item and ours and ours[0] in ("tuple", "list") else first(ours)
    argument = re.match(r"r = [\w.]+\((\w+\.[\w.]+\([^()]*\))", case.line)
    if argument and case.reference and (found := _strides(case)):
        values = case.reference(re.sub(r"^r = .*$", f"r = {argument[1]}", case.program, flags=re.MULTILINE)) or {}
        value = values.get("r")
        if value and value[0] == "tensor" and tuple(value[2]) == tuple(found[2]):
            order = [
                sorted((s, i) for i, (s, n) in enumerate(zip(v, found[2], strict=True)) if n > 1)
                for v in (value[3], found[0])
            ]
            return [i for _, i in order[0]] == [i for _, i in order[1]]
    names = re.findall(r"\b[a-m]\b", case.line.partition(" = ")[2])
    for name in names[int(item[1]) :] if item and "_foreach" in case.line else names:
        value = case.ours.get(name)
        if (
            value
            and value[0] == "tensor"
            and ours
            and ours[0] == "tensor"
            and value[2] == ours[2]
            and name != case.name
        ):
            strides = [(s, i) for i, (s, n) in enumerate(zip(value[3], value[2], strict=True)) if n > 1]
            mine = [(s, i) for i, (s, n) in enumerate(zip(ours[3], ours[2], strict=True)) if n > 1]
            return [i for _, i in sorted(strides)] == [i for _, i in sorted(mine)]
    return False


def written_out(case):
    """PyTorch's gradient is expanded, ours has no gaps."""
    found = _strides(case)
    return found is not None and _dense(found[2], found[0]) and expanded(found[1], found[2])


def expanded(strides, shape):
    return any(s == 0 < n - 1 for s, n in zip(strides, shape, strict=True))


def both_have_gaps(case):
    found = _strides(case)
    return found is not None and not any(_dense(found[2], strides) for strides in found[:2])


def of_every_example(case):
    """Our gradient is expanded, because it is the same for all examples."""
    found = _strides(case)
    return found is not None and expanded(found[0], found[2]) and "vmap(" in case.line


def infinite(x):
    return not (x != x) and not np.isfinite(x)


def nan_first(case):
    """Of rows with NaN the order differs; the elements are the same."""
    ours, theirs = map(first, case.summaries())
    if not unbounded(case) or not ours or ours[0] != "tensor" or theirs[0] != "tensor":
        return False
    return sorted(map(str, np.ravel(ours[5]))) == sorted(map(str, np.ravel(theirs[5])))


def nan_in(case):
    return any(x.dtype.kind in "fc" and np.isnan(x).any() for x in case.operands()) or "nan" in case.line


with_infinities = every(not_finite, unbounded)
cannot_tell = some(restored, singular)
to_double = instead(r"(?<![\w.'])([a-m])(?![\w'])(?! = )", r"\1.double()")
as_ints = some(instead(r"(T\('\w+', \([^)]*\)\))", r"int(\1)"), instead(r", (\w+=)?([a-m])\b", r", \1int(\2)"))


def most_frequent(case):
    """Each of our values is one of the most frequent in its row, at our index; a NaN equals no other."""
    (x, *_), ours = case.operands() or [None], case.summaries()[0]
    if x is None or not x.ndim or ours[0] != "tuple":
        return False
    value, index = (np.array(item[5]).reshape(item[2]) for item in ours[1])
    for d in range(x.ndim):
        one, at = (np.expand_dims(i, d) if i.ndim < x.ndim else i for i in (value, index))
        if one.shape != tuple(1 if k == d else n for k, n in enumerate(x.shape)):
            continue
        counts = (x[..., None] == np.moveaxis(x, d, -1)[(*[slice(None)] * d, None)]).sum(-1)
        most = np.maximum(counts.max(d, keepdims=True), 1)
        mine = np.maximum((x == one).sum(d, keepdims=True), 1)
        if np.array_equal(most, mine) and np.array_equal(np.take_along_axis(x, at, d), one, equal_nan=True):
            return True
    return False


def same_numbers(case):
    """Only dtypes differ, and ours is that of whole numbers where PyTorch's is float."""
    mine, others = case.tensors(case.ours), case.tensors(case.theirs)
    pairs = [(a, b) for a, b in zip(mine, others, strict=True) if a[1] != b[1]]
    return all(
        b[1] == "torch.float32"
        and a[1].startswith(("torch.bool", "torch.int", "torch.uint"))
        and np.array_equal(np.array(a[2], dtype=float), np.array(b[2], dtype=float))
        for a, b in pairs
    )


def replaced_by_another_shape(case):
    """A gradient differs, and `.data` of a tensor was replaced by one of another shape."""
    lines = case.program.split("\n")
    for i, line in enumerate(lines):
        found = re.match(r"(?:with .*: )?(\w)\.data = (\w)", line)
        if found and case.reference:
            before, after = (case.reference("\n".join(lines[:n])) for n in (i, i + 1))
            if before and after and before[found[1]][2:3] != after[found[1]][2:3]:
                return case.name == "seen" or " grad " in case.detail or re.search("backward|grad", case.line)
    return False


def from_an_array(case):
    """Ours is a tensor computed from an array, where PyTorch's method returns NotImplemented."""
    ours, theirs = case.summaries()
    return bool(ours) and ours[0] == "tensor" and theirs == ("other", "NotImplementedType") and "np." in case.line


def freed_by_a_storage(case):
    """PyTorch cannot read the tensor, whose storage became smaller; ours can."""
    ours, theirs = case.summaries()
    return bool(ours and theirs) and ours[0] == "tensor" and theirs[0] == "unreadable" and "resize_(" in case.program


def powers_of_the_real_part(case):
    """PyTorch's sum of powers is that of the real part of one complex number, and ours that of its absolute value."""
    order = [x for x in case.literals() if x == x][:1] or [2]
    ones = [x.item() for x in case.operands() if x.size == 1 and x.dtype.kind == "c"]
    pairs = case.pairs()
    return bool(pairs) and all(
        any(x.real and close(a, abs(x) ** order[0], 1e-3) and close(b, abs(x.real) ** order[0], 1e-3) for x in ones)
        for a, b in pairs
    )
