"""Modules as functions of their parameters, for the function transforms; a part of ``torch.func``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import flambeau_tensor as torch
from flambeau_nn.modules.batchnorm import _BatchNorm
from flambeau_nn.modules.module import Module
from flambeau_nn.utils.stateless import call_with, check_module
from flambeau_tensor import Tensor

_M = TypeVar("_M", bound=Module)

__all__ = ["functional_call", "replace_all_batch_norm_modules_", "stack_module_state"]


def functional_call(
    module: Module,
    parameter_and_buffer_dicts: dict[str, Tensor] | Sequence[dict[str, Tensor]],
    args: Any = None,
    kwargs: dict[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """Call ``module(*args, **kwargs)`` with other tensors instead of the module's parameters and buffers.

    Afterwards the module has its own tensors again, even after an error. The dict receives the buffers that forward
    replaces.

    Args:
        module: a module.
        parameter_and_buffer_dicts: a dict from the names of ``named_parameters()`` and ``named_buffers()`` to tensors,
            or several dicts without common names. Other parameters and buffers stay unchanged.
        args: the positional arguments, a tuple; any other value is the only argument.
        kwargs: the keyword arguments.
        tie_weights: whether to replace a tensor that the module has under several names under all of them.
        strict: whether the dicts must contain exactly the parameters and buffers.

    Raises:
        ValueError: a name is in several dicts, or tied names have different tensors.
        RuntimeError: names are missing or unexpected and ``strict`` is true.
        AttributeError: the module does not have the parameter.

    >>> layer = torch.nn.Linear(2, 1)
    >>> weights = {"weight": torch.ones(1, 2), "bias": torch.zeros(1)}
    >>> torch.func.functional_call(layer, weights, torch.tensor([2.0, 3.0]))
    tensor([5.])
    """
    check_module(module, "functional_call")
    dicts = parameter_and_buffer_dicts
    if isinstance(dicts, dict):
        tensors = dicts
    elif isinstance(dicts, (list, tuple)):
        if not all(isinstance(d, dict) for d in dicts):
            raise ValueError("Expected all elements of parameter_and_buffer_dicts to be dictionaries")
        tensors = {}
        for d in dicts:
            repeated = [name for name in d if name in tensors]
            if repeated:
                raise ValueError(
                    f"{repeated} appeared in multiple dictionaries; behavior of functional call is ambiguous"
                )
            tensors.update(d)
    else:
        raise ValueError(
            f"Expected parameter_and_buffer_dicts to be a dict, or a list/tuple of dicts, but got {type(dicts)}"
        )
    return call_with(module, tensors, args, kwargs, tie_weights=tie_weights, strict=strict)


def stack_module_state(models: Sequence[Module]) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """Stack the parameters and buffers of several modules, to run all of them at once with ``vmap``.

    Args:
        models: modules of one class, all in training or all in evaluation mode.

    Returns:
        ``(params, buffers)``: dicts from names to tensors with the modules in dimension 0. The parameters are leaves.

    Raises:
        RuntimeError: there are no modules, or they differ in class, mode or requires_grad.

    >>> layers = [torch.nn.Linear(2, 1) for _ in range(3)]
    >>> params, buffers = torch.func.stack_module_state(layers)
    >>> params["weight"].shape
    torch.Size([3, 1, 2])
    >>> def run(params, x):
    ...     return torch.func.functional_call(layers[0], params, x)
    >>> torch.vmap(run, in_dims=(0, None))(params, torch.ones(2)).shape
    torch.Size([3, 1])
    """
    if len(models) == 0:
        raise RuntimeError("stack_module_state: Expected at least one model, got 0.")
    if len({m.training for m in models}) > 1:
        raise RuntimeError("stack_module_state: Expected all models to have the same training/eval mode.")
    if len({type(m) for m in models}) > 1:
        raise RuntimeError("stack_module_state: Expected all models to be of the same class.")
    return (_stacked([dict(m.named_parameters()) for m in models]), _stacked([dict(m.named_buffers()) for m in models]))


def _stacked(states: list[dict[str, Tensor]]) -> dict[str, Tensor]:
    out = {}
    for name in states[0]:
        tensors = tuple(state[name] for state in states)
        if len({t.requires_grad for t in tensors}) > 1:
            raise RuntimeError(f"Expected {name} from each model to have the same .requires_grad")
        out[name] = torch.stack([t.detach() for t in tensors]).requires_grad_(tensors[0].requires_grad)
    return out


def replace_all_batch_norm_modules_(root: _M) -> _M:
    """Remove the running statistics from all batch normalizations in a module and return the module.

    ``vmap`` cannot write the statistics of a batch into a buffer that is not batched.

    Raises:
        AttributeError: the argument is not a module.

    >>> torch.func.replace_all_batch_norm_modules_(torch.nn.BatchNorm1d(2)).running_mean is None
    True
    """
    for module in root.modules():
        if isinstance(module, _BatchNorm) and module.track_running_stats:
            module.running_mean = module.running_var = module.num_batches_tracked = None
            module.track_running_stats = False
    return root
