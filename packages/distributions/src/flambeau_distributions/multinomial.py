"""The multinomial distribution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import flambeau_tensor as torch
from flambeau_autograd import no_grad
from flambeau_distributions import constraints
from flambeau_distributions.binomial import Binomial
from flambeau_distributions.categorical import Categorical
from flambeau_distributions.distribution import Distribution
from flambeau_distributions.parameters import broadcast_all
from flambeau_tensor import Tensor

__all__ = ["Multinomial"]


class Multinomial(Distribution):
    """The multinomial distribution: the counts of each category in ``total_count`` draws.

    Args:
        total_count: how many draws, a whole number.
        probs: (*, K), 0 or more each; they are scaled to add up to 1.
        logits: (*, K), any numbers, in place of ``probs``.

    Shape:
        Numbers or floating point tensors: arguments broadcast to (*, K); a sample is ``sample_shape`` + (*, K).

    Raises:
        ValueError: an argument is outside its range, or an argument of `log_prob` is outside `support`.

    >>> d = Multinomial(4, torch.tensor([0.25, 0.75]))
    >>> d.mean, d.log_prob(torch.tensor([1.0, 3.0])).exp()
    (tensor([1., 3.]), tensor(0.4219))
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}

    def __init__(
        self,
        total_count: int = 1,
        probs: Tensor | None = None,
        logits: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        if not isinstance(total_count, int):
            raise NotImplementedError("inhomogeneous total_count is not supported")
        self.total_count = total_count
        self._categorical = Categorical(probs=probs, logits=logits)
        self._binomial = Binomial(total_count=total_count, probs=self.probs)
        super().__init__(self._categorical.batch_shape, self._categorical.param_shape[-1:], validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Self:
        new = self._get_checked_instance(Multinomial, _instance)
        new._categorical = self._categorical.expand(batch_shape)
        new._binomial = self._binomial.expand(torch.Size(batch_shape) + self._event_shape)
        return self._expanded(Multinomial, batch_shape, new, (), ("total_count",))

    def _new(self, *args: Any, **kwargs: Any) -> Tensor:
        return self._categorical._new(*args, **kwargs)

    @constraints.dependent_property(is_discrete=True, event_dim=1)
    def support(self) -> Any:
        return constraints.multinomial(self.total_count)

    logits = property(lambda self: self._categorical.logits)
    probs = property(lambda self: self._categorical.probs)
    param_shape = property(lambda self: self._categorical.param_shape)
    mean = property(lambda self: self.probs * self.total_count)
    variance = property(lambda self: self.total_count * self.probs * (1 - self.probs))

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        sample_shape = torch.Size(sample_shape)
        with no_grad():
            drawn = self._categorical.sample(torch.Size((self.total_count,)) + sample_shape)
            drawn = drawn.permute([*range(1, drawn.dim()), 0])
            counts = torch.zeros(self._extended_shape(sample_shape), dtype=self.probs.dtype)
            return counts.scatter_add_(-1, drawn, torch.ones_like(drawn, dtype=counts.dtype))

    def entropy(self) -> Tensor:
        n = torch.tensor(float(self.total_count), dtype=self.probs.dtype)
        values = self._binomial.enumerate_support(expand=False)[1:]
        weights = torch.exp(self._binomial.log_prob(values))
        return n * self._categorical.entropy() - torch.lgamma(n + 1) + (weights * torch.lgamma(values + 1)).sum((0, -1))

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        logits = logits.masked_fill((value == 0) & (logits == -torch.inf), 0)
        return torch.lgamma(value.sum(-1) + 1) - torch.lgamma(value + 1).sum(-1) + (logits * value).sum(-1)
