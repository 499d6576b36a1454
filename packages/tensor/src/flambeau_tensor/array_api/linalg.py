"""The extension ``linalg``: ``torch.linalg`` under the standard's signatures."""

from collections.abc import Sequence
from typing import NamedTuple

import flambeau_tensor as torch
from flambeau_tensor import Tensor
from flambeau_tensor import linalg as _linalg
from flambeau_tensor._core.elementwise.dtype import DType
from flambeau_tensor.array_api.elementwise import operands
from flambeau_tensor.array_api.manipulation import Axes, axes_of
from flambeau_tensor.array_api.statistics import sum as _sum

Order = float | str


class EighResult(NamedTuple):
    """The result of `eigh`."""

    eigenvalues: Tensor
    eigenvectors: Tensor


class QRResult(NamedTuple):
    """The result of `qr`."""

    Q: Tensor
    R: Tensor


class SlogdetResult(NamedTuple):
    """The result of `slogdet`."""

    sign: Tensor
    logabsdet: Tensor


class SVDResult(NamedTuple):
    """The result of `svd`."""

    U: Tensor
    S: Tensor
    Vh: Tensor


# --- products -------------------------------------------------------------------------------------------------------


def matmul(x1: Tensor, x2: Tensor, /) -> Tensor:
    """Return the matrix product.

    >>> matmul(torch.ones(1, 2), torch.ones(2, 1))
    tensor([[2.]])
    """
    return torch.matmul(*operands(x1, x2))


def matrix_transpose(x: Tensor, /) -> Tensor:
    """Exchange the last two dimensions.

    >>> matrix_transpose(torch.ones(2, 3)).shape
    torch.Size([3, 2])
    """
    if x.ndim < 2:
        raise ValueError("matrix_transpose() needs a tensor of at least 2 dimensions")
    return x.mT


def outer(x1: Tensor, x2: Tensor, /) -> Tensor:
    """Return all products of two elements.

    >>> outer(torch.ones(1), torch.ones(2))
    tensor([[1., 1.]])
    """
    return torch.outer(*operands(x1, x2))


def tensordot(x1: Tensor, x2: Tensor, /, *, axes: int | tuple[Sequence[int], Sequence[int]] = 2) -> Tensor:
    """Return sums of products over pairs of dimensions.

    >>> tensordot(torch.ones(2, 3), torch.ones(3), axes=1)
    tensor([3., 3.])
    """
    return torch.tensordot(*operands(x1, x2), dims=axes if isinstance(axes, int) else tuple(map(list, axes)))


def vecdot(x1: Tensor, x2: Tensor, /, *, axis: int = -1) -> Tensor:
    """Return the dot products of vectors along one of the last dimensions; the first vector is conjugated.

    >>> vecdot(torch.ones(2), torch.ones(2))
    tensor(2.)
    """
    x1, x2 = operands(x1, x2)
    if not -min(x1.ndim, x2.ndim) <= axis < 0:
        raise ValueError(f"vecdot(): axis {axis} is not between -{min(x1.ndim, x2.ndim)} and -1")
    if x1.shape[axis] != x2.shape[axis]:
        raise ValueError(f"vecdot(): vectors of {x1.shape[axis]} and {x2.shape[axis]} elements")
    return torch.sum(x1.conj() * x2, axis, dtype=x1.dtype)


def cross(x1: Tensor, x2: Tensor, /, *, axis: int = -1) -> Tensor:
    """Return the cross products of vectors with three elements.

    >>> cross(torch.tensor([1, 0, 0]), torch.tensor([0, 1, 0]))
    tensor([0, 0, 1])
    """
    x1, x2 = operands(x1, x2)
    if not -min(x1.ndim, x2.ndim) <= axis < min(x1.ndim, x2.ndim):
        raise ValueError(f"cross(): axis {axis} of tensors with {x1.ndim} and {x2.ndim} dimensions")
    if x1.shape[axis] != 3 or x2.shape[axis] != 3:
        raise ValueError("cross() needs vectors of 3 elements")
    x1, x2 = torch.broadcast_tensors(x1, x2)
    return _linalg.cross(x1, x2, dim=axis)


# --- parts of matrices ----------------------------------------------------------------------------------------------


def diagonal(x: Tensor, /, *, offset: int = 0) -> Tensor:
    """Return a diagonal of each matrix.

    >>> diagonal(torch.eye(2))
    tensor([1., 1.])
    """
    return torch.diagonal(x, offset, -2, -1)


def trace(x: Tensor, /, *, offset: int = 0, dtype: DType | None = None) -> Tensor:
    """Return the sum of a diagonal of each matrix.

    >>> trace(torch.eye(2))
    tensor(2.)
    """
    return _sum(diagonal(x, offset=offset), axis=-1, dtype=dtype)


# --- factors --------------------------------------------------------------------------------------------------------


