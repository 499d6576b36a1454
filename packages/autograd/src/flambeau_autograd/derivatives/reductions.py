"""Derivatives of reductions: the gradient is broadcast over the reduced dimensions."""

import math

from flambeau_autograd._engine.graph import formulas
from flambeau_autograd.derivatives.table import conj, derivative, elements_are_hidden
from flambeau_autograd.fresh import zeros
from flambeau_tensor.extend import find_operator
from flambeau_tensor.ops import pointwise
from flambeau_tensor.ops import reductions as ops


def spread(x, shape, dim, keepdim):
    """Return `x`, a reduction over `dim`, with the reduced dimensions reinserted (as size 1 if broadcast anyway)."""
    if keepdim or dim is None or not shape:
        return x
    dims = (dim,) if type(dim) is int else dim
    if not dims:
        return x
    if len(dims) == 1:
        return x.unsqueeze(dims[0])
    n = len(shape)
    dims = {d % n for d in dims}
    return x.reshape([1 if d in dims else s for d, s in enumerate(shape)])


def count(shape, dim):
    """Return the number of elements that are reduced to one result."""
    if dim is None or dim == () or not shape:
        return math.prod(shape)
    return math.prod(shape[d] for d in ((dim,) if type(dim) is int else dim))


derivative(ops.sum, linear=True, self=formulas.sum_self)
derivative(ops.mean, linear=True, self=formulas.mean_self)
derivative(
    ops.nansum,
    self=lambda grad, self, dim, keepdim: (
        spread(grad, self.shape, dim, keepdim) * pointwise.logical_not(pointwise.isnan(self))
    ),
)


def _prod(grad, self, dim, keepdim, result):
    """Every element's share is the product of the others; zeros need care, as the quotient is then undefined."""
    shape = self.shape
    if self.numel() == 0 or not shape:
        return spread(grad, shape, dim, keepdim).expand(shape)
    if not elements_are_hidden(self) and not (self == 0).any():
        return spread(grad * conj(result), shape, dim, keepdim) / conj(self)
    if dim is None:
        return _product_of_others(self.reshape((-1,)), 0).reshape(shape) * grad
    return _product_of_others(self, dim) * spread(grad, shape, dim, keepdim)


def _product_of_others(x, dim):
    n, self_is_zero = x.shape[dim], x == 0
    from flambeau_tensor.ops import factories, joining

    ones = factories.ones_like(x.narrow(dim, 0, 1))  # a product with 0 would keep NaN and infinity

    before = joining.cat((ones, x.narrow(dim, 0, n - 1)), dim).cumprod(dim)
    turned = x.flip((dim,))
    after = joining.cat((ones, turned.narrow(dim, 0, n - 1)), dim).cumprod(dim).flip((dim,))
    zeros = self_is_zero.sum(dim, True) - self_is_zero.long()
    return conj(settled(before * after, zeros > 0))


def settled(product, has_zero):
    """Return 0 for a product with a zero factor even if other factors overflow. Finite products keep their history."""
    return pointwise.where(pointwise.logical_and(has_zero, ~pointwise.isfinite(product)), 0.0, product)


derivative(ops.prod, self=_prod)


def _extreme(grad, self, dim, keepdim, result):
    """Equal extremes share the gradient evenly."""
    shape = self.shape
    mask = self == spread(result, shape, dim, keepdim)
    number = mask.sum(None if dim == () else dim, keepdim)
    return mask * spread(grad / number, shape, dim, keepdim)


def _chosen(x, extreme):
    """Which elements are equal to the extreme; NaN are equal here."""
    return pointwise.logical_or(x == extreme, pointwise.logical_and(pointwise.isnan(x), pointwise.isnan(extreme)))


def share(grad, self, result):
    """All elements equal to the one that was chosen share its gradient."""
    mask = _chosen(self, result)
    return pointwise.where(mask, grad / mask.sum(), 0.0)


def mean_of_chosen(self_t, self, result):
    mask = _chosen(self, result)
    return pointwise.where(mask, self_t, 0.0).sum() / mask.sum()


for _name in ("max", "min"):
    derivative(find_operator(f"torch.{_name}.default"), self=share, jvp=mean_of_chosen)
derivative(ops.amax, self=_extreme)
derivative(ops.amin, self=_extreme)


def at_indices(grad, self_shape, dim, keepdim, indices):
    """Return zeros, with the gradient at the positions of the selected elements."""
    if not self_shape:
        return grad
    if not keepdim:
        grad, indices = grad.unsqueeze(dim), indices.unsqueeze(dim)
    return zeros(grad, self_shape).scatter(dim, indices, grad)


def from_indices(self_t, dim, keepdim, indices):
    """The tangents of the chosen elements."""
    if not self_t.ndim:
        return self_t, None
    if not keepdim:
        indices = indices.unsqueeze(dim)
    taken = self_t.gather(dim, indices)
    return (taken if keepdim else taken.squeeze(dim)), None


derivative(ops.max_dim, self=at_indices, jvp=from_indices)
derivative(ops.min_dim, self=at_indices, jvp=from_indices)


def _freedom(shape, dim, correction):
    return count(shape, dim) - (1 if correction is None else correction)


def _var(grad, self, dim, correction, keepdim):
    n = _freedom(self.shape, dim, correction)
    grad, mean = spread(grad, self.shape, dim, keepdim), self.mean(dim, True)
    if n <= 0 and (dim is None or not self.ndim):  # too few elements; PyTorch raises the error for a full reduction
        return grad * pointwise.where(self == mean, math.nan, math.inf)
    return grad * (2 / n if n else math.inf) * (self - mean)


def _std(grad, self, dim, correction, keepdim, result):
    half = pointwise.where(result == 0, 0.0, grad / (result * 2))  # a constant has no preferred direction
    return _var(half, self, dim, correction, keepdim)


derivative(ops.var_correction, self=_var)
derivative(ops.std_correction, self=_std)
derivative(
    ops.logsumexp,
    self=lambda grad, self, dim, keepdim, result: (
        spread(grad, self.shape, dim, keepdim) * conj(pointwise.exp(self - spread(result, self.shape, dim, keepdim)))
    ),
)


def _vector_norm(grad, self, ord, dim, keepdim, result):
    """Differentiate: d|x|_p = |x|^(p-1) · direction / |x|_p^(p-1); zero where the norm is zero."""
    shape = self.shape
    grad, norm = spread(grad, shape, dim, keepdim), spread(result, shape, dim, keepdim)
    if ord == 0:
        return None
    if ord == 2:
        return pointwise.where(norm == 0, 0.0, self * (grad / norm))
    if ord == 1:
        return pointwise.sgn(self) * grad
    size = pointwise.abs(self)
    if math.isinf(ord):
        mask = _chosen(size, norm)
        return pointwise.sgn(self) * mask * (grad / mask.sum(dim, True))
    direction = pointwise.sgn(self) * pointwise.pow(size, ord - 1)
    scale = pointwise.where(norm == 0, 0.0, grad / pointwise.pow(norm, ord - 1))
    if ord < 1:
        direction = pointwise.where(size == 0, 0.0, direction)
    return direction * scale


derivative(ops.vector_norm, self=_vector_norm)
