"""The default device: new tensors are created on it unless another device is given.

It is a mode, so only factories see it. `with torch.device(...)` sets it for a block of code.

>>> get_default_device()
device(type='cpu')
"""

from threading import local

import flambeau_tensor
from flambeau_overrides import TorchFunctionMode
from flambeau_overrides.modes import _get_current_function_mode_stack
from flambeau_tensor.options import device as as_device

# Functions that create tensors from sizes, or from data that is not a tensor.
_FACTORIES = (
    "arange",
    "as_tensor",
    "asarray",
    "bartlett_window",
    "blackman_window",
    "empty",
    "empty_permuted",
    "empty_strided",
    "eye",
    "full",
    "hamming_window",
    "hann_window",
    "kaiser_window",
    "linspace",
    "logspace",
    "ones",
    "rand",
    "randint",
    "randn",
    "randperm",
    "range",
    "tensor",
    "tril_indices",
    "triu_indices",
    "zeros",
)
_FREQUENCIES = ("fftfreq", "rfftfreq")


def _factories():
    from flambeau_tensor import fft

    return {
        *(getattr(flambeau_tensor, name) for name in _FACTORIES if hasattr(flambeau_tensor, name)),
        *(getattr(fft, name) for name in _FREQUENCIES),
    }


class DeviceContext(TorchFunctionMode):
    """A mode in which factories without a device argument use this device."""

    def __init__(self, device):
        self.device = as_device(device)
        self.__torch_function_handles__ = _factories()

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = dict(kwargs or {})
        if kwargs.get("device") is None:
            kwargs["device"] = self.device
        return func(*args, **kwargs)


_thread = local()  # context: the mode that `set_default_device` entered, if any


def set_default_device(device) -> None:
    """Set the default device for new tensors; None resets it to the CPU.

    Args:
        device: a `torch.device` or its name.

    Raises:
        RuntimeError: the device type is unknown.

    >>> set_default_device("meta")
    >>> get_default_device()
    device(type='meta')
    >>> set_default_device(None)
    """
    device = None if device is None else as_device(device)
    if hasattr(_thread, "context"):
        _thread.context.__exit__(None, None, None)
        del _thread.context
    if device is not None and device.type != "cpu":
        _thread.context = DeviceContext(device)
        _thread.context.__enter__()


def get_default_device():
    """Return the default device of factory functions.

    >>> get_default_device()
    device(type='cpu')
    """
    for mode in reversed(_get_current_function_mode_stack()):
        if isinstance(mode, DeviceContext):
            return mode.device
    return as_device("cpu")
