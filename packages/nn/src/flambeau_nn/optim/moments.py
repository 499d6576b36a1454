"""Relatives of Adam: with a maximum (Adamax), with Nesterov's momentum (NAdam), rectified (RAdam)."""

from __future__ import annotations

from typing import Any

from flambeau_nn.optim import _fused
from flambeau_nn.optim._operations import decayed, moments, number
from flambeau_nn.optim.optimizer import FusedOptimizer, ParamsT, _at_least_zero, _check_options, _counter
from flambeau_tensor import Tensor, maximum, where, zeros_like
from flambeau_tensor.lazy_attributes import attach as _attach

__all__ = ["Adamax", "NAdam", "RAdam"]


class _Moments(FusedOptimizer):
    """Running means of the gradients and of a second quantity."""

    _second = "exp_avg_sq"

    def __init__(self, params: ParamsT, **options: Any) -> None:
        _check_options(options["lr"], foreach=options["foreach"], differentiable=options["differentiable"])
        _at_least_zero(epsilon__value=options["eps"])
        for i in (0, 1):
            if not 0.0 <= options["betas"][i] < 1.0:
                raise ValueError(f"Invalid beta parameter at index {i}: {options['betas'][i]}")
        _at_least_zero(
            **{f"{name}__value": options[name] for name in ("weight_decay", "momentum_decay") if name in options}
        )
        super().__init__(params, options)

    def _new_state(self, p: Tensor, group: dict[str, Any]) -> None:
        state, like = self.state[p], p.detach()
        state["step"] = _counter(0.0, group)
        if "momentum_decay" in group:
            state["mu_product"] = _counter(1.0, group)
        state["exp_avg"] = zeros_like(like)
        state[self._second] = zeros_like(like)


