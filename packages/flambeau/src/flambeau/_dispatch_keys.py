"""``torch._C.DispatchKey`` and sets of them: the names of dispatch keys, for which programs register kernels.

Here an operator has kernels for four keys (see ``flambeau_cext.library``). Registrations for other keys are only
stored.
"""

import threading
from collections.abc import Iterable
from enum import Enum
from typing import Any

from flambeau_cext.library.keys import KEYS

DispatchKey = Enum("DispatchKey", KEYS, start=0)  # type: ignore[misc]
DispatchKey.__doc__ = "A way to run an operator. The numbers are not PyTorch's."
_ORDER = {key: i for i, key in enumerate(DispatchKey)}


class DispatchKeySet:
    """A set of keys.

    >>> DispatchKeySet(DispatchKey.CPU) | DispatchKeySet(DispatchKey.Meta)
    DispatchKeySet(CPU, Meta)
    """

    __slots__ = ("_keys",)

    def __init__(self, keys: "DispatchKey | Iterable[DispatchKey]" = ()) -> None:
        self._keys = frozenset((keys,) if isinstance(keys, DispatchKey) else keys)

    def has(self, key: DispatchKey) -> bool:
        """Return True if the key is in the set."""
        return key in self._keys

    def add(self, key: DispatchKey) -> "DispatchKeySet":
        """The set with one more."""
        return DispatchKeySet(self._keys | {key})

    def remove(self, key: DispatchKey) -> "DispatchKeySet":
        """The set without it."""
        return DispatchKeySet(self._keys - {key})

    def highestPriorityTypeId(self) -> DispatchKey:  # noqa: N802
        """The last in order."""
        return max(self._keys, key=_ORDER.__getitem__, default=DispatchKey["Undefined"])

    def __or__(self, other: "DispatchKeySet") -> "DispatchKeySet":
        return DispatchKeySet(self._keys | other._keys)

    def __and__(self, other: "DispatchKeySet") -> "DispatchKeySet":
        return DispatchKeySet(self._keys & other._keys)

    def __sub__(self, other: "DispatchKeySet") -> "DispatchKeySet":
        return DispatchKeySet(self._keys - other._keys)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DispatchKeySet) and other._keys == self._keys

    def __hash__(self) -> int:
        return hash(self._keys)

    def __repr__(self) -> str:
        return f"DispatchKeySet({', '.join(key.name for key in sorted(self._keys, key=_ORDER.__getitem__))})"


class _ExcludeDispatchKeyGuard:
    """Disables autocasting in a block if its keys are among the given ones; other keys have no effect."""

    def __init__(self, keys: DispatchKeySet) -> None:
        from contextlib import nullcontext

        from flambeau.amp.autocast_mode import autocast

        self._inner: Any = autocast("cpu", enabled=False) if keys.has(DispatchKey["AutocastCPU"]) else nullcontext()

    def __enter__(self) -> None:
        self._inner.__enter__()

    def __exit__(self, *exc: object) -> None:
        self._inner.__exit__(*exc)


class _Below(threading.local):
    depth = 0


_below = _Below()


def is_below_autograd() -> bool:
    """Whether this thread is in a block of ``_AutoDispatchBelowAutograd``."""
    return _below.depth > 0


class _AutoDispatchBelowAutograd:
    """A block in which nothing is recorded, for implementations under the key ``Autograd`` that call the next one."""

    def __enter__(self) -> None:
        from flambeau_autograd import no_grad

        self._inner: Any = no_grad()
        self._inner.__enter__()
        _below.depth += 1

    def __exit__(self, *exc: object) -> None:
        _below.depth -= 1
        self._inner.__exit__(*exc)


class _EnablePythonDispatcher:
    """Has no effect: operators with implementations in Python and in C take the same path."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exc: object) -> None:
        pass


_DisablePythonDispatcher = _EnablePythonDispatcher
