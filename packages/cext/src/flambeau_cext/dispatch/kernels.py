"""Operators that PyTorch has below autograd and that programs do not call by name. Handlers of ``__torch_dispatch__``
receive them in place of a composition."""

from typing import Any

from flambeau_cext.dispatch.deriving import derivative
from flambeau_tensor import zeros_like
from flambeau_tensor.extend import FUNCTION, Operator, find_operator, overloads

_HOW = {"namespace": "torch.ops.aten", "variants": FUNCTION}


def _lift_fresh(self: Any) -> Any:
    """Return the tensor itself: handlers see this operator when a tensor is created from Python data."""
    return self


Operator("lift_fresh(Tensor(a) self) -> Tensor(a)", _lift_fresh, differentiable=False, **_HOW)


def _lift_fresh_copy(self: Any) -> Any:
    """Return a copy: a graph that contains a tensor of Python data as a constant may write to it."""
    return self.clone()


Operator("lift_fresh_copy(Tensor self) -> Tensor", _lift_fresh_copy, differentiable=False, **_HOW)


def _unsafe_view(self: Any, size: Any) -> Any:
    """Return a view, under other sizes, of a tensor without other references."""
    return self.view(size).detach()


derivative(
    Operator("_unsafe_view(Tensor self, int[] size) -> Tensor", _unsafe_view, **_HOW),
    self=lambda grad, self_shape: grad.reshape(self_shape),
    linear=True,
)


def _pin_memory(self: Any, device: Any) -> Any:
    """Return a copy: there is no pinned memory."""
    return self.clone()


derivative(
    Operator("_pin_memory(Tensor self, Device? device=None) -> Tensor", _pin_memory, **_HOW),
    self=lambda grad: grad,
    linear=True,
)


overloads(
    find_operator("torch.addmm"),
    "_sparse_addmm(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
    **_HOW,
)


def _sparse_mm_reduce_impl(self: Any, other: Any, reduce: str) -> Any:
    """Not built: packages name it to handle it themselves."""
    raise NotImplementedError("torch.ops.aten._sparse_mm_reduce_impl is not built")


Operator(
    "_sparse_mm_reduce_impl(Tensor self, Tensor other, str reduce) -> (Tensor, Tensor)",
    _sparse_mm_reduce_impl,
    differentiable=False,
    **_HOW,
)


# --- losses ---------------------------------------------------------------------------------------------------------


def _weights(self: Any, target: Any, weight: Any, ignore_index: int) -> Any:
    """Return the weight of each row, 0 if its class is ignored."""
    there = (target != ignore_index).to(self.dtype)
    return there if weight is None else weight[target.clamp(0, self.shape[-1] - 1)] * there


def _nll_loss_forward(self: Any, target: Any, weight: Any, reduction: int, ignore_index: int) -> tuple[Any, Any]:
    """The negated elements at `target`, reduced (0: not, 1: mean, 2: sum), and the sum of their weights."""
    weights = _weights(self, target, weight, ignore_index)
    index = (target * (target != ignore_index)).unsqueeze(-1)
    losses = -self.gather(-1, index).squeeze(-1) * weights
    total = weights.sum()
    if reduction == 0:
        return losses, zeros_like(total)
    return (losses.sum() / total if reduction == 1 else losses.sum()), total


def _nll_loss_backward(
    grad_output: Any, self: Any, target: Any, weight: Any, reduction: int, ignore_index: int, total_weight: Any
) -> Any:
    """The gradient of the negative log likelihood."""
    weights = _weights(self, target, weight, ignore_index)
    grads = -grad_output * weights / (total_weight if reduction == 1 else 1)
    index = (target * (target != ignore_index)).unsqueeze(-1)
    return zeros_like(self).scatter(-1, index, grads.unsqueeze(-1))


_SIGNATURE = "Tensor self, Tensor target, Tensor? weight, int reduction, int ignore_index"
_forward = Operator(
    f"nll_loss_forward({_SIGNATURE}) -> (Tensor output, Tensor total_weight)", _nll_loss_forward, **_HOW
)
_backward = Operator(
    f"nll_loss_backward(Tensor grad_output, {_SIGNATURE}, Tensor total_weight) -> Tensor",
    _nll_loss_backward,
    differentiable=False,
    **_HOW,
)
derivative(
    _forward,
    self=lambda grad, self, target, weight, reduction, ignore_index, total_weight: _backward(
        grad, self, target, weight, reduction, ignore_index, total_weight
    ),
)
