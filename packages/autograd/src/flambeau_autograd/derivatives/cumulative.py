"""Derivatives of cumulative sums, products and extremes: an element affects only the results from its position on."""

from flambeau_autograd.derivatives.table import conj, derivative, elements_are_hidden
from flambeau_autograd.fresh import zeros
from flambeau_tensor.ops import cumulative as ops
from flambeau_tensor.ops import factories, gathering


def _from_behind(x, dim):
    """Running sums that start at the end."""
    if x.ndim == 0:
        return x
    return ops.cumsum(x.flip((dim,)), dim).flip((dim,))


def _cumprod(grad, self, dim, result):
    """Use quotients if there are no zeros; otherwise compute the product of the other elements, element by element."""
    if self.ndim == 0 or self.shape[dim] == 1:
        return grad
    if not elements_are_hidden(self) and not (self == 0).any():
        return _from_behind(grad * conj(result), dim) / conj(self)
    n, pieces = self.shape[dim], []
    if n == 0:
        return grad
    from flambeau_autograd.derivatives.reductions import settled

    zeros = (self == 0).long()
    for k in range(n):  # d result[j] / d self[k] for all j >= k: the product without element k
        before = self.narrow(dim, 0, k).prod(dim, True)
        after = self.narrow(dim, k + 1, n - k - 1)
        others = joined((factories.ones_like(before), ops.cumprod(after, dim)), dim) * before
        so_far = ops.cumsum(zeros.narrow(dim, k, n - k), dim) - zeros.narrow(dim, k, 1)
        others = settled(others, so_far + zeros.narrow(dim, 0, k).sum(dim, True) > 0)
        pieces.append((grad.narrow(dim, k, n - k) * conj(others)).sum(dim, True))
    return joined(pieces, dim)


def joined(pieces, dim):
    """Call `cat`, imported late because joining is a separate family."""
    from flambeau_tensor.ops import joining

    return joining.cat(tuple(pieces), dim)


def _at_indices(grad, self_shape, dim, indices):
    if not self_shape:
        return grad
    return gathering.scatter_add(zeros(grad, self_shape), dim, indices, grad)


def _taken(self_t, dim, indices):
    return (gathering.gather(self_t, dim, indices) if self_t.ndim else self_t), None


derivative(ops.cumsum, self=lambda grad, dim: _from_behind(grad, dim), linear=True)
derivative(ops.cumprod, self=_cumprod)
derivative(ops.cummax, self=_at_indices, jvp=_taken)
derivative(ops.cummin, self=_at_indices, jvp=_taken)
derivative(
    ops.logcumsumexp,
    self=lambda grad, self, dim, result: ops.shares(grad, conj(self), conj(result), dim, True),
    jvp=lambda self_t, self, dim, result: ops.shares(self_t, self, result, dim, False),
)


def _across(grad, exponents, sums, dim, behind):
    return ops.shares(grad, conj(exponents), conj(sums), dim, not behind)


def _shares_exponents(grad, self, exponents, sums, dim, behind, result):
    return grad * conj(result) if behind else conj(self) * _across(grad, exponents, sums, dim, behind)


def _shares_sums(grad, self, exponents, sums, dim, behind, result):
    return -conj(self) * _across(grad, exponents, sums, dim, behind) if behind else -grad * conj(result)


derivative(ops.shares, self=_across, exponents=_shares_exponents, sums=_shares_sums)
