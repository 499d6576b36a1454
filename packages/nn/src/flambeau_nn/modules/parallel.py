"""Modules on several devices, of which there is one."""
from flambeau_nn.modules.module import Module

__all__ = ["DataParallel"]


class DataParallel(Module):
    """A module that would be run on several devices: on the CPU, `module` itself, and its state under that name."""

    def __init__(self, module, device_ids=None, output_device=None, dim: int = 0) -> None:
        super().__init__()
        self.module = module
        self.device_ids = []

    def forward(self, *inputs, **kwargs):
        return self.module(*inputs, **kwargs)
