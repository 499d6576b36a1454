"""``torch.ao.quantization``: networks are not quantized. The marker modules return their inputs, as
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


# Packages test whether modules of a network are instances of these.
FakeQuantizeBase = class_not_built("torch.ao.quantization.FakeQuantizeBase")
ObserverBase = class_not_built("torch.ao.quantization.ObserverBase")


__getattr__, __dir__ = _attach(__name__, "torch.ao.quantization", unlisted=True)
