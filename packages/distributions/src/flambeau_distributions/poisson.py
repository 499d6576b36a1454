"""The Poisson distribution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import flambeau_tensor as torch
from flambeau_autograd import no_grad
from flambeau_distributions import constraints
from flambeau_distributions.exp_family import ExponentialFamily
from flambeau_distributions.parameters import broadcast_all
from flambeau_tensor import Tensor
from flambeau_tensor.extend import find_operator

__all__ = ["Poisson"]


class Poisson(ExponentialFamily):
    """Probability ``rate^k exp(-rate) / k!``.

    Args:
        rate: 0 or more.

    Shape:
        Numbers or floating point tensors: arguments broadcast to (*); a sample is ``sample_shape`` + (*).

    Raises:
        ValueError: an argument is outside its range, or an argument of `log_prob` is outside `support`.

    >>> d = Poisson(torch.tensor([4.0]))
    >>> d.mean, d.log_prob(torch.tensor([4.0])).exp()
    (tensor([4.]), tensor([0.1954]))
    """

    arg_constraints = {"rate": constraints.nonnegative}
    support = constraints.nonnegative_integer

    def __init__(self, rate: Tensor | float, validate_args: bool | None = None) -> None:
        (self.rate,) = broadcast_all(rate)
        super().__init__(self.rate.shape, validate_args=validate_args)

    mean = variance = property(lambda self: self.rate)
    mode = property(lambda self: self.rate.floor())

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Self:
        return self._expanded(Poisson, batch_shape, _instance, ("rate",))

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        with no_grad():
            return find_operator("torch.poisson")(self.rate.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        rate, value = broadcast_all(self.rate, value)
        return value.xlogy(rate) - rate - (value + 1).lgamma()

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        return (torch.log(self.rate),)

    def _log_normalizer(self, x: Tensor) -> Tensor:  # type: ignore[override]
        return torch.exp(x)
