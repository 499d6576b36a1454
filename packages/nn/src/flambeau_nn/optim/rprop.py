"""The Rprop optimizer."""

from __future__ import annotations

from typing import Any

from flambeau_nn.optim import _fused
from flambeau_nn.optim.optimizer import FusedOptimizer, ParamsT, _check_options, _counter
from flambeau_tensor import Tensor, clamp, full_like, ones_like, where, zeros_like
from flambeau_tensor.lazy_attributes import attach as _attach

__all__ = ["Rprop"]


class Rprop(FusedOptimizer):
    """Steps of a separate size for each element; it grows while the gradient keeps its sign and shrinks when the sign
    changes. After a change, the element skips one step. ``foreach`` and ``capturable`` have no effect: a step is one
    compiled call.

    Args:
        params: the parameters, see :class:`Optimizer`.
        lr: the initial step sizes.
        etas: the factors by which step sizes shrink and grow.
        step_sizes: the smallest and the largest step size.
        maximize: maximize instead of minimize.
        differentiable: whether autograd records the step, see :class:`Optimizer`.

    Raises:
        ValueError: an option is out of its range.

    Source: M. Riedmiller and H. Braun, A direct adaptive method for faster backpropagation learning: the RPROP
    algorithm, 1993.

    >>> import flambeau_tensor as ft
    >>> p = ft.tensor([1.0, 1.0], requires_grad=True)
    >>> p.grad = ft.tensor([2.0, -0.001])
    >>> Rprop([p], lr=0.1).step()
    >>> p
    tensor([0.9000, 1.1000], requires_grad=True)
    """

    _rule = _fused.rprop

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1e-2,
        etas: tuple[Any, ...] = (0.5, 1.2),
        step_sizes: tuple[Any, ...] = (1e-6, 50),
        *,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        _check_options(lr, foreach=foreach, differentiable=differentiable)
        if not 0.0 < etas[0] < 1.0 < etas[1]:
            raise ValueError(f"Invalid eta values: {etas[0]}, {etas[1]}")
        super().__init__(
            params,
            {
                "lr": lr,
                "etas": etas,
                "step_sizes": step_sizes,
                "foreach": foreach,
                "maximize": maximize,
                "differentiable": differentiable,
                "capturable": capturable,
            },
        )

    def _new_state(self, p: Tensor, group: dict[str, Any]) -> None:
        state, like, lr = self.state[p], p.detach(), float(group["lr"])
        state["step"] = _counter(0.0, group)
        state["prev"] = zeros_like(like)
        state["step_size"] = full_like(like, complex(lr, lr) if p.is_complex() else lr)

    @staticmethod
    def _formula(p: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
        (less, more), turn = group["etas"], (grad * state["prev"]).sign()
        one = ones_like(turn)  # numbers alone would be float32
        factor = where(turn > 0, more * one, where(turn < 0, less * one, one))
        state["step_size"] = size = clamp(state["step_size"] * factor, *group["step_sizes"])
        state["prev"] = grad = where(turn < 0, 0.0, grad)
        p.sub_(grad.sign() * size)


__getattr__, __dir__ = _attach(__name__, "torch.optim.rprop", {"rprop": "flambeau_nn.optim._functional"})
