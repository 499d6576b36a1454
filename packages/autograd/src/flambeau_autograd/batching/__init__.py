"""Batching rules: how ``vmap`` runs each operation on all examples at once.

Elementwise operations need none, compositions batch by what they are made of, and an operation without a rule runs
once for each example (``table.looped``), so a rule is only ever a matter of speed. One file per family, as in
``derivatives``; a package with operators of its own (nn) keeps its rules beside them, in a module that it names by
``extend.batching_rules_in``.
"""

from flambeau_autograd.batching import (  # noqa: F401  (they fill the table)
    factories,
    gathering,
    indexing,
    joining,
    matmul,
    pointwise,
    reductions,
    views,
)
from flambeau_autograd.batching.table import rule_of

__all__ = ["rule_of"]
