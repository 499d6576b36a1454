"""Steps as operations: with ``differentiable=True``, and if ``__torch_dispatch__`` handlers see the operations.

An optimizer's ``_formula`` is the update of one parameter, equivalent to its loop in ``include/optim_loops.h``; it
writes to the parameter and replaces states, since saved tensors must not change. Complex numbers are pairs of real
ones. Step counts and values derived from them are tensors, so that a graph of the operations continues to count.

``_sparse_formula`` is the update for a gradient with layout ``torch.sparse_coo``, if an optimizer has one. It changes
only the elements that have a gradient, and its cost depends on the gradient's stored elements, not on the parameter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flambeau_autograd import enable_grad, no_grad
from flambeau_tensor import Tensor, float64, view_as_complex, view_as_real
from flambeau_tensor.extend import dispatching

if TYPE_CHECKING:
    from flambeau_nn.optim.optimizer import FusedOptimizer


def step(optimizer: FusedOptimizer) -> None:
    """Update all parameters of an optimizer."""
    with enable_grad():
        for group in optimizer.param_groups:
            if group.get("foreach"):
                raise AssertionError("_foreach ops don't support autograd")
            for p in group["params"]:
                if p.grad is not None:
                    _update(optimizer, p, p.grad, group)


def update_by_operations(optimizer: FusedOptimizer, p: Tensor, grad: Tensor, group: dict[str, Any]) -> None:
    """Update a parameter with operations that ``__torch_dispatch__`` handlers see, instead of a loop over memory.

    The state of a plain parameter is created without calling the handlers, so that a graph of the step continues with
    the existing state.
    """
    with no_grad():
        if grad.is_sparse:
            _update(optimizer, p, grad, group)
            return
        if not _is_handled(p) and not _is_handled(grad):
            with dispatching.Undispatched():
                optimizer._prepare(p, grad, group)
        before = dict(optimizer.state[p])
        _update(optimizer, p, grad, group)
        state = optimizer.state[p]
        for key, value in before.items():
            if state[key] is not value:
                state[key] = value.copy_(state[key])


def _is_handled(t: Tensor) -> bool:
    return type(t).__torch_dispatch__ is not Tensor.__torch_dispatch__  # type: ignore[attr-defined]


def _update(optimizer: FusedOptimizer, p: Tensor, grad: Tensor, group: dict[str, Any]) -> None:
    formula = optimizer._formula
    if grad.is_sparse:
        if optimizer._sparse_formula is None:
            optimizer._refuse_sparse()
        if group.get("fused"):
            raise RuntimeError(f"`_fused_{optimizer._rule.key}` does not support sparse gradients")
        formula = optimizer._sparse_formula
    state = optimizer.state[p]
    if not state and optimizer._rule.counted:
        optimizer._new_state(p, group)
        state = optimizer.state[p]
    if "step" in state:
        state["step"] += 1
    grad = -grad if group["maximize"] else grad
    if grad.is_sparse or not p.is_complex():
        formula(p, grad, state, group)
        if not state:
            del optimizer.state[p]  # a step that keeps nothing leaves no entry
        return
    pairs = {
        key: view_as_real(value) if isinstance(value, Tensor) and value.is_complex() else value
        for key, value in state.items()
    }
    formula(view_as_real(p), view_as_real(grad), pairs, group)
    for key, value in pairs.items():
        state[key] = view_as_complex(value) if value.dim() > p.dim() else value


# --- shared by several formulas -------------------------------------------------------------------------------------


def decayed(p: Tensor, grad: Tensor, group: dict[str, Any]) -> Tensor:
    """Return the gradient plus weight decay; decoupled decay is applied to the parameter instead."""
    decay = group["weight_decay"]
    if decay == 0:
        return grad
    if group.get("decoupled_weight_decay"):
        p.mul_(1 - group["lr"] * decay)
        return grad
    return grad + decay * p


def number(single: Tensor) -> Tensor:
    """The tensor of one number in a state, as exact as Python's numbers."""
    return single.to(float64)


def moments(grad: Tensor, state: dict[str, Any], group: dict[str, Any]) -> tuple[Tensor, ...]:
    """Return the new means of gradients and of their squares, the step count, and the bias corrections."""
    beta1, beta2 = group["betas"]
    state["exp_avg"] = mean = beta1 * state["exp_avg"] + (1 - beta1) * grad
    state["exp_avg_sq"] = square = beta2 * state["exp_avg_sq"] + (1 - beta2) * grad * grad
    t = number(state["step"])
    return mean, square, t, 1 - beta1**t, 1 - beta2**t


def parts(grad: Any) -> tuple[tuple[Tensor, ...], Tensor]:
    """The places of a sparse gradient, each once, as an index into the parameter, and the values there."""
    grad = grad.coalesce()
    return tuple(grad.indices()), grad.values()
