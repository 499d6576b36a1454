"""The Pareto distribution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

from flambeau_distributions import constraints
from flambeau_distributions.exponential import Exponential
from flambeau_distributions.parameters import broadcast_all
from flambeau_distributions.transformed_distribution import TransformedDistribution
from flambeau_distributions.transforms import AffineTransform, ExpTransform
from flambeau_tensor import Tensor

__all__ = ["Pareto"]


class Pareto(TransformedDistribution):
    """Density ``alpha scale^alpha / x^(alpha + 1)`` from ``scale`` on.

    Args:
        scale: above 0.
        alpha: above 0.

    Shape:
        Numbers or floating point tensors: arguments broadcast to (*); a sample is ``sample_shape`` + (*).

    Raises:
        ValueError: an argument is outside its range, or an argument of `log_prob` is outside `support`.

    >>> d = Pareto(torch.tensor([1.0]), torch.tensor([3.0]))
    >>> d.mean, d.cdf(torch.tensor([2.0]))
    (tensor([1.5000]), tensor([0.8750]))
    """

    arg_constraints = {"alpha": constraints.positive, "scale": constraints.positive}

    def __init__(self, scale: Tensor | float, alpha: Tensor | float, validate_args: bool | None = None) -> None:
        self.scale, self.alpha = broadcast_all(scale, alpha)
        super().__init__(
            Exponential(self.alpha, validate_args=validate_args),
            [ExpTransform(), AffineTransform(loc=0, scale=self.scale)],
            validate_args=validate_args,
        )

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Self:
        new = self._get_checked_instance(Pareto, _instance)
        new.scale, new.alpha = self.scale.expand(batch_shape), self.alpha.expand(batch_shape)
        return super().expand(batch_shape, _instance=new)

    @property
    def mean(self) -> Tensor:
        a = self.alpha.clamp(min=1)  # infinite up to 1
        return a * self.scale / (a - 1)

    mode = property(lambda self: self.scale)

    @property
    def variance(self) -> Tensor:
        a = self.alpha.clamp(min=2)
        return self.scale.pow(2) * a / ((a - 1).pow(2) * (a - 2))

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> Any:
        return constraints.greater_than_eq(self.scale)

    def entropy(self) -> Tensor:
        return (self.scale / self.alpha).log() + (1 + self.alpha.reciprocal())
