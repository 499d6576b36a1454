"""Averaged stochastic gradient descent."""

from __future__ import annotations

from typing import Any

from flambeau_nn.optim import _fused
from flambeau_nn.optim._operations import decayed, number
from flambeau_nn.optim.optimizer import FusedOptimizer, ParamsT, _at_least_zero, _check_options, _counter
from flambeau_tensor import Tensor, where, zeros_like
from flambeau_tensor.lazy_attributes import attach as _attach

__all__ = ["ASGD"]


class ASGD(FusedOptimizer):
    """Averaged gradient descent with a decreasing rate; ``state[p]["ax"]`` is the mean of the parameters from step `t0`
    on.

    ``foreach`` and ``capturable`` have no effect: a step is one compiled call.

    Args:
        params: the parameters, see :class:`Optimizer`.
        lr: the initial rate.
        lambd: the decay of the rate, and of the parameters, which each step multiplies by 1 - lambd·rate.
        alpha: the rate of step t is lr / (1 + lambd·lr·t)^alpha.
        t0: the step at which averaging starts; before it, the mean equals the parameters.
        weight_decay: the factor by which the parameter is added to the gradient.
        maximize: maximize instead of minimize.
        differentiable: whether autograd records the step, see :class:`Optimizer`.

    Raises:
        ValueError: an option is out of its range.

    Source: B. T. Polyak and A. B. Juditsky, Acceleration of stochastic approximation by averaging, SIAM J. Control
    Optim. 30, 1992.

    >>> import flambeau_tensor as ft
    >>> p = ft.tensor([1.0], requires_grad=True)
    >>> p.grad = ft.tensor([2.0])
    >>> ASGD([p], lr=0.1, lambd=0).step()
    >>> p
    tensor([0.8000], requires_grad=True)
    """

    _rule = _fused.asgd

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1e-2,
        lambd: float = 1e-4,
        alpha: float = 0.75,
        t0: float = 1e6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        _check_options(lr, foreach=foreach, differentiable=differentiable)
        _at_least_zero(weight_decay__value=weight_decay)
        super().__init__(
            params,
            {
                "lr": lr,
                "lambd": lambd,
                "alpha": alpha,
                "t0": t0,
                "weight_decay": weight_decay,
                "foreach": foreach,
                "maximize": maximize,
                "differentiable": differentiable,
                "capturable": capturable,
            },
        )

    def _new_state(self, p: Tensor, group: dict[str, Any]) -> None:
        state = self.state[p]
        state["step"] = _counter(0.0)
        state["eta"] = _counter(float(group["lr"]))
        state["mu"] = _counter(1.0)
        state["ax"] = zeros_like(p.detach())

    @staticmethod
    def _formula(p: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
        grad, lr, lambd, t = decayed(p, grad, group), group["lr"], group["lambd"], number(state["step"])
        eta, share = number(state["eta"]).clone(), number(state["mu"]).clone()  # both are written below
        p.mul_(1 - lambd * eta).sub_(eta * grad)
        state["ax"] = where(share == 1, p, state["ax"] + share * (p - state["ax"])).to(p.dtype)
        state["eta"].copy_(lr / (1 + lambd * lr * t) ** group["alpha"])
        state["mu"].copy_(1 / (t - group["t0"]).clamp(min=1.0))


__getattr__, __dir__ = _attach(__name__, "torch.optim.asgd", {"asgd": "flambeau_nn.optim._functional"})
