"""``torch.fx._compatibility``: PyTorch marks here which names it keeps between releases."""

from collections.abc import Callable
from typing import TypeVar

_T = TypeVar("_T")


def compatibility(is_backward_compatible: bool) -> Callable[[_T], _T]:
    """A decorator that returns its argument."""
    return lambda fn: fn
