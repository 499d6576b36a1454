"""The multivariate normal distribution."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Self

import flambeau_tensor as torch
from flambeau_distributions import constraints
from flambeau_distributions.distribution import Distribution
from flambeau_distributions.parameters import lazy_property, standard_normal
from flambeau_tensor import Tensor, linalg

__all__ = ["MultivariateNormal"]


def batch_mv(matrices: Tensor, vectors: Tensor) -> Tensor:
    """Products of matrices and vectors, whose batch dimensions broadcast."""
    return torch.matmul(matrices, vectors.unsqueeze(-1)).squeeze(-1)


_batch_mv = batch_mv


def batch_mahalanobis(factor: Tensor, x: Tensor) -> Tensor:
    """``x^T (L L^T)^-1 x`` for lower triangular L, whose batch dimensions broadcast to those of x."""
    if factor.dim() == 2:
        solved = linalg.solve_triangular(factor, x.reshape(-1, x.shape[-1]).mT, upper=False)
        return solved.pow(2).sum(0).reshape(x.shape[:-1])
    shape = torch.broadcast_shapes(factor.shape[:-1], x.shape)
    expanded = factor.expand(shape + factor.shape[-1:])
    return linalg.solve_triangular(expanded, x.expand(shape).unsqueeze(-1), upper=False).squeeze(-1).pow(2).sum(-1)


_batch_mahalanobis = batch_mahalanobis


def precision_to_scale_tril(precision: Tensor) -> Tensor:
    """The Cholesky factor of the inverse, from that of the matrix in reversed order."""
    reversed_factor = linalg.cholesky(torch.flip(precision, (-2, -1)))
    inverse = torch.flip(reversed_factor, (-2, -1)).mT
    identity = torch.eye(precision.shape[-1], dtype=precision.dtype)
    return linalg.solve_triangular(inverse, identity, upper=False)


_precision_to_scale_tril = precision_to_scale_tril


def half_log_det(factor: Tensor) -> Tensor:
    """The sum of the logarithms of the diagonal."""
    return factor.diagonal(dim1=-2, dim2=-1).log().sum(-1)


class MatrixParameters(Distribution):
    """With a covariance, its inverse, or its Cholesky factor; the others follow."""

    _unbroadcasted_scale_tril: Any  # a tensor, or None if the matrix cannot be factored

    def _set_matrix(self, batch_shape: Sequence[int], **given: Tensor | None) -> torch.Size:
        """Set the one that is given, expanded to the batch; returns its batch shape."""
        if sum(m is not None for m in given.values()) != 1:
            raise ValueError("Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified.")
        ((name, matrix),) = ((name, m) for name, m in given.items() if m is not None)
        if matrix.dim() < 2:
            raise ValueError(f"{name} must be at least two-dimensional, with optional leading batch dimensions")
        batch_shape = torch.broadcast_shapes(matrix.shape[:-2], batch_shape)
        setattr(self, name, matrix.expand(batch_shape + matrix.shape[-2:]))
        if name == "scale_tril":
            self._unbroadcasted_scale_tril = matrix
        elif name == "covariance_matrix":
            self._unbroadcasted_scale_tril = linalg.cholesky(matrix) if self._checks(name, matrix) else None
        else:
            self._unbroadcasted_scale_tril = precision_to_scale_tril(matrix) if self._checks(name, matrix) else None
        return batch_shape

    def _checks(self, name: str, matrix: Tensor) -> bool:
        """Whether the matrix can be factorized; if it cannot, the validation of parameters raises the error."""
        return not self._validate_args or bool(torch._is_all_true(self.arg_constraints[name].check(matrix)))

    def _full(self, matrix: Tensor) -> Tensor:
        n = matrix.shape[-1]
        return matrix.expand(self._batch_shape + torch.Size((n, n)))

    @lazy_property
    def scale_tril(self) -> Tensor:
        """The lower Cholesky factor of the covariance."""
        return self._full(self._unbroadcasted_scale_tril)

    @lazy_property
    def covariance_matrix(self) -> Tensor:
        """The covariance."""
        return self._full(torch.matmul(self._unbroadcasted_scale_tril, self._unbroadcasted_scale_tril.mT))

    @lazy_property
    def precision_matrix(self) -> Tensor:
        """The inverse of the covariance."""
        return self._full(torch.cholesky_inverse(self._unbroadcasted_scale_tril))


class MultivariateNormal(MatrixParameters):
    """Normal vectors of mean ``loc``, with a covariance, its inverse, or its lower Cholesky factor.

    Args:
        loc: (*, K), any numbers.
        covariance_matrix: (*, K, K), positive definite.
        precision_matrix: (*, K, K), positive definite.
        scale_tril: (*, K, K), lower triangular, with a diagonal above 0.

    Shape:
        Numbers or floating point tensors: arguments broadcast to (*, K); a sample is ``sample_shape`` + (*, K).

    Raises:
        ValueError: an argument is outside its range, or an argument of `log_prob` is outside `support`.

    >>> MultivariateNormal(torch.zeros(2), torch.eye(2)).log_prob(torch.zeros(2))
    tensor(-1.8379)
    """

    arg_constraints = {
        "loc": constraints.real_vector,
        "covariance_matrix": constraints.positive_definite,
        "precision_matrix": constraints.positive_definite,
        "scale_tril": constraints.lower_cholesky,
    }
    support = constraints.real_vector
    has_rsample = True

    def __init__(
        self,
        loc: Tensor,
        covariance_matrix: Tensor | None = None,
        precision_matrix: Tensor | None = None,
        scale_tril: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        if loc.dim() < 1:
            raise ValueError("loc must be at least one-dimensional.")
        if validate_args is not None:
            self._validate_args = validate_args
        batch_shape = self._set_matrix(
            loc.shape[:-1],
            covariance_matrix=covariance_matrix,
            precision_matrix=precision_matrix,
            scale_tril=scale_tril,
        )
        self.loc = loc.expand(batch_shape + torch.Size((-1,)))
        super().__init__(batch_shape, self.loc.shape[-1:], validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Self:
        return self._expanded(
            MultivariateNormal,
            batch_shape,
            _instance,
            ("loc", "covariance_matrix", "scale_tril", "precision_matrix"),
            ("_unbroadcasted_scale_tril",),
            {"loc": 1, "covariance_matrix": 2, "scale_tril": 2, "precision_matrix": 2},
        )

    mean = mode = property(lambda self: self.loc)

    @property
    def variance(self) -> Tensor:
        return self._unbroadcasted_scale_tril.pow(2).sum(-1).expand(self._batch_shape + self._event_shape)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        eps = standard_normal(self._extended_shape(sample_shape), self.loc.dtype)
        return self.loc + batch_mv(self._unbroadcasted_scale_tril, eps)

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        factor = self._unbroadcasted_scale_tril
        distance = batch_mahalanobis(factor, value - self.loc)
        return -0.5 * (self._event_shape[0] * math.log(2 * math.pi) + distance) - half_log_det(factor)

    def entropy(self) -> Tensor:
        log_det = half_log_det(self._unbroadcasted_scale_tril)
        entropy = 0.5 * self._event_shape[0] * (1.0 + math.log(2 * math.pi)) + log_det
        return entropy.expand(self._batch_shape) if self._batch_shape else entropy
