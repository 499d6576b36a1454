"""The F distribution of Fisher and Snedecor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import flambeau_tensor as torch
from flambeau_distributions import constraints
from flambeau_distributions.distribution import Distribution
from flambeau_distributions.gamma import Gamma
from flambeau_distributions.parameters import broadcast_all
from flambeau_tensor import Tensor

__all__ = ["FisherSnedecor"]


class FisherSnedecor(Distribution):
    """The ratio of two chi-squared variables, each by its degrees of freedom ``df1`` and ``df2``.

    Args:
        df1: above 0.
        df2: above 0.

    Shape:
        Numbers or floating point tensors: arguments broadcast to (*); a sample is ``sample_shape`` + (*).

    Raises:
        ValueError: an argument is outside its range, or an argument of `log_prob` is outside `support`.

    >>> FisherSnedecor(torch.tensor([3.0]), torch.tensor([4.0])).mean
    tensor([2.])
    """

    arg_constraints = {"df1": constraints.positive, "df2": constraints.positive}
    support = constraints.positive
    has_rsample = True

    def __init__(self, df1: Tensor | float, df2: Tensor | float, validate_args: bool | None = None) -> None:
        self.df1, self.df2 = broadcast_all(df1, df2)
        self._gamma1 = Gamma(self.df1 * 0.5, self.df1)
        self._gamma2 = Gamma(self.df2 * 0.5, self.df2)
        super().__init__(self.df1.shape, validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Self:
        new = self._get_checked_instance(FisherSnedecor, _instance)
        new._gamma1, new._gamma2 = self._gamma1.expand(batch_shape), self._gamma2.expand(batch_shape)
        return self._expanded(FisherSnedecor, batch_shape, new, ("df1", "df2"))

    @property
    def mean(self) -> Tensor:
        return torch.where(self.df2 > 2, self.df2 / (self.df2 - 2), torch.nan)

    @property
    def mode(self) -> Tensor:
        mode = (self.df1 - 2) / self.df1 * self.df2 / (self.df2 + 2)
        return torch.where(self.df1 > 2, mode, torch.nan)

    @property
    def variance(self) -> Tensor:
        df1, df2 = self.df1, self.df2
        variance = 2 * df2.pow(2) * (df1 + df2 - 2) / (df1 * (df2 - 2).pow(2) * (df2 - 4))
        return torch.where(df2 > 4, variance, torch.nan)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        shape, tiny = self._extended_shape(sample_shape), torch.finfo(self.df1.dtype).tiny
        x1 = self._gamma1.rsample(sample_shape).view(shape)
        x2 = self._gamma2.rsample(sample_shape).view(shape)
        return (x1 / x2.clamp(min=tiny)).clamp(min=tiny)

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        h1, h2, ratio = self.df1 * 0.5, self.df2 * 0.5, self.df1 / self.df2
        return (
            torch.lgamma(h1 + h2)
            - torch.lgamma(h1)
            - torch.lgamma(h2)
            + h1 * ratio.log()
            + (h1 - 1) * value.log()
            - (h1 + h2) * torch.log1p(ratio * value)
        )
