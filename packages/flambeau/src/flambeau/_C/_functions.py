"""``torch._C._functions``: the types of nodes that programs test for, and two functions for tests of backward."""

from collections.abc import Callable
from functools import partial
from typing import Any

import flambeau_tensor as _torch
from flambeau_autograd.function import Function as _Function
from flambeau_autograd.graph import Node as _Node
from flambeau_autograd.graph import get_gradient_edge as _edge
from flambeau_tensor.lazy_attributes import attach as _attach

AccumulateGrad = type(_edge(_torch.zeros(0).requires_grad_()).node)


class _Error(_Function):
    """Returns its inputs; its gradient is an error."""

    @staticmethod
    def forward(ctx: Any, message: str, *inputs: Any) -> Any:
        ctx.message = message
        outputs = tuple(t.detach() for t in inputs)
        return outputs if len(outputs) > 1 else outputs[0]

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        raise RuntimeError(ctx.message)


class _Undefined(_Function):
    """Returns its inputs; its gradient is undefined."""

    @staticmethod
    def forward(ctx: Any, *inputs: Any) -> Any:
        outputs = tuple(t.detach() for t in inputs)
        return outputs if len(outputs) > 1 else outputs[0]

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        return (None,) * len(grads)


class DelayedError(_Node):
    """``DelayedError(message, n)`` is a function that returns ``n`` tensors, through which backward raises an error."""

    def __new__(cls, message: str | bytes, num_inputs: int) -> Callable[..., Any]:  # type: ignore[misc]
        return partial(_Error.apply, message.decode() if isinstance(message, bytes) else message)


class UndefinedGrad(_Node):
    """``UndefinedGrad()`` is a function that returns tensors, through which backward sends None."""

    def __new__(cls) -> Callable[..., Any]:  # type: ignore[misc]
        return _Undefined.apply


__getattr__, __dir__ = _attach(__name__, "torch._C._functions", unlisted=True)
