"""The common base of half distributions: the absolute values of a distribution around 0."""

from __future__ import annotations

import math
from collections.abc import Callable

import flambeau_tensor as torch
from flambeau_distributions import constraints
from flambeau_distributions.distribution import Distribution
from flambeau_distributions.transformed_distribution import TransformedDistribution
from flambeau_distributions.transforms import AbsTransform
from flambeau_tensor import Tensor


class Half(TransformedDistribution):
    """The absolute value of a variable of the class ``_whole`` around 0."""

    arg_constraints = {"scale": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True
    _whole: Callable[..., Distribution]

    def __init__(self, scale: Tensor | float, validate_args: bool | None = None) -> None:
        super().__init__(self._whole(0, scale, validate_args=False), AbsTransform(), validate_args=validate_args)

    scale = property(lambda self: self.base_dist.scale)
    mode = property(lambda self: torch.zeros_like(self.scale))

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        return self._log_prob(value)

    def _log_prob(self, value: Tensor) -> Tensor:
        log_prob = self.base_dist.log_prob(value) + math.log(2)
        return torch.where(value >= 0, log_prob, -torch.inf)

    def cdf(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        return 2 * self.base_dist.cdf(value) - 1

    def icdf(self, prob: Tensor) -> Tensor:
        return self.base_dist.icdf((prob + 1) / 2)

    def entropy(self) -> Tensor:
        return self.base_dist.entropy() - math.log(2)
