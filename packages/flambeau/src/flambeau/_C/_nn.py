"""``torch._C._nn``: operators of ``torch.nn.functional``; losses take the number of their reduction."""

from flambeau._C.losses import loss_with_number
from flambeau_nn import functional
from flambeau_nn.modules import module as _modules
from flambeau_nn.ops.activation import elu_ as _scaled_elu
from flambeau_tensor.lazy_attributes import attach as _attach


def _parse_to(*args, **kwargs):
    """Parse the arguments of `to` into device, dtype, non_blocking, memory format."""
    device, dtype, memory_format = _modules._parse_to(*args, **kwargs)
    return device, dtype, bool(kwargs.get("non_blocking", False)), memory_format


def elu(input, alpha=1, scale=1, input_scale=1):
    """Compute `torch.nn.functional.elu` with two scales, and not in place."""
    return _scaled_elu(input, alpha, scale, input_scale)


def _find(name):
    return loss_with_number(name) or getattr(functional, name, None)


__getattr__, __dir__ = _attach(__name__, "torch._C._nn", {"slow_conv3d": "flambeau_nn.private_names"}, find=_find)
