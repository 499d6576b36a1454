"""The categorical distribution over vectors of zeros with a single one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import flambeau_tensor as torch
from flambeau_distributions import constraints
from flambeau_distributions.categorical import Categorical
from flambeau_distributions.distribution import Distribution
from flambeau_tensor import Tensor

__all__ = ["OneHotCategorical", "OneHotCategoricalStraightThrough"]


def _one_hot(indices: Tensor, n: int, dtype: torch.dtype) -> Tensor:
    return torch.zeros(indices.shape + (n,), dtype=dtype).scatter_(-1, indices.unsqueeze(-1), 1)


class OneHotCategorical(Distribution):
    """A categorical distribution over one-hot vectors; see `Categorical`.

    Args:
        probs: (*, K), 0 or more each; they are scaled to add up to 1.
        logits: (*, K), any numbers, in place of ``probs``.

    Shape:
        Numbers or floating point tensors: arguments broadcast to (*, K); a sample is ``sample_shape`` + (*, K).

    Raises:
        ValueError: an argument is outside its range, or an argument of `log_prob` is outside `support`.

    >>> d = OneHotCategorical(torch.tensor([0.25, 0.75]))
    >>> d.mode, d.log_prob(torch.tensor([1.0, 0.0])).exp()
    (tensor([0., 1.]), tensor(0.2500))
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    support = constraints.one_hot
    has_enumerate_support = True

    def __init__(
        self, probs: Tensor | None = None, logits: Tensor | None = None, validate_args: bool | None = None
    ) -> None:
        self._categorical = Categorical(probs, logits)
        super().__init__(self._categorical.batch_shape, self._categorical.param_shape[-1:], validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Self:
        new = self._get_checked_instance(OneHotCategorical, _instance)
        new._categorical = self._categorical.expand(batch_shape)
        return self._expanded(OneHotCategorical, batch_shape, new, ())

    def _new(self, *args: Any, **kwargs: Any) -> Tensor:
        return self._categorical._new(*args, **kwargs)

    _param = property(lambda self: self._categorical._param)
    probs = property(lambda self: self._categorical.probs)
    logits = property(lambda self: self._categorical.logits)
    param_shape = property(lambda self: self._categorical.param_shape)
    mean = probs

    @property
    def mode(self) -> Tensor:
        return _one_hot(self.probs.argmax(dim=-1), self.probs.shape[-1], torch.int64).to(self.probs)

    variance = property(lambda self: self._categorical.probs * (1 - self._categorical.probs))

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        return _one_hot(self._categorical.sample(torch.Size(sample_shape)), self._event_shape[0], self.probs.dtype)

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        return self._categorical.log_prob(value.max(-1)[1])

    def entropy(self) -> Tensor:
        return self._categorical.entropy()

    def enumerate_support(self, expand: bool = True) -> Tensor:
        n = self._event_shape[0]
        values = torch.eye(n, dtype=self._param.dtype).view((n,) + (1,) * len(self._batch_shape) + (n,))
        return values.expand((n,) + self._batch_shape + (n,)) if expand else values


class OneHotCategoricalStraightThrough(OneHotCategorical):
    """A one-hot categorical distribution whose samples have the gradients of ``probs``.

    Args:
        probs: (*, K), 0 or more each; they are scaled to add up to 1.
        logits: (*, K), any numbers, in place of ``probs``.

    Shape:
        Numbers or floating point tensors: arguments broadcast to (*, K); a sample is ``sample_shape`` + (*, K).

    Raises:
        ValueError: an argument is outside its range, or an argument of `log_prob` is outside `support`.

    >>> p = torch.tensor([0.25, 0.75], requires_grad=True)
    >>> x = OneHotCategoricalStraightThrough(p).rsample()
    >>> x.sum(), x.requires_grad
    (tensor(1., grad_fn=<SumBackward0>), True)
    """

    has_rsample = True

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        samples, probs = self.sample(sample_shape), self._categorical.probs
        return samples + (probs - probs.detach())
