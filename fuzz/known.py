"""Differences that were decided, each with its row in docs/differences.md."""

import re

# (a pattern of the program, a pattern of "class detail", the reason)
DECIDED = [
    (r"(topk|kthvalue|mode|sort|median)\w*\(", r"^value", "which of equal elements"),
    (r"(scatter|put|index_copy)\w*\(|\[.*\b[a-m]\b.*\] = ", r"^value", "which of several writes to one element"),
    (r"polygamma", r"^value", "polygamma at poles is infinite"),
    (r"torch\.complex\(", r"^dtype.*complex32", "no complex32"),
]


def reason(program, kind, detail):
    """Why a difference is none, or None."""
    for in_program, in_difference, why in DECIDED:
        if re.search(in_program, program) and re.search(in_difference, f"{kind} {detail}"):
            return why
    return None
