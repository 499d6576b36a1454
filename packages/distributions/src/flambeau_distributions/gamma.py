"""The gamma distribution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import flambeau_tensor as torch
from flambeau_distributions import constraints
from flambeau_distributions.exp_family import ExponentialFamily
from flambeau_distributions.parameters import broadcast_all
from flambeau_tensor import Tensor
from flambeau_tensor.extend import find_operator

__all__ = ["Gamma"]


class Gamma(ExponentialFamily):
    """Density ``rate^c x^(c-1) exp(-rate x) / Γ(c)``, where c is ``concentration``.

    Args:
        concentration: above 0.
        rate: above 0.

    Shape:
        Numbers or floating point tensors: arguments broadcast to (*); a sample is ``sample_shape`` + (*).

    Raises:
        ValueError: an argument is outside its range, or an argument of `log_prob` is outside `support`.

    >>> d = Gamma(torch.tensor([2.0]), torch.tensor([4.0]))
    >>> d.mean, d.log_prob(torch.tensor([0.5]))
    (tensor([0.5000]), tensor([0.0794]))
    """

    arg_constraints = {"concentration": constraints.positive, "rate": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True
    _mean_carrier_measure = 0

    def __init__(self, concentration: Tensor | float, rate: Tensor | float, validate_args: bool | None = None) -> None:
        self.concentration, self.rate = broadcast_all(concentration, rate)
        super().__init__(self.concentration.shape, validate_args=validate_args)

    mean = property(lambda self: self.concentration / self.rate)
    mode = property(lambda self: ((self.concentration - 1) / self.rate).clamp(min=0))
    variance = property(lambda self: self.concentration / self.rate.pow(2))

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Self:
        return self._expanded(Gamma, batch_shape, _instance, ("concentration", "rate"))

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        value = find_operator("torch._standard_gamma")(self.concentration.expand(shape)) / self.rate.expand(shape)
        value.detach().clamp_(min=torch.finfo(value.dtype).tiny)  # not recorded: the gradient stays the same
        return value

    def log_prob(self, value: Tensor) -> Tensor:
        value = torch.as_tensor(value, dtype=self.rate.dtype)
        if self._validate_args:
            self._validate_sample(value)
        return (
            torch.xlogy(self.concentration, self.rate)
            + torch.xlogy(self.concentration - 1, value)
            - self.rate * value
            - torch.lgamma(self.concentration)
        )

    def cdf(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        return torch.igamma(self.concentration, self.rate * value)

    def entropy(self) -> Tensor:
        c = self.concentration
        return c - torch.log(self.rate) + torch.lgamma(c) + (1.0 - c) * torch.digamma(c)

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        return self.concentration - 1, -self.rate

    def _log_normalizer(self, x: Tensor, y: Tensor) -> Tensor:  # type: ignore[override]
        return torch.lgamma(x + 1) + (x + 1) * torch.log(-y.reciprocal())
