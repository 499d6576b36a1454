"""Lewandowski, Kurowicka and Joe's distribution of correlation matrices, by their Cholesky factors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Self

import flambeau_tensor as torch
from flambeau_autograd import no_grad
from flambeau_distributions import constraints
from flambeau_distributions.beta import Beta
from flambeau_distributions.distribution import Distribution
from flambeau_distributions.parameters import broadcast_all, mvlgamma
from flambeau_tensor import Tensor

__all__ = ["LKJCholesky"]


class LKJCholesky(Distribution):
    """Cholesky factors of correlation matrices of size ``dim``, with density proportional to det^(concentration - 1).

    Args:
        dim: the matrices' number of rows, 2 or more.
        concentration: above 0.

    Shape:
        Numbers or floating point tensors: ``concentration`` is (*); a sample is ``sample_shape`` + (*, dim, dim).

    Raises:
        ValueError: an argument is outside its range, or an argument of `log_prob` is outside `support`.

    >>> L = LKJCholesky(3, concentration=2.0).sample()
    >>> torch.allclose((L @ L.T).diagonal(), torch.ones(3))
    True
    """

    arg_constraints = {"concentration": constraints.positive}
    support = constraints.corr_cholesky

    def __init__(self, dim: int, concentration: Tensor | float = 1.0, validate_args: bool | None = None) -> None:
        if dim < 2:
            raise ValueError(f"Expected dim to be an integer greater than or equal to 2. Found dim={dim}.")
        self.dim = dim
        (self.concentration,) = broadcast_all(concentration)
        batch, dtype = self.concentration.size(), self.concentration.dtype
        offset = torch.arange(dim - 1, dtype=dtype)
        offset = torch.cat([torch.zeros((1,), dtype=dtype), offset])
        marginal = self.concentration + 0.5 * (dim - 2)
        self._beta = Beta(offset + 0.5, marginal.unsqueeze(-1) - 0.5 * offset)
        super().__init__(batch, torch.Size((dim, dim)), validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Self:
        new = self._get_checked_instance(LKJCholesky, _instance)
        batch_shape = torch.Size(batch_shape)
        new._beta = self._beta.expand(batch_shape + torch.Size((self.dim,)))
        return self._expanded(LKJCholesky, batch_shape, new, ("concentration",), ("dim",))

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Row by row: a length from a beta distribution, and a direction."""
        with no_grad():
            y = self._beta.sample(sample_shape).unsqueeze(-1)
            normal = torch.randn(self._extended_shape(sample_shape), dtype=y.dtype).tril(-1)
            direction = normal / normal.norm(dim=-1, keepdim=True)
            direction[..., 0, :].fill_(0.0)
            w = torch.sqrt(y) * direction
            left = torch.clamp(1 - torch.sum(w**2, dim=-1), min=torch.finfo(w.dtype).tiny).sqrt()
            return w + torch.diag_embed(left)

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        diagonal = value.diagonal(dim1=-1, dim2=-2)[..., 1:]
        order = torch.arange(2, self.dim + 1, dtype=self.concentration.dtype)
        order = 2 * (self.concentration - 1).unsqueeze(-1) + self.dim - order
        unnormalized = torch.sum(order * diagonal.log(), dim=-1)
        n = self.dim - 1
        alpha = self.concentration + 0.5 * n
        numerator = mvlgamma(alpha - 0.5, n)
        return unnormalized - (0.5 * n * math.log(math.pi) + numerator - torch.lgamma(alpha) * n)
