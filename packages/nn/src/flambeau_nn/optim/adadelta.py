"""The Adadelta optimizer."""

from __future__ import annotations

from typing import Any

from flambeau_nn.optim import _fused
from flambeau_nn.optim._operations import decayed
from flambeau_nn.optim.optimizer import FusedOptimizer, ParamsT, _at_least_zero, _check_options, _counter
from flambeau_tensor import Tensor, zeros_like
from flambeau_tensor.lazy_attributes import attach as _attach

__all__ = ["Adadelta"]


class Adadelta(FusedOptimizer):
    """Steps along the gradients times the root mean square of the recent updates, divided by that of the recent
    gradients.

    ``foreach`` and ``capturable`` have no effect: a step is one compiled call.

    Args:
        params: the parameters, see :class:`Optimizer`.
        lr: a factor for the step.
        rho: the decay rate of the means.
        eps: added below both roots.
        weight_decay: the factor by which the parameter is added to the gradient.
        maximize: maximize instead of minimize.
        differentiable: whether autograd records the step, see :class:`Optimizer`.

    Raises:
        ValueError: an option is out of its range.

    Source: M. D. Zeiler, Adadelta: an adaptive learning rate method, 2012.

    >>> import flambeau_tensor as ft
    >>> p = ft.tensor([1.0], requires_grad=True)
    >>> p.grad = ft.tensor([2.0])
    >>> Adadelta([p], lr=100.0).step()
    >>> p
    tensor([0.6838], requires_grad=True)
    """

    _rule = _fused.adadelta

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        capturable: bool = False,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        _check_options(lr, foreach=foreach, differentiable=differentiable)
        if not 0.0 <= rho <= 1.0:
            raise ValueError(f"Invalid rho value: {rho}")
        _at_least_zero(epsilon__value=eps, weight_decay__value=weight_decay)
        super().__init__(
            params,
            {
                "lr": lr,
                "rho": rho,
                "eps": eps,
                "weight_decay": weight_decay,
                "maximize": maximize,
                "capturable": capturable,
                "foreach": foreach,
                "differentiable": differentiable,
            },
        )

    def _new_state(self, p: Tensor, group: dict[str, Any]) -> None:
        state, like = self.state[p], p.detach()
        state["step"] = _counter(0.0, group)
        state["square_avg"] = zeros_like(like)
        state["acc_delta"] = zeros_like(like)

    @staticmethod
    def _formula(p: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
        grad, rho, eps = decayed(p, grad, group), group["rho"], group["eps"]
        state["square_avg"] = square = rho * state["square_avg"] + (1 - rho) * grad * grad
        change = (state["acc_delta"] + eps).sqrt() / (square + eps).sqrt() * grad
        state["acc_delta"] = rho * state["acc_delta"] + (1 - rho) * change * change
        p.sub_(group["lr"] * change)


__getattr__, __dir__ = _attach(__name__, "torch.optim.adadelta", {"adadelta": "flambeau_nn.optim._functional"})
