"""``torch.utils.hooks``: the handle that removes a hook."""

import warnings
from collections.abc import Callable
from typing import Any, TypeVar

from flambeau_autograd.hooks import RemovableHandle

F = TypeVar("F", bound=Callable[..., Any])

__all__ = ["RemovableHandle", "unserializable_hook", "warn_if_has_hooks"]


def unserializable_hook(f: F) -> F:
    """Mark a hook on a tensor, so that pickling the tensor warns that the hook is lost."""
    f.__torch_unserializable__ = True  # type: ignore[attr-defined]  # a mark on a function
    return f


def warn_if_has_hooks(tensor: Any) -> None:
    """Warn if a tensor has hooks that are not marked by `unserializable_hook`."""
    for hook in (getattr(tensor, "_backward_hooks", None) or {}).values():
        if not hasattr(hook, "__torch_unserializable__"):
            warnings.warn(
                f"backward hook {hook!r} on tensor will not be serialized.  If this is expected, you can "
                "decorate the function with @torch.utils.hooks.unserializable_hook to suppress this warning",
                stacklevel=2,
            )
