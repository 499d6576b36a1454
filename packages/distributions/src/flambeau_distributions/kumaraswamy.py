"""The Kumaraswamy distribution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import flambeau_tensor as torch
from flambeau_distributions import constraints
from flambeau_distributions.parameters import broadcast_all, euler_constant
from flambeau_distributions.transformed_distribution import TransformedDistribution
from flambeau_distributions.transforms import AffineTransform, PowerTransform
from flambeau_distributions.uniform import Uniform
from flambeau_tensor import Tensor

__all__ = ["Kumaraswamy"]


def _moment(a: Tensor, b: Tensor, n: int) -> Tensor:
    """The n-th moment: ``b B(1 + n / a, b)``."""
    first = 1 + n / a
    return torch.exp(b.log() + torch.lgamma(first) + torch.lgamma(b) - torch.lgamma(first + b))


class Kumaraswamy(TransformedDistribution):
    """Distribution function ``1 - (1 - x^concentration1)^concentration0``.

    Args:
        concentration1: above 0.
        concentration0: above 0.

    Shape:
        Numbers or floating point tensors: arguments broadcast to (*); a sample is ``sample_shape`` + (*).

    Raises:
        ValueError: an argument is outside its range, or an argument of `log_prob` is outside `support`.

    >>> d = Kumaraswamy(torch.tensor([2.0]), torch.tensor([2.0]))
    >>> d.mean, d.cdf(torch.tensor([0.5]))
    (tensor([0.5333]), tensor([0.4375]))
    """

    arg_constraints = {"concentration1": constraints.positive, "concentration0": constraints.positive}
    support = constraints.unit_interval
    has_rsample = True

    def __init__(
        self, concentration1: Tensor | float, concentration0: Tensor | float, validate_args: bool | None = None
    ) -> None:
        self.concentration1, self.concentration0 = broadcast_all(concentration1, concentration0)
        base = Uniform(
            torch.full_like(self.concentration0, 0),
            torch.full_like(self.concentration0, 1),
            validate_args=validate_args,
        )
        super().__init__(
            base,
            [
                PowerTransform(exponent=self.concentration0.reciprocal()),
                AffineTransform(loc=1.0, scale=-1.0),
                PowerTransform(exponent=self.concentration1.reciprocal()),
            ],
            validate_args=validate_args,
        )

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Self:
        new = self._get_checked_instance(Kumaraswamy, _instance)
        new.concentration1 = self.concentration1.expand(batch_shape)
        new.concentration0 = self.concentration0.expand(batch_shape)
        return super().expand(batch_shape, _instance=new)

    mean = property(lambda self: _moment(self.concentration1, self.concentration0, 1))

    @property
    def mode(self) -> Tensor:
        a, b = self.concentration1, self.concentration0
        mode = a.reciprocal() * (torch.log(a - 1) - torch.log(a * b - 1))
        return torch.where((a < 1) | (b < 1), torch.nan * a, mode.exp())

    @property
    def variance(self) -> Tensor:
        return _moment(self.concentration1, self.concentration0, 2) - self.mean.pow(2)

    def entropy(self) -> Tensor:
        t1, t0 = 1 - self.concentration1.reciprocal(), 1 - self.concentration0.reciprocal()
        h0 = torch.digamma(self.concentration0 + 1) + euler_constant
        return t0 + t1 * h0 - torch.log(self.concentration1) - torch.log(self.concentration0)
