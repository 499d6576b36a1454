"""The multivariate normal distribution whose covariance is a diagonal and a matrix of low rank."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Self

import flambeau_tensor as torch
from flambeau_distributions import constraints
from flambeau_distributions.distribution import Distribution
from flambeau_distributions.multivariate_normal import batch_mahalanobis, batch_mv, half_log_det
from flambeau_distributions.parameters import lazy_property, standard_normal
from flambeau_tensor import Tensor, linalg

__all__ = ["LowRankMultivariateNormal"]


def capacitance_tril(factor: Tensor, diagonal: Tensor) -> Tensor:
    """The Cholesky factor of ``I + W^T D^-1 W``."""
    weighted = factor.mT / diagonal.unsqueeze(-2)
    return linalg.cholesky(torch.matmul(weighted, factor) + torch.eye(factor.shape[-1], dtype=factor.dtype))


def log_det(factor: Tensor, diagonal: Tensor, capacitance: Tensor) -> Tensor:
    """log det (W W^T + D)."""
    return 2 * half_log_det(capacitance) + diagonal.log().sum(-1)


def mahalanobis(factor: Tensor, diagonal: Tensor, x: Tensor, capacitance: Tensor) -> Tensor:
    """``x^T (W W^T + D)^-1 x``."""
    weighted = batch_mv(factor.mT / diagonal.unsqueeze(-2), x)
    return (x.pow(2) / diagonal).sum(-1) - batch_mahalanobis(capacitance, weighted)


class LowRankMultivariateNormal(Distribution):
    """Normal vectors of mean ``loc`` and covariance ``cov_factor @ cov_factor.T + cov_diag``.

    Args:
        loc: (*, K), any numbers.
        cov_factor: (*, K, rank), any numbers.
        cov_diag: (*, K), above 0.

    Shape:
        Numbers or floating point tensors: arguments broadcast to (*, K); a sample is ``sample_shape`` + (*, K).

    Raises:
        ValueError: an argument is outside its range, or an argument of `log_prob` is outside `support`.

    >>> d = LowRankMultivariateNormal(torch.zeros(2), torch.tensor([[1.0], [0.5]]), torch.ones(2))
    >>> d.covariance_matrix
    tensor([[2.0000, 0.5000],
            [0.5000, 1.2500]])
    """

    arg_constraints = {
        "loc": constraints.real_vector,
        "cov_factor": constraints.independent(constraints.real, 2),
        "cov_diag": constraints.independent(constraints.positive, 1),
    }
    support = constraints.real_vector
    has_rsample = True

    def __init__(self, loc: Tensor, cov_factor: Tensor, cov_diag: Tensor, validate_args: bool | None = None) -> None:
        if loc.dim() < 1:
            raise ValueError("loc must be at least one-dimensional.")
        event = loc.shape[-1:]
        if cov_factor.dim() < 2:
            raise ValueError("cov_factor must be at least two-dimensional, with optional leading batch dimensions")
        if cov_factor.shape[-2:-1] != event:
            raise ValueError(f"cov_factor must be a batch of matrices with shape {event[0]} x m")
        if cov_diag.shape[-1:] != event:
            raise ValueError(f"cov_diag must be a batch of vectors with shape {event}")
        try:
            batch = torch.broadcast_shapes(loc.shape[:-1], cov_factor.shape[:-2], cov_diag.shape[:-1])
        except RuntimeError as e:
            raise ValueError(
                f"Incompatible batch shapes: loc {loc.shape}, cov_factor {cov_factor.shape}, cov_diag {cov_diag.shape}"
            ) from e
        self.loc, self.cov_diag = loc.expand(batch + event), cov_diag.expand(batch + event)
        self.cov_factor = cov_factor.expand(batch + cov_factor.shape[-2:])
        self._unbroadcasted_cov_factor, self._unbroadcasted_cov_diag = cov_factor, cov_diag
        self._capacitance_tril = capacitance_tril(cov_factor, cov_diag)
        super().__init__(batch, event, validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Self:
        return self._expanded(
            LowRankMultivariateNormal,
            batch_shape,
            _instance,
            ("loc", "cov_diag", "cov_factor"),
            ("_unbroadcasted_cov_factor", "_unbroadcasted_cov_diag", "_capacitance_tril"),
            {"loc": 1, "cov_diag": 1, "cov_factor": 2},
        )

    mean = mode = property(lambda self: self.loc)

    @lazy_property
    def variance(self) -> Tensor:
        """The variances of the elements."""
        both = self._unbroadcasted_cov_factor.pow(2).sum(-1) + self._unbroadcasted_cov_diag
        return both.expand(self._batch_shape + self._event_shape)

    @lazy_property
    def scale_tril(self) -> Tensor:
        """The lower Cholesky factor of the covariance."""
        n, factor, diagonal = self._event_shape[0], self._unbroadcasted_cov_factor, self._unbroadcasted_cov_diag
        root = diagonal.sqrt().unsqueeze(-1)
        inner = torch.matmul(factor / root, (factor / root).mT) + torch.eye(n, dtype=factor.dtype)
        return (root * linalg.cholesky(inner)).expand(self._batch_shape + torch.Size((n, n)))

    @lazy_property
    def covariance_matrix(self) -> Tensor:
        """The covariance."""
        n, factor = self._event_shape[0], self._unbroadcasted_cov_factor
        full = torch.matmul(factor, factor.mT) + torch.diag_embed(self._unbroadcasted_cov_diag)
        return full.expand(self._batch_shape + torch.Size((n, n)))

    @lazy_property
    def precision_matrix(self) -> Tensor:
        """The inverse of the covariance."""
        n, diagonal = self._event_shape[0], self._unbroadcasted_cov_diag
        weighted = self._unbroadcasted_cov_factor.mT / diagonal.unsqueeze(-2)
        a = linalg.solve_triangular(self._capacitance_tril, weighted, upper=False)
        return (torch.diag_embed(diagonal.reciprocal()) - torch.matmul(a.mT, a)).expand(
            self._batch_shape + torch.Size((n, n))
        )

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        eps_w = standard_normal(shape[:-1] + self.cov_factor.shape[-1:], self.loc.dtype)
        eps_d = standard_normal(shape, self.loc.dtype)
        return self.loc + batch_mv(self._unbroadcasted_cov_factor, eps_w) + self._unbroadcasted_cov_diag.sqrt() * eps_d

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        parts = self._unbroadcasted_cov_factor, self._unbroadcasted_cov_diag
        distance = mahalanobis(*parts, value - self.loc, self._capacitance_tril)
        return -0.5 * (
            self._event_shape[0] * math.log(2 * math.pi) + log_det(*parts, self._capacitance_tril) + distance
        )

    def entropy(self) -> Tensor:
        full = log_det(self._unbroadcasted_cov_factor, self._unbroadcasted_cov_diag, self._capacitance_tril)
        entropy = 0.5 * (self._event_shape[0] * (1.0 + math.log(2 * math.pi)) + full)
        return entropy.expand(self._batch_shape) if self._batch_shape else entropy
