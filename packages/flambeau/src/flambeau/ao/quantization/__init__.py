"""``torch.ao.quantization``: networks are not quantized. The modules that mark where they would be pass values on, as
they do in PyTorch until a network is converted.

>>> import flambeau as torch
>>> torch.ao.quantization.QuantStub()(torch.ones(2))
tensor([1., 1.])
"""

from typing import Any

from flambeau_nn import Module
from flambeau_tensor import Tensor
from flambeau_tensor.lazy_attributes import attach as _attach
from flambeau_tensor.not_built import class_not_built


class QuantStub(Module):
    """PyTorch's marker for quantization. It returns its input."""

    def __init__(self, qconfig: Any = None) -> None:
        super().__init__()
        if qconfig:
            self.qconfig = qconfig

    def forward(self, x: Tensor) -> Tensor:
        """`x`."""
        return x


class DeQuantStub(QuantStub):
    """PyTorch's marker for dequantization. It returns its input."""


# Packages ask of each module of a network whether it is one of these.
FakeQuantizeBase = class_not_built("torch.ao.quantization.FakeQuantizeBase")
ObserverBase = class_not_built("torch.ao.quantization.ObserverBase")


__getattr__, __dir__ = _attach(__name__, "torch.ao.quantization", unlisted=True)
