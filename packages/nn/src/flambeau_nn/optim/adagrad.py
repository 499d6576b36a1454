"""The Adagrad optimizer."""

from __future__ import annotations

from typing import Any

from flambeau_nn.optim import _fused
from flambeau_nn.optim._operations import decayed, number, parts
from flambeau_nn.optim.optimizer import FusedOptimizer, ParamsT, _at_least_zero, _check_options, _counter
from flambeau_tensor import Tensor, full_like
from flambeau_tensor.lazy_attributes import attach as _attach

__all__ = ["Adagrad"]


class Adagrad(FusedOptimizer):
    """Steps along the gradients, divided by the square root of the sum of all their squares.

    ``foreach`` and ``fused`` have no effect: a step is one compiled call.

    Args:
        params: the parameters, see :class:`Optimizer`.
        lr: the step size.
        lr_decay: the step size of step t is lr / (1 + (t - 1)·lr_decay).
        weight_decay: the factor by which the parameter is added to the gradient.
        initial_accumulator_value: the initial value of the sum.
        eps: added to the divisor.
        maximize: maximize instead of minimize.
        differentiable: whether autograd records the step, see :class:`Optimizer`.

    Raises:
        ValueError: an option is out of its range.

    Source: J. Duchi, E. Hazan and Y. Singer, Adaptive subgradient methods for online learning and stochastic
    optimization, JMLR 12, 2011.

    >>> import flambeau_tensor as ft
    >>> p = ft.tensor([1.0], requires_grad=True)
    >>> p.grad = ft.tensor([2.0])
    >>> Adagrad([p], lr=0.1).step()
    >>> p
    tensor([0.9000], requires_grad=True)
    """

    _rule = _fused.adagrad

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1e-2,
        lr_decay: float = 0,
        weight_decay: float = 0,
        initial_accumulator_value: float = 0,
        eps: float = 1e-10,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        _check_options(lr, foreach=foreach, fused=fused, differentiable=differentiable)
        _at_least_zero(
            lr_decay__value=lr_decay,
            weight_decay__value=weight_decay,
            initial_accumulator_value__value=initial_accumulator_value,
            epsilon__value=eps,
        )
        super().__init__(
            params,
            {
                "lr": lr,
                "lr_decay": lr_decay,
                "eps": eps,
                "weight_decay": weight_decay,
                "initial_accumulator_value": initial_accumulator_value,
                "foreach": foreach,
                "maximize": maximize,
                "differentiable": differentiable,
                "fused": fused,
            },
        )
        for group in self.param_groups:
            for p in group["params"]:
                self._new_state(p, group)

    def _new_state(self, p: Tensor, group: dict[str, Any]) -> None:
        state = self.state[p]
        start = self.defaults["initial_accumulator_value"]
        state["step"] = _counter(0.0, group)
        state["sum"] = full_like(p.detach(), complex(start, start) if p.is_complex() else start)

    @staticmethod
    def _formula(p: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
        grad = decayed(p, grad, group)
        state["sum"] = total = state["sum"] + grad * grad
        p.sub_(
            group["lr"] / (1 + (number(state["step"]) - 1) * group["lr_decay"]) * grad / (total.sqrt() + group["eps"])
        )

    @staticmethod
    def _sparse_formula(p: Tensor, grad: Any, state: dict[str, Any], group: dict[str, Any]) -> None:
        if group["weight_decay"] != 0:
            raise RuntimeError("weight_decay option is not compatible with sparse gradients")
        where, values = parts(grad)
        state["sum"].index_put_(where, values * values, accumulate=True)
        lr = group["lr"] / (1 + (state["step"].item() - 1) * group["lr_decay"])
        p.index_put_(where, -lr * values / (state["sum"][where].sqrt() + group["eps"]), accumulate=True)


__getattr__, __dir__ = _attach(__name__, "torch.optim.adagrad", {"adagrad": "flambeau_nn.optim._functional"})
