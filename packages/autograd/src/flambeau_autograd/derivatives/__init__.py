"""The derivative rules: one file a family, one line an operation.

How to write one is told in ``derivative``. What is declared here is complete: ``check_complete`` raises when a
differentiable operation has no line.
"""

from importlib import import_module as _import

from flambeau_autograd._engine.rule import declare_overwriting
from flambeau_autograd.derivatives.table import check_complete, derivative, missing_derivatives

__all__ = ["check_complete", "derivative", "missing_derivatives"]

FAMILIES = ("attributes", "factories", "views", "pointwise", "slopes", "random", "matmul", "reductions", "softmax",
            "joining", "indexing", "gathering", "rearranging", "cumulative", "sorting", "factorization",
            "solving", "spectral")
for _family in FAMILIES:
    _import(f"flambeau_autograd.derivatives.{_family}")
declare_overwriting()
check_complete("torch")
