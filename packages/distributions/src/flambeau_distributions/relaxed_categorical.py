"""Relaxed categorical distributions, whose samples have gradients."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import flambeau_tensor as torch
from flambeau_distributions import constraints
from flambeau_distributions.categorical import Categorical
from flambeau_distributions.distribution import Distribution
from flambeau_distributions.parameters import broadcast_all, clamp_probs
from flambeau_distributions.transformed_distribution import TransformedDistribution
from flambeau_distributions.transforms import ExpTransform
from flambeau_tensor import Tensor

__all__ = ["ExpRelaxedCategorical", "RelaxedOneHotCategorical"]


class ExpRelaxedCategorical(Distribution):
    """The logarithms of a `RelaxedOneHotCategorical` variable."""

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    support = constraints.real_vector
    has_rsample = True

    def __init__(
        self,
        temperature: Tensor | float,
        probs: Tensor | None = None,
        logits: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        self._categorical, self.temperature = Categorical(probs, logits), temperature
        super().__init__(self._categorical.batch_shape, self._categorical.param_shape[-1:], validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Self:
        new = self._get_checked_instance(ExpRelaxedCategorical, _instance)
        new._categorical = self._categorical.expand(batch_shape)
        return self._expanded(ExpRelaxedCategorical, batch_shape, new, (), ("temperature",))

    def _new(self, *args: Any, **kwargs: Any) -> Tensor:
        return self._categorical._new(*args, **kwargs)

    param_shape = property(lambda self: self._categorical.param_shape)
    logits = property(lambda self: self._categorical.logits)
    probs = property(lambda self: self._categorical.probs)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        u = clamp_probs(torch.rand(self._extended_shape(sample_shape), dtype=self.logits.dtype))
        scores = (self.logits - (-u.log()).log()) / self.temperature
        return scores - scores.logsumexp(dim=-1, keepdim=True)

    def log_prob(self, value: Tensor) -> Tensor:
        n = self._categorical._num_events
        if self._validate_args:
            self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        scale = torch.lgamma(torch.tensor(float(n), dtype=logits.dtype)) - torch.as_tensor(
            self.temperature, dtype=logits.dtype
        ).log().mul(-(n - 1))
        score = logits - value.mul(self.temperature)
        return (score - score.logsumexp(dim=-1, keepdim=True)).sum(-1) + scale


class RelaxedOneHotCategorical(TransformedDistribution):
    """Probabilities of categories, and the nearer to a single one the lower the ``temperature``.

    Args:
        temperature: above 0, which is not checked; the smaller, the nearer are samples to 0 and 1.
        probs: (*, K), 0 or more each; they are scaled to add up to 1.
        logits: (*, K), any numbers, in place of ``probs``.

    Shape:
        Numbers or floating point tensors: arguments broadcast to (*, K); a sample is ``sample_shape`` + (*, K).

    Raises:
        ValueError: an argument is outside its range, or an argument of `log_prob` is outside `support`.

    >>> x = RelaxedOneHotCategorical(torch.tensor(0.1), torch.tensor([0.25, 0.75])).rsample()
    >>> torch.allclose(x.sum(), torch.tensor(1.0))
    True
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    support = constraints.simplex
    has_rsample = True

    def __init__(
        self,
        temperature: Tensor | float,
        probs: Tensor | None = None,
        logits: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        super().__init__(
            ExpRelaxedCategorical(temperature, probs, logits, validate_args=validate_args),
            ExpTransform(),
            validate_args=validate_args,
        )

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Self:
        return super().expand(batch_shape, _instance=self._get_checked_instance(RelaxedOneHotCategorical, _instance))

    temperature = property(lambda self: self.base_dist.temperature)
    logits = property(lambda self: self.base_dist.logits)
    probs = property(lambda self: self.base_dist.probs)
