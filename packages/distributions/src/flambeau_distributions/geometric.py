"""The geometric distribution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import flambeau_tensor as torch
from flambeau_autograd import no_grad
from flambeau_distributions import constraints
from flambeau_distributions._binary import Probabilities
from flambeau_distributions.parameters import broadcast_all, log_odds_loss
from flambeau_tensor import Tensor

__all__ = ["Geometric"]


class Geometric(Probabilities):
    """The geometric distribution: the number of failures before the first success, of probability ``probs``.

    Args:
        probs: from 0 to 1.
        logits: any number, in place of ``probs``.

    Shape:
        Numbers or floating point tensors: arguments broadcast to (*); a sample is ``sample_shape`` + (*).

    Raises:
        ValueError: an argument is outside its range, or an argument of `log_prob` is outside `support`.

    >>> d = Geometric(torch.tensor([0.25]))
    >>> d.mean, d.log_prob(torch.tensor([1.0])).exp()
    (tensor([3.]), tensor([0.1875]))
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.nonnegative_integer

    def __init__(
        self,
        probs: Tensor | float | None = None,
        logits: Tensor | float | None = None,
        validate_args: bool | None = None,
    ) -> None:
        self._take(probs, logits)
        super().__init__(self._param.shape, validate_args=validate_args)
        if self._validate_args and probs is not None and not torch._is_all_true(self.probs > 0):
            bad = self.probs[~(self.probs > 0)]
            raise ValueError(
                f"Expected parameter probs ({type(self.probs).__name__} of shape "
                f"{tuple(self.probs.shape)}) of distribution {self!r} to be positive but found invalid "
                f"values:\n{bad}"
            )

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Self:
        return self._expanded(Geometric, batch_shape, _instance, ("probs", "logits"))

    mean = property(lambda self: 1.0 / self.probs - 1.0)
    mode = property(lambda self: torch.zeros_like(self.probs))
    variance = property(lambda self: (1.0 / self.probs - 1.0) / self.probs)

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        dtype = self.probs.dtype
        with no_grad():
            u = torch.empty(self._extended_shape(sample_shape), dtype=dtype).uniform_(torch.finfo(dtype).tiny, 1)
            return (u.log() / (-self.probs).log1p()).floor()

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        value, probs = broadcast_all(value, self.probs)
        failing = torch.where((probs == 1) & (value == 0), 0.0, (-probs).log1p())
        return value * failing + self.probs.log()

    def entropy(self) -> Tensor:
        return log_odds_loss(self.logits, self.probs) / self.probs
