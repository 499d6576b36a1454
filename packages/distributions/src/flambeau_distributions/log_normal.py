"""The log-normal distribution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

from flambeau_distributions import constraints
from flambeau_distributions.normal import Normal
from flambeau_distributions.transformed_distribution import TransformedDistribution
from flambeau_distributions.transforms import ExpTransform
from flambeau_tensor import Tensor

__all__ = ["LogNormal"]


class LogNormal(TransformedDistribution):
    """exp of a normal variable of mean ``loc`` and standard deviation ``scale``.

    Args:
        loc: any number.
        scale: above 0.

    Shape:
        Numbers or floating point tensors: arguments broadcast to (*); a sample is ``sample_shape`` + (*).

    Raises:
        ValueError: an argument is outside its range, or an argument of `log_prob` is outside `support`.

    >>> d = LogNormal(torch.tensor([0.0]), torch.tensor([1.0]))
    >>> d.mean, d.cdf(torch.tensor([1.0]))
    (tensor([1.6487]), tensor([0.5000]))
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.positive
    has_rsample = True

    def __init__(self, loc: Tensor | float, scale: Tensor | float, validate_args: bool | None = None) -> None:
        super().__init__(Normal(loc, scale, validate_args=validate_args), ExpTransform(), validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Self:
        return super().expand(batch_shape, _instance=self._get_checked_instance(LogNormal, _instance))

    loc = property(lambda self: self.base_dist.loc)
    scale = property(lambda self: self.base_dist.scale)
    mean = property(lambda self: (self.loc + self.scale.pow(2) / 2).exp())
    mode = property(lambda self: (self.loc - self.scale.square()).exp())

    @property
    def variance(self) -> Tensor:
        square = self.scale.pow(2)
        return square.expm1() * (2 * self.loc + square).exp()

    def entropy(self) -> Tensor:
        return self.base_dist.entropy() + self.loc
