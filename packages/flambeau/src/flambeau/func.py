"""``torch.func``: the transforms of functions, and modules as functions of their parameters."""

from collections.abc import Callable
from functools import wraps
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
from flambeau_tensor.lazy_attributes import attach as _attach

__all__ = [
    "functional_call",
    "functionalize",
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


def functionalize(func: Callable[..., Any], *, remove: str = "mutations") -> Callable[..., Any]:
    """Return a function that computes the same as ``func``, with the same writes to its arguments.

    In PyTorch this removes writes and views, so that tracers below do not see them. Graphs of `make_fx` contain writes
    as steps and are correct with them, so nothing is removed here.

    Args:
        func: a function of tensors.
        remove: ``"mutations"`` or ``"mutations_and_views"``; both are the same here.

    Raises:
        RuntimeError: `remove` has another value.

    >>> def filled(x):
    ...     y = x.clone()
    ...     y[0] = 5.0
    ...     return y
    >>> functionalize(filled)(torch.ones(2))
    tensor([5., 1.])
    """
    if remove not in ("mutations", "mutations_and_views"):
        raise RuntimeError(
            f"functionalize(f, remove='mutations'): received invalid argument for remove={remove}. Valid options are:\n"
            "     remove='mutations': all inplace and out= operators will be removed from the program, and replaced "
            "with their out-of-place equivalents.\n"
            "     remove='mutations_and_views': In addition to the above, all aliasing operators {view} will be "
            "replaced with their non-aliasing counterparts, {view}_copy.\n"
        )

    @wraps(func)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        return func(*args, **kwargs)

    return wrapped


__getattr__, __dir__ = _attach(__name__, "torch.func")
