"""Batching rules of this package's operations, one file per family, as in ``flambeau_autograd.batching``."""

from importlib import import_module as _import

FAMILIES = ("padding", "pooling", "normalization", "loss", "convolution")
for _family in FAMILIES:
    _import(f"flambeau_nn.batching.{_family}")
