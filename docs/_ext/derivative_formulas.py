"""The formulas of derivatives: a rule's lambda without its parameters, or what derivatives.toml says.

A formula calls public functions only, so that a reader can evaluate it.
"""

import ast
import inspect
import re
import tomllib
from functools import cache
from pathlib import Path

from flambeau_tensor import Tensor

TOLD = tomllib.loads(Path(__file__).with_name("derivatives.toml").read_text(encoding="utf-8"))
LONGEST = 120  # characters; what is longer is a program and no formula
SAID = {
    "same": "grad",
    "scaled": "alpha * grad",
    "scaled_negative": "-alpha * grad",
    "mul_self": "grad * conj(other)",
    "mul_other": "grad * conj(self)",
    "negated": "-grad",
    "_zeros": "zeros_like(grad)",
    "square_self": "grad * 2 * conj(self)",
    "reciprocal_self": "-grad * conj(result * result)",
    "sqrt_self": "grad / (2 * conj(result))",
    "exp_self": "grad * conj(result)",
    "log_self": "grad / conj(self)",
    "sin_self": "grad * conj(cos(self))",
    "cos_self": "-grad * conj(sin(self))",
    "tanh_self": "grad * conj(1 - result * result)",
    "sigmoid_self": "grad * conj(result * (1 - result))",
    "relu_self": "grad * (result > 0)",
    "div_self": "grad / conj(other)",
    "div_other": "-grad * conj(self / (other * other))",
    "mm_self": "grad @ mat2.mH",
    "mm_mat2": "self.mH @ grad",
    "pow_self": "grad * conj(exponent * self ** (exponent - 1))",
    "_pow_exponent": "grad * conj(result * log(self))",
}  # the compiled ones
PREFIX = re.compile(r"\b(?:ops|factories|reductions|pointwise|views|F|torch|formulas)\.(?=\w)")
# Functions of ours that are called in formulas as users would call them, beside elementwise ones.
PUBLIC = set(
    "adjoint angle bmm channel_shuffle conj div erfcx exp exp2 flip i0 i0e i1 i1e inverse isnan logical_not max mm mv "
    "outer pixel_shuffle pixel_unshuffle polygamma reshape resolve_conj rsqrt softmax sum transpose tril triu tuple "
    "unbind cos sin log view_as_complex view_as_real where xlog1py xlogy zeros_like zeta".split()
)


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
    text = texts.pop() if len(texts) == 1 else ""
    return text if 0 < len(text) <= LONGEST and is_public(text) else None


def is_public(text):
    """Whether all that a formula calls is a public function, a method of tensors, or of the module math."""
    for node in ast.walk(ast.parse(text, mode="eval")):
        if isinstance(node, ast.Call):
            function = node.func
            known = (
                function.id in PUBLIC
                if isinstance(function, ast.Name)
                else isinstance(function, ast.Attribute) and hasattr(Tensor, function.attr) or is_of_math(function)
            )
            if not known:
                return False
    return True


def is_of_math(node):
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "math"


def formulas(op, full_name):
    """Argument name -> (formula or None, words or None) of an operator's derivatives, as far as there are any."""
    told, names = TOLD.get(full_name, {}), getattr(op.derivative, "argument_names", ())
    pairs = zip(names, getattr(op.derivative, "functions", None) or (), strict=False)
    found = {name: (as_shown(text), None) for name, function in pairs if (text := formula(function))}
    for name, said in told.items():
        if name in (a.name for a in op.schema.arguments):
            found.setdefault(name, (said, None) if isinstance(said, str) else (said.get("formula"), said.get("words")))
    return found


def refuses(op, name):
    """Whether backward raises an error for this argument."""
    functions, names = op.derivative.functions or (), op.derivative.argument_names
    function = functions[names.index(name)] if len(functions) == len(names) else next(iter(functions), None)
    return "NotImplementedError" in getattr(getattr(function, "__code__", None), "co_names", ())


def as_shown(text):
    """A formula with the names that readers know: the first tensor of a function is ``input``."""
    return re.sub(r"\bself(?=\b|_)", "input", re.sub(r"\b(\w+)_shape\b", r"\1.shape", text))
