"""Batching of linear algebra, which takes batches of matrices anyway."""

import functools

import flambeau_tensor as torch
from flambeau_autograd.batching.table import all_batch_first, batch_first, batched, call, in_dim_0, looped
from flambeau_tensor.ops.linear_algebra import factorization, indefinite, solving, spectral


def _of_ranks(*least):
    """Leave examples whose first arguments have fewer dimensions to the loop, which raises: a batch of vectors would
    look like a matrix."""

    def checking(rule):
        @functools.wraps(rule)
        def checked(level, op, args, dims):
            if any(t.ndim - (d is not None) < n for t, d, n in zip(args, dims, least, strict=False)):
                return looped(level, op, args, dims)
            return rule(level, op, args, dims)

        return checked

    return checking


@_of_ranks(2)
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
    factorization._det,
    factorization._slogdet,
    factorization.qr,
    factorization.geqrf,
    factorization.householder_product,
    factorization.ormqr,
    indefinite.ldl_factor_ex,
    solving.inv_ex,
    solving.cholesky_inverse,
    spectral._eigh,
    spectral.eig,
    spectral.eigvals,
    spectral._svd,
    spectral.matrix_exp,
)
batched(_of_ranks(2, 1, 2)(_matrices), factorization.permutation, solving.lu_solve)


@_of_ranks(2)
def _least_squares(level, op, args, dims):
    a, b = (tuple(batch_first(t, d).shape[d is not None :]) for t, d in zip(args[:2], dims[:2], strict=True))
    if len(b) == 1 and b[0] != a[-2]:
        return looped(level, op, args, dims)  # raises
    return _matrices(level, op, args, dims)


batched(_least_squares, solving.lstsq, solving._least_squares)


@_of_ranks(2, 2)
def _pairs(level, op, args, dims):
    """Operations that broadcast: align the batches of each example from the right."""
    ranks = [t.ndim - (d is not None) for t, d in zip(args[:2], dims[:2], strict=True)]
    first = all_batch_first(level, args, dims)
    most = max(ranks)
    for i, rank in enumerate(ranks):
        if rank < most:
            first[i] = first[i].reshape((level.size, *(1,) * (most - rank), *first[i].shape[1:]))
    return in_dim_0(call(op, *first))


@_of_ranks(2)
def _ldl_solve(level, op, args, dims):
    first = all_batch_first(level, args, dims)
    most = max(first[0].ndim, first[2].ndim)
    missing = (most - first[0].ndim, most - first[0].ndim, most - first[2].ndim)
    first[:3] = [t.reshape((level.size, *(1,) * n, *t.shape[1:])) for t, n in zip(first[:3], missing, strict=True)]
    return in_dim_0(call(op, *first))


batched(_ldl_solve, indefinite.ldl_solve)


@_of_ranks(2)
def _solve(level, op, args, dims):
    """Treat vectors on the right side as one-column matrices: a batch of vectors would look like matrices."""
    a, b = (batch_first(t, d, level.size) for t, d in zip(args[:2], dims[:2], strict=True))
    if b.ndim > 2 and not (b.ndim == a.ndim - 1 and b.shape[1:] == a.shape[1:-1]):
        return _pairs(level, op, args, dims)
    result, *rest = _pairs(level, op, [a, b.unsqueeze(-1), *args[2:]], [0, 0, *dims[2:]])[0]
    return in_dim_0((result.squeeze(-1), *rest))


batched(_pairs, solving.solve_triangular, solving.cholesky_solve)
batched(_solve, solving._solve_ex)


@_of_ranks(2)
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
