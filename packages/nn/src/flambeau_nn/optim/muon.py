"""The Muon optimizer, for the matrices of hidden layers."""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from typing import Any

from flambeau_autograd import no_grad
from flambeau_nn.optim.optimizer import Optimizer, ParamsT, _in_range
from flambeau_tensor import Tensor, addmm, zeros_like

__all__ = ["Muon"]


def _orthogonal(update: Tensor, coefficients: tuple[float, float, float], steps: int, eps: float) -> Tensor:
    """About U·Vᵀ of the singular value decomposition, by a polynomial of odd powers, in bfloat16."""
    if steps >= 100:
        raise ValueError("Number of steps must be less than 100 for computational efficiency")
    if len(coefficients) != 3:
        raise ValueError("Coefficients must be a tuple of exactly 3 values")
    a, b, c = coefficients
    tall = update.size(0) > update.size(1)
    x = update.bfloat16()
    x = x.T if tall else x
    x = x / x.norm().clamp(min=eps)
    for _ in range(steps):
        gram = x @ x.T
        x = addmm(x, addmm(gram, gram, gram, beta=b, alpha=c), x, beta=a)
    return x.T if tall else x


class Muon(Optimizer):
    """Steps along the momentum, orthogonalized so that all singular values are about 1. Use it for matrices of hidden
    layers; use another optimizer for biases, embeddings and the last layer.

    Args:
        params: the parameters, see :class:`Optimizer`.
        lr: the step size.
        weight_decay: each step multiplies the parameter by 1 - lr·weight_decay.
        momentum: the momentum factor.
        nesterov: step along a mean of the gradient and that mean.
        ns_coefficients: of the polynomial a·x + b·x³ + c·x⁵ that is applied to the singular values.
        eps: the smallest norm used as a divisor.
        ns_steps: the number of times that the polynomial is applied.
        adjust_lr_fn: "original" (the rate times the root of rows/columns, if there are more rows) or
            "match_rms_adamw" (times 0.2 and the root of the larger number); None: "original".

    Raises:
        ValueError: an option is out of its range, or a parameter is not a matrix.
        RuntimeError: a parameter is complex.

    Sources: K. Jordan, Muon: an optimizer for hidden layers in neural networks, 2024; J. Liu et al., Muon is scalable
    for LLM training, 2025.

    >>> import flambeau_tensor as ft
    >>> p = ft.zeros(2, 2, requires_grad=True)
    >>> p.grad = ft.tensor([[3.0, 0.0], [0.0, 0.1]])
    >>> Muon([p], lr=1.0).step()
    >>> p.detach().round()
    tensor([[-1.,  0.],
            [ 0., -1.]])
    """

    def __init__(
        self,
        params: ParamsT,
        lr: float = 1e-3,
        weight_decay: float = 0.1,
        momentum: float = 0.95,
        nesterov: bool = True,
        ns_coefficients: tuple[Any, ...] = (3.4445, -4.775, 2.0315),
        eps: float = 1e-7,
        ns_steps: int = 5,
        adjust_lr_fn: str | None = None,
    ) -> None:
        if isinstance(lr, Tensor) and lr.numel() != 1:
            raise ValueError("Tensor lr must be 1-element")
        _in_range("Learning rate should be >= 0", 0.0 <= lr, lr)
        _in_range("momentum should be >= 0", 0.0 <= momentum, momentum)
        _in_range("weight decay should be >= 0", 0.0 <= weight_decay, weight_decay)
        if adjust_lr_fn not in (None, "original", "match_rms_adamw"):
            raise ValueError(f"Adjust learning rate function {adjust_lr_fn} is not supported")
        super().__init__(
            params,
            {
                "lr": lr,
                "weight_decay": weight_decay,
                "momentum": momentum,
                "nesterov": nesterov,
                "ns_coefficients": ns_coefficients,
                "eps": eps,
                "ns_steps": ns_steps,
                "adjust_lr_fn": adjust_lr_fn,
            },
        )
        for group in self.param_groups:
            for p in group["params"]:
                if p.dim() != 2:
                    raise ValueError(
                        f"Muon only supports 2D parameters whereas we found a parameter with size: {p.size()}"
                    )

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Update the parameters. ``closure`` recomputes the loss and returns it."""
        loss = None if closure is None else self._evaluate(closure)
        with no_grad():
            for group in self.param_groups:
                for p in group["params"]:
                    if p.grad is not None:
                        self._update(p, p.grad, group)
        return loss

    def _update(self, p: Tensor, grad: Tensor, group: dict[str, Any]) -> None:
        if grad.is_sparse:
            self._refuse_sparse()
        if p.is_complex():
            raise RuntimeError("Muon does not support complex parameters")
        state, keep, lr = self.state[p], group["momentum"], float(group["lr"])
        if "momentum_buffer" not in state:
            state["momentum_buffer"] = zeros_like(grad)
        mean = state["momentum_buffer"].lerp_(grad, 1 - keep)
        update = grad.lerp(mean, keep) if group["nesterov"] else mean
        update = _orthogonal(update, group["ns_coefficients"], group["ns_steps"], group["eps"])
        rows, columns = p.shape
        if group["adjust_lr_fn"] == "match_rms_adamw":
            factor = 0.2 * sqrt(max(rows, columns))
        else:
            factor = sqrt(max(1, rows / columns))
        p.mul_(1 - lr * group["weight_decay"])
        p.add_(update, alpha=-lr * factor)
