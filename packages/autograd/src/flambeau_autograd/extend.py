"""The functions that packages built on flambeau_autograd use, in addition to the public ones.

>>> from flambeau_autograd.extend import batching_rules_in
"""

from flambeau_autograd._engine.graph.backward import grad_between
from flambeau_autograd._engine.graph.engine import (
    anomaly_address,
    current_run,
    queue_callback,
    returns_gradients,
    run_order,
    will_run,
)
from flambeau_autograd._engine.graph.rule import check_complete, derivative
from flambeau_autograd._engine.graph.saved import any_hooks_address, hooks_of_thread, pop_hooks, push_hooks
from flambeau_autograd._engine.graph.saved_tensor import SavedTensor
from flambeau_autograd._engine.levels.batch_level import BatchLevel, batching_rules_in
from flambeau_autograd._engine.levels.dispatch import VmapUnsupportedError, call
from flambeau_autograd._engine.levels.layers import Layer, add_layer, innermost, remove_layer
from flambeau_autograd._engine.levels.level import levels
from flambeau_autograd._engine.levels.own_level import OwnLevel

__all__ = [
    "BatchLevel",
    "Layer",
    "OwnLevel",
    "SavedTensor",
    "VmapUnsupportedError",
    "add_layer",
    "anomaly_address",
    "any_hooks_address",
    "batching_rules_in",
    "call",
    "check_complete",
    "current_run",
    "derivative",
    "grad_between",
    "hooks_of_thread",
    "innermost",
    "levels",
    "pop_hooks",
    "push_hooks",
    "queue_callback",
    "remove_layer",
    "returns_gradients",
    "run_order",
    "will_run",
]
