"""Distribution of work among devices, of which only the CPU exists."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from flambeau_autograd.pytree import leaves
from flambeau_tensor import Tensor

if TYPE_CHECKING:
    from flambeau_nn.modules.module import Module

__all__ = ["gather", "is_namedtuple", "parallel_apply", "replicate", "scatter", "scatter_kwargs"]


def is_namedtuple(obj: object) -> bool:
    """Return True if an object looks like a named tuple."""
    return isinstance(obj, tuple) and hasattr(obj, "_asdict") and hasattr(obj, "_fields")


def scatter(inputs: Any, target_gpus: Sequence[Any], dim: int = 0) -> list[Any]:
    """Return the inputs for each device; values other than tensors are passed unchanged.

    Raises:
        RuntimeError: the inputs contain tensors, which would have to be moved to other devices.
    """
    if any(isinstance(leaf, Tensor) for leaf in leaves(inputs)):
        raise RuntimeError("scatter(): there are no devices beside the CPU that tensors could be on")
    return [inputs for _ in target_gpus]


def scatter_kwargs(
    inputs: Any, kwargs: dict[str, Any] | None, target_gpus: Sequence[Any], dim: int = 0
) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """`scatter` for positional and keyword arguments: two tuples with an entry for each device."""
    kwargs = {} if kwargs is None else kwargs
    return tuple(scatter(inputs, target_gpus, dim)), tuple(scatter(kwargs, target_gpus, dim))


def gather(outputs: object, target_device: object, dim: int = 0) -> NoReturn:
    """Raise PyTorch's error for tensors on the CPU, which need not be gathered."""
    raise AssertionError("Gather function not implemented for CPU tensors")


def replicate(network: Module, devices: Sequence[Any], detach: bool = False) -> NoReturn:
    """Raise as PyTorch does for modules on the CPU."""
    raise AssertionError("Broadcast function not implemented for CPU tensors")


def parallel_apply(
    modules: Sequence[Module],
    inputs: Sequence[Any],
    kwargs_tup: Sequence[dict[str, Any]] | None = None,
    devices: Sequence[Any] | None = None,
) -> list[Any]:
    """Return the results of modules, each for its inputs (a tuple or a single input), computed in order.

    Raises:
        ValueError: the numbers of modules and inputs differ.
    """
    kwargs_tup = ({},) * len(modules) if kwargs_tup is None else kwargs_tup
    if not len(modules) == len(inputs) == len(kwargs_tup):
        raise ValueError(f"parallel_apply(): {len(modules)} modules, {len(inputs)} inputs, {len(kwargs_tup)} dicts")
    return [
        module(*(x if isinstance(x, list | tuple) else (x,)), **(kwargs or {}))
        for module, x, kwargs in zip(modules, inputs, kwargs_tup, strict=True)
    ]
