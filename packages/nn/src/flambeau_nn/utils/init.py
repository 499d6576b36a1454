"""Creating modules with uninitialized parameters."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, TypeVar

__all__ = ["skip_init"]


if TYPE_CHECKING:
    from flambeau_nn.modules.module import Module

_M = TypeVar("_M", bound="Module")


def skip_init(module_cls: type[_M], *args: Any, **kwargs: Any) -> _M:
    """Create a ``module_cls`` with uninitialized parameters; no random numbers are drawn.

    Args:
        module_cls: the class of the module; its initializer accepts ``device``.
        args: positional arguments of the initializer.
        kwargs: keyword arguments of the initializer.

    Raises:
        RuntimeError: ``module_cls`` is not a module, or does not accept ``device``.
        TypeError: ``module_cls`` is not a class.

    >>> skip_init(torch.nn.Linear, 2, 3).weight.shape
    torch.Size([3, 2])
    """
    from flambeau_nn.modules.module import Module

    if not issubclass(module_cls, Module):
        raise RuntimeError(f"Expected a Module; got {module_cls}")
    if "device" not in inspect.signature(module_cls).parameters:
        raise RuntimeError("Module must support a 'device' arg to skip initialization")
    device = kwargs.pop("device", "cpu")
    return module_cls(*args, device="meta", **kwargs).to_empty(device=device)
