"""Derivatives of indexing: reading and adding at indices are each other's adjoints."""

from flambeau_autograd.derivatives.table import derivative, elements_are_hidden
from flambeau_autograd.fresh import zeros
from flambeau_tensor.ops import gathering, pointwise
from flambeau_tensor.ops import indexing as ops


def _into_zeros(grad, self_shape, indices):
    return ops.index_put(zeros(grad, self_shape), indices, grad, True)


def _index_put_self(grad, indices, accumulate):
    if accumulate:
        return grad
    return ops.index_put(grad, indices, zeros(grad, ()))


def _index_put_values(grad, indices, values_shape):
    mask = indices[0]
    if mask is not None and mask.dtype.name == "bool" and elements_are_hidden(mask):
        chosen = pointwise.where(mask.reshape(tuple(mask.shape) + (1,) * (grad.ndim - mask.ndim)), grad, 0.0)
        found = chosen.sum(tuple(range(mask.ndim)))  # the same values went to every place
    else:
        found = ops.index(grad, indices)
    extra = len(values_shape) - found.ndim  # leading dimensions of size 1 are ignored
    return found if extra <= 0 else found.reshape((1,) * extra + tuple(found.shape))


derivative(ops.index, self=_into_zeros, linear=True)
derivative(ops.index_put, self=_index_put_self, values=_index_put_values, linear=True)


# --- masks ----------------------------------------------------------------------------------------------------------


def _selected(grad, self, mask):
    shape = pointwise.where(mask, self, self).shape
    return ops.masked_scatter(zeros(grad, shape), mask.expand(shape), grad)


derivative(ops.masked_select, self=_selected, linear=True)
derivative(
    ops.masked_fill,
    linear=True,
    self=lambda grad, mask: pointwise.where(mask, 0.0, grad),
    value=lambda grad, mask: pointwise.where(mask, grad, 0.0).sum(),
)
derivative(
    ops.masked_scatter,
    linear=True,
    self=lambda grad, mask: pointwise.where(mask, 0.0, grad),
    source=lambda grad, mask, source_shape: _taken(grad, mask, source_shape),
)


def _taken(grad, mask, source_shape):
    """Return the elements selected by the mask, in order, and zeros for elements of `source` that were not needed."""
    from flambeau_tensor.ops import joining

    total = 1
    for s in source_shape:
        total *= s
    if elements_are_hidden(mask):
        mask = mask.expand(grad.shape).reshape((-1,))
        places = pointwise.where(mask, mask.long().cumsum(0) - 1, 0)
        chosen = pointwise.where(mask, grad.reshape((-1,)), 0.0)
        return gathering.scatter_add(zeros(grad, (total,)), 0, places, chosen).reshape(source_shape)
    chosen = ops.masked_select(grad, mask)
    rest = zeros(grad, (total - chosen.numel(),))
    return joining.cat((chosen, rest)).reshape(source_shape)
