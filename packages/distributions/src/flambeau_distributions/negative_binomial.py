"""The negative binomial distribution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import flambeau_tensor as torch
from flambeau_autograd import no_grad
from flambeau_distributions import constraints
from flambeau_distributions._binary import Probabilities
from flambeau_distributions.gamma import Gamma
from flambeau_distributions.parameters import lazy_property, softplus
from flambeau_tensor import Tensor
from flambeau_tensor.extend import find_operator

__all__ = ["NegativeBinomial"]


class NegativeBinomial(Probabilities):
    """The negative binomial distribution: successes, of probability ``probs``, before ``total_count`` failures.

    Args:
        total_count: 0 or more.
        probs: from 0 to below 1.
        logits: any number, in place of ``probs``.

    Shape:
        Numbers or floating point tensors: arguments broadcast to (*); a sample is ``sample_shape`` + (*).

    Raises:
        ValueError: an argument is outside its range, or an argument of `log_prob` is outside `support`.

    >>> d = NegativeBinomial(torch.tensor([3.0]), torch.tensor([0.5]))
    >>> d.mean, d.variance
    (tensor([3.]), tensor([6.]))
    """

    arg_constraints = {
        "total_count": constraints.greater_than_eq(0),
        "probs": constraints.half_open_interval(0.0, 1.0),
        "logits": constraints.real,
    }
    support = constraints.nonnegative_integer

    total_count: Tensor

    def __init__(
        self,
        total_count: Tensor | int,
        probs: Tensor | float | None = None,
        logits: Tensor | float | None = None,
        validate_args: bool | None = None,
    ) -> None:
        self._take(probs, logits, total_count=total_count)
        super().__init__(self._param.shape, validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Self:
        return self._expanded(NegativeBinomial, batch_shape, _instance, ("total_count", "probs", "logits"))

    mean = property(lambda self: self.total_count * torch.exp(self.logits))
    mode = property(lambda self: ((self.total_count - 1) * self.logits.exp()).floor().clamp(min=0.0))
    variance = property(lambda self: self.mean / torch.sigmoid(-self.logits))

    @lazy_property
    def _gamma(self) -> Gamma:
        return Gamma(concentration=self.total_count, rate=torch.exp(-self.logits), validate_args=False)

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        with no_grad():
            return find_operator("torch.poisson")(self._gamma.sample(sample_shape=sample_shape))

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        n = self.total_count
        unnormalized = -n * softplus(self.logits) - value * softplus(-self.logits)
        normalization = -torch.lgamma(n + value) + torch.lgamma(1.0 + value) + torch.lgamma(n)
        return unnormalized - normalization.masked_fill(n + value == 0.0, 0.0)
