"""Adam for sparse gradients, of which there are none here yet."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flambeau_nn.optim.optimizer import Optimizer, ParamsT
from flambeau_tensor import Tensor

__all__ = ["SparseAdam"]


class SparseAdam(Optimizer):
    """Adam that leaves elements without a gradient as they are.

    Sparse tensors are not built, so no gradient is one, and dense ones are refused, as in PyTorch. The options, their
    checks, states and state dicts are there.

    Args:
        params: the parameters, see :class:`Optimizer`.
        lr: the step size.
        betas: how much of the mean and of the mean of squares is kept.
        eps: added to the divisor.
        maximize: go up instead of down.

    Raises:
        ValueError: an option is out of its range, or a parameter is complex.
        RuntimeError: a gradient is dense.

    >>> w = torch.ones(3, requires_grad=True)
    >>> optimizer = SparseAdam([w], lr=0.1)
    >>> w.grad = torch.tensor([0.0, 1.0, 0.0])
    >>> optimizer.step()
    Traceback (most recent call last):
        ...
    RuntimeError: SparseAdam does not support dense gradients, please consider Adam instead
    >>> w
    tensor([1., 1., 1.], requires_grad=True)
    """

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1e-3,
        betas: tuple[Any, ...] = (0.9, 0.999),
        eps: float = 1e-8,
        maximize: bool = False,
    ) -> None:
        if isinstance(lr, Tensor) and lr.numel() != 1:
            raise ValueError("Tensor lr must be 1-element")
        if not 0.0 < lr:
            raise ValueError(f"Invalid learning rate: {lr}")
        if not 0.0 < eps:
            raise ValueError(f"Invalid epsilon value: {eps}")
        for i in (0, 1):
            if not 0.0 <= betas[i] < 1.0:
                raise ValueError(f"Invalid beta parameter at index {i}: {betas[i]}")
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "maximize": maximize})
        complex_ones = [
            [i, k] for i, group in enumerate(self.param_groups) for k, p in enumerate(group["params"]) if p.is_complex()
        ]
        if complex_ones:
            raise ValueError(
                f"Complex params at indices {complex_ones}: SparseAdam does not support complex parameters"
            )

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Refuse gradients, as all of them are dense. ``closure`` computes the loss anew and returns it."""
        loss = None if closure is None else self._evaluate(closure)
        if any(p.grad is not None for group in self.param_groups for p in group["params"]):
            raise RuntimeError("SparseAdam does not support dense gradients, please consider Adam instead")
        return loss
