"""The Wishart distribution."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any, Self

import flambeau_tensor as torch
from flambeau_autograd import no_grad
from flambeau_distributions import constraints
from flambeau_distributions.chi2 import Chi2
from flambeau_distributions.exp_family import ExponentialFamily
from flambeau_distributions.multivariate_normal import MatrixParameters, half_log_det
from flambeau_distributions.parameters import is_number, mvlgamma
from flambeau_tensor import Tensor, linalg

__all__ = ["Wishart"]


class Wishart(MatrixParameters, ExponentialFamily):
    """The sum of the outer products of ``df`` normal vectors, with their covariance, its inverse, or its factor.

    Args:
        df: degrees of freedom, above K - 1.
        covariance_matrix: (*, K, K), positive definite.
        precision_matrix: (*, K, K), positive definite.
        scale_tril: (*, K, K), lower triangular, with a diagonal above 0.

    Shape:
        Numbers or floating point tensors: matrices are (*, K, K), and so is a sample.

    Raises:
        ValueError: an argument is outside its range, or an argument of `log_prob` is outside `support`.

    >>> d = Wishart(torch.tensor(3.0), torch.eye(2))
    >>> d.mean, d.sample().shape
    (tensor([[3., 0.],
            [0., 3.]]), torch.Size([2, 2]))
    """

    support = constraints.positive_definite
    has_rsample = True
    _mean_carrier_measure = 0

    @property
    def arg_constraints(self) -> dict[str, Any]:
        return {
            "covariance_matrix": constraints.positive_definite,
            "precision_matrix": constraints.positive_definite,
            "scale_tril": constraints.lower_cholesky,
            "df": constraints.greater_than(self._event_shape[-1] - 1),
        }

    def __init__(
        self,
        df: Tensor | float,
        covariance_matrix: Tensor | None = None,
        precision_matrix: Tensor | None = None,
        scale_tril: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        given = {"covariance_matrix": covariance_matrix, "precision_matrix": precision_matrix, "scale_tril": scale_tril}
        if sum(m is not None for m in given.values()) != 1:
            raise ValueError("Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified.")
        matrix = next(m for m in given.values() if m is not None)
        if matrix.dim() < 2:
            raise ValueError("scale_tril must be at least two-dimensional, with optional leading batch dimensions")
        if is_number(df):
            df = torch.tensor(df, dtype=matrix.dtype)
        self._event_shape = matrix.shape[-2:]
        if bool(df.le(self._event_shape[-1] - 1).any()):
            raise ValueError(f"Value of df={df} expected to be greater than ndim - 1 = {self._event_shape[-1] - 1}.")
        if validate_args is not None:
            self._validate_args = validate_args
        batch_shape = self._set_matrix(df.shape, **given)
        self.df = df.expand(batch_shape)
        if bool(self.df.lt(self._event_shape[-1]).any()):
            warnings.warn(
                "Low df values detected. Singular samples are highly likely to occur for ndim - 1 < df < ndim.",
                stacklevel=2,
            )
        super().__init__(batch_shape, self._event_shape, validate_args=validate_args)
        self._dist_chi2 = self._chi2()

    def _chi2(self) -> Chi2:
        n = self._event_shape[-1]
        return Chi2(
            df=self.df.unsqueeze(-1) - torch.arange(n, dtype=self.df.dtype).expand(self._batch_shape + torch.Size((n,)))
        )

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Self:
        matrices = ("covariance_matrix", "scale_tril", "precision_matrix")
        new = self._expanded(
            Wishart,
            batch_shape,
            _instance,
            ("df", *matrices),
            ("_unbroadcasted_scale_tril",),
            dict.fromkeys(matrices, 2),
        )
        new._dist_chi2 = new._chi2()
        return new

    @property
    def mean(self) -> Tensor:
        return self.df.view(self._batch_shape + torch.Size((1, 1))) * self.covariance_matrix

    @property
    def mode(self) -> Tensor:
        factor = self.df - self.covariance_matrix.shape[-1] - 1
        factor = torch.where(factor <= 0, torch.nan, factor)
        return factor.view(self._batch_shape + torch.Size((1, 1))) * self.covariance_matrix

    @property
    def variance(self) -> Tensor:
        v = self.covariance_matrix
        diagonal = v.diagonal(dim1=-2, dim2=-1)
        both = v.pow(2) + diagonal.unsqueeze(-1) * diagonal.unsqueeze(-2)
        return self.df.view(self._batch_shape + torch.Size((1, 1))) * both

    def _bartlett_sampling(self, sample_shape: Sequence[int] = ()) -> Tensor:
        n = self._event_shape[-1]
        noise = self._dist_chi2.rsample(sample_shape).sqrt().diag_embed(dim1=-2, dim2=-1)
        rows, columns = torch.tril_indices(n, n, offset=-1)
        noise[..., rows, columns] = torch.randn(
            torch.Size(sample_shape) + self._batch_shape + torch.Size((n * (n - 1) // 2,)), dtype=noise.dtype
        )
        factor = self._unbroadcasted_scale_tril @ noise
        return factor @ factor.mT

    def rsample(self, sample_shape: Sequence[int] = (), max_try_correction: int | None = None) -> Tensor:
        """Random values; singular ones are drawn again, at most ``max_try_correction`` times."""
        if max_try_correction is None:
            max_try_correction = 3 if len(self._event_shape) else 10
        sample_shape = torch.Size(sample_shape)
        sample = self._bartlett_sampling(sample_shape)
        singular = ~self.support.check(sample)
        if bool(singular.any()):
            warnings.warn("Singular sample detected.", stacklevel=2)
            for _ in range(max_try_correction):
                again = self._bartlett_sampling(sample_shape)
                sample = torch.where(singular.unsqueeze(-1).unsqueeze(-1), again, sample)
                singular = singular & ~self.support.check(again)
                if not bool(singular.any()):
                    break
        return sample

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        with no_grad():
            return self.rsample(sample_shape)

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        nu, p = self.df, self._event_shape[-1]
        scaled = torch.cholesky_solve(value, self._unbroadcasted_scale_tril)
        return (
            -nu * (p * math.log(2.0) / 2 + half_log_det(self._unbroadcasted_scale_tril))
            - mvlgamma(nu / 2, p)
            + (nu - p - 1) / 2 * linalg.slogdet(value)[1]
            - scaled.diagonal(dim1=-2, dim2=-1).sum(-1) / 2
        )

    def entropy(self) -> Tensor:
        nu, p = self.df, self._event_shape[-1]
        steps = torch.arange(p, dtype=nu.dtype)
        digammas = torch.digamma((nu.unsqueeze(-1) - steps) / 2).sum(-1)
        return (
            (p + 1) * (p * math.log(2.0) / 2 + half_log_det(self._unbroadcasted_scale_tril))
            + mvlgamma(nu / 2, p)
            - (nu - p - 1) / 2 * digammas
            + nu * p / 2
        )

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        return -self.precision_matrix / 2, (self.df - self._event_shape[-1] - 1) / 2

    def _log_normalizer(self, x: Tensor, y: Tensor) -> Tensor:  # type: ignore[override]
        p = self._event_shape[-1]
        return (y + (p + 1) / 2) * (-linalg.slogdet(-2 * x).logabsdet + math.log(2.0) * p) + mvlgamma(
            y + (p + 1) / 2, p
        )
