"""Adam for sparse gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flambeau_autograd import no_grad
from flambeau_nn.optim._operations import parts
from flambeau_nn.optim.optimizer import Optimizer, ParamsT
from flambeau_tensor import Tensor, zeros_like

__all__ = ["SparseAdam"]


class SparseAdam(Optimizer):
    """Adam that does not change elements without a gradient.

    Gradients must have the layout ``torch.sparse_coo``, as of `torch.nn.Embedding` with ``sparse=True``. Running means
    of other elements do not change either.

    Args:
        params: the parameters, see :class:`Optimizer`.
        lr: the step size.
        betas: the decay rates of the running means of the gradients and of their squares.
        eps: added to the divisor.
        maximize: maximize instead of minimize.

    Raises:
        ValueError: an option is out of its range, or a parameter is complex or sparse.
        RuntimeError: a gradient is dense.

    >>> w = torch.ones(3, requires_grad=True)
    >>> optimizer = SparseAdam([w], lr=0.1)
    >>> w.grad = torch.sparse_coo_tensor([[1]], [2.0], (3,))
    >>> optimizer.step()
    >>> w
    tensor([1.0000, 0.9000, 1.0000], requires_grad=True)
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
        sparse_ones = [
            [i, k] for i, group in enumerate(self.param_groups) for k, p in enumerate(group["params"]) if p.is_sparse
        ]
        if sparse_ones:
            raise ValueError(f"Sparse params at indices {sparse_ones}: SparseAdam requires dense parameter tensors")
        complex_ones = [
            [i, k] for i, group in enumerate(self.param_groups) for k, p in enumerate(group["params"]) if p.is_complex()
        ]
        if complex_ones:
            raise ValueError(
                f"Complex params at indices {complex_ones}: SparseAdam does not support complex parameters"
            )

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Update the elements that have a gradient. ``closure`` recomputes the loss and returns it."""
        loss = None if closure is None else self._evaluate(closure)
        with no_grad():
            for group in self.param_groups:
                for p in group["params"]:
                    if p.grad is not None:
                        self._update(p, p.grad, group)
        return loss

    def _update(self, p: Tensor, grad: Tensor, group: dict[str, Any]) -> None:
        if not grad.is_sparse:
            raise RuntimeError("SparseAdam does not support dense gradients, please consider Adam instead")
        state = self.state[p]
        if not state:
            state.update(step=0, exp_avg=zeros_like(p), exp_avg_sq=zeros_like(p))
        state["step"] += 1
        self._sparse_formula(p, -grad if group["maximize"] else grad, state, group)

    @staticmethod
    def _sparse_formula(p: Tensor, grad: Any, state: dict[str, Any], group: dict[str, Any]) -> None:
        where, values = parts(grad)
        if not len(values):
            return
        beta1, beta2 = group["betas"]
        dtype = state["exp_avg"].dtype
        mean = (beta1 * state["exp_avg"][where] + (1 - beta1) * values).to(dtype)
        square = (beta2 * state["exp_avg_sq"][where] + (1 - beta2) * values * values).to(dtype)
        state["exp_avg"].index_put_(where, mean)
        state["exp_avg_sq"].index_put_(where, square)
        rest1, rest2 = (1 - beta ** state["step"] for beta in (beta1, beta2))
        step = group["lr"] * rest2**0.5 / rest1
        p.index_put_(where, (-step * mean / (square.sqrt() + group["eps"])).to(p.dtype), accumulate=True)
