"""Relaxed Bernoulli distributions, whose samples have gradients."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import flambeau_tensor as torch
from flambeau_distributions import constraints
from flambeau_distributions._binary import Probabilities
from flambeau_distributions.parameters import broadcast_all, clamp_probs, softplus
from flambeau_distributions.transformed_distribution import TransformedDistribution
from flambeau_distributions.transforms import SigmoidTransform
from flambeau_tensor import Tensor

__all__ = ["LogitRelaxedBernoulli", "RelaxedBernoulli"]


class LogitRelaxedBernoulli(Probabilities):
    """The logarithms of the odds of a `RelaxedBernoulli` variable."""

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.real

    def __init__(
        self,
        temperature: Tensor | float,
        probs: Tensor | float | None = None,
        logits: Tensor | float | None = None,
        validate_args: bool | None = None,
    ) -> None:
        self.temperature = temperature
        self._take(probs, logits)
        super().__init__(self._param.shape, validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Self:
        return self._expanded(LogitRelaxedBernoulli, batch_shape, _instance, ("probs", "logits"), ("temperature",))

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        probs = clamp_probs(self.probs.expand(shape))
        u = clamp_probs(torch.rand(shape, dtype=probs.dtype))
        return (u.log() - (-u).log1p() + probs.log() - (-probs).log1p()) / self.temperature

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        difference = logits - value.mul(self.temperature)
        return torch.as_tensor(self.temperature).log() + difference - 2 * softplus(difference)


class RelaxedBernoulli(TransformedDistribution):
    """Values between 0 and 1, which are the closer to 0 or 1 the lower the ``temperature``.

    Args:
        temperature: above 0, which is not checked; the smaller, the closer are samples to 0 and 1.
        probs: from 0 to 1.
        logits: any number, in place of ``probs``.

    Shape:
        Numbers or floating point tensors: arguments broadcast to (*); a sample is ``sample_shape`` + (*).

    Raises:
        ValueError: an argument is outside its range, or an argument of `log_prob` is outside `support`.

    >>> x = RelaxedBernoulli(torch.tensor(0.1), torch.tensor([0.5])).rsample()
    >>> bool((x >= 0) & (x <= 1))
    True
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.unit_interval
    has_rsample = True

    def __init__(
        self,
        temperature: Tensor | float,
        probs: Tensor | float | None = None,
        logits: Tensor | float | None = None,
        validate_args: bool | None = None,
    ) -> None:
        super().__init__(
            LogitRelaxedBernoulli(temperature, probs, logits), SigmoidTransform(), validate_args=validate_args
        )

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Self:
        return super().expand(batch_shape, _instance=self._get_checked_instance(RelaxedBernoulli, _instance))

    temperature = property(lambda self: self.base_dist.temperature)
    logits = property(lambda self: self.base_dist.logits)
    probs = property(lambda self: self.base_dist.probs)
