"""Batching of linear algebra, which takes batches of matrices anyway."""

import flambeau_tensor as torch
from flambeau_autograd.batching.table import all_batch_first, batch_first, batched, call, in_dim_0
from flambeau_tensor.ops.linear_algebra import factorization, indefinite, solving, spectral


def _matrices(level, op, args, dims):
    result = call(op, *all_batch_first(level, args, dims))
    # results that were not requested are empty and have no batch dimension
    if isinstance(result, tuple) and level.size:
        result = type(result)(tuple([t.expand(level.size, 0) if t.shape == (0,) else t for t in result]))
    return in_dim_0(result)


batched(
    _matrices,
    factorization.cholesky_ex,
    factorization.lu_factor_ex,
    factorization.permutation,
    factorization._det,
    factorization._slogdet,
    factorization.qr,
    factorization.geqrf,
    factorization.householder_product,
    factorization.ormqr,
    indefinite.ldl_factor_ex,
    solving.inv_ex,
    solving.cholesky_inverse,
    solving.lu_solve,
    solving.lstsq,
    spectral._eigh,
    spectral.eig,
    spectral.eigvals,
    spectral._svd,
    spectral.matrix_exp,
    solving._least_squares,
)


def _pairs(level, op, args, dims):
    """Operations that broadcast: align the batches of each example from the right."""
    ranks = [t.ndim - (d is not None) for t, d in zip(args[:2], dims[:2], strict=True)]
    first = all_batch_first(level, args, dims)
    most = max(ranks)
    for i, rank in enumerate(ranks):
        if rank < most:
            first[i] = first[i].reshape((level.size, *(1,) * (most - rank), *first[i].shape[1:]))
    return in_dim_0(call(op, *first))


def _ldl_solve(level, op, args, dims):
    first = all_batch_first(level, args, dims)
    most = max(first[0].ndim, first[2].ndim)
    missing = (most - first[0].ndim, most - first[0].ndim, most - first[2].ndim)
    first[:3] = [t.reshape((level.size, *(1,) * n, *t.shape[1:])) for t, n in zip(first[:3], missing, strict=True)]
    return in_dim_0(call(op, *first))


batched(_ldl_solve, indefinite.ldl_solve)


def _solve(level, op, args, dims):
    """Treat vectors on the right side as one-column matrices: a batch of vectors would look like matrices."""
    a, b = (batch_first(t, d, level.size) for t, d in zip(args[:2], dims[:2], strict=True))
    if b.ndim > 2 and not (b.ndim == a.ndim - 1 and b.shape[1:] == a.shape[1:-1]):
        return _pairs(level, op, args, dims)
    result, *rest = _pairs(level, op, [a, b.unsqueeze(-1), *args[2:]], [0, 0, *dims[2:]])[0]
    return in_dim_0((result.squeeze(-1), *rest))


batched(_pairs, solving.solve_triangular, solving.cholesky_solve)
batched(_solve, solving._solve_ex)


def _pseudoinverse(level, op, args, dims):
    """Tolerances that are tensors have the batch of an example."""
    first = all_batch_first(level, args, dims)
    rank = first[0].ndim - 3
    for i in (1, 2):
        t = first[i]
        if isinstance(t, torch.Tensor):
            first[i] = t.reshape((level.size, *(1,) * (rank - t.ndim + 1), *t.shape[1:]))
    return in_dim_0(call(op, *first))


batched(_pseudoinverse, spectral.pinv_kernel)
