"""The generalized Pareto distribution."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Self

import flambeau_tensor as torch
from flambeau_distributions import constraints
from flambeau_distributions.distribution import Distribution
from flambeau_distributions.parameters import broadcast_all
from flambeau_tensor import Tensor

__all__ = ["GeneralizedPareto"]


class GeneralizedPareto(Distribution):
    """Tail function ``(1 + concentration (x - loc) / scale)^(-1 / concentration)``, the exponential one for 0.

    Args:
        loc: any number.
        scale: above 0.
        concentration: any number.

    Shape:
        Numbers or floating point tensors: arguments broadcast to (*); a sample is ``sample_shape`` + (*).

    Raises:
        ValueError: an argument is outside its range, or an argument of `log_prob` is outside `support`.

    >>> d = GeneralizedPareto(0.0, 1.0, 0.25)
    >>> d.mean, d.cdf(torch.tensor(1.0))
    (tensor(1.3333), tensor(0.5904))
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive, "concentration": constraints.real}
    has_rsample = True

    def __init__(
        self,
        loc: Tensor | float,
        scale: Tensor | float,
        concentration: Tensor | float,
        validate_args: bool | None = None,
    ) -> None:
        self.loc, self.scale, self.concentration = broadcast_all(loc, scale, concentration)
        super().__init__(self.loc.shape, validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Self:
        return self._expanded(GeneralizedPareto, batch_shape, _instance, ("loc", "scale", "concentration"))

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        return self.icdf(torch.rand(self._extended_shape(sample_shape), dtype=self.loc.dtype))

    def _z(self, x: Tensor) -> Tensor:
        return (x - self.loc) / self.scale

    def _safe(self) -> tuple[Tensor, Tensor]:
        """Return a mask of zero concentrations, and the concentrations with zeros replaced by ones."""
        zero = torch.isclose(self.concentration, torch.zeros_like(self.concentration))
        return zero, torch.where(zero, torch.ones_like(self.concentration), self.concentration)

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        z, (zero, c) = self._z(value), self._safe()
        power = (1 / c + 1) * torch.log1p(c * z)
        return -self.scale.log() - torch.where(zero, z, power)

    def log_survival_function(self, value: Tensor) -> Tensor:
        """The logarithm of the probability of being above a value."""
        if self._validate_args:
            self._validate_sample(value)
        z, (zero, c) = self._z(value), self._safe()
        return torch.where(zero, -z, -torch.log1p(c * z) / c)

    def log_cdf(self, value: Tensor) -> Tensor:
        """The logarithm of the distribution function."""
        return torch.log1p(-torch.exp(self.log_survival_function(value)))

    def cdf(self, value: Tensor) -> Tensor:
        return torch.exp(self.log_cdf(value))

    def icdf(self, value: Tensor) -> Tensor:
        zero, c = self._safe()
        log_tail = torch.log1p(-value)
        return self.loc + self.scale * torch.where(zero, -log_tail, torch.expm1(-c * log_tail) / c)

    @property
    def mean(self) -> Tensor:
        c = self.concentration
        return torch.where(c < 1, self.loc + self.scale / (1 - torch.where(c < 1, c, 0.5)), math.inf)

    @property
    def variance(self) -> Tensor:
        c = self.concentration
        safe = torch.where(c < 0.5, c, 0.25)
        return torch.where(
            c < 0.5, self.scale**2 / ((1 - safe) ** 2 * (1 - 2 * safe)) + torch.zeros_like(self.loc), math.inf
        )

    def entropy(self) -> Tensor:
        return torch.log(self.scale) + self.concentration + 1

    @property
    def mode(self) -> Tensor:
        return self.loc

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> Any:
        upper = torch.where(self.concentration < 0, self.loc - self.scale / self.concentration, math.inf)
        return constraints.interval(self.loc, upper)
