"""``torch.func``: the transforms of functions, and modules as functions of their parameters."""

from typing import Any

from flambeau_autograd.func import (
    grad,
    grad_and_value,
    hessian,
    jacfwd,
    jacrev,
    jvp,
    linearize,
    vjp,
    vmap,
)
from flambeau_nn.func import functional_call, replace_all_batch_norm_modules_, stack_module_state

__all__ = [
    "functional_call",
    "grad",
    "grad_and_value",
    "hessian",
    "jacfwd",
    "jacrev",
    "jvp",
    "linearize",
    "replace_all_batch_norm_modules_",
    "stack_module_state",
    "vjp",
    "vmap",
]


def __getattr__(name: str) -> Any:
    from flambeau_tensor.not_built import missing

    raise missing("torch.func", name)
