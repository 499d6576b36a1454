"""``torch.onnx.symbolic_helper`` and the ``symbolic_opset`` modules: packages say with these how their operators are
exported, which is never asked. Decorators leave functions as they are; the functions for graphs raise when called."""

from collections.abc import Callable
from typing import Any, TypeVar

from flambeau_tensor.lazy_attributes import attach as _attach

F = TypeVar("F", bound=Callable[..., Any])


def parse_args(*arg_descriptors: str) -> Callable[[F], F]:
    """A decorator that changes nothing."""

    def decorate(function):
        return function

    return decorate


quantized_args = parse_args


__getattr__, __dir__ = _attach(__name__, "torch.onnx.symbolic_helper", unlisted=True)
