"""Examples in the documentation of operators: short programs that are run on request.

A package's ``ops/examples.txt`` has a line for each operator that no pattern covers. Results are computed, not stored,
so they are always correct.
"""

import ast
import sys
from functools import cache
from pathlib import Path
from types import SimpleNamespace

# Names that programs may use without defining them.
DEFINITIONS = {
    "x": "torch.tensor([1.0, 2.0, 3.0])",
    "A": "torch.tensor([[2.0, 1.0], [1.0, 3.0]])",
    "m": "torch.arange(6.0).reshape(2, 3)",
    "line": "torch.tensor([[[1.0, 4.0, 2.0, 3.0]]])",
    "image": "torch.arange(16.0).reshape(1, 1, 4, 4)",
}
# Arguments to try in turn until an operator accepts them: for one tensor, and for two.
_SINGLE = (
    "torch.tensor([0.5, 1.0, 2.0])",
    "torch.tensor([0.2, 0.5, 0.8])",
    "A",
    "torch.tensor([3, 1, 2])",
    "torch.tensor([1 + 2j, 3 - 1j])",
    "line",
    "image",
    "torch.tensor([True, False])",
)
_PAIRS = (
    ("x", "torch.tensor([0.5, 2.0, 4.0])"),
    ("torch.tensor([6, 3])", "torch.tensor([4, 2])"),
    ("A", "torch.tensor([[1.0], [2.0]])"),
    ("A", "torch.tensor([1.0, 2.0])"),
)


class _Torch:
    """The part of ``torch`` that the loaded packages provide."""

    def __getattr__(self, name):
        import flambeau_tensor
        from flambeau_tensor._core.schema.registry import find_operator, functions

        if name == "nn":  # for that package's declarations
            return sys.modules.get("flambeau_nn") or SimpleNamespace(
                functional=SimpleNamespace(**functions("torch.nn.functional"))
            )
        return getattr(flambeau_tensor, name, None) or find_operator(f"torch.{name}")


@cache
def _written():
    """Return the lines of the packages' tables, by full name of the operator."""
    found = {}
    for name, module in list(sys.modules.items()):
        if name.startswith("flambeau_") and name.endswith(".ops") and getattr(module, "__file__", None):
            table = Path(module.__file__).with_name("examples.txt")
            for line in table.read_text(encoding="utf-8").splitlines() if table.exists() else ():
                if line and not line.startswith("#"):
                    full, _, program = line.partition("  ")
                    found[full] = program
    return found


def _statements(program):
    """Return the program's statements as text, after the definitions of the names that it uses."""
    tree = ast.parse(program)
    named = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    made = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    before = [f"{name} = {text}" for name, text in DEFINITIONS.items() if name in named - made]
    return before + [ast.get_source_segment(program, node) for node in tree.body]


def run(program, names=()):
    """Return the program's statements and its last value as text. Random numbers come from a separate seed.

    >>> run("torch.ones(2) + 1")
    (['torch.ones(2) + 1'], 'tensor([2., 2.])')
    """
    from flambeau_overrides import DisableTorchFunction
    from flambeau_tensor._core.call.dispatching import Undispatched
    from flambeau_tensor.random import fork_rng, manual_seed

    *steps, last = _statements(program)
    names = {"torch": _Torch(), **dict(names)}
    with DisableTorchFunction(), Undispatched(), fork_rng():  # hidden from the program's modes, handlers and generator
        manual_seed(0)
        for step in steps:
            exec(step, names)
        return [*steps, last], repr(eval(last, names))


def _shown(program, seeded):
    """Return the program as an interactive session would show it, and its result as text."""
    steps, shown = run(program)
    lines = [">>> _ = torch.manual_seed(0)"] * seeded + [f">>> {step}" for step in steps]
    return lines, "" if shown == "None" else shown


def full_name(op):
    """The name under which an operator is looked up: ``torch.exp``, ``torch.Tensor.view``."""
    return f"{op.namespace}.{op.name}" if op.is_function else f"torch.Tensor.{op.name}"


def _patterns(op):
    """Return programs that may suit an operator without a line in a table."""
    from flambeau_tensor.documentation import parameter_names

    needed = [a for _, a in parameter_names(op) if not a.has_default]
    if not 1 <= len(needed) <= 2 or any(a.type.partition("(")[0].rstrip("?") != "Tensor" for a in needed):
        return
    for values in [(one,) for one in _SINGLE] if len(needed) == 1 else _PAIRS:
        if op.is_function:
            yield f"{full_name(op)}({', '.join(values)})"
        else:
            yield f"{values[0]}.{op.name}({', '.join(values[1:])})"


def _in_place(program, op):
    """Return a program that shows what ``op`` writes, made from one for the operator whose in-place form it is."""
    *steps, last = ast.parse(program).body
    call = last.value
    if (
        not isinstance(call, ast.Call)
        or not isinstance(call.func, ast.Attribute)
        or call.func.attr != op.functional.name
    ):
        return
    target, given = call.func.value, call.args
    if isinstance(target, ast.Name) and target.id == "torch":
        target, *given = given
    method = ast.Attribute(ast.Name("out"), op.name)
    steps = [*map(ast.unparse, steps), f"out = {ast.unparse(target)}"]
    if isinstance(target, ast.Name):
        steps[-1] += ".clone()"
    yield "; ".join([*steps, ast.unparse(ast.Call(method, given, call.keywords))])


def programs(op):
    """Return programs that may show what an operator does, the best one first."""
    written = _written().get(full_name(op))
    if written:
        yield written
    elif op.functional is None:
        yield from _patterns(op)
    else:
        for program in programs(op.functional):
            yield from _in_place(program, op)


def example(op):
    """Return the lines of an operator's example with its result; an empty list if there is no example.

    >>> from flambeau_tensor import exp
    >>> print("\\n".join(example(exp)))
    >>> torch.exp(torch.tensor([0.5, 1.0, 2.0]))
    tensor([1.6487, 2.7183, 7.3891])
    """
    if op.namespace.startswith("torch.ops"):
        return []  # users' operators, whose kernels run when they are called
    seeded = any(a.type.startswith("Generator") for a in op.schema.arguments)
    written = full_name(op.functional or op) in _written()
    import warnings

    with warnings.catch_warnings():
        # A program that warns is not a good example, except for deprecated operators.
        warnings.simplefilter("ignore" if written else "error")
        for program in programs(op):
            try:
                lines, shown = _shown(program, seeded)
            except Exception:
                continue  # an unsuitable argument, or a missing package
            if written or "nan" not in shown:
                return lines + shown.splitlines()
    return []