class Adamax(_Moments):
    """Steps along a running mean of the gradients, divided by a decaying maximum of their absolute values.

    ``foreach`` and ``capturable`` have no effect: a step is one compiled call.

    Args:
        params: the parameters, see :class:`Optimizer`.
        lr: the step size.
        betas: the decay rates of the running mean and of the running maximum.
        eps: added to the size of each gradient.
        weight_decay: the factor by which the parameter is added to the gradient.
        maximize: maximize instead of minimize.
        differentiable: whether autograd records the step, see :class:`Optimizer`.

    Raises:
        ValueError: an option is out of its range.

    Source: D. P. Kingma and J. Ba, Adam: a method for stochastic optimization, ICLR 2015, section 7.1.

    >>> import flambeau_tensor as ft
    >>> p = ft.tensor([1.0, 2.0], requires_grad=True)
    >>> p.grad = ft.tensor([0.5, -0.5])
    >>> Adamax([p], lr=0.1).step()
    >>> p
    tensor([0.9000, 2.1000], requires_grad=True)
    """

    _rule = _fused.adamax
    _second = "exp_inf"

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 2e-3,
        betas: tuple[Any, ...] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        super().__init__(
            params,
            lr=lr,
            betas=betas,
            eps=eps,
            weight_decay=weight_decay,
            foreach=foreach,
            maximize=maximize,
            differentiable=differentiable,
            capturable=capturable,
        )

    @staticmethod
    def _formula(p: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
        grad, (beta1, beta2) = decayed(p, grad, group), group["betas"]
        state["exp_avg"] = mean = beta1 * state["exp_avg"] + (1 - beta1) * grad
        state["exp_inf"] = top = maximum(beta2 * state["exp_inf"], grad.abs() + group["eps"])
        p.sub_(group["lr"] / (1 - beta1 ** number(state["step"])) * mean / top)


class NAdam(_Moments):
    """Adam with Nesterov momentum.

    ``foreach`` and ``capturable`` have no effect: a step is one compiled call.

    Args:
        params: the parameters, see :class:`Optimizer`.
        lr: the step size.
        betas: the decay rates of the running means of the gradients and of their squares.
        eps: added to the divisor.
        weight_decay: the factor by which the parameter is added to the gradient.
        momentum_decay: how fast the momentum of step t, betas[0]·(1 - 0.96^(t·momentum_decay) / 2), grows.
        decoupled_weight_decay: multiply the parameter by 1 - lr·weight_decay instead.
        maximize: maximize instead of minimize.
        differentiable: whether autograd records the step, see :class:`Optimizer`.

    Raises:
        ValueError: an option is out of its range.

    Source: T. Dozat, Incorporating Nesterov momentum into Adam, ICLR 2016 workshop.

    >>> import flambeau_tensor as ft
    >>> p = ft.tensor([1.0, 2.0], requires_grad=True)
    >>> p.grad = ft.tensor([0.5, -0.5])
    >>> NAdam([p], lr=0.1).step()
    >>> p
    tensor([0.8944, 2.1056], requires_grad=True)
    """

    _rule = _fused.nadam

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 2e-3,
        betas: tuple[Any, ...] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum_decay: float = 4e-3,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        super().__init__(
            params,
            lr=lr,
            betas=betas,
            eps=eps,
            weight_decay=weight_decay,
            momentum_decay=momentum_decay,
            decoupled_weight_decay=decoupled_weight_decay,
            maximize=maximize,
            foreach=foreach,
            capturable=capturable,
            differentiable=differentiable,
        )

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        for entries in self.state.values():
            if entries and not isinstance(entries["mu_product"], Tensor):  # as older versions saved it
                entries["mu_product"] = _counter(float(entries["mu_product"]))

    @staticmethod
    def _formula(p: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
        grad, (beta1, _) = decayed(p, grad, group), group["betas"]
        mean, square, t, _, rest2 = moments(grad, state, group)
        now, then = (beta1 * (1 - 0.5 * 0.96 ** (i * group["momentum_decay"])) for i in (t, t + 1))
        state["mu_product"] *= now
        product = number(state["mu_product"])
        along = (1 - now) / (1 - product) * grad + then / (1 - product * then) * mean
        p.sub_(group["lr"] * along / ((square / rest2).sqrt() + group["eps"]))


class RAdam(_Moments):
    """Rectified Adam: it divides only after enough gradients, with a factor that depends on their number.

    ``foreach`` and ``capturable`` have no effect: a step is one compiled call.

    Args:
        params: the parameters, see :class:`Optimizer`.
        lr: the step size.
        betas: the decay rates of the running means of the gradients and of their squares.
        eps: added to the divisor.
        weight_decay: the factor by which the parameter is added to the gradient.
        decoupled_weight_decay: multiply the parameter by 1 - lr·weight_decay instead.
        maximize: maximize instead of minimize.
        differentiable: whether autograd records the step, see :class:`Optimizer`.

    Raises:
        ValueError: an option is out of its range.

    Source: L. Liu et al., On the variance of the adaptive learning rate and beyond, ICLR 2020.

    >>> import flambeau_tensor as ft
    >>> p = ft.tensor([1.0, 2.0], requires_grad=True)
    >>> p.grad = ft.tensor([0.5, -0.5])
    >>> RAdam([p], lr=0.1).step()
    >>> p
    tensor([0.9500, 2.0500], requires_grad=True)
    """

    _rule = _fused.radam

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1e-3,
        betas: tuple[Any, ...] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        super().__init__(
            params,
            lr=lr,
            betas=betas,
            eps=eps,
            weight_decay=weight_decay,
            maximize=maximize,
            foreach=foreach,
            capturable=capturable,
            decoupled_weight_decay=decoupled_weight_decay,
            differentiable=differentiable,
        )

    @staticmethod
    def _formula(p: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
        mean, square, t, rest1, rest2 = moments(decayed(p, grad, group), state, group)
        most = 2 / (1 - group["betas"][1]) - 1
        length = most - 2 * t * (1 - rest2) / rest2
        change = group["lr"] / rest1 * mean
        factor = rest2 * (length - 4) * (length - 2) * most / ((most - 4) * (most - 2) * length)
        square = where(length > 5, square, 1.0)  # the other case needs no derivative of a root of 0
        adapted = factor.clamp(min=0) ** 0.5 * change / (square.sqrt() + group["eps"])
        p.sub_(where(length > 5, adapted, change))


__getattr__, __dir__ = _attach(
    __name__, "torch.optim.moments", dict.fromkeys(("adamax", "nadam", "radam"), "flambeau_nn.optim._functional")
)
