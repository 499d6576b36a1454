"""Distributions of transformed random variables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import flambeau_tensor as torch
from flambeau_autograd import no_grad
from flambeau_distributions import constraints
from flambeau_distributions.distribution import Distribution
from flambeau_distributions.independent import Independent
from flambeau_distributions.parameters import sum_rightmost
from flambeau_distributions.transforms import ComposeTransform, Transform
from flambeau_tensor import Tensor

__all__ = ["TransformedDistribution"]


class TransformedDistribution(Distribution):
    """The distribution of ``transforms(x)`` for x from ``base_distribution``.

    Raises:
        ValueError: ``transforms`` are neither one nor a list of them, or need more dimensions than the distribution
            has.

    >>> from flambeau_distributions import ExpTransform, Normal
    >>> TransformedDistribution(Normal(0.0, 1.0), ExpTransform()).log_prob(torch.tensor(1.0))
    tensor(-0.9189)
    """

    arg_constraints = {}

    def __init__(
        self,
        base_distribution: Distribution,
        transforms: Transform | list[Transform],
        validate_args: bool | None = None,
    ) -> None:
        if isinstance(transforms, Transform):
            self.transforms = [transforms]
        elif isinstance(transforms, list):
            if not all(isinstance(t, Transform) for t in transforms):
                raise ValueError("transforms must be a Transform or a list of Transforms")
            self.transforms = transforms
        else:
            raise ValueError(f"transforms must be a Transform or list, but was {transforms}")
        whole = self.transforms[0] if len(self.transforms) == 1 else ComposeTransform(self.transforms)
        shape = base_distribution.batch_shape + base_distribution.event_shape
        base_dims, domain_dims = len(base_distribution.event_shape), whole.domain.event_dim
        if len(shape) < domain_dims:
            raise ValueError(
                f"base_distribution needs to have shape with size at least {domain_dims}, but got {shape}."
            )
        expanded = whole.inverse_shape(whole.forward_shape(shape))
        if shape != expanded:
            base_distribution = base_distribution.expand(expanded[: len(expanded) - base_dims])
        if domain_dims > base_dims:
            base_distribution = Independent(base_distribution, domain_dims - base_dims)
        self.base_dist = base_distribution
        change = whole.codomain.event_dim - domain_dims
        event_dims = max(whole.codomain.event_dim, base_dims + change)
        forward = whole.forward_shape(expanded)
        cut = len(forward) - event_dims
        super().__init__(torch.Size(forward[:cut]), torch.Size(forward[cut:]), validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Self:
        new = self._get_checked_instance(TransformedDistribution, _instance)
        shape: tuple[int, ...] = torch.Size(batch_shape) + self._event_shape
        for t in reversed(self.transforms):
            shape = t.inverse_shape(shape)
        new.base_dist = self.base_dist.expand(shape[: len(shape) - len(self.base_dist.event_shape)])
        new.transforms = self.transforms
        super(TransformedDistribution, new).__init__(torch.Size(batch_shape), self._event_shape, validate_args=False)
        new._validate_args = self._validate_args
        return new

    @constraints.dependent_property(is_discrete=False)
    def support(self) -> Any:
        if not self.transforms:
            return self.base_dist.support
        support = self.transforms[-1].codomain
        more = len(self.event_shape) - support.event_dim
        return constraints.independent(support, more) if more > 0 else support

    @property
    def has_rsample(self) -> bool:  # type: ignore[override]
        return self.base_dist.has_rsample

    def _transformed(self, x: Tensor) -> Tensor:
        for t in self.transforms:
            x = t(x)
        return x

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        with no_grad():
            return self._transformed(self.base_dist.sample(sample_shape))

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        return self._transformed(self.base_dist.rsample(sample_shape))

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        dims, y = len(self._event_shape), value
        log_prob: Any = 0.0
        for t in reversed(self.transforms):
            x = t.inv(y)
            dims += t.domain.event_dim - t.codomain.event_dim
            log_prob = log_prob - sum_rightmost(t.log_abs_det_jacobian(x, y), dims - t.domain.event_dim)
            y = x
        return log_prob + sum_rightmost(self.base_dist.log_prob(y), dims - len(self.base_dist.event_shape))

    def _monotonize_cdf(self, value: Tensor) -> Tensor:
        """Return the complement if the transforms are decreasing."""
        sign = 1
        for t in self.transforms:
            sign = sign * t.sign
        return value if isinstance(sign, int) and sign == 1 else sign * (value - 0.5) + 0.5

    def cdf(self, value: Tensor) -> Tensor:
        for t in reversed(self.transforms):
            value = t.inv(value)
        if self._validate_args:
            self.base_dist._validate_sample(value)
        return self._monotonize_cdf(self.base_dist.cdf(value))

    def icdf(self, value: Tensor) -> Tensor:
        return self._transformed(self.base_dist.icdf(self._monotonize_cdf(value)))
