"""Batching rules: how ``vmap`` runs each operation on a batch.

Elementwise operations need none, compositions are batched by the operations that they call, and an operation without a
rule runs once for each example (``table.looped``), so rules only affect speed. There is one file per family, as in
``derivatives``. A package with its own operators (nn) keeps their rules in its own module and registers the module
with ``extend.batching_rules_in``.
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
