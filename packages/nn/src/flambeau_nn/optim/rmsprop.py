"""The RMSprop optimizer."""

from __future__ import annotations

from typing import Any

from flambeau_nn.optim import _fused
from flambeau_nn.optim._operations import decayed
from flambeau_nn.optim.optimizer import FusedOptimizer, ParamsT, _at_least_zero, _check_options, _counter
from flambeau_tensor import Tensor, zeros_like
from flambeau_tensor.lazy_attributes import attach as _attach

__all__ = ["RMSprop"]


class RMSprop(FusedOptimizer):
    """Gradients divided by the root of the running mean of their squares, with momentum on the quotients.

    ``foreach`` and ``capturable`` have no effect: a step is one compiled call.

    Args:
        params: the parameters, see :class:`Optimizer`.
        lr: the step size.
        alpha: the decay rate of the mean of squares.
        eps: added to the divisor.
        weight_decay: the factor by which the parameter is added to the gradient.
        momentum: the momentum factor of the quotients.
        centered: divide by an estimate of the standard deviation: subtract the squared mean from the mean of squares.
        maximize: maximize instead of minimize.
        differentiable: whether autograd records the step, see :class:`Optimizer`.

    Raises:
        ValueError: an option is out of its range.

    Sources: T. Tieleman and G. Hinton, Lecture 6.5, Neural networks for machine learning, 2012; centered: A. Graves,
    Generating sequences with recurrent neural networks, 2013.

    >>> import flambeau_tensor as ft
    >>> p = ft.tensor([1.0], requires_grad=True)
    >>> p.grad = ft.tensor([2.0])
    >>> RMSprop([p], lr=0.1, alpha=0.75).step()
    >>> p
    tensor([0.8000], requires_grad=True)
    """

    _rule = _fused.rmsprop

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum: float = 0,
        centered: bool = False,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        _check_options(lr, foreach=foreach, differentiable=differentiable)
        _at_least_zero(
            epsilon__value=eps, momentum__value=momentum, weight_decay__value=weight_decay, alpha__value=alpha
        )
        super().__init__(
            params,
            {
                "lr": lr,
                "momentum": momentum,
                "alpha": alpha,
                "eps": eps,
                "centered": centered,
                "weight_decay": weight_decay,
                "capturable": capturable,
                "foreach": foreach,
                "maximize": maximize,
                "differentiable": differentiable,
            },
        )

    def _new_state(self, p: Tensor, group: dict[str, Any]) -> None:
        state, like = self.state[p], p.detach()
        state["step"] = _counter(0.0, group)
        state["square_avg"] = zeros_like(like)
        if group["momentum"] > 0:
            state["momentum_buffer"] = zeros_like(like)
        if group["centered"]:
            state["grad_avg"] = zeros_like(like)

    @staticmethod
    def _formula(p: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
        grad, alpha = decayed(p, grad, group), group["alpha"]
        state["square_avg"] = square = alpha * state["square_avg"] + (1 - alpha) * grad * grad
        if group["centered"]:
            state["grad_avg"] = mean = alpha * state["grad_avg"] + (1 - alpha) * grad
            square = square - mean * mean
        change = grad / (square.sqrt() + group["eps"])
        if group["momentum"] > 0:
            change = state["momentum_buffer"] = group["momentum"] * state["momentum_buffer"] + change
        p.sub_(group["lr"] * change)


__getattr__, __dir__ = _attach(__name__, "torch.optim.rmsprop", {"rmsprop": "flambeau_nn.optim._functional"})
