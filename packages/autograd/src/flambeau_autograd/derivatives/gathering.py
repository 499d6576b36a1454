"""Derivatives of gathering and scattering, which are each other's adjoints."""

from flambeau_autograd.derivatives.table import conj, derivative, elements_are_hidden
from flambeau_autograd.fresh import where, zeros
from flambeau_tensor import bool as _bool
from flambeau_tensor.extend import find_operator
from flambeau_tensor.ops import factories, pointwise
from flambeau_tensor.ops import gathering as ops


def _zeros(grad, shape):
    return zeros(grad, shape)


def _without(grad, dim, index):
    """Return the gradient, with zeros at the written indices."""
    return ops.index_fill(grad, dim, index, 0)


def _written(grad, dim, index):
    """Return a mask of the written elements."""
    return ops.index_fill(factories.zeros(grad.shape, dtype=_bool, device=where(grad)), dim, index, True)


derivative(
    ops.index_select,
    linear=True,
    self=lambda grad, self_shape, dim, index: ops.index_add(_zeros(grad, self_shape), dim, index, grad),
)
derivative(
    ops.index_add,
    linear=True,
    self=lambda grad: grad,
    source=lambda grad, dim, index, alpha, source_shape: _source(
        ops.index_select(grad, dim, index), alpha, source_shape
    ),
)
derivative(
    ops.index_copy,
    linear=True,
    self=_without,
    source=lambda grad, dim, index, source_shape: _source(ops.index_select(grad, dim, index), 1, source_shape),
)
derivative(
    ops.index_fill,
    linear=True,
    self=_without,
    value=lambda grad, dim, index: pointwise.where(_written(grad, dim, index), grad, 0.0).sum(),
)


def _source(grad, alpha, shape):
    grad = grad if alpha == 1 else grad * alpha
    return grad if tuple(grad.shape) == tuple(shape) else grad.reshape(shape)


derivative(
    ops.take, linear=True, self=lambda grad, self_shape, index: ops.put(_zeros(grad, self_shape), index, grad, True)
)
derivative(
    ops.put,
    linear=True,
    self=lambda grad, index, accumulate: grad if accumulate else ops.put(grad, index, _zeros(grad, index.shape)),
    source=lambda grad, index, source_shape: ops.take(grad, index).reshape(source_shape),
)


def _gather(grad, self_shape, dim, index, sparse_grad):
    if not sparse_grad:
        return ops.scatter_add(_zeros(grad, self_shape), dim, index, grad)
    if not self_shape:  # a scalar has no positions
        return find_operator("torch._ops.sparse_coo")(
            index.new_zeros((0, grad.numel())), grad.reshape((-1,)), self_shape
        )
    if not index.ndim:
        index = index.reshape((1,))
    places = list(factories.ones(index.shape, dtype=_bool).nonzero().unbind(1))
    places[dim] = index.reshape((-1,)).long()
    return find_operator("torch._ops.sparse_coo")(find_operator("torch.stack")(places), grad.reshape((-1,)), self_shape)


derivative(
    ops.gather,
    linear=True,
    self=_gather,
)
derivative(
    ops.scatter_add,
    linear=True,
    self=lambda grad: grad,
    src=lambda grad, dim, index, src_shape: _cut(ops.gather(grad, dim, index), src_shape),
)


def _cut(grad, shape):
    """Elements of `src` beyond the sizes of `index` were not read."""
    if tuple(grad.shape) == tuple(shape):
        return grad
    if grad.ndim != len(shape):  # an empty index may have any shape
        return _zeros(grad, shape)
    out = grad
    for d, (have, want) in enumerate(zip(grad.shape, shape, strict=True)):
        if have < want:
            pad = list(out.shape)
            pad[d] = want - have
            from flambeau_tensor.ops import joining

            out = joining.cat((out, _zeros(out, pad)), d)
    return out


def _scatter_self(grad, dim, index, reduce):
    if reduce == "add":
        return grad
    if reduce is not None:
        raise NotImplementedError(
            "the derivative of scatter(..., reduce='multiply') is not built; use scatter_reduce(..., 'prod')"
        )
    return ops.scatter(grad, dim, index, value=0)


def _scatter_src(grad, dim, index, src_shape, reduce):
    if reduce == "multiply":
        raise NotImplementedError(
            "the derivative of scatter(..., reduce='multiply') is not built; use scatter_reduce(..., 'prod')"
        )
    return _cut(ops.gather(grad, dim, index), src_shape)


def _scatter_tangent(self, self_t, dim, index, src_t, reduce):
    """Compute the tangent of scatter: if indices repeat, the last write counts; transposing would add all."""
    if reduce == "multiply":
        raise NotImplementedError(
            "the tangent of scatter(..., reduce='multiply') is not built; use scatter_reduce(..., 'prod')"
        )
    base = factories.zeros_like(self) if self_t is None else self_t
    if src_t is None:
        return base if reduce == "add" else ops.scatter(base, dim, index, value=0)
    return ops.scatter(base, dim, index, src_t, reduce=reduce)


