"""The Dirichlet distribution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import flambeau_tensor as torch
from flambeau_distributions import constraints
from flambeau_distributions.exp_family import ExponentialFamily
from flambeau_tensor import Tensor
from flambeau_tensor.extend import find_operator

__all__ = ["Dirichlet"]


def _Dirichlet_backward(x: Tensor, concentration: Tensor, grad_output: Tensor) -> Tensor:
    """Return the gradient of the concentration from that of a sample `x`."""
    total = concentration.sum(-1, True).expand_as(concentration)
    by_one = find_operator("torch._dirichlet_grad")(x, concentration, total)
    return by_one * (grad_output - (x * grad_output).sum(-1, True))


class Dirichlet(ExponentialFamily):
    """Probabilities of categories, along the last dimension, with a ``concentration`` for each.

    Args:
        concentration: (*, K), above 0.

    Shape:
        Numbers or floating point tensors: arguments broadcast to (*, K); a sample is ``sample_shape`` + (*, K).

    Raises:
        ValueError: an argument is outside its range, or an argument of `log_prob` is outside `support`.

    >>> d = Dirichlet(torch.tensor([1.0, 3.0]))
    >>> d.mean, d.sample().sum()
    (tensor([0.2500, 0.7500]), tensor(1.))
    """

    arg_constraints = {"concentration": constraints.independent(constraints.positive, 1)}
    support = constraints.simplex
    has_rsample = True

    def __init__(self, concentration: Tensor, validate_args: bool | None = None) -> None:
        if concentration.dim() < 1:
            raise ValueError("`concentration` parameter must be at least one-dimensional.")
        self.concentration = concentration
        super().__init__(concentration.shape[:-1], concentration.shape[-1:], validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Self:
        return self._expanded(Dirichlet, batch_shape, _instance, ("concentration",), event_dims={"concentration": 1})

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        return find_operator("torch._sample_dirichlet")(self.concentration.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        c = self.concentration
        return torch.xlogy(c - 1.0, value).sum(-1) + torch.lgamma(c.sum(-1)) - torch.lgamma(c).sum(-1)

    @property
    def mean(self) -> Tensor:
        return self.concentration / self.concentration.sum(-1, True)

    @property
    def mode(self) -> Tensor:
        c = (self.concentration - 1).clamp(min=0.0)
        mode = c / c.sum(-1, True)
        flat = (self.concentration < 1).all(dim=-1)
        corner = torch.zeros_like(mode).scatter_(-1, mode.nan_to_num().argmax(dim=-1, keepdim=True), 1.0)
        return torch.where(flat.unsqueeze(-1), corner, mode)

    @property
    def variance(self) -> Tensor:
        c, total = self.concentration, self.concentration.sum(-1, True)
        return c * (total - c) / (total.pow(2) * (total + 1))

    def entropy(self) -> Tensor:
        k, total = self.concentration.size(-1), self.concentration.sum(-1)
        return (
            torch.lgamma(self.concentration).sum(-1)
            - torch.lgamma(total)
            - (k - total) * torch.digamma(total)
            - ((self.concentration - 1.0) * torch.digamma(self.concentration)).sum(-1)
        )

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        return (self.concentration,)

    def _log_normalizer(self, x: Tensor) -> Tensor:  # type: ignore[override]
        return x.lgamma().sum(-1) - torch.lgamma(x.sum(-1))
