"""Gradient clipping, by norm (Pascanu et al., 2013) or by value.

``foreach`` chooses between two ways of doing the same in PyTorch; here it is accepted and changes nothing.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable

import flambeau_tensor as ft
from flambeau_autograd import no_grad
from flambeau_tensor import Tensor
from flambeau_tensor.ops.reductions import vector_norm

__all__ = ["clip_grad_norm", "clip_grad_norm_", "clip_grad_value_", "clip_grads_with_norm_", "get_total_norm"]

_Tensors = Tensor | Iterable[Tensor]
_EPSILON = 1e-6  # keeps the factor finite if all gradients are zero


def _gradients(parameters: Tensor | Iterable[Tensor]) -> list[Tensor]:
    if isinstance(parameters, Tensor):
        parameters = (parameters,)
    return [p.grad for p in parameters if p.grad is not None]


@no_grad()
def get_total_norm(
    tensors: _Tensors, norm_type: float = 2.0, error_if_nonfinite: bool = False, foreach: bool | None = None
) -> Tensor:
    """The norm of all elements of ``tensors`` as one vector: the norm of their norms.

    Args:
        tensors: a tensor or several; of none the norm is 0.
        norm_type: the order p of the norm, ``inf`` for the largest absolute value.
        error_if_nonfinite: whether to raise an error if the norm is NaN or infinite.

    Raises:
        RuntimeError: the norm is not finite, and ``error_if_nonfinite``.

    >>> import flambeau_tensor as ft
    >>> get_total_norm([ft.tensor([3.0]), ft.tensor([4.0])])
    tensor(5.)
    """
    norm_type = float(norm_type)
    norms = [vector_norm(t, norm_type) for t in ([tensors] if isinstance(tensors, Tensor) else tensors)]
    if not norms:
        return ft.tensor(0.0)
    total = vector_norm(ft.stack(norms), norm_type)
    if error_if_nonfinite and not math.isfinite(total.item()):
        raise RuntimeError(
            f"The total norm of order {norm_type} for gradients from `parameters` is non-finite, so it "
            "cannot be clipped. To disable this error and scale the gradients by the non-finite norm "
            "anyway, set `error_if_nonfinite=False`"
        )
    return total


@no_grad()
def clip_grads_with_norm_(
    parameters: _Tensors, max_norm: float, total_norm: Tensor, foreach: bool | None = None
) -> None:
    """Scale the gradients of ``parameters``, whose norm is ``total_norm``, down to ``max_norm``, in place.

    Raises:
        ValueError: ``max_norm`` is not a number.

    >>> w = torch.ones(2, requires_grad=True)
    >>> w.grad = torch.tensor([3.0, 4.0])
    >>> clip_grads_with_norm_(w, 1.0, torch.tensor(5.0))
    >>> w.grad
    tensor([0.6000, 0.8000])
    """
    factor = (float(max_norm) / (total_norm + _EPSILON)).clamp(max=1.0)
    for grad in _gradients(parameters):
        grad.mul_(factor)


def clip_grad_norm_(
    parameters: _Tensors,
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """Scale the gradients of ``parameters``, as one vector, down to the norm ``max_norm``, in place.

    Args:
        parameters: a tensor or several; those without a gradient are skipped.
        max_norm: the maximum norm.
        norm_type: the order p of the norm, ``inf`` for the largest absolute value.
        error_if_nonfinite: whether to raise an error if the norm is NaN or infinite; otherwise it scales all gradients.

    Returns:
        The norm of the gradients before clipping.

    Raises:
        RuntimeError: the norm is not finite, and ``error_if_nonfinite``; the gradients are unchanged.

    >>> import flambeau_tensor as ft
    >>> weight = ft.zeros(2, requires_grad=True)
    >>> weight.grad = ft.tensor([3.0, 4.0])
    >>> clip_grad_norm_([weight], max_norm=1.0)
    tensor(5.)
    >>> weight.grad
    tensor([0.6000, 0.8000])
    """
    if not isinstance(parameters, Tensor):
        generated = not hasattr(parameters, "__len__")
        parameters = list(parameters)
        if generated and not parameters:
            warnings.warn("`parameters` is an empty generator, no gradient clipping will occur.", stacklevel=2)
    total = get_total_norm(_gradients(parameters), norm_type, error_if_nonfinite)
    clip_grads_with_norm_(parameters, max_norm, total)
    return total


def clip_grad_norm(
    parameters: _Tensors,
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """The old name of :func:`clip_grad_norm_`.

    Raises:
        ValueError: ``max_norm`` is not a number; with ``error_if_nonfinite``, the norm is not finite.

    >>> import warnings
    >>> w = torch.ones(2, requires_grad=True)
    >>> w.grad = torch.tensor([3.0, 4.0])
    >>> with warnings.catch_warnings(action="ignore"):
    ...     norm = clip_grad_norm([w], 1.0)
    >>> norm, w.grad
    (tensor(5.), tensor([0.6000, 0.8000]))
    """
    warnings.warn(
        "`torch.nn.utils.clip_grad_norm` is now deprecated in favor of `torch.nn.utils.clip_grad_norm_`.",
        FutureWarning,
        stacklevel=2,
    )
    return clip_grad_norm_(parameters, max_norm, norm_type, error_if_nonfinite)


@no_grad()
def clip_grad_value_(parameters: _Tensors, clip_value: float, foreach: bool | None = None) -> None:
    """Limit every element of the gradients of ``parameters`` to ±``clip_value``, in place.

    Raises:
        ValueError: ``clip_value`` is not a number.

    >>> w = torch.ones(2, requires_grad=True)
    >>> w.grad = torch.tensor([3.0, -0.5])
    >>> clip_grad_value_(w, 1.0)
    >>> w.grad
    tensor([ 1.0000, -0.5000])
    """
    clip_value = float(clip_value)
    for grad in _gradients(parameters):
        grad.clamp_(min=-clip_value, max=clip_value)