def cholesky(x: Tensor, /, *, upper: bool = False) -> Tensor:
    """Return the Cholesky factor of positive definite matrices.

    >>> cholesky(4 * torch.eye(1))
    tensor([[2.]])
    """
    return _linalg.cholesky(x, upper=upper)


def eigh(x: Tensor, /) -> EighResult:
    """Return eigenvalues and eigenvectors of Hermitian matrices.

    >>> eigh(torch.eye(2)).eigenvalues
    tensor([1., 1.])
    """
    return EighResult(*_linalg.eigh(x))


def eigvalsh(x: Tensor, /) -> Tensor:
    """Return eigenvalues of Hermitian matrices.

    >>> eigvalsh(torch.eye(2))
    tensor([1., 1.])
    """
    return _linalg.eigvalsh(x)


def qr(x: Tensor, /, *, mode: str = "reduced") -> QRResult:
    """Return an orthonormal and an upper triangular factor.

    >>> qr(torch.eye(2)).R.abs()
    tensor([[1., 0.],
            [0., 1.]])
    """
    return QRResult(*_linalg.qr(x, mode=mode))


def svd(x: Tensor, /, *, full_matrices: bool = True) -> SVDResult:
    """Return the singular value decomposition.

    >>> svd(torch.eye(2)).S
    tensor([1., 1.])
    """
    return SVDResult(*_linalg.svd(x, full_matrices=full_matrices))


def svdvals(x: Tensor, /) -> Tensor:
    """Return singular values.

    >>> svdvals(torch.eye(2))
    tensor([1., 1.])
    """
    return _linalg.svdvals(x)


# --- solving --------------------------------------------------------------------------------------------------------


def det(x: Tensor, /) -> Tensor:
    """Return determinants.

    >>> det(2 * torch.eye(2))
    tensor(4.)
    """
    return _linalg.det(x)


def slogdet(x: Tensor, /) -> SlogdetResult:
    """Return the sign of determinants, and the logarithm of their absolute value.

    >>> slogdet(torch.eye(2)).sign
    tensor(1.)
    """
    return SlogdetResult(*_linalg.slogdet(x))


def inv(x: Tensor, /) -> Tensor:
    """Return inverse matrices.

    >>> inv(2 * torch.eye(1))
    tensor([[0.5000]])
    """
    return _linalg.inv(x)


def pinv(x: Tensor, /, *, rtol: float | Tensor | None = None) -> Tensor:
    """Return pseudoinverse matrices.

    >>> pinv(2 * torch.eye(1))
    tensor([[0.5000]])
    """
    return _linalg.pinv(x) if rtol is None else _linalg.pinv(x, rtol=rtol)


def solve(x1: Tensor, x2: Tensor, /) -> Tensor:
    """Solve ``x1 @ x = x2`` for a vector or matrices.

    >>> solve(2 * torch.eye(2), torch.ones(2))
    tensor([0.5000, 0.5000])
    """
    x1, x2 = operands(x1, x2)
    if x2.ndim == 1:
        return solve(x1, x2[:, None])[..., 0]
    # For three dimensions against two, torch would treat the second operand as a batch of vectors.
    batch = torch.broadcast_shapes(x1.shape[:-2], x2.shape[:-2])
    return _linalg.solve(x1.expand(*batch, *x1.shape[-2:]), x2.expand(*batch, *x2.shape[-2:]))


def matrix_power(x: Tensor, n: int, /) -> Tensor:
    """Return an integer power of matrices.

    >>> matrix_power(2 * torch.eye(1), 3)
    tensor([[8.]])
    """
    return _linalg.matrix_power(x, n)


def matrix_rank(x: Tensor, /, *, rtol: float | Tensor | None = None) -> Tensor:
    """Return the rank: the number of singular values that are not negligible.

    >>> matrix_rank(torch.ones(2, 2))
    tensor(1)
    """
    return _linalg.matrix_rank(x) if rtol is None else _linalg.matrix_rank(x, rtol=rtol)


# --- norms ----------------------------------------------------------------------------------------------------------


def matrix_norm(x: Tensor, /, *, keepdims: bool = False, ord: Order = "fro") -> Tensor:
    """Return norms of matrices.

    >>> matrix_norm(torch.ones(2, 2))
    tensor(2.)
    """
    return _linalg.matrix_norm(x, ord=ord, keepdim=keepdims)


def vector_norm(x: Tensor, /, *, axis: Axes | None = None, keepdims: bool = False, ord: float = 2) -> Tensor:
    """Return norms of vectors, which may extend over several dimensions.

    >>> vector_norm(torch.tensor([3.0, 4.0]))
    tensor(5.)
    """
    axes = axes_of(x, axis)
    if not axes:
        return _linalg.vector_norm(x.unsqueeze(-1), ord=ord, dim=-1)
    return _linalg.vector_norm(x, ord=ord, dim=axes, keepdim=keepdims)
