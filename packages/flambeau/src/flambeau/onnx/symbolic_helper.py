"""``torch.onnx.symbolic_helper`` and the ``symbolic_opset`` modules, by which packages define exports of operators.

Exports do not use these definitions. Decorators return functions unchanged; functions for graphs raise an error.
"""

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
