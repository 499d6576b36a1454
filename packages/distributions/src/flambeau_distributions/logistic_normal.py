"""The logistic normal distribution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

from flambeau_distributions import constraints
from flambeau_distributions.distribution import Distribution
from flambeau_distributions.independent import Independent
from flambeau_distributions.normal import Normal
from flambeau_distributions.transformed_distribution import TransformedDistribution
from flambeau_distributions.transforms import StickBreakingTransform
from flambeau_tensor import Tensor

__all__ = ["LogisticNormal"]


class LogisticNormal(TransformedDistribution):
    """Probabilities that normal variables break off, see `StickBreakingTransform`.

    Args:
        loc: any number.
        scale: above 0.

    Shape:
        Numbers or floating point tensors: arguments broadcast to (*, K); a sample is ``sample_shape`` + (*, K + 1).

    Raises:
        ValueError: an argument is outside its range, or an argument of `log_prob` is outside `support`.

    >>> x = LogisticNormal(torch.zeros(2), torch.ones(2)).sample()
    >>> x.shape, torch.allclose(x.sum(), torch.tensor(1.0))
    (torch.Size([3]), True)
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.simplex
    has_rsample = True

    def __init__(self, loc: Tensor | float, scale: Tensor | float, validate_args: bool | None = None) -> None:
        base = Normal(loc, scale, validate_args=validate_args)
        super().__init__(
            base if base.batch_shape else base.expand([1]), StickBreakingTransform(), validate_args=validate_args
        )

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Self:
        return super().expand(batch_shape, _instance=self._get_checked_instance(LogisticNormal, _instance))

    @property
    def _normal(self) -> Distribution:
        return self.base_dist.base_dist if isinstance(self.base_dist, Independent) else self.base_dist

    loc = property(lambda self: self._normal.loc)
    scale = property(lambda self: self._normal.scale)
