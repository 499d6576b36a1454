"""Mixtures of distributions of one kind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import flambeau_tensor as torch
from flambeau_autograd import no_grad
from flambeau_distributions import constraints
from flambeau_distributions.categorical import Categorical
from flambeau_distributions.distribution import Distribution
from flambeau_tensor import Tensor

__all__ = ["MixtureSameFamily"]


class MixtureSameFamily(Distribution):
    """A component of the last batch dimension of a distribution, chosen by a `Categorical`.

    Raises:
        ValueError: the mixture is not Categorical, or its batch shape is not that of the components without the last
            dimension.

    >>> from flambeau_distributions import Normal
    >>> mixture = MixtureSameFamily(Categorical(torch.ones(2)), Normal(torch.tensor([-1.0, 1.0]), 1.0))
    >>> mixture.mean, mixture.variance
    (tensor(0.), tensor(2.))
    """

    arg_constraints = {}
    has_rsample = False

    def __init__(
        self, mixture_distribution: Categorical, component_distribution: Distribution, validate_args: bool | None = None
    ) -> None:
        if not isinstance(mixture_distribution, Categorical):
            raise ValueError(" The Mixture distribution needs to be an  instance of torch.distributions.Categorical")
        if not isinstance(component_distribution, Distribution):
            raise ValueError("The Component distribution needs to be an instance of torch.distributions.Distribution")
        mixed, batch = mixture_distribution.batch_shape, component_distribution.batch_shape[:-1]
        for m, b in zip(reversed(mixed), reversed(batch), strict=False):
            if m != 1 and b != 1 and m != b:
                raise ValueError(
                    f"`mixture_distribution.batch_shape` ({mixed}) is not compatible with "
                    f"`component_distribution.batch_shape`({batch})"
                )
        km, kc = mixture_distribution.logits.shape[-1], component_distribution.batch_shape[-1]
        if km != kc:
            raise ValueError(
                f"`mixture_distribution component` ({km}) does not equal "
                f"`component_distribution.batch_shape[-1]` ({kc})"
            )
        self._mixture_distribution, self._component_distribution = mixture_distribution, component_distribution
        self._num_component = km
        event = component_distribution.event_shape
        self._event_ndims = len(event)
        super().__init__(batch, event, validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Self:
        new = self._get_checked_instance(MixtureSameFamily, _instance)
        batch_shape = torch.Size(batch_shape)
        new._component_distribution = self._component_distribution.expand(
            batch_shape + torch.Size((self._num_component,))
        )
        new._mixture_distribution = self._mixture_distribution.expand(batch_shape)
        return self._expanded(MixtureSameFamily, batch_shape, new, (), ("_num_component", "_event_ndims"))

    @constraints.dependent_property
    def support(self) -> Any:
        return constraints.MixtureSameFamilyConstraint(self._component_distribution.support)

    mixture_distribution = property(lambda self: self._mixture_distribution)
    component_distribution = property(lambda self: self._component_distribution)

    @property
    def _dim(self) -> int:
        return -1 - self._event_ndims

    def _weights(self) -> Tensor:
        return self._pad_mixture_dimensions(self._mixture_distribution.probs)

    @property
    def mean(self) -> Tensor:
        return torch.sum(self._weights() * self._component_distribution.mean, dim=self._dim)

    @property
    def variance(self) -> Tensor:
        weights, parts = self._weights(), self._component_distribution
        within = torch.sum(weights * parts.variance, dim=self._dim)
        return within + torch.sum(weights * (parts.mean - self._pad(self.mean)).pow(2.0), dim=self._dim)

    def cdf(self, x: Tensor) -> Tensor:
        x = self._pad(x)
        return torch.sum(self._component_distribution.cdf(x) * self._mixture_distribution.probs, dim=-1)

    def log_prob(self, x: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(x)
        log_prob = self._component_distribution.log_prob(self._pad(x))
        return torch.logsumexp(log_prob + torch.log_softmax(self._mixture_distribution.logits, -1), dim=-1)

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        with no_grad():
            dim = len(sample_shape) + len(self._batch_shape)
            chosen = self._mixture_distribution.sample(sample_shape)
            values = self._component_distribution.sample(sample_shape)
            ones = torch.Size([1] * (self._event_ndims + 1))
            chosen = chosen.reshape(chosen.shape + ones).expand(
                values.shape[:dim] + torch.Size((1,)) + self._event_shape
            )
            return torch.gather(values, dim, chosen).squeeze(dim)

    def _pad(self, x: Tensor) -> Tensor:
        return x.unsqueeze(-1 - self._event_ndims)

    def _pad_mixture_dimensions(self, x: Tensor) -> Tensor:
        missing = len(self.batch_shape) - len(self._mixture_distribution.batch_shape)
        shape = x.shape
        return x.reshape(shape[:-1] + torch.Size(missing * [1]) + shape[-1:] + torch.Size(self._event_ndims * [1]))

    def __repr__(self) -> str:
        return f"MixtureSameFamily(\n  {self._mixture_distribution},\n  {self._component_distribution})"
