"""Hooks on gradients: the handle that removes one, and the checks of their results."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Self
from weakref import ref

if TYPE_CHECKING:
    from types import TracebackType


class RemovableHandle:
    """Removes a hook: by ``remove()``, or at the end of a ``with`` block."""

    next_id = 0

    def __init__(self, hooks_dict: Any, *, extra_dict: Any = None) -> None:
        self.hooks_dict_ref = ref(hooks_dict)
        self.id = RemovableHandle.next_id
        RemovableHandle.next_id += 1
        extra = () if extra_dict is None else extra_dict if isinstance(extra_dict, list) else (extra_dict,)
        self.extra_dict_ref = tuple(ref(d) for d in extra)

    def remove(self) -> None:
        """Take the hook out; nothing happens if it is out already."""
        for reference in (self.hooks_dict_ref, *self.extra_dict_ref):
            hooks = reference()
            if hooks is not None:
                hooks.pop(self.id, None)

    def __getstate__(self) -> Any:
        return self.hooks_dict_ref(), self.id, tuple(r() for r in self.extra_dict_ref)

    def __setstate__(self, state: Any) -> None:
        hooks, self.id, extra = state
        self.hooks_dict_ref = ref(OrderedDict() if hooks is None else hooks)
        self.extra_dict_ref = tuple(ref(OrderedDict() if d is None else d) for d in extra)
        RemovableHandle.next_id = max(RemovableHandle.next_id, self.id + 1)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.remove()


def add_hook(hooks: Any, hook: Callable[..., Any]) -> tuple[Any, RemovableHandle]:
    """Put ``hook`` into an ordered dict of hooks (made if it is None); returns the dict and the handle."""
    if hooks is None:
        hooks = OrderedDict()
    handle = RemovableHandle(hooks)
    hooks[handle.id] = hook
    return hooks, handle


def _name(hook: Callable[..., Any]) -> str:
    return getattr(hook, "__name__", "<unknown>")


def checked(hook: Callable[..., Any], new: Any, old: Any) -> Any:
    """Check a hook's replacement of the gradient ``old`` and return it."""
    if not hasattr(new, "requires_grad"):
        raise TypeError(f"expected Variable, but hook returned '{type(new).__name__}'")
    if old is None:
        raise RuntimeError("can't replace a None gradient with a non-None value")
    if new.dtype is not old.dtype:
        raise RuntimeError(f"hook '{_name(hook)}' has changed the type of value (was {old.type()} got {new.type()})")
    if new.shape != old.shape:
        raise RuntimeError(f"hook '{_name(hook)}' has changed the size of value")
    return new


def checked_all(hook: Callable[..., Any], after: Any, before: Any) -> Any:
    """Check a node hook's replacement of the tuple of gradients ``before`` and return it, or None."""
    if not isinstance(after, tuple):
        raise TypeError(f"expected tuple, but hook returned '{type(after).__name__}'")
    if len(before) != len(after):
        raise RuntimeError(
            f"hook '{_name(hook)}' has returned an incorrect number of values (got {len(after)}, but "
            f"expected {len(before)})"
        )
    for old, new in zip(before, after, strict=True):
        if new is not None:
            checked(hook, new, old)
    return after
