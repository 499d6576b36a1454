"""Steps as operations: with ``differentiable=True``, and where handlers of ``__torch_dispatch__`` hear of operations.

Each function is the update of one parameter, as the loop of its name in ``include/optim_loops.h``; it writes to the
parameter and replaces states, since what an operation saved must not change. Complex numbers come as pairs of real
ones. Counts of steps and what follows from them stay tensors, so that a graph of the operations goes on counting.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from flambeau_autograd import enable_grad, no_grad
from flambeau_nn.optim import _sparse
from flambeau_tensor import Tensor, clamp, float64, maximum, view_as_complex, view_as_real, where, zeros_like
from flambeau_tensor.extend import dispatching

if TYPE_CHECKING:
    from flambeau_nn.optim.optimizer import FusedOptimizer


Formula = Callable[[Tensor, Tensor, dict[str, Any], dict[str, Any]], None]


def step(optimizer: FusedOptimizer, formula: Formula) -> None:
    """Update all parameters of an optimizer."""
    with enable_grad():
        for group in optimizer.param_groups:
            for p in group["params"]:
                if p.grad is not None:
                    _update(optimizer, formula, p, p.grad, group)


def update_by_operations(
    optimizer: FusedOptimizer, formula: str, p: Tensor, grad: Tensor, group: dict[str, Any]
) -> None:
    """Update a parameter of which handlers of ``__torch_dispatch__`` hear, which a loop over memory would pass by.

    A plain parameter's state is made unheard, so that a graph of the step takes up the state where it was left.
    """
    with no_grad():
        if grad.is_sparse:
            _update(optimizer, globals()[formula], p, grad, group)
            return
        if not _is_handled(p) and not _is_handled(grad):
            with dispatching.Undispatched():
                _prepare(optimizer, formula, p, grad, group)
        before = dict(optimizer.state[p])
        _update(optimizer, globals()[formula], p, grad, group)
        state = optimizer.state[p]
        for key, value in before.items():
            if state[key] is not value:
                state[key] = value.copy_(state[key])


def _is_handled(t: Tensor) -> bool:
    return type(t).__torch_dispatch__ is not Tensor.__torch_dispatch__  # type: ignore[attr-defined]


def _prepare(optimizer: FusedOptimizer, formula: str, p: Tensor, grad: Tensor, group: dict[str, Any]) -> None:
    """Make the state that a parameter will need."""
    state = optimizer.state[p]
    if formula != "sgd":
        if not state:
            optimizer._new_state(p, group)
    elif group["momentum"] != 0 and state.get("momentum_buffer") is None:
        # The first step puts the gradient there, all others damp it: from this the first one gets there, too.
        damped = group["dampening"] / group["momentum"]
        gradient = -grad if group["maximize"] else grad
        state["momentum_buffer"] = damped * (gradient + group["weight_decay"] * p) if damped else zeros_like(p)


def _update(optimizer: FusedOptimizer, formula: Formula, p: Tensor, grad: Tensor, group: dict[str, Any]) -> None:
    if grad.is_sparse and formula.__name__ not in _sparse.RULES:
        _sparse.refuse(optimizer)
    state = optimizer.state[p]
    if not state and formula is not sgd:
        optimizer._new_state(p, group)
        state = optimizer.state[p]
    if "step" in state:
        state["step"] += 1
    grad = -grad if group["maximize"] else grad
    if grad.is_sparse:
        _sparse.update(formula.__name__, p, grad, state, group)
        return
    if not p.is_complex():
        formula(p, grad, state, group)
        return
    pairs = {
        key: view_as_real(value) if isinstance(value, Tensor) and value.is_complex() else value
        for key, value in state.items()
    }
    formula(view_as_real(p), view_as_real(grad), pairs, group)
    for key, value in pairs.items():
        state[key] = view_as_complex(value) if value.dim() > p.dim() else value


def _decayed(p: Tensor, grad: Tensor, group: dict[str, Any]) -> Tensor:
    """The gradient with the decay, or the decay apart from it."""
    decay = group["weight_decay"]
    if decay == 0:
        return grad
    if group.get("decoupled_weight_decay"):
        p.mul_(1 - group["lr"] * decay)
        return grad
    return grad + decay * p


def _number(single: Tensor) -> Tensor:
    """The tensor of one number in a state, as exact as Python's numbers."""
    return single.to(float64)


def _moments(grad: Tensor, state: dict[str, Any], group: dict[str, Any]) -> tuple[Tensor, ...]:
    beta1, beta2 = group["betas"]
    state["exp_avg"] = mean = beta1 * state["exp_avg"] + (1 - beta1) * grad
    state["exp_avg_sq"] = square = beta2 * state["exp_avg_sq"] + (1 - beta2) * grad * grad
    t = _number(state["step"])
    return mean, square, t, 1 - beta1**t, 1 - beta2**t


