"""Adaptive moment estimation, with weight decay in the gradient (Adam) or decoupled from it (AdamW)."""

from __future__ import annotations

from typing import Any, NoReturn

from flambeau_nn.optim import _fused
from flambeau_nn.optim._operations import decayed, moments
from flambeau_nn.optim.optimizer import FusedOptimizer, ParamsT, _at_least_zero, _check_options, _counter
from flambeau_tensor import Tensor, maximum, zeros_like
from flambeau_tensor.lazy_attributes import attach as _attach

__all__ = ["Adam", "AdamW"]


class Adam(FusedOptimizer):
    """Steps along the running mean of the gradients, divided by the square root of the running mean of their squares.

    ``foreach``, ``fused`` and ``capturable`` have no effect: a step is one compiled call.

    Args:
        params: the parameters, see :class:`Optimizer`.
        lr: the step size.
        betas: the decay rates of the running means of the gradients and of their squares.
        eps: added to the divisor.
        weight_decay: the factor by which the parameter is added to the gradient.
        amsgrad: divide by the maximum of the means of squares so far.
        maximize: maximize instead of minimize.
        differentiable: whether autograd records the step, see :class:`Optimizer`.
        decoupled_weight_decay: multiply the parameter by 1 - lr·weight_decay instead, as AdamW does.

    Raises:
        ValueError: an option is out of its range.

    Sources: D. P. Kingma and J. Ba, Adam: a method for stochastic optimization, ICLR 2015; S. J. Reddi et al., On the
    convergence of Adam and beyond, ICLR 2018.

    >>> import flambeau_tensor as ft
    >>> p = ft.tensor([1.0, 2.0], requires_grad=True)
    >>> p.grad = ft.tensor([0.5, -0.5])
    >>> Adam([p], lr=0.1).step()
    >>> p
    tensor([0.9000, 2.1000], requires_grad=True)
    """

    _rule = _fused.adam

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1e-3,
        betas: tuple[Any, ...] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        amsgrad: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
        decoupled_weight_decay: bool = False,
    ) -> None:
        if isinstance(lr, Tensor) and foreach and not capturable:
            raise ValueError("lr as a Tensor is not supported for capturable=False and foreach=True")
        _check_options(lr, foreach=foreach, fused=fused, differentiable=differentiable)
        _at_least_zero(epsilon__value=eps)
        for i in (0, 1):
            if not 0.0 <= betas[i] < 1.0:
                raise ValueError(f"Invalid beta parameter at index {i}: {betas[i]}")
        _at_least_zero(weight_decay__value=weight_decay)
        if not (all(isinstance(b, float) for b in betas) or all(isinstance(b, Tensor) for b in betas)):
            raise ValueError("betas must be either both floats or both Tensors")
        if isinstance(betas[0], Tensor) and foreach and not capturable:
            raise ValueError("betas[0] as a Tensor is not supported for capturable=False and foreach=True")
        betas = tuple(float(b) for b in betas)
        super().__init__(
            params,
            {
                "lr": lr,
                "betas": betas,
                "eps": eps,
                "weight_decay": weight_decay,
                "amsgrad": amsgrad,
                "maximize": maximize,
                "foreach": foreach,
                "capturable": capturable,
                "differentiable": differentiable,
                "fused": fused,
                "decoupled_weight_decay": decoupled_weight_decay,
            },
        )

    def _new_state(self, p: Tensor, group: dict[str, Any]) -> None:
        state, like = self.state[p], p.detach()
        state["step"] = _counter(0.0, group)
        state["exp_avg"] = zeros_like(like)
        state["exp_avg_sq"] = zeros_like(like)
        if group["amsgrad"]:
            state["max_exp_avg_sq"] = zeros_like(like)

    def _refuse_sparse(self) -> NoReturn:
        raise RuntimeError("Adam does not support sparse gradients, please consider SparseAdam instead")

    @staticmethod
    def _formula(p: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
        mean, square, _, rest1, rest2 = moments(decayed(p, grad, group), state, group)
        if group["amsgrad"]:
            square = state["max_exp_avg_sq"] = maximum(state["max_exp_avg_sq"], square)
        p.sub_(group["lr"] / rest1 * mean / (square.sqrt() / rest2**0.5 + group["eps"]))


class AdamW(Adam):
    """Adam with decoupled weight decay: each step multiplies the parameters by 1 - lr·weight_decay and does not change
    the gradients. The arguments are those of :class:`Adam`; ``weight_decay`` is by default 0.01.

    Raises:
        ValueError: an option is out of its range.

    Source: I. Loshchilov and F. Hutter, Decoupled weight decay regularization, ICLR 2019.

    >>> import flambeau_tensor as ft
    >>> p = ft.tensor([1.0, 2.0], requires_grad=True)
    >>> p.grad = ft.tensor([0.0, 0.0])
    >>> AdamW([p], lr=0.1, weight_decay=0.5).step()
    >>> p
    tensor([0.9500, 1.9000], requires_grad=True)
    """

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1e-3,
        betas: tuple[Any, ...] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        super().__init__(
            params,
            lr,
            betas,
            eps,
            weight_decay,
            amsgrad,
            foreach=foreach,
            maximize=maximize,
            capturable=capturable,
            differentiable=differentiable,
            fused=fused,
            decoupled_weight_decay=True,
        )

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        for group in self.param_groups:
            group["decoupled_weight_decay"] = True  # missing in states saved before this option existed


__getattr__, __dir__ = _attach(
    __name__, "torch.optim.adam", dict.fromkeys(("adam", "adamw"), "flambeau_nn.optim._functional")
)
