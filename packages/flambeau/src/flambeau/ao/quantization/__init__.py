"""``torch.ao.quantization``: networks are not quantized. The modules that mark where they would be pass values on, as
they do in PyTorch until a network is converted.

>>> import flambeau as torch
>>> torch.ao.quantization.QuantStub()(torch.ones(2))
tensor([1., 1.])
"""

from typing import Any

from flambeau_nn import Module
from flambeau_tensor import Tensor


class QuantStub(Module):
    """Where values would become quantized: returns what it is given."""

    def __init__(self, qconfig: Any = None) -> None:
        super().__init__()
        if qconfig:
            self.qconfig = qconfig

    def forward(self, x: Tensor) -> Tensor:
        """`x`."""
        return x


class DeQuantStub(QuantStub):
    """Where values would become numbers again: returns what it is given."""


def __getattr__(name: str) -> Any:
    from flambeau_tensor.not_built import left_out

    raise left_out("torch.ao.quantization", name)
