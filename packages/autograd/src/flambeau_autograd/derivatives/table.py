"""What the files of rules are written with: ``derivative`` and helpers that several families use."""

from flambeau_autograd._engine.formulas import conj, spread
from flambeau_autograd._engine.layers import innermost
from flambeau_autograd._engine.rule import check_complete, derivative, missing_derivatives

__all__ = ["check_complete", "conj", "derivative", "is_one_of_many", "missing_derivatives", "spread", "without"]


def is_one_of_many(*tensors):
    """Whether one of the tensors stands for many examples, so that formulas must not choose by its elements."""
    return innermost(tensors)[1] >= 0


def without(name):
    """The formula of a derivative that nobody has: it raises, naming it."""

    def formula(grad):
        raise NotImplementedError(f"the derivative for '{name}' is not implemented.")

    return formula
