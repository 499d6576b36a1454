"""The old name of tensors that autograd tracks, for programs that still use ``Variable``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import flambeau_tensor as torch
from flambeau_autograd._engine.graph.engine import queue_callback as _queue_callback
from flambeau_tensor import Tensor

__all__ = ["Variable"]


class _VariableMeta(type):
    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, torch.Tensor)


class Variable(metaclass=_VariableMeta):
    """``Variable(tensor, requires_grad=True)`` is a tensor of the same shape over the same memory; every tensor is a
    ``Variable``.

    Raises:
        TypeError: the data is not a tensor.
        RuntimeError: ``requires_grad`` of integers.

    >>> x = torch.autograd.Variable(torch.ones(2), requires_grad=True)
    >>> type(x).__name__, x.requires_grad
    ('Tensor', True)
    """

    def __new__(cls, data: Tensor | None = None, requires_grad: bool = False) -> Any:
        if data is None:
            data = torch.empty(0)
        if not isinstance(data, torch.Tensor):
            raise TypeError(f"Variable data has to be a tensor, but got {type(data).__name__}")
        return data.detach().requires_grad_(requires_grad)

    class _execution_engine:
        """The part of the engine's interface that programs reach through here."""

        @staticmethod
        def queue_callback(callback: Callable[[], None]) -> None:
            """Call ``callback()`` when the backward that is running in this thread has finished."""
            _queue_callback(callback)
