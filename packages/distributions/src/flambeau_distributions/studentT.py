"""Student's t distribution."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Self

import flambeau_tensor as torch
from flambeau_distributions import constraints
from flambeau_distributions.chi2 import Chi2
from flambeau_distributions.distribution import Distribution
from flambeau_distributions.parameters import broadcast_all, standard_normal
from flambeau_tensor import Tensor

__all__ = ["StudentT"]


class StudentT(Distribution):
    """A standard normal variable over the root of a chi-squared one by its ``df``, shifted by ``loc`` and scaled.

    Args:
        df: above 0.
        loc: any number.
        scale: above 0.

    Shape:
        Numbers or floating point tensors: arguments broadcast to (*); a sample is ``sample_shape`` + (*).

    Raises:
        ValueError: an argument is outside its range, or an argument of `log_prob` is outside `support`.

    >>> d = StudentT(torch.tensor([3.0]))
    >>> d.variance, d.log_prob(torch.tensor([0.0])).exp()
    (tensor([3.]), tensor([0.3676]))
    """

    arg_constraints = {"df": constraints.positive, "loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True

    def __init__(
        self,
        df: Tensor | float,
        loc: Tensor | float = 0.0,
        scale: Tensor | float = 1.0,
        validate_args: bool | None = None,
    ) -> None:
        self.df, self.loc, self.scale = broadcast_all(df, loc, scale)
        self._chi2 = Chi2(self.df)
        super().__init__(self.df.shape, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return torch.where(self.df > 1, self.loc, torch.nan)

    mode = property(lambda self: self.loc)

    @property
    def variance(self) -> Tensor:
        finite = self.scale.pow(2) * self.df / (self.df - 2)
        return torch.where(self.df > 2, finite, torch.where(self.df > 1, torch.inf, torch.nan).to(self.df.dtype))

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Self:
        new = self._get_checked_instance(StudentT, _instance)
        new._chi2 = self._chi2.expand(batch_shape)
        return self._expanded(StudentT, batch_shape, new, ("df", "loc", "scale"))

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        x = standard_normal(self._extended_shape(sample_shape), self.df.dtype)
        return self.loc + self.scale * (x * torch.rsqrt(self._chi2.rsample(sample_shape) / self.df))

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        y = (value - self.loc) / self.scale
        normalizer = (
            self.scale.log()
            + 0.5 * self.df.log()
            + 0.5 * math.log(math.pi)
            + torch.lgamma(0.5 * self.df)
            - torch.lgamma(0.5 * (self.df + 1.0))
        )
        return -0.5 * (self.df + 1.0) * torch.log1p(y**2.0 / self.df) - normalizer

    def entropy(self) -> Tensor:
        half = 0.5 * self.df
        log_beta = torch.lgamma(half) + math.lgamma(0.5) - torch.lgamma(half + 0.5)
        return (
            self.scale.log()
            + (half + 0.5) * (torch.digamma(half + 0.5) - torch.digamma(half))
            + 0.5 * self.df.log()
            + log_beta
        )
