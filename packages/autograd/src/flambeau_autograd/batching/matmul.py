"""Batching of products: a batch of matrices is what ``matmul`` multiplies anyway."""

from flambeau_autograd.batching.table import batch_first, batched, call, in_dim_0, looped
from flambeau_tensor.ops import matmul as ops

_RANKS = {"mm": (2, 2), "mv": (2, 1), "bmm": (3, 3), "dot": (1, 1), "vdot": (1, 1)}


def _check_ranks(op, args, dims):
    """Raise if an example has not the dimensions that the operator takes: ``matmul`` below would find others for it."""
    ranks, wanted = tuple(t.ndim - (d is not None) for t, d in zip(args[:2], dims[:2], strict=True)), _RANKS[op.name]
    if ranks != wanted:
        raise RuntimeError(
            f"Shape mismatch: Got incorrect dims for {op.name}(a, b). a has dim {ranks[0]} and b has "
            f"dim {ranks[1]} but expected them to have dim {wanted[0]} and dim {wanted[1]}"
        )
    return ranks


def _product(level, op, args, dims):
    """Matrices and vectors, with examples in front where there are any."""
    ranks = _check_ranks(op, args, dims)
    a, b = batch_first(args[0], dims[0]), batch_first(args[1], dims[1])
    if ranks[1] == 1:
        b = b.unsqueeze(-1)
    if ranks[0] == 1:
        a = a.unsqueeze(-2)
    if dims[1] is None and ranks == (2, 2):
        out = (a.reshape((a.shape[0] * a.shape[1], a.shape[2])) @ b).reshape((*a.shape[:-1], b.shape[-1]))
    else:
        out = a @ b  # one matrix times many broadcasts
    if ranks[1] == 1:
        out = out.squeeze(-1)
    if ranks[0] == 1:
        out = out.squeeze(-1 if ranks[1] == 1 else -2)
    return in_dim_0(out)


def _vdot(level, op, args, dims):
    a = args[0].conj() if args[0].is_complex() else args[0]
    return _product(level, op, [a, args[1]], dims)


def _many(level, op, args, dims):
    """Batches of matrices, with examples in front of those."""
    _check_ranks(op, args, dims)
    a, b = (batch_first(t, d, level.size) for t, d in zip(args[:2], dims[:2], strict=True))
    return in_dim_0(a @ b)


_PRODUCTS = {ops.addmm: ops.mm, ops.addmv: ops.mv, ops.baddbmm: ops.bmm}


def _added(level, op, args, dims):
    """``beta * self + alpha * (a @ b)``"""
    if op.schema.returns[0].write or dims[1:3] == [None, None]:
        return looped(level, op, args, dims)
    bias, a, b, beta, alpha = args[:5]
    product = _PRODUCTS[op]
    inner, _ = (_many if product is ops.bmm else _product)(level, product, [a, b], dims[1:3])
    if alpha != 1:
        inner = inner * alpha
    if beta == 0:
        return in_dim_0(inner)
    rank = inner.ndim - 1
    if dims[0] is not None:
        bias = batch_first(bias, dims[0])
        bias = bias.reshape((bias.shape[0],) + (1,) * (rank - bias.ndim + 1) + tuple(bias.shape[1:]))
    return in_dim_0(inner + (bias * beta if beta != 1 else bias))


def _linear(level, op, args, dims):
    x, weight, bias = args
    if dims[1] is None and (bias is None or dims[2] is None):
        return in_dim_0(call(op, batch_first(x, dims[0]), weight, bias))
    if weight.ndim - (dims[1] is not None) == 1:
        return looped(level, op, args, dims)
    x, weight = batch_first(x, dims[0]), batch_first(weight, dims[1])
    rank = x.ndim - (dims[0] is not None)
    weight = weight.transpose(-1, -2)
    if rank == 1:
        out = (x.unsqueeze(-2) @ weight).squeeze(-2)
    else:
        if dims[1] is not None:
            weight = weight.reshape((weight.shape[0],) + (1,) * (rank - 2) + tuple(weight.shape[1:]))
        out = x @ weight
    if bias is not None:
        bias = batch_first(bias, dims[2])
        if dims[2] is not None:
            bias = bias.reshape((bias.shape[0],) + (1,) * (rank - 1) + tuple(bias.shape[1:]))
        out = out + bias
    return in_dim_0(out)


batched(_product, ops.mm, ops.mv, ops.dot)
batched(_vdot, ops.vdot)
batched(_many, ops.bmm)
batched(_added, ops.addmm, ops.addmv, ops.baddbmm)
batched(_linear, ops.linear)
