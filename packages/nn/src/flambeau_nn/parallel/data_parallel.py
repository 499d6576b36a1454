"""Data parallelism over several devices, of which only the CPU exists."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flambeau_nn.modules.module import Module

__all__ = ["DataParallel", "data_parallel"]


class DataParallel(Module):
    """A module for several devices: on the CPU it calls `module`, whose state is stored under that name.

    Shape:
        those of the module

    Raises:
        RuntimeError: raised by the module.

    >>> parallel = DataParallel(torch.nn.Linear(2, 3))
    >>> parallel(torch.ones(4, 2)).shape, [name for name, _ in parallel.named_parameters()]
    (torch.Size([4, 3]), ['module.weight', 'module.bias'])
    """

    def __init__(
        self, module: Module, device_ids: Sequence[Any] | None = None, output_device: object = None, dim: int = 0
    ) -> None:
        super().__init__()
        self.module = module
        self.device_ids: list[Any] = []

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        return self.module(*inputs, **kwargs)


def data_parallel(
    module: Module,
    inputs: Any,
    device_ids: Sequence[Any] | None = None,
    output_device: object = None,
    dim: int = 0,
    module_kwargs: dict[str, Any] | None = None,
) -> Any:
    """Return the result of `DataParallel` for a tuple of inputs or one: on the CPU, the module's own result."""
    inputs = inputs if isinstance(inputs, tuple) else () if inputs is None else (inputs,)
    return module(*inputs, **(module_kwargs or {}))
