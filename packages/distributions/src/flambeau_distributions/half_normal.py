"""The half-normal distribution."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Self

from flambeau_distributions._half import Half
from flambeau_distributions.normal import Normal

__all__ = ["HalfNormal"]


class HalfNormal(Half):
    """The absolute value of a normal variable of mean 0 and standard deviation ``scale``.

    Args:
        scale: above 0.

    Shape:
        Numbers or floating point tensors: arguments broadcast to (*); a sample is ``sample_shape`` + (*).

    Raises:
        ValueError: an argument is outside its range, or an argument of `log_prob` is outside `support`.

    >>> d = HalfNormal(torch.tensor([1.0]))
    >>> d.mean, d.cdf(torch.tensor([1.0]))
    (tensor([0.7979]), tensor([0.6827]))
    """

    _whole = Normal
    mean = property(lambda self: self.scale * math.sqrt(2 / math.pi))
    variance = property(lambda self: self.scale.pow(2) * (1 - 2 / math.pi))

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Self:
        return super().expand(batch_shape, _instance=self._get_checked_instance(HalfNormal, _instance))
