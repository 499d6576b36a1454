"""The chi-squared distribution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

from flambeau_distributions import constraints
from flambeau_distributions.gamma import Gamma
from flambeau_tensor import Tensor

__all__ = ["Chi2"]


class Chi2(Gamma):
    """The sum of the squares of ``df`` standard normal variables.

    Args:
        df: above 0.

    Shape:
        Numbers or floating point tensors: arguments broadcast to (*); a sample is ``sample_shape`` + (*).

    Raises:
        ValueError: an argument is outside its range, or an argument of `log_prob` is outside `support`.

    >>> d = Chi2(torch.tensor([3.0]))
    >>> d.mean, d.variance
    (tensor([3.]), tensor([6.]))
    """

    arg_constraints = {"df": constraints.positive}

    def __init__(self, df: Tensor | float, validate_args: bool | None = None) -> None:
        super().__init__(0.5 * df, 0.5, validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Self:
        return super().expand(batch_shape, self._get_checked_instance(Chi2, _instance))

    @property
    def df(self) -> Tensor:
        """The degrees of freedom."""
        return self.concentration * 2
