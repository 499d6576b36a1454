"""What the files of rules are written with: ``derivative`` and helpers that several families use."""

from flambeau_autograd._engine.formulas import conj, spread
from flambeau_autograd._engine.layers import elements_are_hidden
from flambeau_autograd._engine.rule import check_complete, derivative, missing_derivatives

__all__ = ["check_complete", "conj", "derivative", "elements_are_hidden", "missing_derivatives", "spread", "without"]


def without(name):
    """The formula of a derivative that nobody has: it raises, naming it."""

    def formula(grad):
        raise NotImplementedError(f"the derivative for '{name}' is not implemented.")

    return formula
