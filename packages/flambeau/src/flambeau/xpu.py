"""``torch.xpu``: there are no such devices, and functions that need one raise an error."""

from flambeau import _devices
from flambeau_tensor.lazy_attributes import attach as _attach

globals().update(_devices.device_module(__name__, "XPU"))


__getattr__, __dir__ = _attach(__name__, "torch.xpu", unlisted=True)
