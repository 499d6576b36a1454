"""Private functions of ``torch.autograd.functional`` that packages import to compute Jacobians."""

from __future__ import annotations

from typing import Any

import flambeau_tensor as torch
from flambeau_tensor import Tensor


def _as_tuple(inp: Any, arg_name: str | None = None, fn_name: str | None = None) -> tuple[bool, tuple[Any, ...]]:
    """Whether tensors came as a tuple, and the tuple.

    Raises:
        TypeError: something is not a tensor.
    """
    if arg_name is None and fn_name is None:
        return isinstance(inp, tuple), inp if isinstance(inp, tuple) else (inp,)
    parts = inp if isinstance(inp, tuple) else (inp,)
    for i, part in enumerate(parts):
        if not isinstance(part, Tensor):
            at = f" at index {i}" if isinstance(inp, tuple) else ""
            what = "Tensor" if isinstance(inp, tuple) else "either a Tensor or a tuple of Tensors"
            raise TypeError(
                f"The {arg_name} given to {fn_name} must be {what}{at}, but the given value has type {type(part)}."
            )
    return isinstance(inp, tuple), parts


def _tuple_postprocess(res: Any, to_unpack: Any) -> Any:
    """Results as the caller has given the inputs: without the tuples that `_as_tuple` made."""
    if isinstance(to_unpack, tuple):
        outer, inner = to_unpack
        if not inner:
            res = tuple(part[0] for part in res)
        return res if outer else res[0]
    return res if to_unpack else res[0]


def _grad_preprocess(inputs: Any, create_graph: bool, need_graph: bool) -> tuple[Tensor, ...]:
    """Tensors that can be differentiated: connected to the given ones if `create_graph` is set, else new leaves."""
    return tuple(
        part.view_as(part) if create_graph and part.requires_grad else part.detach().requires_grad_(need_graph)
        for part in inputs
    )


def _validate_v(v: Any, other: Any, is_other_tuple: bool) -> None:
    """Check that vectors have the shapes of other tensors.

    Raises:
        RuntimeError: their numbers or shapes differ.
    """
    if len(other) != len(v):
        wrong = f"is a tuple of invalid length: should be {len(other)} but got {len(v)}." if is_other_tuple else None
        raise RuntimeError(f"v {wrong or 'should contain a single Tensor.'}")
    for i, (vector, tensor) in enumerate(zip(v, other, strict=True)):
        if vector.shape != tensor.shape:
            at = f"Entry {i} in " if is_other_tuple else ""
            raise RuntimeError(f"{at}v has invalid size: should be {tensor.shape} but got {vector.shape}.")


def _grad_postprocess(inputs: Any, create_graph: bool) -> Any:
    """Return the results, without their history unless `create_graph` is set."""
    if isinstance(inputs[0], Tensor):
        return inputs if create_graph else tuple(part.detach() for part in inputs)
    return tuple(_grad_postprocess(part, create_graph) for part in inputs)


def _construct_standard_basis_for(tensors: tuple[Tensor, ...], tensor_numels: tuple[int, ...]) -> tuple[Tensor, ...]:
    """For each tensor the rows of an identity matrix of all elements that belong to it."""
    total, start, parts = sum(tensor_numels), 0, []
    for tensor, n in zip(tensors, tensor_numels, strict=True):
        part = torch.zeros(total, n, dtype=tensor.dtype)
        part[start : start + n] = torch.eye(n, dtype=tensor.dtype)
        parts.append(part)
        start += n
    return tuple(parts)
