"""Where two outcomes of one recipe differ."""

import cmath
import math
import re

RTOL = {
    "torch.float32": 2e-5,
    "torch.complex64": 2e-5,
    "torch.float64": 1e-9,
    "torch.complex128": 1e-9,
    "torch.float16": 4e-3,
    "torch.bfloat16": 3e-2,
    "torch.complex32": 4e-3,
}


def close(a, b, rtol):
    """Whether two numbers, or nested lists of them, are near each other."""
    if isinstance(a, list) or isinstance(b, list):
        return (
            isinstance(a, list)
            and isinstance(b, list)
            and len(a) == len(b)
            and all(close(x, y, rtol) for x, y in zip(a, b, strict=True))
        )
    if a == b:
        return True
    if not rtol or isinstance(a, bool) or isinstance(b, bool):
        return False
    if isinstance(a, complex) or isinstance(b, complex):
        a, b = complex(a), complex(b)
        if not cmath.isfinite(a) or not cmath.isfinite(b):
            return cmath.isfinite(a) == cmath.isfinite(b)  # which part is what is nobody's promise
        scale = max(abs(a), abs(b))
        return abs(a - b) <= rtol * max(scale, 1)
    if math.isnan(a) or math.isnan(b):
        return math.isnan(a) and math.isnan(b)
    if math.isinf(a) or math.isinf(b):
        return False
    return abs(a - b) <= rtol * max(abs(a), abs(b), 1)


def apart(a, b, rtol):
    """The numbers that differ in two lists of one form, those of each; the first of them."""
    mine, theirs, left = [], [], [(a, b)]
    while left and len(mine) < 12:
        x, y = left.pop()
        if isinstance(x, list) and isinstance(y, list):
            left += [*zip(x, y, strict=True)][::-1]
        elif not close(x, y, rtol):
            mine.append(x)
            theirs.append(y)
    return mine, theirs


# What PyTorch computes to fewer digits (docs/differences.md).
ROUGH = {
    r"\b(\w*bessel_[jyik]\d|airy_ai|i0e?|i1e?|gammaincc?|igammac?_?)\(": 2e-4,
    r"\b(matrix_exp|lstsq|pinv\w*|\w+_norm|householder_product|ormqr)\(": 1e-3,
    r"(scaled_dot_product_attention|multi_head_attention_forward)\(|tan_?\(|\bfft\.\w+\(": 1e-4,
}


def tolerance(dtype, program):
    """How near numbers have to be: as in the shortest dtype that the program names, and what is written into `out=`,
    or made of integers in a program, may have been computed in the default one."""
    if not RTOL.get(dtype):
        return 0
    computed = [name for name in RTOL if re.search(rf"\b{name.removeprefix('torch.')}\b", program)]
    if ("out=" in program or program.startswith("seen")) and re.search("'(u?int|bool)", program):
        computed.append("torch.float32")
    rough = [least for pattern, least in ROUGH.items() if re.search(pattern, program)]
    return max([RTOL[name] for name in [dtype, *computed]] + rough)


def differ(ours, theirs, program="", *, strides=True, values=True):
    """The first way in which two summaries differ, None if in none."""
    if ours[0] == "other" or theirs[0] == "other":
        return None if ours[0] == theirs[0] else f"kind: {ours[:2]} for {theirs[:2]}"
    if ours[0] != theirs[0]:
        return f"kind: {ours[:2]} for {theirs[:2]}"
    if ours[0] == "tensor":
        for i, what in ((1, "dtype"), (2, "shape")):
            if ours[i] != theirs[i]:
                return f"{what}: {ours[i]} for {theirs[i]}"
        if values and not close(ours[5], theirs[5], tolerance(ours[1], program)):
            return "value: {} for {}".format(*apart(ours[5], theirs[5], tolerance(ours[1], program)))
        if ours[4] != theirs[4]:
            return f"requires_grad: {ours[4]} for {theirs[4]}"
        if strides and not same_strides(ours[2], ours[3], theirs[3]):
            return f"strides: {ours[3]} for {theirs[3]} of {ours[2]}"
        if (ours[6] is None) != (theirs[6] is None):
            return f"grad: {ours[6]} for {theirs[6]}"
        found = differ(ours[6], theirs[6], program, strides=strides, values=values) if ours[6] is not None else None
        if found:
            return f"grad {found}"
        for i, what in ((7, "alias"), (8, "version")):  # whose memory it has, and how often that was written
            if len(ours) > i < len(theirs) and ours[i] != theirs[i]:
                return f"{what}: {ours[i]} for {theirs[i]}"
        return None
    if ours[0] in ("list", "tuple", "dict"):
        if ours[2] != theirs[2]:
            return f"shape: {ours[2]} items for {theirs[2]}"
        for i, (a, b) in enumerate(zip(ours[1], theirs[1], strict=True)):
            if ours[0] == "dict" and a[0] != b[0]:
                return f"value: key {a[0]} for {b[0]}"
            found = differ(*((a[1], b[1]) if ours[0] == "dict" else (a, b)), program, strides=strides, values=values)
            if found:
                return f"{found} (item {i})"
        return None
    if ours[0] == "value":
        if ours[1] != theirs[1]:
            return f"kind: {ours[1]} for {theirs[1]}"
        if isinstance(ours[2], (bool, int, float, complex)) and values and not close(ours[2], theirs[2], 2e-5):
            return f"value: {ours[2]} for {theirs[2]}"
        return None
    if ours[0] == "unreadable":
        return None if theirs[1] in ours[1:] else f"type: {ours[1:]} for {theirs[1:]}"
    return None if ours == theirs else f"alias: {ours} for {theirs}"


