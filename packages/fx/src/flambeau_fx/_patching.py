"""Names that tracers of packages import from ``torch.fx._symbolic_trace`` to replace functions in classes and modules
during a trace. :class:`Tracer` itself does not need them."""

import builtins
from collections.abc import Callable
from typing import Any

from flambeau_nn import Module
from flambeau_nn.interception import restored

__all__ = ["_Patcher", "_autowrap_check"]

_ABSENT = object()


class _Patcher:
    """Replaces values in dictionaries and classes until the context ends.

    A value that was replaced with `deduplicate` is not replaced again.
    """

    def __init__(self) -> None:
        self._undo: list[Callable[[], None]] = []
        self._seen: set[int] = set()

    def patch(self, frame_dict: dict[str, Any], name: str, new_fn: Any, deduplicate: bool = True) -> None:
        """Replace an entry; a name that is not there may be a built-in one."""
        before = frame_dict[name] if name in frame_dict or not hasattr(builtins, name) else _ABSENT
        if getattr(before, "_fx_patched", False):
            return
        new_fn._fx_patched = deduplicate
        frame_dict[name] = new_fn
        if before is _ABSENT:
            self._undo.append(lambda: frame_dict.pop(name))
        else:
            self._undo.append(lambda: frame_dict.__setitem__(name, before))

    def patch_method(self, cls: type, name: str, new_fn: Any, deduplicate: bool = True) -> None:
        """Replace an attribute of a class."""
        if getattr(getattr(cls, name), "_fx_patched", False):
            return
        new_fn._fx_patched = deduplicate
        before = cls.__dict__.get(name, _ABSENT)
        setattr(cls, name, new_fn)
        self._undo.append(lambda: self._put_back(cls, name, before))

    @staticmethod
    def _put_back(cls: type, name: str, before: Any) -> None:
        if before is _ABSENT:
            delattr(cls, name)
        else:
            setattr(cls, name, before)
        if issubclass(cls, Module):
            restored(cls)

    def visit_once(self, thing: Any) -> bool:
        """Return True on the first call for this object."""
        first = id(thing) not in self._seen
        self._seen.add(id(thing))
        return first

    def __enter__(self) -> "_Patcher":
        return self

    def __exit__(self, *_: Any) -> None:
        while self._undo:
            self._undo.pop()()
        self._seen.clear()


def _autowrap_check(patcher: _Patcher, frame_dict: dict[str, Any], function_ids: set[int]) -> None:
    """Replace functions of a module's dictionary that have one of the ids, so that each is recorded as one node."""
    from flambeau_fx._symbolic_trace import _as_node

    if patcher.visit_once(frame_dict):
        for name, value in list(frame_dict.items()):
            if not name.startswith("_") and callable(value) and id(value) in function_ids:
                patcher.patch(frame_dict, name, _as_node(value))
