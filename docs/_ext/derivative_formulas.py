"""The formulas of derivatives as they are written: a rule's lambda without its parameters."""

import ast
import inspect
import re
from functools import cache

LONGEST = 120  # characters; what is longer is a program and no formula
SAID = {
    "same": "grad",
    "scaled": "alpha * grad",
    "scaled_negative": "-alpha * grad",
    "mul_self": "grad * conj(other)",
    "mul_other": "grad * conj(self)",
}  # the compiled ones
PRIVATE = re.compile(r"\b_(?=\w+\()")
PREFIX = re.compile(r"\b(?:ops|factories|reductions|F|torch|formulas)\.(?=\w)")


@cache
def lambdas(filename):
    """The lambdas of a file with their source, by line."""
    with open(filename, encoding="utf-8") as file:
        source = file.read()
    found = {}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Lambda):
            found.setdefault(node.lineno, []).append((node, ast.get_source_segment(source, node.body)))
    return found


def formula(function):
    """The text of what a rule's function computes; None where it is no single expression."""
    name = getattr(function, "__name__", "")
    if name != "<lambda>":
        return SAID.get(name)
    code = function.__code__
    try:
        near = lambdas(inspect.getsourcefile(function))[code.co_firstlineno]
    except (OSError, TypeError, KeyError):
        return None
    columns = {start for line, _, start, _ in code.co_positions() if line is not None and start}
    parameters = code.co_varnames[: code.co_argcount]
    fitting = [
        text
        for node, text in near
        if tuple(a.arg for a in node.args.args) == parameters
        and any(node.body.col_offset <= c <= (node.body.end_col_offset or 0) for c in columns)
    ]
    texts = {PREFIX.sub("", " ".join(text.split())) for text in fitting}
    text = PRIVATE.sub("", texts.pop()) if len(texts) == 1 else ""
    return text if 0 < len(text) <= LONGEST and "_backward(" not in text else None


def formulas(rule):
    """Argument name -> formula, as far as there are any."""
    functions = getattr(rule, "functions", None) or ()
    pairs = functions.items() if isinstance(functions, dict) else zip(rule.argument_names, functions, strict=False)
    return {name: text for name, function in pairs if (text := formula(function))}
