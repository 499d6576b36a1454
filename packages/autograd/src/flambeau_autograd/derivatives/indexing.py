"""Derivatives of indexing: reading and adding at indices are each other's adjoints."""
from flambeau_autograd.derivatives.table import derivative
from flambeau_tensor.ops import factories, pointwise
from flambeau_tensor.ops import indexing as ops


def _into_zeros(grad, self_shape, indices):
    return ops.index_put(factories.zeros(self_shape, dtype=grad.dtype), indices, grad, True)


def _index_put_self(grad, indices, values_shape, accumulate):
    if accumulate:
        return grad
    return ops.index_put(grad, indices, factories.zeros((), dtype=grad.dtype))


def _index_put_values(grad, indices, values_shape):
    found = ops.index(grad, indices)
    extra = len(values_shape) - found.ndim  # leading dimensions of size 1 are passed over
    return found if extra <= 0 else found.reshape((1,) * extra + tuple(found.shape))


derivative(ops.index, self=_into_zeros, linear=True)
derivative(ops.index_put, self=_index_put_self, values=_index_put_values, linear=True)


# --- masks ----------------------------------------------------------------------------------------------------------

def _selected(grad, self, mask):
    shape = pointwise.where(mask, self, self).shape
    return ops.masked_scatter(factories.zeros(shape, dtype=grad.dtype), mask.expand(shape), grad)


derivative(ops.masked_select, self=_selected, linear=True)
derivative(ops.masked_fill, linear=True, self=lambda grad, mask: pointwise.where(mask, 0.0, grad),
           value=lambda grad, mask: pointwise.where(mask, grad, 0.0).sum())
derivative(ops.masked_scatter, linear=True, self=lambda grad, mask: pointwise.where(mask, 0.0, grad),
           source=lambda grad, mask, source_shape: _taken(grad, mask, source_shape))


def _taken(grad, mask, source_shape):
    """What the mask lets through, in order, and zeros for elements of `source` that were not needed."""
    from flambeau_tensor.ops import joining

    chosen = ops.masked_select(grad, mask)
    total = 1
    for s in source_shape:
        total *= s
    rest = factories.zeros((total - chosen.numel(),), dtype=grad.dtype)
    return joining.cat((chosen, rest)).reshape(source_shape)
