"""The Bernoulli distribution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import flambeau_tensor as torch
from flambeau_autograd import no_grad
from flambeau_distributions import constraints
from flambeau_distributions._binary import Probabilities
from flambeau_distributions.exp_family import ExponentialFamily
from flambeau_distributions.parameters import broadcast_all, log_odds_loss, softplus
from flambeau_tensor import Tensor

__all__ = ["Bernoulli"]


class Bernoulli(Probabilities, ExponentialFamily):
    """1 with the probability ``probs``, and 0 otherwise; ``logits`` are the logarithms of the odds.

    Args:
        probs: from 0 to 1.
        logits: any number, in place of ``probs``.

    Shape:
        Numbers or floating point tensors: arguments broadcast to (*); a sample is ``sample_shape`` + (*).

    Raises:
        ValueError: an argument is outside its range, or an argument of `log_prob` is outside `support`.

    >>> d = Bernoulli(torch.tensor([0.3]))
    >>> d.mean, d.log_prob(torch.tensor([1.0])).exp()
    (tensor([0.3000]), tensor([0.3000]))
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.boolean
    has_enumerate_support = True
    _mean_carrier_measure = 0

    def __init__(
        self,
        probs: Tensor | float | None = None,
        logits: Tensor | float | None = None,
        validate_args: bool | None = None,
    ) -> None:
        self._take(probs, logits)
        super().__init__(self._param.shape, validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Self:
        return self._expanded(Bernoulli, batch_shape, _instance, ("probs", "logits"))

    mean = property(lambda self: self.probs)
    variance = property(lambda self: self.probs * (1 - self.probs))

    @property
    def mode(self) -> Tensor:
        mode = (self.probs >= 0.5).to(self.probs)
        mode[self.probs == 0.5] = torch.nan
        return mode

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        with no_grad():
            return torch.bernoulli(self.probs.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        return -log_odds_loss(logits, value)

    def entropy(self) -> Tensor:
        return log_odds_loss(self.logits, self.probs)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        values = torch.arange(2, dtype=self._param.dtype).view((-1,) + (1,) * len(self._batch_shape))
        return values.expand((-1,) + self._batch_shape) if expand else values

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        return (torch.logit(self.probs),)

    def _log_normalizer(self, x: Tensor) -> Tensor:  # type: ignore[override]
        return softplus(x)
