"""Shapes and dtypes of all values of a graph, found by running it."""

from __future__ import annotations

from typing import Any, NamedTuple

import flambeau_tensor as _torch
from flambeau_fx.interpreter import Interpreter
from flambeau_fx.node import Node, map_aggregate

__all__ = ["ShapeProp", "TensorMetadata"]


class TensorMetadata(NamedTuple):
    """The metadata of a tensor: everything but its values."""

    shape: _torch.Size
    dtype: _torch.dtype
    requires_grad: bool
    stride: tuple[int, ...]
    memory_format: _torch.memory_format | None
    is_quantized: bool
    qparams: dict[str, Any]


def _extract_tensor_metadata(result: _torch.Tensor, include_contiguity: bool = True) -> TensorMetadata:
    t, format_ = result, None
    if include_contiguity:
        formats = (_torch.contiguous_format, _torch.channels_last, _torch.channels_last_3d)
        format_ = next((f for f in formats if t.is_contiguous(memory_format=f)), None)
    return TensorMetadata(t.shape, t.dtype, t.requires_grad, t.stride(), format_, False, {})


class ShapeProp(Interpreter):
    """Runs a module and stores the shape, dtype and strides of every tensor in ``node.meta["tensor_meta"]``, and the
    type of every value in ``node.meta["type"]``.

    >>> import flambeau_tensor as torch
    >>> from flambeau_fx import symbolic_trace
    >>> from flambeau_fx.passes.shape_prop import ShapeProp
    >>> traced = symbolic_trace(lambda x: x.sum(0))
    >>> _ = ShapeProp(traced).propagate(torch.ones(2, 3))
    >>> [tuple(node.meta["tensor_meta"].shape) for node in traced.graph.nodes]
    [(2, 3), (3,), (3,)]
    """

    def run_node(self, n: Node) -> Any:
        result = super().run_node(n)
        found: list[_torch.Tensor] = []

        def note(value: Any) -> Any:
            if isinstance(value, _torch.Tensor):
                found.append(value)
                return _extract_tensor_metadata(value)
            return value

        meta = map_aggregate(result, note)
        if found:
            n.meta["tensor_meta"] = meta
        n.meta["type"] = type(result)
        return result

    def propagate(self, *args: Any) -> Any:
        """Run the module; returns its result."""
        return self.run(*args)
