"""Differences that were decided, each with its row in docs/differences.md."""

import re

# (a pattern of the program, a pattern of "class detail", the reason)
DECIDED = [
    (r"(topk|kthvalue|mode|sort|median)\w*\(", r"^value", "which of equal elements"),
    (r"(scatter|put|index_copy)\w*\(|\[.*\b[a-m]\b.*\] = ", r"^value", "which of several writes to one element"),
    (r"polygamma", r"^value", "polygamma at poles is infinite"),
    (r"", r"^dtype.*complex32", "no complex32"),
    (r"\((?:.*\b)?([a-m])\b.*out=\(?.*\b\1\b", r"^(value|shape)", "out= that is read after it was written"),
    (r"soft_margin_loss", r"^value.* for (inf|\[.*inf)", "soft_margin_loss does not overflow"),
    (r"ldexp", r"^value", "ldexp of huge exponents"),
    (r"(var|std)_mean", r"^value.*inf.* for .*nan", "the mean of infinities"),
    (r"bucketize|searchsorted", r"^value", "boundaries that are not sorted"),
    (r"unique_consecutive", r"^(value|shape)", "flags that are mixed up"),
    (r"lcm", r"^value.*-", "lcm that overflows"),
    (r"sigmoid|logit|gelu", r"^value.*(nan|inf)", "activations of infinities"),
    (r"pairwise_distance|norm|dist", r"^value", "norms of tiny and huge orders"),
    (r"alpha=-2\*\*63", r"^value", "alpha that cannot be negated"),
    (r"\.data = |(unsqueeze|squeeze|t|transpose|swapaxes|resize)_\(", r"^(shape|dtype|grad|value about_\w value: \d)",
     "leaves given other data or shapes"),
    (r"@|_mode|\bno_grad", r"^value about_\w value: \d", "how often an operator writes its result"),
    (r"inference_mode", r"^(value|shape|grad)", "writes to inference tensors raise before they are made"),
    (r"(vjp|linearize)\(lambda x: \(x, ", r"^(grad|value)", "outputs that are inputs"),
]


def overlaps_itself(program):
    """Whether it makes a tensor whose elements share memory, which may be written to in any order."""
    for sizes, strides in re.findall(r"T\('\w+', (\([^)]*\)), (\([^)]*\))", program):
        reach = 0
        for stride, size in sorted(zip(eval(strides), eval(sizes), strict=True)):
            if size > 1 and stride <= reach:
                return True
            reach += (size - 1) * stride
    return False


def reason(program, kind, detail):
    """Why a difference is none, or None."""
    for in_program, in_difference, why in DECIDED:
        if re.search(in_program, program) and re.search(in_difference, f"{kind} {detail}"):
            return why
    if kind == "value" and not detail.startswith("r ") and overlaps_itself(program):  # `r` is a fresh result
        return "the order of writes to memory that overlaps itself"
    return None
