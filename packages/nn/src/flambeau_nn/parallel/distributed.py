"""Training on several machines, which is not built; programs name the class to ask whether a model is one."""

from __future__ import annotations

from typing import Any

from flambeau_nn.modules.module import Module

__all__ = ["DistributedDataParallel"]


class DistributedDataParallel(Module):
    """A module that shares its gradients with other processes. There are none: making one raises.

    Raises:
        ValueError: as PyTorch raises where no process group has been made.
    """

    def __init__(self, module: Module, *args: Any, **kwargs: Any) -> None:
        raise ValueError("Default process group has not been initialized, please make sure to call init_process_group.")
