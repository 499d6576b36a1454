"""Exponential families: densities ``exp(<t(x), θ> - F(θ) + k(x))``, with F the logarithm of the normalizer."""

from __future__ import annotations

from typing import Any

from flambeau_autograd import grad
from flambeau_distributions.distribution import Distribution
from flambeau_tensor import Tensor

__all__ = ["ExponentialFamily"]


class ExponentialFamily(Distribution):
    """A distribution of an exponential family, whose entropy and divergences follow from ``_log_normalizer``.

    Raises:
        NotImplementedError: a subclass does not define its natural parameters; by ``entropy``.

    >>> isinstance(torch.distributions.Gamma(1.0, 1.0), ExponentialFamily)
    True
    """

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        raise NotImplementedError

    def _log_normalizer(self, *natural_params: Tensor) -> Tensor:
        raise NotImplementedError

    @property
    def _mean_carrier_measure(self) -> Any:
        raise NotImplementedError

    def entropy(self) -> Tensor:
        """F(θ) - <θ, ∇F(θ)> - E[k(x)]."""
        result = -self._mean_carrier_measure
        params = [p.detach().requires_grad_() for p in self._natural_params]
        normalizer = self._log_normalizer(*params)
        gradients = grad(normalizer.sum(), params, create_graph=True)
        result = result + normalizer
        for p, g in zip(params, gradients, strict=True):
            result = result - (p * g).reshape(self._batch_shape + (-1,)).sum(-1)
        return result
