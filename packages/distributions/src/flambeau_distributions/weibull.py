"""The Weibull distribution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import flambeau_tensor as torch
from flambeau_distributions import constraints
from flambeau_distributions.exponential import Exponential
from flambeau_distributions.parameters import broadcast_all, euler_constant
from flambeau_distributions.transformed_distribution import TransformedDistribution
from flambeau_distributions.transforms import AffineTransform, PowerTransform
from flambeau_tensor import Tensor

__all__ = ["Weibull"]


class Weibull(TransformedDistribution):
    """``scale`` times an exponential variable to the power ``1 / concentration``.

    Args:
        scale: above 0.
        concentration: above 0.

    Shape:
        Numbers or floating point tensors: arguments broadcast to (*); a sample is ``sample_shape`` + (*).

    Raises:
        ValueError: an argument is outside its range, or an argument of `log_prob` is outside `support`.

    >>> d = Weibull(torch.tensor([1.0]), torch.tensor([2.0]))
    >>> d.mean, d.cdf(torch.tensor([1.0]))
    (tensor([0.8862]), tensor([0.6321]))
    """

    arg_constraints = {"scale": constraints.positive, "concentration": constraints.positive}
    support = constraints.positive

    def __init__(self, scale: Tensor | float, concentration: Tensor | float, validate_args: bool | None = None) -> None:
        self.scale, self.concentration = broadcast_all(scale, concentration)
        self.concentration_reciprocal = self.concentration.reciprocal()
        base = Exponential(torch.ones_like(self.scale), validate_args=validate_args)
        super().__init__(
            base,
            [PowerTransform(exponent=self.concentration_reciprocal), AffineTransform(loc=0, scale=self.scale)],
            validate_args=validate_args,
        )

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Self:
        new = self._get_checked_instance(Weibull, _instance)
        new.scale, new.concentration = self.scale.expand(batch_shape), self.concentration.expand(batch_shape)
        new.concentration_reciprocal = new.concentration.reciprocal()
        base = self.base_dist.expand(batch_shape)
        super(Weibull, new).__init__(
            base,
            [PowerTransform(exponent=new.concentration_reciprocal), AffineTransform(loc=0, scale=new.scale)],
            validate_args=False,
        )
        new._validate_args = self._validate_args
        return new

    @property
    def mean(self) -> Tensor:
        return self.scale * torch.exp(torch.lgamma(1 + self.concentration_reciprocal))

    @property
    def mode(self) -> Tensor:
        c = self.concentration
        return self.scale * ((c - 1) / c) ** c.reciprocal()

    @property
    def variance(self) -> Tensor:
        r = self.concentration_reciprocal
        return self.scale.pow(2) * (torch.exp(torch.lgamma(1 + 2 * r)) - torch.exp(2 * torch.lgamma(1 + r)))

    def entropy(self) -> Tensor:
        r = self.concentration_reciprocal
        return euler_constant * (1 - r) + torch.log(self.scale * r) + 1
