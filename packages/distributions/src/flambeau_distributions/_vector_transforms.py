"""Transforms whose values are vectors or matrices."""

from __future__ import annotations

from typing import Any

import flambeau_tensor as torch
from flambeau_distributions import constraints
from flambeau_distributions._transform import Transform, TransformWithoutParameters
from flambeau_distributions.parameters import softplus, tril_matrix_to_vec, vec_to_tril_matrix
from flambeau_tensor import Tensor, linalg


class CorrCholeskyTransform(Transform):
    """From ``n (n - 1) / 2`` numbers to the Cholesky factor of a correlation matrix of size n.

    tanh maps the numbers to partial correlations: each of them takes a part of the remaining length of its row.

    Raises:
        RuntimeError: the last size is not a triangular number, n (n - 1) / 2.

    >>> L = CorrCholeskyTransform()(torch.tensor([0.5]))
    >>> L, (L @ L.T).diagonal()
    (tensor([[1.0000, 0.0000],
            [0.4621, 0.8868]]), tensor([1., 1.]))
    """

    domain = constraints.real_vector
    codomain = constraints.corr_cholesky
    bijective = True

    def _call(self, x: Tensor) -> Tensor:
        eps = torch.finfo(x.dtype).eps
        r = vec_to_tril_matrix(torch.tanh(x).clamp(min=-1 + eps, max=1 - eps), diag=-1)
        left = (1 - r**2).sqrt().cumprod(-1)
        r = r + torch.eye(r.shape[-1], dtype=r.dtype)
        return r * torch.cat([torch.ones_like(left[..., :1]), left[..., :-1]], -1)

    def _inverse(self, y: Tensor) -> Tensor:
        left = 1 - torch.cumsum(y * y, dim=-1)
        left = torch.cat([torch.ones_like(left[..., :1]), left[..., :-1]], -1)
        t = tril_matrix_to_vec(y, diag=-1) / tril_matrix_to_vec(left, diag=-1).sqrt()
        return (t.log1p() - t.neg().log1p()) / 2

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor, intermediates: Any = None) -> Tensor:
        left = tril_matrix_to_vec(1 - (y * y).cumsum(dim=-1), diag=-2)
        return 0.5 * left.log().sum(-1) - 2 * (x + softplus(-2 * x) - 0.6931471805599453).sum(dim=-1)

    def forward_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        if len(shape) < 1:
            raise ValueError("Too few dimensions on input")
        n = shape[-1]
        size = round((0.25 + 2 * n) ** 0.5 + 0.5)
        if size * (size - 1) // 2 != n:
            raise ValueError("Input is not a flattened lower-diagonal number")
        return shape[:-1] + (size, size)

    def inverse_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        if len(shape) < 2:
            raise ValueError("Too few dimensions on input")
        if shape[-2] != shape[-1]:
            raise ValueError("Input is not square")
        return shape[:-2] + (shape[-1] * (shape[-1] - 1) // 2,)


class SoftmaxTransform(TransformWithoutParameters):
    """softmax along the last dimension, which is not one to one.

    Raises:
        ValueError: ``cache_size`` is neither 0 nor 1.
        NotImplementedError: the Jacobian is requested, but the transform is not bijective.

    >>> SoftmaxTransform()(torch.tensor([0.0, 2.0]))
    tensor([0.1192, 0.8808])
    """

    domain = constraints.real_vector
    codomain = constraints.simplex

    def _call(self, x: Tensor) -> Tensor:
        return torch.softmax(x, -1)

    def _inverse(self, y: Tensor) -> Tensor:
        return y.log()

    def forward_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        if len(shape) < 1:
            raise ValueError("Too few dimensions on input")
        return shape

    inverse_shape = forward_shape


class StickBreakingTransform(TransformWithoutParameters):
    """From n numbers to n + 1 probabilities: each number breaks off a part of the rest.

    Raises:
        ValueError: ``cache_size`` is neither 0 nor 1.

    >>> p = StickBreakingTransform()(torch.tensor([0.0, 1.0]))
    >>> p, p.sum()
    (tensor([0.3333, 0.4874, 0.1793]), tensor(1.))
    """

    domain = constraints.real_vector
    codomain = constraints.simplex
    bijective = True

    def _call(self, x: Tensor) -> Tensor:
        offset = x.shape[-1] + 1 - torch.ones(x.shape[-1], dtype=x.dtype).cumsum(-1)
        info = torch.finfo(x.dtype)
        z = torch.clamp(torch.sigmoid(x - offset.log()), min=info.tiny, max=1.0 - info.eps)
        left, one = (1 - z).cumprod(-1), torch.ones_like(z[..., :1])
        return torch.cat([z, one], -1) * torch.cat([one, left], -1)

    def _inverse(self, y: Tensor) -> Tensor:
        cut = y[..., :-1]
        offset = y.shape[-1] - torch.ones(cut.shape[-1], dtype=y.dtype).cumsum(-1)
        left = torch.clamp(1 - cut.cumsum(-1), min=torch.finfo(y.dtype).tiny)
        return cut.log() - left.log() + offset.log()

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        offset = x.shape[-1] + 1 - torch.ones(x.shape[-1], dtype=x.dtype).cumsum(-1)
        x = x - offset.log()
        return (-x - softplus(-x) + y[..., :-1].log()).sum(-1)

    def forward_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        if len(shape) < 1:
            raise ValueError("Too few dimensions on input")
        return shape[:-1] + (shape[-1] + 1,)

    def inverse_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        if len(shape) < 1:
            raise ValueError("Too few dimensions on input")
        return shape[:-1] + (shape[-1] - 1,)


class LowerCholeskyTransform(TransformWithoutParameters):
    """From square matrices to lower triangular ones with positive diagonals.

    Raises:
        RuntimeError: the input has fewer than two dimensions.

    >>> LowerCholeskyTransform()(torch.tensor([[0.0, 5.0], [2.0, 1.0]]))
    tensor([[1.0000, 0.0000],
            [2.0000, 2.7183]])
    """

    domain = constraints.independent(constraints.real, 2)
    codomain = constraints.lower_cholesky

    def _call(self, x: Tensor) -> Tensor:
        return x.tril(-1) + x.diagonal(dim1=-2, dim2=-1).exp().diag_embed()

    def _inverse(self, y: Tensor) -> Tensor:
        return y.tril(-1) + y.diagonal(dim1=-2, dim2=-1).log().diag_embed()


class PositiveDefiniteTransform(TransformWithoutParameters):
    """From square matrices to positive definite ones.

    Raises:
        RuntimeError: the input has fewer than two dimensions.

    >>> PositiveDefiniteTransform()(torch.tensor([[0.0, 5.0], [2.0, 1.0]]))
    tensor([[ 1.0000,  2.0000],
            [ 2.0000, 11.3891]])
    """

    domain = constraints.independent(constraints.real, 2)
    codomain = constraints.positive_definite

    def _call(self, x: Tensor) -> Tensor:
        x = LowerCholeskyTransform()(x)
        return x @ x.mT

    def _inverse(self, y: Tensor) -> Tensor:
        return LowerCholeskyTransform().inv(linalg.cholesky(y))
