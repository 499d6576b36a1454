"""The Adafactor optimizer."""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from typing import Any

from flambeau_autograd import no_grad
from flambeau_nn.optim.optimizer import Optimizer, ParamsT, _counter, _in_range
from flambeau_tensor import Tensor, finfo, zeros_like

__all__ = ["Adafactor"]


class Adafactor(Optimizer):
    """Gradients divided by the root of their mean squares; for matrices only means of rows and columns are stored.

    The step size is relative to the size of the parameter. ``foreach`` has no effect.

    Args:
        params: the parameters, see :class:`Optimizer`.
        lr: the greatest relative step.
        beta2_decay: step t keeps the fraction 1 - t^beta2_decay of the mean squares.
        eps: the least mean square's root (None: the least difference from 1 in the parameter's dtype), and the least
            size of a parameter that steps are relative to.
        d: updates whose root mean square is greater are scaled down to it.
        weight_decay: each step multiplies the parameter by 1 - lr·weight_decay.
        maximize: maximize instead of minimize.

    Raises:
        ValueError: an option is out of its range.
        RuntimeError: a parameter is complex.

    Source: N. Shazeer and M. Stern, Adafactor: adaptive learning rates with sublinear memory cost, ICML 2018.

    >>> import flambeau_tensor as ft
    >>> p = ft.tensor([[1.0, 2.0]], requires_grad=True)
    >>> p.grad = ft.tensor([[0.5, -0.5]])
    >>> Adafactor([p], lr=0.1).step()
    >>> p
    tensor([[0.8419, 2.1581]], requires_grad=True)
    """

    _counts_in_tensors = True

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1e-2,
        beta2_decay: float = -0.8,
        eps: tuple[Any, ...] = (None, 1e-3),
        d: float = 1.0,
        weight_decay: float = 0.0,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
    ) -> None:
        if isinstance(lr, Tensor) and lr.numel() != 1:
            raise ValueError("Tensor lr must be 1-element")
        _in_range("Learning rate should be >= 0", 0.0 <= lr, lr)
        _in_range("beta2_decay should be <= 0", beta2_decay <= 0.0, beta2_decay)
        _in_range("epsilon1 should be >= 0", eps[0] is None or eps[0] >= 0.0, eps[0])
        _in_range("epsilon2 should be >= 0", 0.0 <= eps[1], eps[1])
        _in_range("Clipping threshold d should be >= 1", 1.0 <= d, d)
        _in_range("weight_decay should be >= 0", 0.0 <= weight_decay, weight_decay)
        super().__init__(
            params,
            {
                "lr": lr,
                "beta2_decay": beta2_decay,
                "eps": eps,
                "d": d,
                "weight_decay": weight_decay,
                "foreach": foreach,
                "maximize": maximize,
            },
        )

    def _new_state(self, p: Tensor, grad: Tensor) -> dict[str, Any]:
        state = self.state[p]
        state["step"] = _counter(0.0)
        if grad.dim() > 1:
            state["row_var"] = grad.new_zeros((*grad.shape[:-1], 1))
            state["col_var"] = grad.new_zeros((*grad.shape[:-2], 1, grad.shape[-1]))
        else:
            state["variance"] = zeros_like(grad)
        return state

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Update the parameters. ``closure`` recomputes the loss and returns it."""
        loss = None if closure is None else self._evaluate(closure)
        with no_grad():
            for group in self.param_groups:
                for p in group["params"]:
                    if p.grad is not None:
                        self._update(p, -p.grad if group["maximize"] else p.grad, group)
        return loss

    def _update(self, p: Tensor, grad: Tensor, group: dict[str, Any]) -> None:
        if grad.is_sparse:
            self._refuse_sparse()
        if p.is_complex():
            raise RuntimeError("Adafactor does not support complex parameters")
        state = self.state.get(p) or self._new_state(p, grad)
        state["step"] += 1
        step, lr, least = state["step"].item(), float(group["lr"]), group["eps"][0]
        if least is None:
            least = finfo(p.dtype).eps
        share = step ** group["beta2_decay"]
        size = max(group["eps"][1], p.norm(2).item() / sqrt(p.numel())) * min(lr, 1 / sqrt(step))
        if group["weight_decay"] != 0:
            p.mul_(1 - lr * group["weight_decay"])
        if grad.dim() > 1:
            rows, columns = state["row_var"], state["col_var"]
            rows.lerp_(grad.norm(dim=-1, keepdim=True).square_().div_(grad.size(-1)), share)
            columns.lerp_(grad.norm(dim=-2, keepdim=True).square_().div_(grad.size(-2)), share)
            squares = (rows @ columns).div_(rows.mean(dim=-2, keepdim=True).clamp_(min=least))
        else:
            squares = state["variance"].lerp_(grad * grad, share).clone()
        update = squares.clamp_(min=least * least).rsqrt_().mul_(grad)
        too_large = max(1.0, update.norm(2).item() / (sqrt(update.numel()) * group["d"]))
        p.add_(update, alpha=-size / too_large)
