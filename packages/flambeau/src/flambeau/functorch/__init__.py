"""``functorch``: the original name of the transforms of ``torch.func``, and modules as functions of tuples.

Programs import it together with ``torch``, so ``install_as_torch()`` registers it, too.
"""

from collections.abc import Sequence
from copy import deepcopy
from typing import Any

import flambeau as torch
from flambeau.func import (
    functional_call,
    functionalize,
    grad,
    grad_and_value,
    hessian,
    jacfwd,
    jacrev,
    jvp,
    linearize,
    stack_module_state,
    vjp,
    vmap,
)
from flambeau.fx.experimental.proxy_tensor import make_fx

__all__ = [
    "FunctionalModule", "FunctionalModuleWithBuffers", "combine_state_for_ensemble", "functional_call", "functionalize",
    "grad", "grad_and_value", "hessian", "jacfwd", "jacrev", "jvp", "linearize", "make_functional", "make_fx",
    "make_functional_with_buffers", "stack_module_state", "vjp", "vmap",
]  # fmt: skip


class FunctionalModuleWithBuffers:
    """A module as a function of its parameters and buffers: ``f(params, buffers, *args, **kwargs)``."""

    def __init__(self, model: Any) -> None:
        self.stateless_model = model
        self.param_names = tuple(name for name, _ in model.named_parameters())
        self.buffer_names = tuple(name for name, _ in model.named_buffers())

    def __call__(self, params: Sequence[Any], buffers: Sequence[Any], *args: Any, **kwargs: Any) -> Any:
        state = dict(zip((*self.param_names, *self.buffer_names), (*params, *buffers), strict=True))
        return functional_call(self.stateless_model, state, args, kwargs)


class FunctionalModule(FunctionalModuleWithBuffers):
    """A module without buffers as a function of its parameters: ``f(params, *args, **kwargs)``."""

    def __call__(self, params: Sequence[Any], *args: Any, **kwargs: Any) -> Any:
        return super().__call__(params, (), *args, **kwargs)


def make_functional_with_buffers(model: Any, disable_autograd_tracking: bool = False) -> tuple[Any, Any, Any]:
    """Return a function that computes the model's forward, and the parameters and buffers of a copy of the model.

    >>> f, params, buffers = make_functional_with_buffers(torch.nn.BatchNorm1d(2))
    >>> len(params), len(buffers)
    (2, 3)
    """
    function = FunctionalModuleWithBuffers(deepcopy(model))
    return function, *_state(function.stateless_model, disable_autograd_tracking)


def make_functional(model: Any, disable_autograd_tracking: bool = False) -> tuple[Any, Any]:
    """The same for a module without buffers: a function of the parameters, and these.

    Raises:
        RuntimeError: the module has buffers.

    >>> f, params = make_functional(torch.nn.Linear(2, 1, bias=False))
    >>> f([torch.ones(1, 2)], torch.ones(3, 2)).flatten()
    tensor([2., 2., 2.])
    """
    if any(True for _ in model.buffers()):
        raise RuntimeError(
            "make_functional(model): `model` has buffers. Please use make_functional_with_buffers(model) instead."
        )
    function = FunctionalModule(deepcopy(model))
    return function, _state(function.stateless_model, disable_autograd_tracking)[0]


def combine_state_for_ensemble(models: Sequence[Any]) -> tuple[Any, Any, Any]:
    """Return a function for ``vmap`` over several modules of one kind, with their stacked parameters and buffers.

    Raises:
        RuntimeError: there are no modules, or they differ in class or mode.
    """
    if not models:
        raise RuntimeError("combine_state_for_ensemble: Expected at least one model, got 0.")
    if len({type(model) for model in models}) > 1:
        raise RuntimeError("combine_state_for_ensemble: Expected all models to be of the same class.")
    if len({model.training for model in models}) > 1:
        raise RuntimeError("combine_state_for_ensemble: Expected all models to have the same training/eval mode.")
    functions, params, buffers = zip(*map(make_functional_with_buffers, models), strict=True)
    stacked = tuple(torch.stack(each).detach().requires_grad_() for each in zip(*params, strict=True))
    return functions[0], stacked, tuple(torch.stack(each).detach() for each in zip(*buffers, strict=True))


def _state(model: Any, disable_autograd_tracking: bool) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    params, buffers = tuple(model.parameters()), tuple(model.buffers())
    if disable_autograd_tracking:
        for param in params:
            param.requires_grad_(False)
    return params, buffers
