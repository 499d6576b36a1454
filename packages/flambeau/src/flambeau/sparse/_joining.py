"""Joining and splitting sparse tensors, adding to them in place, and layers with a sparse weight."""

import flambeau as torch
from flambeau.sparse._tensor import HANDLERS, SparseTensor, _become, index_select, not_built
from flambeau_tensor.extend import wrapped_dim


def _cat(tensors, dim=0):
    first = tensors[0]
    for i, t in enumerate(tensors):
        if not isinstance(t, SparseTensor):
            raise RuntimeError(f"Concatenating sparse tensors, but a dense tensor was found at position {i}.")
        if not t.is_sparse:
            raise not_built(f"cat() of tensors of layout {t.layout}", "to_sparse()")
    dim = wrapped_dim(dim, first.ndim)
    for i, t in enumerate(tensors):
        others = [[n for d, n in enumerate(x.shape) if d != dim] for x in (first, t)]
        if others[0] != others[1] or t.ndim != first.ndim:
            raise RuntimeError(
                f"All tensors must have the same shape: {list(first.shape)} (except in the concatenating dimension), "
                f"but found shape: {list(t.shape)} at position {i}."
            )
        if t.sparse_dim() != first.sparse_dim():
            raise RuntimeError(
                f"All tensors must have the same sparse_dim and dense_dim: {first.sparse_dim()}, {first.dense_dim()}, "
                f"but tensor at position {i} has {t.sparse_dim()}, {t.dense_dim()}."
            )
    size = list(first.shape)
    size[dim] = sum(t.shape[dim] for t in tensors)
    start, places, values = 0, [], []
    for t in tensors:
        part, stored = t._places, t._stored
        if dim < t.sparse_dim():
            part = part.clone()
            part[dim] += start
        else:  # zeros at the elements of the other tensors
            row = dim - t.sparse_dim() + 1
            before, after = list(stored.shape), list(stored.shape)
            before[row], after[row] = start, size[dim] - start - t.shape[dim]
            stored = torch.cat([stored.new_zeros(before), stored, stored.new_zeros(after)], row)
        places.append(part)
        values.append(stored)
        start += t.shape[dim]
    return SparseTensor._of(torch.cat(places, 1), torch.cat(values), size)


def _unsqueeze(x, dim):
    if not x.is_sparse:
        raise not_built(f"unsqueeze() of tensors of layout {x.layout}", "to_sparse()")
    dim = wrapped_dim(dim, x.ndim + 1)
    size = [*x.shape[:dim], 1, *x.shape[dim:]]
    if dim > x.sparse_dim():
        return SparseTensor._of(x._places, x._stored.unsqueeze(dim - x.sparse_dim() + 1), size, x._coalesced)
    places = torch.cat([x._places[:dim], torch.zeros_like(x._places[:1]), x._places[dim:]])
    return SparseTensor._of(places, x._stored, size, x._coalesced)


def _stack(tensors, dim=0):
    return _cat([torch.unsqueeze(t, dim) for t in tensors], dim)


def _select(x, dim, index):
    """The slice at one index of a dimension, without the dimension; of layout ``torch.sparse_coo``, or dense."""
    dim, x = wrapped_dim(dim, x.ndim), x.to_sparse()
    n = x.shape[dim]
    if not -n <= index < n:
        raise IndexError(f"select(): index {index} out of range for tensor of size {list(x.shape)} at dimension {dim}")
    part = index_select(x, dim, torch.tensor([index % n]))
    size = [*part.shape[:dim], *part.shape[dim + 1 :]]
    if dim >= x.sparse_dim():
        values = part._stored.squeeze(dim - x.sparse_dim() + 1)
        return SparseTensor._of(part._places, values, size, part._coalesced)
    if x.sparse_dim() == 1:  # no dimension is sparse any more
        return part._stored.sum(0, dtype=part.dtype)
    places = torch.cat([part._places[:dim], part._places[dim + 1 :]])
    return SparseTensor._of(places, part._stored, size, part._coalesced)


def _unbind(x, dim=0):
    """The slices of a tensor, without the dimension."""
    return tuple([_select(x, dim, i) for i in range(x.shape[dim])])


def _getitem(x, key):
    """``x[i]`` and ``x[i, j]``."""
    for i in key if isinstance(key, tuple) else (key,):
        if type(i) is not int:
            raise not_built("indexing of sparse tensors by other than ints", "to_dense()")
        if not x.ndim:
            raise IndexError("too many indices for tensor")
        x = _select(x, 0, i) if isinstance(x, SparseTensor) else x[i]
    return x


def _norm(x, p="fro", dim=None, keepdim=False, out=None, dtype=None):
    if dim is not None or keepdim or out is not None:
        raise not_built("norm() of sparse tensors along a dimension", "to_dense()")
    return torch.norm(x.coalesce().values() if x.is_sparse else x.values(), p, dtype=dtype)


