"""``torch.utils._device``: the mode of ``with torch.device(...)``, and the functions that it affects."""

from flambeau_tensor.default_device import DeviceContext as DeviceContext
from flambeau_tensor.default_device import _factories as _device_constructors  # noqa: F401
from flambeau_tensor.default_device import set_default_device as set_device  # noqa: F401
