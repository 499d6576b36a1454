"""The inverse gamma distribution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import flambeau_tensor as torch
from flambeau_distributions import constraints
from flambeau_distributions.gamma import Gamma
from flambeau_distributions.transformed_distribution import TransformedDistribution
from flambeau_distributions.transforms import PowerTransform
from flambeau_tensor import Tensor

__all__ = ["InverseGamma"]


class InverseGamma(TransformedDistribution):
    """One over a gamma variable.

    Args:
        concentration: above 0.
        rate: above 0.

    Shape:
        Numbers or floating point tensors: arguments broadcast to (*); a sample is ``sample_shape`` + (*).

    Raises:
        ValueError: an argument is outside its range, or an argument of `log_prob` is outside `support`.

    >>> d = InverseGamma(torch.tensor([3.0]), torch.tensor([4.0]))
    >>> d.mean, d.mode
    (tensor([2.]), tensor([1.]))
    """

    arg_constraints = {"concentration": constraints.positive, "rate": constraints.positive}
    support = constraints.positive
    has_rsample = True

    def __init__(self, concentration: Tensor | float, rate: Tensor | float, validate_args: bool | None = None) -> None:
        base = Gamma(concentration, rate, validate_args=validate_args)
        super().__init__(base, PowerTransform(-base.rate.new_ones(())), validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Self:
        return super().expand(batch_shape, _instance=self._get_checked_instance(InverseGamma, _instance))

    concentration = property(lambda self: self.base_dist.concentration)
    rate = property(lambda self: self.base_dist.rate)

    @property
    def mean(self) -> Tensor:
        return torch.where(self.concentration > 1, self.rate / (self.concentration - 1), torch.inf)

    mode = property(lambda self: self.rate / (self.concentration + 1))

    @property
    def variance(self) -> Tensor:
        c = self.concentration
        return torch.where(c > 2, self.rate.square() / ((c - 1).square() * (c - 2)), torch.inf)

    def entropy(self) -> Tensor:
        c = self.concentration
        return c + self.rate.log() + c.lgamma() - (1 + c) * c.digamma()
