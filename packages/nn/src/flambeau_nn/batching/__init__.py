"""How ``vmap`` runs this package's operations on all examples at once: one file a family, in the shape of
``flambeau_autograd.batching``."""

from importlib import import_module as _import

FAMILIES = ("padding", "pooling", "normalization", "loss", "convolution")
for _family in FAMILIES:
    _import(f"flambeau_nn.batching.{_family}")
