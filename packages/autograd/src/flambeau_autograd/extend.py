"""What packages that build on flambeau_autograd use of it, beside what users do.

>>> from flambeau_autograd.extend import batching_rules_in
"""

from flambeau_autograd._engine.batch_level import BatchLevel, batching_rules_in
from flambeau_autograd._engine.dispatch import VmapUnsupportedError
from flambeau_autograd._engine.engine import current_run, queue_callback
from flambeau_autograd._engine.layers import innermost
from flambeau_autograd._engine.levels import levels
from flambeau_autograd._engine.rule import check_complete, derivative

__all__ = [
    "BatchLevel",
    "VmapUnsupportedError",
    "batching_rules_in",
    "check_complete",
    "current_run",
    "derivative",
    "innermost",
    "levels",
    "queue_callback",
]
