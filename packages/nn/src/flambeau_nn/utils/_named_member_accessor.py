"""A function of ``torch.nn.utils._named_member_accessor`` that packages use."""

from typing import Any

from flambeau_nn.modules.module import Module
from flambeau_tensor import Tensor


def swap_tensor(module: Module, name: str, tensor: Tensor, allow_missing: bool = False) -> Any:
    """Replace a parameter or buffer by a tensor and return the old one.

    Raises:
        TypeError: not a module, or not a tensor.
        KeyError: the name is empty or contains dots.
        AttributeError: the name does not exist, unless ``allow_missing``.
    """
    if not isinstance(module, Module):
        raise TypeError(f"{module} is not an instance of torch.nn.Module")
    if tensor is not None and not isinstance(tensor, Tensor):
        raise TypeError(f"{tensor} is not an instance of torch.Tensor")
    if "." in name or not name:
        raise KeyError(f'tensor name can\'t contain "." or be empty: got {name!r}')
    for place in (module._parameters, module._buffers):
        if name in place:
            before = place[name]
            place[name] = tensor
            return before
    if not hasattr(module, name) and not allow_missing:
        raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
    found = getattr(module, name, None)
    setattr(module, name, tensor)
    return found
