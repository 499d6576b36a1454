"""The helpers for derivative rules: ``derivative``, and functions that several families use."""

from flambeau_autograd._engine.graph.formulas import conj, spread, vanishing
from flambeau_autograd._engine.graph.rule import check_complete, derivative, missing_derivatives
from flambeau_autograd._engine.levels.layers import elements_are_hidden

__all__ = [
    "check_complete",
    "conj",
    "derivative",
    "elements_are_hidden",
    "missing_derivatives",
    "spread",
    "vanishing",
    "without",
]


def without(name):
    """The formula of a derivative that is not implemented: it raises an error that names the derivative."""

    def formula(grad):
        raise NotImplementedError(f"the derivative for '{name}' is not implemented.")

    return formula
