"""``torch.signal``: signal processing."""

from flambeau_tensor.lazy_attributes import attach as _attach
from flambeau_tensor.signal import windows as windows

__all__ = ["windows"]


__getattr__, __dir__ = _attach(__name__, "torch.signal")
