"""The derivative rules: one file per family, one line per operation.

``derivative`` documents the rules. ``check_complete`` raises an error if a differentiable operation has no rule.
"""

from importlib import import_module as _import
from importlib.machinery import PathFinder as _PathFinder
from importlib.util import find_spec as _find_spec

from flambeau_autograd._engine.graph.rule import declare_overwriting
from flambeau_autograd._engine.levels.batch_level import batching_rules_in as _batching_rules_in
from flambeau_autograd.derivatives.table import check_complete, derivative, missing_derivatives, vanishing
from flambeau_tensor.extend import import_declarations as _import_declarations
from flambeau_tensor.extend import late_families as _late_families
from flambeau_tensor.extend import sockets as _sockets

__all__ = ["check_complete", "derivative", "missing_derivatives", "vanishing"]

FAMILIES = (
    "attributes",
    "factories",
    "views",
    "pointwise",
    "activation_backward",
    "matmul",
    "reductions",
    "softmax",
    "joining",
    "indexing",
    "gathering",
)
_import_declarations("flambeau_autograd.attributes")
for _family in FAMILIES:
    _import(f"flambeau_autograd.derivatives.{_family}")


def _has(package, family):
    """Whether a package has a module of this name. Finding the module by its full name would import the package, and
    with it all batching rules, which are only loaded at the first ``vmap``."""
    found = _find_spec(package)
    return found is not None and _PathFinder.find_spec(f"{package}.{family}", found.submodule_search_locations)


def _load_rules(module):
    """Import the rules of a family that is declared when it is first named."""
    package, _, family = module.replace("flambeau_tensor.", "flambeau_autograd.").rpartition(".ops.")
    if not package:  # a module of compositions
        return
    if _has(f"{package}.derivatives", family):
        _import(f"{package}.derivatives.{family}")
    if _has(f"{package}.batching", family):
        _batching_rules_in(f"{package}.batching.{family}")


def _complete(*late):
    for family in late:
        _load_rules(family)
    declare_overwriting()
    check_complete("torch")


_sockets.family_declared = _complete
_complete(*_late_families())
