"""The derivative rules of this package's operations: one file a family, in the shape of
``flambeau_autograd.derivatives``."""
from importlib import import_module as _import

from flambeau_autograd.derivatives import check_complete as _check_complete
from flambeau_nn.ops import INTERNAL, NAMESPACE

FAMILIES = ("activation", "pooling", "normalization", "padding", "loss")
for _family in FAMILIES:
    _import(f"flambeau_nn.derivatives.{_family}")
for _namespace in (INTERNAL, NAMESPACE):
    _check_complete(_namespace)
