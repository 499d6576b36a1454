"""The continuous Bernoulli distribution."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Self, cast

import flambeau_tensor as torch
from flambeau_autograd import no_grad
from flambeau_distributions import constraints
from flambeau_distributions._binary import Probabilities, check_one
from flambeau_distributions.exp_family import ExponentialFamily
from flambeau_distributions.parameters import (
    broadcast_all,
    clamp_probs,
    is_number,
    lazy_property,
    log_odds_loss,
    logits_to_probs,
)
from flambeau_tensor import Tensor

__all__ = ["ContinuousBernoulli"]


class ContinuousBernoulli(Probabilities, ExponentialFamily):
    """Between 0 and 1, with a density proportional to ``probs^x (1 - probs)^(1 - x)``.

    Within ``lims``, around 1/2, Taylor series replace expressions that are 0/0 there.

    Args:
        probs: from 0 to 1.
        logits: any number, instead of ``probs``.
        lims: the probabilities around 1/2 between which a series replaces the constant.

    Shape:
        Numbers or floating point tensors: arguments broadcast to (*); a sample is ``sample_shape`` + (*).

    Raises:
        ValueError: an argument is outside its range, or an argument of `log_prob` is outside `support`.

    >>> d = ContinuousBernoulli(torch.tensor([0.3]))
    >>> d.mean, d.cdf(torch.tensor([0.5]))
    (tensor([0.4302]), tensor([0.6044]))
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.unit_interval
    has_rsample = True
    _mean_carrier_measure = 0

    def __init__(
        self,
        probs: Tensor | float | None = None,
        logits: Tensor | float | None = None,
        lims: tuple[float, float] = (0.499, 0.501),
        validate_args: bool | None = None,
    ) -> None:
        check_one(probs, logits)
        if probs is not None:
            (self.probs,) = broadcast_all(probs)
            if validate_args is not None and not torch._is_all_true(self.arg_constraints["probs"].check(self.probs)):
                raise ValueError("The parameter probs has invalid values")
            self.probs = clamp_probs(self.probs)
        else:
            (self.logits,) = broadcast_all(cast(Tensor, logits))
        self._lims = lims
        single = is_number(probs if probs is not None else logits)
        super().__init__(torch.Size() if single else self._param.shape, validate_args=validate_args)

    @lazy_property
    def probs(self) -> Tensor:
        """The parameters between 0 and 1, without their ends, where the density has no constant."""
        return clamp_probs(logits_to_probs(self.logits, is_binary=True))

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Self:
        return self._expanded(ContinuousBernoulli, batch_shape, _instance, ("probs", "logits"), ("_lims",))

    def _outside_unstable_region(self) -> Tensor:
        return (self.probs <= self._lims[0]) | (self.probs > self._lims[1])

    def _cut_probs(self) -> Tensor:
        """Return the probabilities in double precision, moved out of the region where series are used.

        Next to that region the formulas take differences of large numbers.
        """
        return torch.where(self._outside_unstable_region(), self.probs.double(), self._lims[0])

    def _chosen(self, exact: Tensor, series: Tensor) -> Tensor:
        return torch.where(self._outside_unstable_region(), exact.to(self.probs.dtype), series)

    def _cont_bern_log_norm(self) -> Tensor:
        """Return the logarithm of the factor that normalizes the density."""
        cut = self._cut_probs()
        low, high = torch.where(cut <= 0.5, cut, 0.0), torch.where(cut >= 0.5, cut, 1.0)
        exact = torch.log(torch.abs(torch.log1p(-cut) - torch.log(cut))) - torch.where(
            cut <= 0.5, torch.log1p(-2.0 * low), torch.log(2.0 * high - 1.0)
        )
        x = (self.probs - 0.5).pow(2)
        return self._chosen(exact, math.log(2.0) + (4.0 / 3.0 + 104.0 / 45.0 * x) * x)

    @property
    def mean(self) -> Tensor:
        cut, x = self._cut_probs(), self.probs - 0.5
        exact = cut / (2.0 * cut - 1.0) + 1.0 / (torch.log1p(-cut) - torch.log(cut))
        return self._chosen(exact, 0.5 + (1.0 / 3.0 + 16.0 / 45.0 * x.pow(2)) * x)

    @property
    def stddev(self) -> Tensor:
        return torch.sqrt(self.variance)

    @property
    def variance(self) -> Tensor:
        cut, x = self._cut_probs(), (self.probs - 0.5).pow(2)
        exact = cut * (cut - 1.0) / (1.0 - 2.0 * cut).pow(2) + 1.0 / (torch.log1p(-cut) - torch.log(cut)).pow(2)
        return self._chosen(exact, 1.0 / 12.0 - (1.0 / 15.0 - 128.0 / 945.0 * x) * x)

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        with no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        return self.icdf(torch.rand(self._extended_shape(sample_shape), dtype=self.probs.dtype))

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        return -log_odds_loss(logits, value) + self._cont_bern_log_norm()

    def cdf(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        cut = self._cut_probs()
        exact = (torch.pow(cut, value) * torch.pow(1.0 - cut, 1.0 - value) + cut - 1.0) / (2.0 * cut - 1.0)
        found = self._chosen(exact, value)
        return torch.where(value <= 0.0, 0.0, torch.where(value >= 1.0, 1.0, found))

    def icdf(self, value: Tensor) -> Tensor:
        cut = self._cut_probs()
        exact = (torch.log1p(-cut + value * (2.0 * cut - 1.0)) - torch.log1p(-cut)) / (
            torch.log(cut) - torch.log1p(-cut)
        )
        return self._chosen(exact, value)

    def entropy(self) -> Tensor:
        log_1 = torch.log1p(-self.probs)
        return self.mean * (log_1 - torch.log(self.probs)) - self._cont_bern_log_norm() - log_1

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        return (self.logits,)

    def _log_normalizer(self, x: Tensor) -> Tensor:  # type: ignore[override]
        """Return log((exp(x) - 1) / x), by its series where x is nearly 0."""
        limit = max(abs(math.log(lim / (1 - lim))) for lim in self._lims)
        outside = x.abs() > limit
        cut = torch.where(outside, x, limit)
        exact = torch.log(torch.abs(torch.expm1(cut))) - torch.log(torch.abs(cut))
        return torch.where(outside, exact, 0.5 * x + x.pow(2) / 24.0 - x.pow(4) / 2880.0)