def same_strides(sizes, ours, theirs):
    """Strides of dimensions with one element, and of tensors with none, say nothing."""
    if 0 in sizes or isinstance(ours, str):
        return True
    return all(a == b for n, a, b in zip(sizes, ours, theirs, strict=True) if n > 1)


def compare(ours, theirs, program="", **how):
    """The first difference of two outcomes as (class, detail), None if there is none.

    What a line leaves behind that raises in both is nobody's promise: the names in it are not compared.

    Classes: crash, hang, type (both raise, what a program that catches PyTorch's would miss), refused (only ours
    raises), accepted (only theirs raises), and those of values: value, dtype, shape, strides, kind, alias, grad, …
    """
    if isinstance(ours, str):
        return None if ours == "hang" and theirs == "hang" else (ours.partition(":")[0], ours)
    if isinstance(theirs, str):
        return None  # nothing to compare with
    (our_errors, our_values), (their_errors, their_values) = ours, theirs
    found = None
    for line in sorted({*our_errors, *their_errors}):
        a, b = our_errors.get(line), their_errors.get(line)
        if b is not None and b[0] == "AttributeError" and b[2].startswith("module 'torch"):
            return None  # a name that is ours alone
        if a is None:
            return "accepted", f"line {line}: {b[0]}: {b[2]}"
        if b is None:
            return "refused", f"line {line}: {a[0]}: {a[2]}"
        if b[0] not in a[1] and not (b[0] in CLOSE and a[0] == CLOSE[b[0]]):
            found = found or ("type", f"line {line}: {a[0]}: {a[2]} | {b[0]}: {b[2]}")
    if found:
        return found
    lines = program.split("\n")
    failed = [lines[line] for line in our_errors if line < len(lines)]
    unsaid = {name for line in failed for name in re.findall(r"\w+", line)}
    written = {name for line in failed if re.search(r"\w_\(", line) for name in re.findall(r"\b[a-mv]\b", line)}
    torn = any("backward" in line for line in failed)  # somewhere on its way
    for line in lines:  # what is made of what a line left halfway
        if written & {*re.findall(r"\w+", line)}:
            unsaid.update(re.findall(r"^\w+", line))
    if written:
        first = next(i for i, line in enumerate(lines) if line in failed and re.search(r"\w_\(", line))
        for line in lines[first + 1 :]:
            if written & {*re.findall(r"\w+", line)}:
                written.update(re.findall(r"^([a-mr]) = ", line))
                torn = torn or "backward" in line or "grad(" in line
        unsaid |= written
    if torn:
        unsaid.add("seen")
    for name in their_values:
        if name not in our_values and name not in unsaid:
            return "kind", f"{name} is only there in PyTorch"
    for name, value in our_values.items():
        if name in unsaid:
            continue
        if name not in their_values:
            return "kind", f"{name} is not there in PyTorch"
        if value[0] == "tensor" and not re.search(rf"^{name} = T\(", program, re.MULTILINE):
            value = value[:8]  # how often an operator writes to its own result is nobody's promise
        text = differ(value, their_values[name], program, **how)
        if text and not (torn and text.startswith("grad")):
            return text.partition(":")[0].replace("grad ", ""), f"{name} {text}"
    return None


CLOSE = {"OutOfMemoryError": "RuntimeError", "_LinAlgError": "LinAlgError"}  # another name of torch.linalg.LinAlgError
# What a session of fuzzing must not find.
WRONG = {"crash", "hang", "value", "dtype", "shape", "grad", "layout", "requires_grad", "kind", "alias", "version"}