derivative(ops.scatter, self=_scatter_self, src=_scatter_src, jvp=_scatter_tangent)


def _share(grad, self, dim, index, src, reduce, include_self, result):
    """The gradients of `self` and `src` under scatter_reduce."""
    src_shape = src.shape
    for d, n in enumerate(index.shape):
        src = src.narrow(d, 0, n)  # elements beyond were not read
    if reduce == "sum":
        mine, theirs = grad, ops.gather(grad, dim, index)
    elif reduce == "mean":
        counts = factories.ones_like(grad) if include_self else factories.zeros_like(grad)
        counts = ops.scatter_add(counts, dim, index, factories.ones_like(src))
        counts = pointwise.where(counts == 0, 1.0, counts)
        mine = grad / counts
        theirs = ops.gather(mine, dim, index)
    elif reduce in ("amax", "amin"):
        chosen = ops.gather(result, dim, index) == src
        mine_too = self == result
        if not include_self:
            mine_too = ops.scatter(mine_too, dim, index, value=False)
        ties = ops.scatter_add(mine_too.to(grad.dtype), dim, index, chosen.to(grad.dtype))
        part = grad / ties  # NaN is not equal to itself, so a NaN result has the gradient 0 / 0
        mine, theirs = part * mine_too, ops.gather(part, dim, index) * chosen
    else:
        mine, theirs = _share_of_product(grad, self, dim, index, src, include_self, result)
    if not include_self:
        mine = ops.scatter(grad, dim, index, value=0)
    return mine, _cut(theirs, src_shape)


def _share_of_product(grad, self, dim, index, src, include_self, result):
    """The product of the other factors: a quotient, and for a factor of zero the product with 1 in its place."""
    no_self, no_src, many = self == 0, src == 0, elements_are_hidden(self, src, index)
    whole = grad * conj(result)
    if not many and not (no_src.any() or no_self.any()):
        return whole / conj(self), ops.gather(whole, dim, index) / conj(src)

    def product(own, others):
        return grad * conj(ops.scatter_reduce(own, dim, index, others, "prod", include_self=include_self))

    own = pointwise.where(no_self, 1.0, self)
    mine = pointwise.where(no_self, product(own, src), whole / conj(own))
    theirs = pointwise.where(no_src, 0.0, ops.gather(whole, dim, index) / conj(pointwise.where(no_src, 1.0, src)))
    # Handle one zero at a time: the derivative by another zero needs the product that contains this one.
    n = index.shape[dim] if index.ndim else 1
    along = [n if d == dim % index.ndim else 1 for d in range(index.ndim)]
    places = factories.arange(n, device=where(index)).reshape(along)
    left, rounds = no_src, 0
    while rounds < n and (many or left.any()):
        waiting = pointwise.where(left, places, n)
        first = ops.scatter_reduce(factories.full(self.shape, n, device=where(self)), dim, index, waiting, "amin")
        chosen = left & (waiting == ops.gather(first, dim, index))
        without = product(self, pointwise.where(chosen, 1.0, src))
        theirs = pointwise.where(chosen, ops.gather(without, dim, index), theirs)
        left, rounds = left & ~chosen, rounds + 1
    return mine, theirs


derivative(ops.scatter_reduce, **{"self, src": _share})


def _embedding(grad, input, weight_shape, padding_idx, scale_grad_by_freq, sparse):
    index = input.reshape((-1,))
    rows = grad.reshape((index.numel(), weight_shape[1]))
    if sparse:
        if scale_grad_by_freq:
            raise RuntimeError("embedding_backward: scale_grad_by_freq not supported with sparse gradients")
        if padding_idx is not None:
            kept = index != padding_idx % weight_shape[0]
            index, rows = index[kept], rows[kept]
        places = index.unsqueeze(0).clone()  # the program may write to its indices
        return find_operator("torch._ops.sparse_coo")(places, rows, weight_shape)
    if padding_idx is not None:
        padding = padding_idx % weight_shape[0]
        rows = pointwise.where((index == padding).unsqueeze(1), 0.0, rows)
    if scale_grad_by_freq:
        ones = factories.ones(index.shape, dtype=grad.dtype, device=where(grad))
        times = ops.index_add(_zeros(grad, weight_shape[:1]), 0, index, ones)
        rows = rows / ops.index_select(times, 0, index).unsqueeze(1)
    return ops.index_add(_zeros(grad, weight_shape), 0, index, rows)


derivative(ops.embedding, weight=_embedding, jvp=lambda input, weight_t: ops.embedding(input, weight_t))
