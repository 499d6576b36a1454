"""Layers of ``torch.nn`` that are not built.

Their classes exist, as programs ask ``isinstance(module, nn.LazyLinear)`` of modules that are none. Making one raises
NotBuiltError.
"""
from __future__ import annotations

from typing import Any

from flambeau_nn.modules.module import Module
from flambeau_tensor.not_built import not_built

MISSING = (
    "LazyBatchNorm1d", "LazyBatchNorm2d", "LazyBatchNorm3d",
    "LazyConv1d", "LazyConv2d", "LazyConv3d", "LazyConvTranspose1d", "LazyConvTranspose2d", "LazyConvTranspose3d",
    "LazyInstanceNorm1d", "LazyInstanceNorm2d", "LazyInstanceNorm3d", "LazyLinear",
)


def not_built_layer(name: str) -> type:
    """A class of this name that cannot be made."""
    def __init__(self: Module, *args: Any, **kwargs: Any) -> None:
        raise not_built(f"torch.nn.{name}")

    members = {"__init__": __init__, "__not_built__": True, "__module__": __name__,
               "__doc__": "Not built: making one raises NotBuiltError."}
    return type(name, (Module,), members)