def _floor_divide(x, by):
    if not isinstance(x, SparseTensor) or (isinstance(by, torch.Tensor) and by.ndim):
        raise RuntimeError("Sparse floor division requires a scalar or zero-dim dense tensor divisor")
    x = x.coalesce() if x.is_sparse else x
    return x._with(x._stored // by)


def _matrix_power(x, n):
    if n < 1:
        raise not_built("matrix_power() of sparse tensors with exponents below 1", "to_dense()")
    power = x
    for _ in range(n - 1):
        power = power @ x
    return power


def _copy_(x, other, non_blocking=False):
    if not isinstance(x, SparseTensor) or not isinstance(other, SparseTensor):
        raise RuntimeError("copy_() between dense and sparse Tensors is not implemented")
    if x.shape != other.shape or x.layout is not other.layout:
        raise not_built("copy_() between sparse tensors of different shapes or layouts")
    return _become(x, other.clone())


def _add_(a, b, *, alpha=1):
    """The sum, in the place of the first."""
    if not isinstance(b, SparseTensor):
        raise RuntimeError("add(sparse, dense) is not supported. Use add(dense, sparse) instead.")
    if isinstance(a, SparseTensor):
        return _become(a, torch.add(a, b, alpha=alpha))
    if a.shape != b.shape or not b.sparse_dim():
        return a.add_(b.to_dense(), alpha=alpha)
    return a.index_put_(tuple(b._places), (b._stored * alpha).to(a.dtype), accumulate=True)


def _zero_(x):
    """Without places, as PyTorch leaves it."""
    return _become(x, SparseTensor._of(x._places[:, :0], x._stored.detach()[:0], x.shape, x._coalesced, x.layout))


def _detach_(x):
    x._stored = x._stored.detach()
    return x


def _scaled_(x, by):
    if not isinstance(x, SparseTensor):
        return x.mul_(by.to_dense())
    return _become(x, x * by)


def _linear(x, weight, bias=None):
    if isinstance(x, SparseTensor):
        raise not_built("linear() of a sparse input", "to_dense()")
    out = HANDLERS["matmul"](weight, x.reshape(-1, x.shape[-1]).t()).t().reshape(*x.shape[:-1], weight.shape[0])
    return out if bias is None else out + bias


def _like(make, keeps_places):
    """A function such as ``zeros_like``; compressed layouts keep their places if ``keeps_places``."""

    def like(x, *, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False, memory_format=None):
        if not isinstance(x, SparseTensor):
            raise not_built(f"{make.__name__}() with a sparse tensor in that place")
        if layout not in (None, x.layout):
            if layout is not torch.strided:
                raise not_built(f"{make.__name__}() of another sparse layout", "to_sparse(layout=)")
            return getattr(torch, make.__name__.removesuffix("_like"))(
                x.shape, dtype=dtype or x.dtype, requires_grad=requires_grad
            )
        if make is torch.ones_like and x.is_sparse:
            raise RuntimeError("ones_like() is not implemented for sparse layout: full(...) has no places")
        kept = slice(None) if keeps_places and not x.is_sparse else slice(0, 0)
        values = make(x._stored.detach()[kept], dtype=dtype).requires_grad_(requires_grad)
        return SparseTensor._of(x._places[:, kept], values, x.shape, True, x.layout)

    return like


def _new(x, *size, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False):
    """An empty tensor of layout ``torch.sparse_coo``."""
    if not x.is_sparse or layout not in (None, x.layout):
        raise not_built(f"new_zeros() and new_empty() of tensors of layout {x.layout}")
    size = tuple(size[0]) if len(size) == 1 and not isinstance(size[0], int) else size
    return torch.sparse_coo_tensor(size, dtype=dtype or x.dtype, requires_grad=requires_grad)


HANDLERS |= {
    "zeros_like": _like(torch.zeros_like, False),
    "empty_like": _like(torch.empty_like, True),
    "ones_like": _like(torch.ones_like, True),
    **dict.fromkeys(("new_zeros", "new_empty"), _new),
    "linear": _linear,
    **dict.fromkeys(("add_", "iadd"), _add_),
    **dict.fromkeys(("sub_", "subtract_", "isub"), lambda a, b, *, alpha=1: _add_(a, b, alpha=-alpha)),
    **dict.fromkeys(("mul_", "multiply_", "imul"), _scaled_),
    **dict.fromkeys(("div_", "divide_", "itruediv"), lambda x, by: _become(x, x / by)),
    "zero_": _zero_,
    "detach_": _detach_,
    "select": _select,
    "getitem": _getitem,
    "norm": _norm,
    **dict.fromkeys(("floor_divide", "floordiv"), _floor_divide),
    "any": lambda x: x.values().any() if not x.is_sparse else x.coalesce().values().any(),
    "matrix_power": _matrix_power,
    "copy_": _copy_,
    "is_contiguous": lambda x, *, memory_format=None: False,
    **dict.fromkeys(("H", "adjoint"), lambda x: x.t().conj() if x.is_complex() else x.t()),
    "unbind": _unbind,
    **dict.fromkeys(("cat", "concat", "concatenate"), _cat),
    "unsqueeze": _unsqueeze,
    "stack": _stack,
    "vstack": _cat,
    "hstack": lambda tensors: _cat(tensors, min(1, tensors[0].ndim - 1)),
}
