"""The derivative rules of this package's operations: one file a family, in the shape of
``flambeau_autograd.derivatives``."""

from importlib import import_module as _import

from flambeau_autograd.derivatives import check_complete as _check_complete

FAMILIES = ("activation", "pooling", "normalization", "padding", "loss", "convolution")
for _family in FAMILIES:
    _import(f"flambeau_nn.derivatives.{_family}")
_check_complete("torch")
