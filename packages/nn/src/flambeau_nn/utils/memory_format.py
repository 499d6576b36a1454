"""Weights of convolutions in another memory format."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flambeau_tensor.options import memory_format as MemoryFormat

if TYPE_CHECKING:
    from flambeau_nn.modules.module import Module
__all__ = ["convert_conv2d_weight_memory_format", "convert_conv3d_weight_memory_format"]


def _converted(module: Module, kinds: tuple[type, ...], memory_format: MemoryFormat) -> Module:
    for each in module.modules():
        if isinstance(each, kinds):
            each.weight.data = each.weight.detach().clone(memory_format=memory_format)
    return module


def convert_conv2d_weight_memory_format(module: Module, memory_format: MemoryFormat) -> Module:
    """Convert the weights of all two-dimensional convolutions in ``module`` to ``memory_format``; return it."""
    import flambeau_nn as nn

    return _converted(module, (nn.Conv2d, nn.ConvTranspose2d), memory_format)


def convert_conv3d_weight_memory_format(module: Module, memory_format: MemoryFormat) -> Module:
    """Convert the weights of all three-dimensional convolutions in ``module`` to ``memory_format``; return it."""
    import flambeau_nn as nn

    return _converted(module, (nn.Conv3d, nn.ConvTranspose3d), memory_format)
