"""Elementwise functions as C expressions, for each dtype in which they compute.

Eager's inner loop computes functions without a line here, at the cost of a call for each row. Expressions compute the
same bits as these loops; functions with their own polynomials there have no expression here.
"""

from functools import cache

FLOATS = ("f32", "f64")

# "{0}" and "{1}" are operands. For float32, functions of the C library end in f. FL_FMA is used where the compiler
# contracts expressions in eager's loops.
_ARITHMETIC = {
    "copy": "{0}",
    "add": "({0} + {1})",
    "sub": "({0} - {1})",
    "rsub": "({1} - {0})",
    "mul": "({0} * {1})",
    "neg": "(-{0})",
    "add_scaled": "({0} + {2} * {1})",
    "sub_scaled": "({0} - {2} * {1})",
    "positive": "{0}",
}
_FLOATING = {
    "div": "({0} / {1})",
    "true_divide": "({0} / {1})",
    "reciprocal": "(1 / {0})",
    "square": "({0} * {0})",
    "abs": "__builtin_fabs{f}({0})",
    "sqrt": "__builtin_sqrt{f}({0})",
    "floor": "__builtin_floor{f}({0})",
    "ceil": "__builtin_ceil{f}({0})",
    "trunc": "__builtin_trunc{f}({0})",
    "relu": "({0} < 0 ? 0 : {0})",
    "prelu": "({0} > 0 ? {0} : {0} * {1})",
    "maximum": "({0} > {1} || {0} != {0} ? {0} : {1})",
    "minimum": "({0} < {1} || {0} != {0} ? {0} : {1})",
    "add_scaled": "FL_FMA{F}({2}, {1}, {0})",
    "sub_scaled": "FL_FMA{F}(-{2}, {1}, {0})",
    "tanh_backward": "({0} * FL_FMA{F}(-{1}, {1}, 1))",
}
_COMPARISONS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_LOGIC = {
    "logical_not": "(!{0})",
    "logical_and": "({0} && {1})",
    "logical_or": "({0} || {1})",
    "logical_xor": "(!{0} != !{1})",
}
INTEGERS = ("u8", "i8", "i16", "i32", "i64")


@cache
def expression(function: str, reads: tuple[str, ...]) -> str | None:
    """Return the C expression of a function for operands of these C types, or None if there is none."""
    kind = reads[0] if reads else "f32"
    if function == "copy":
        return "{0}"
    if function == "where":
        return "({0} ? {1} : {2})"
    if function in _COMPARISONS and len(set(reads)) == 1:
        return f"({{0}} {_COMPARISONS[function]} {{1}})"
    if function in _LOGIC:
        return _LOGIC[function]
    if len(set(reads)) != 1 or kind == "b8":
        return None
    if kind in FLOATS:
        text = _FLOATING.get(function) or _ARITHMETIC.get(function)
        suffix = "f" if kind == "f32" else ""
        return None if text is None else text.replace("{f}", suffix).replace("{F}", suffix.upper())
    return _ARITHMETIC.get(function) if kind in INTEGERS else None
