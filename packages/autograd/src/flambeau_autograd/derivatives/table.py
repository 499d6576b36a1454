"""What the files of rules are written with: ``derivative`` and helpers that several families use."""

from flambeau_autograd._engine.formulas import conj, spread
from flambeau_autograd._engine.rule import check_complete, derivative, missing_derivatives

__all__ = ["check_complete", "conj", "derivative", "missing_derivatives", "spread"]
