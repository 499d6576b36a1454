"""The steps that implement an operator's kernel: one function for each operator, in the file of its family.

A formula receives a Builder, the arguments in the schema's order with windows for tensors, and the windows of the
results, which it fills. It returns NotImplemented for arguments that it does not support; then the kernel is called.
Elementwise operators need no formula: the loop that eager mode runs is known.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any

from flambeau_tensor.extend import find_operator

Formula = Callable[..., Any]

FAMILIES = (
    "copies",
    "joining",
    "arranging",
    "matmul",
    "reductions",
    "losses",
    "views",
    "normalization",
    "exponentials",
)
_FORMULAS: dict[Any, Formula] = {}
_loaded = False


def formula(*names: str) -> Callable[[Formula], Formula]:
    """Declare a function as the formula of operators.

    Raises:
        ImportError: the operator does not exist.
    """

    def declare(function: Formula) -> Formula:
        for name in names:
            op = find_operator(name)
            if op is None or not hasattr(op, "implementation"):
                raise ImportError(f"formula {function.__name__}: there is no operator {name}")
            _FORMULAS[op] = function
        return function

    return declare


def find(op: Any) -> Formula | None:
    """The formula of an operator."""
    global _loaded
    if not _loaded:
        for family in FAMILIES:
            import_module(f"flambeau_compile.formulas.{family}")
        _loaded = True
    return _FORMULAS.get(op)


def known() -> dict[Any, Formula]:
    """All operators that have a formula."""
    find(None)
    return dict(_FORMULAS)
