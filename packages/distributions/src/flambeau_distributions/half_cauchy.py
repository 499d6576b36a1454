"""The half-Cauchy distribution."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Self

import flambeau_tensor as torch
from flambeau_distributions._half import Half
from flambeau_distributions.cauchy import Cauchy
from flambeau_tensor import Tensor

__all__ = ["HalfCauchy"]


class HalfCauchy(Half):
    """The absolute value of a Cauchy variable around 0.

    Args:
        scale: above 0.

    Shape:
        Numbers or floating point tensors: arguments broadcast to (*); a sample is ``sample_shape`` + (*).

    Raises:
        ValueError: an argument is outside its range, or an argument of `log_prob` is outside `support`.

    >>> HalfCauchy(torch.tensor([1.0])).cdf(torch.tensor([1.0]))
    tensor([0.5000])
    """

    _whole = Cauchy
    mean = property(lambda self: torch.full(self._extended_shape(), math.inf, dtype=self.scale.dtype))
    variance = property(lambda self: self.base_dist.variance)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Self:
        return super().expand(batch_shape, _instance=self._get_checked_instance(HalfCauchy, _instance))

    def _log_prob(self, value: Tensor) -> Tensor:
        return super()._log_prob(torch.as_tensor(value, dtype=self.scale.dtype))
