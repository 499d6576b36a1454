"""Switching modes off: the names that programs import from ``torch.utils._mode_utils``."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from flambeau_tensor.extend import dispatching

__all__ = ["all_same_mode", "no_dispatch"]


@contextmanager
def no_dispatch() -> Iterator[None]:
    """A context in which no `__torch_dispatch__` is called in this thread."""
    with dispatching.Undispatched():
        yield


def all_same_mode(modes: list[Any]) -> bool:
    """Return True if all elements are the same object."""
    return all(mode is modes[0] for mode in modes)