def sgd(p: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
    grad, keep = _decayed(p, grad, group), group["momentum"]
    if keep != 0:
        before = state.get("momentum_buffer")
        buffer = grad.clone() if before is None else keep * before + (1 - group["dampening"]) * grad
        state["momentum_buffer"] = buffer
        grad = grad + keep * buffer if group["nesterov"] else buffer
    p.sub_(group["lr"] * grad)


def adam(p: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
    mean, square, _, rest1, rest2 = _moments(_decayed(p, grad, group), state, group)
    if group["amsgrad"]:
        square = state["max_exp_avg_sq"] = maximum(state["max_exp_avg_sq"], square)
    p.sub_(group["lr"] / rest1 * mean / (square.sqrt() / rest2**0.5 + group["eps"]))


def nadam(p: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
    grad, (beta1, _) = _decayed(p, grad, group), group["betas"]
    mean, square, t, _, rest2 = _moments(grad, state, group)
    now, then = (beta1 * (1 - 0.5 * 0.96 ** (i * group["momentum_decay"])) for i in (t, t + 1))
    state["mu_product"] *= now
    product = _number(state["mu_product"])
    along = (1 - now) / (1 - product) * grad + then / (1 - product * then) * mean
    p.sub_(group["lr"] * along / ((square / rest2).sqrt() + group["eps"]))


def radam(p: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
    mean, square, t, rest1, rest2 = _moments(_decayed(p, grad, group), state, group)
    most = 2 / (1 - group["betas"][1]) - 1
    length = most - 2 * t * (1 - rest2) / rest2
    change = group["lr"] / rest1 * mean
    factor = rest2 * (length - 4) * (length - 2) * most / ((most - 4) * (most - 2) * length)
    adapted = factor.clamp(min=0) ** 0.5 * change / (square.sqrt() + group["eps"])
    p.sub_(where(length > 5, adapted, change))


def adamax(p: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
    grad, (beta1, beta2) = _decayed(p, grad, group), group["betas"]
    state["exp_avg"] = mean = beta1 * state["exp_avg"] + (1 - beta1) * grad
    state["exp_inf"] = top = maximum(beta2 * state["exp_inf"], grad.abs() + group["eps"])
    p.sub_(group["lr"] / (1 - beta1 ** _number(state["step"])) * mean / top)


def adagrad(p: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
    grad = _decayed(p, grad, group)
    state["sum"] = total = state["sum"] + grad * grad
    p.sub_(group["lr"] / (1 + (_number(state["step"]) - 1) * group["lr_decay"]) * grad / (total.sqrt() + group["eps"]))


def adadelta(p: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
    grad, rho, eps = _decayed(p, grad, group), group["rho"], group["eps"]
    state["square_avg"] = square = rho * state["square_avg"] + (1 - rho) * grad * grad
    change = (state["acc_delta"] + eps).sqrt() / (square + eps).sqrt() * grad
    state["acc_delta"] = rho * state["acc_delta"] + (1 - rho) * change * change
    p.sub_(group["lr"] * change)


def rmsprop(p: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
    grad, alpha = _decayed(p, grad, group), group["alpha"]
    state["square_avg"] = square = alpha * state["square_avg"] + (1 - alpha) * grad * grad
    if group["centered"]:
        state["grad_avg"] = mean = alpha * state["grad_avg"] + (1 - alpha) * grad
        square = square - mean * mean
    change = grad / (square.sqrt() + group["eps"])
    if group["momentum"] > 0:
        change = state["momentum_buffer"] = group["momentum"] * state["momentum_buffer"] + change
    p.sub_(group["lr"] * change)


def rprop(p: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
    (less, more), turn = group["etas"], (grad * state["prev"]).sign()
    factor = where(turn > 0, more, where(turn < 0, less, 1.0))
    state["step_size"] = size = clamp(state["step_size"] * factor, *group["step_sizes"])
    state["prev"] = grad = where(turn < 0, 0.0, grad)
    p.sub_(grad.sign() * size)


def asgd(p: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
    grad, lr, lambd, t = _decayed(p, grad, group), group["lr"], group["lambd"], _number(state["step"])
    eta, share = _number(state["eta"]), _number(state["mu"])
    p.mul_(1 - lambd * eta).sub_(eta * grad)
    state["ax"] = where(share == 1, p, state["ax"] + share * (p - state["ax"])).to(p.dtype)
    state["eta"].copy_(lr / (1 + lambd * lr * t) ** group["alpha"])
    state["mu"].copy_(1 / (t - group["t0"]).clamp(min=1.0))
