"""Batching of products: ``matmul`` already multiplies batches of matrices."""

import flambeau_autograd.batching.rule_kinds as kinds
from flambeau_autograd.batching.table import batch_first, batched, in_dim_0, looped
from flambeau_tensor.ops import matmul as ops

_products = {ops.mm: kinds.Product(2, 2), ops.mv: kinds.Product(2, 1), ops.bmm: kinds.Product(3, 3)}
_dot = kinds.Product(1, 1)


def _vdot(level, op, args, dims):
    a = args[0].conj() if args[0].is_complex() else args[0]
    return _dot(level, op, [a, *args[1:]], dims)


_PRODUCTS = {ops.addmm: ops.mm, ops.addmv: ops.mv, ops.baddbmm: ops.bmm}


def _added(level, op, args, dims):
    """``beta * self + alpha * (a @ b)``"""
    if op.schema.returns[0].write or dims[1:3] == [None, None]:
        return looped(level, op, args, dims)
    bias, a, b, beta, alpha = args[:5]
    product = _PRODUCTS[op]
    inner, _ = _products[product](level, product, [a, b, None], [*dims[1:3], None])
    if alpha != 1:
        inner = inner * alpha
    if beta == 0:
        return in_dim_0(inner)
    rank = inner.ndim - 1
    if dims[0] is not None:
        bias = batch_first(bias, dims[0])
        bias = bias.reshape((bias.shape[0],) + (1,) * (rank - bias.ndim + 1) + tuple(bias.shape[1:]))
    return in_dim_0(inner + (bias * beta if beta != 1 else bias))


for _op, _rule in _products.items():
    batched(_rule, _op)
batched(_dot, ops.dot)
batched(_vdot, ops.vdot)
batched(_added, ops.addmm, ops.addmv, ops.baddbmm)
batched(kinds.Linear(looped), ops.linear)
