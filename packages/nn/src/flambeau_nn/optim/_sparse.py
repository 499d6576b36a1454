"""Steps by gradients of layout ``torch.sparse_coo``, which change the elements that have a gradient and no others.

They are operations on the values, so a step costs what is stored and not what the parameter holds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flambeau_tensor import Tensor

if TYPE_CHECKING:
    from flambeau_nn.optim.optimizer import Optimizer


def update(name: str, p: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
    """The update of a parameter by the rule of this name."""
    if group.get("fused"):
        raise RuntimeError(f"`_fused_{name}` does not support sparse gradients")
    RULES[name](p, grad, state, group)


def refuse(optimizer: Optimizer) -> None:
    """Raise PyTorch's error of an optimizer that reads every element of a gradient."""
    from flambeau_nn.optim.adam import Adam

    if isinstance(optimizer, Adam):
        raise RuntimeError("Adam does not support sparse gradients, please consider SparseAdam instead")
    raise RuntimeError(f"{type(optimizer).__name__} does not support sparse gradients")


def _parts(grad: Any) -> tuple[tuple[Tensor, ...], Tensor]:
    """The places, each once, as an index into the parameter, and the values there."""
    grad = grad.coalesce()
    return tuple(grad.indices()), grad.values()


def sgd(p: Tensor, grad: Any, state: dict[str, Any], group: dict[str, Any]) -> None:
    if group["weight_decay"] != 0:
        raise RuntimeError("add(sparse, dense) is not supported. Use add(dense, sparse) instead.")
    keep = group["momentum"]
    if keep != 0:
        before = state.get("momentum_buffer")
        buffer = grad.clone() if before is None else keep * before + (1 - group["dampening"]) * grad
        state["momentum_buffer"] = buffer
        grad = grad + keep * buffer if group["nesterov"] else buffer
    p.add_(grad, alpha=-group["lr"])


def adagrad(p: Tensor, grad: Any, state: dict[str, Any], group: dict[str, Any]) -> None:
    if group["weight_decay"] != 0:
        raise RuntimeError("weight_decay option is not compatible with sparse gradients")
    where, values = _parts(grad)
    state["sum"].index_put_(where, values * values, accumulate=True)
    lr = group["lr"] / (1 + (state["step"].item() - 1) * group["lr_decay"])
    p.index_put_(where, -lr * values / (state["sum"][where].sqrt() + group["eps"]), accumulate=True)


def sparse_adam(p: Tensor, grad: Any, state: dict[str, Any], group: dict[str, Any]) -> None:
    where, values = _parts(grad)
    if not len(values):
        return
    beta1, beta2 = group["betas"]
    mean = beta1 * state["exp_avg"][where] + (1 - beta1) * values
    square = beta2 * state["exp_avg_sq"][where] + (1 - beta2) * values * values
    state["exp_avg"].index_put_(where, mean)
    state["exp_avg_sq"].index_put_(where, square)
    rest1, rest2 = (1 - beta ** state["step"] for beta in (beta1, beta2))
    step = group["lr"] * rest2**0.5 / rest1
    p.index_put_(where, -step * mean / (square.sqrt() + group["eps"]), accumulate=True)


RULES = {"sgd": sgd, "adagrad": adagrad, "sparse_adam": sparse_adam}
