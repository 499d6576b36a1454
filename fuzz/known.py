"""Differences that were decided, each with its row in docs/differences.md."""

import re

# (a pattern of the program, a pattern of "class detail", the reason)
DECIDED = [
]


def reason(program, kind, detail):
    """Why a difference is none, or None."""
    for in_program, in_difference, why in DECIDED:
        if re.search(in_program, program) and re.search(in_difference, f"{kind} {detail}"):
            return why
    return None
