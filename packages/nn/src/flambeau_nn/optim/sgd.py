"""Gradient descent with momentum."""

from __future__ import annotations

from typing import Any

from flambeau_nn.optim import _fused
from flambeau_nn.optim._operations import decayed
from flambeau_nn.optim.optimizer import FusedOptimizer, ParamsT, _at_least_zero, _check_options
from flambeau_tensor import Tensor, zeros_like
from flambeau_tensor.lazy_attributes import attach as _attach

__all__ = ["SGD"]


class SGD(FusedOptimizer):
    """Gradient descent, p ← p - lr·g. With momentum, b ← momentum·b + (1 - dampening)·g replaces g.

    The first b is the first gradient. ``foreach`` and ``fused`` have no effect: a step is one compiled call.

    Args:
        params: the parameters, see :class:`Optimizer`.
        lr: the step size.
        momentum: the momentum factor; 0 for no momentum.
        dampening: the part of the gradient that b does not include.
        weight_decay: the factor by which the parameter is added to the gradient.
        nesterov: step along g + momentum·b instead of b.
        maximize: maximize instead of minimize.
        differentiable: whether autograd records the step, see :class:`Optimizer`.

    Raises:
        ValueError: an option is out of its range.

    Source: I. Sutskever et al., On the importance of initialization and momentum in deep learning, ICML 2013.

    >>> import flambeau_tensor as ft
    >>> p = ft.tensor([1.0, 2.0], requires_grad=True)
    >>> p.grad = ft.tensor([0.5, -0.5])
    >>> SGD([p], lr=0.1).step()
    >>> p
    tensor([0.9500, 2.0500], requires_grad=True)
    """

    _rule = _fused.sgd

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: float = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        _check_options(lr, foreach=foreach, fused=fused, differentiable=differentiable)
        _at_least_zero(momentum__value=momentum, weight_decay__value=weight_decay)
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        super().__init__(
            params,
            {
                "lr": lr,
                "momentum": momentum,
                "dampening": dampening,
                "weight_decay": weight_decay,
                "nesterov": nesterov,
                "maximize": maximize,
                "foreach": foreach,
                "differentiable": differentiable,
                "fused": fused,
            },
        )

    def _new_state(self, p: Tensor, group: dict[str, Any]) -> None:
        self.state[p]["momentum_buffer"] = zeros_like(p.detach())

    def _prepare(self, p: Tensor, grad: Tensor, group: dict[str, Any]) -> None:
        state = self.state[p]
        if group["momentum"] != 0 and state.get("momentum_buffer") is None:
            # The momentum of the first step is the undamped gradient, but the kernel damps it: start from a value that
            # compensates.
            damped = group["dampening"] / group["momentum"]
            gradient = -grad if group["maximize"] else grad
            state["momentum_buffer"] = damped * (gradient + group["weight_decay"] * p) if damped else zeros_like(p)

    @staticmethod
    def _formula(p: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
        p.sub_(group["lr"] * _direction(decayed(p, grad, group), state, group))

    @staticmethod
    def _sparse_formula(p: Tensor, grad: Any, state: dict[str, Any], group: dict[str, Any]) -> None:
        if group["weight_decay"] != 0:
            raise RuntimeError("add(sparse, dense) is not supported. Use add(dense, sparse) instead.")
        p.add_(_direction(grad, state, group), alpha=-group["lr"])


def _direction(grad: Any, state: dict[str, Any], group: dict[str, Any]) -> Any:
    """Return the gradient, or the direction after momentum."""
    keep = group["momentum"]
    if keep == 0:
        return grad
    before = state.get("momentum_buffer")
    buffer = grad.clone() if before is None else keep * before + (1 - group["dampening"]) * grad
    state["momentum_buffer"] = buffer
    return grad + keep * buffer if group["nesterov"] else buffer


__getattr__, __dir__ = _attach(__name__, "torch.optim.sgd", {"sgd": "flambeau_nn.optim._functional"})
