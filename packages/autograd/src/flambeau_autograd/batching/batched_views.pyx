# cython: language_level=3
"""Views of batched tensors: created directly if nothing records them, otherwise by operators."""
from cpython.object cimport PyObject

from flambeau_tensor.abi cimport (
    ABI_MAX_NDIM, TensorInfo, T_DISPATCH, T_LAYERED, T_REQUIRES_GRAD, T_VIEW, as_strided, flags_of, offset_of,
    tensor_info, thread_flags,
)

from flambeau_tensor.extend import find_operator

cdef enum:
    INDIRECT = T_REQUIRES_GRAD | T_LAYERED | T_DISPATCH

cdef object _permute = find_operator("torch.permute"), _reshape = find_operator("torch.reshape")
cdef object _expand = find_operator("torch.Tensor.expand")


cdef int ndim_of(PyObject* tensor) noexcept:
    cdef TensorInfo f
    tensor_info(tensor, &f)
    return f.ndim


cdef bint is_direct(PyObject* tensor) noexcept:
    cdef TensorInfo f
    cdef unsigned int flags = flags_of(tensor)
    if (flags | thread_flags().dispatching) & INDIRECT:
        return False
    if not flags & T_VIEW:
        return True
    tensor_info(tensor, &f)
    return f.base == NULL or not flags_of(f.base) & INDIRECT


cdef object rearranged(PyObject* tensor, const int* order, int n):
    cdef TensorInfo f
    cdef Py_ssize_t sizes[ABI_MAX_NDIM]
    cdef Py_ssize_t strides[ABI_MAX_NDIM]
    cdef bint used[ABI_MAX_NDIM]
    cdef bint same = True
    cdef int i, last = -1, kept = 0
    tensor_info(tensor, &f)
    if n > ABI_MAX_NDIM:
        raise RuntimeError(f"vmap: a tensor of {n} dimensions, more than {ABI_MAX_NDIM}")
    for i in range(f.ndim):
        used[i] = False
    for i in range(n):
        if order[i] == NEW:
            sizes[i], strides[i] = 1, 0
            continue
        sizes[i], strides[i] = f.sizes[order[i]], f.strides[order[i]]
        used[order[i]] = True
        same = same and order[i] > last
        last = order[i]
        kept += 1
    if is_direct(tensor):
        return as_strided(tensor, n, sizes, strides, offset_of(tensor))
    t = <object>tensor
    if not same:
        left_out = [i for i in range(f.ndim) if not used[i]]
        t = _permute(t, tuple([order[i] for i in range(n) if order[i] != NEW] + left_out))
    if kept == n == f.ndim:
        return t
    return _reshape(t, tuple([sizes[i] for i in range(n)]))


cdef object examples_first(PyObject* tensor, int dim, int rank):
    cdef int order[ABI_MAX_NDIM]
    cdef int i, n = 1, ndim = ndim_of(tensor)
    if dim == 0 and ndim - 1 >= rank:
        return <object>tensor
    order[0] = dim
    for _ in range(min(rank, ABI_MAX_NDIM - 1) - (ndim - 1)):
        order[n] = NEW
        n += 1
    for i in range(ndim):
        if i != dim:
            order[n] = i
            n += 1
    return rearranged(tensor, order, n)


cdef object repeated_first(PyObject* tensor, Py_ssize_t size):
    cdef TensorInfo f
    cdef Py_ssize_t sizes[ABI_MAX_NDIM]
    cdef Py_ssize_t strides[ABI_MAX_NDIM]
    cdef int i
    tensor_info(tensor, &f)
    if not is_direct(tensor) or f.ndim + 1 > ABI_MAX_NDIM:
        return _expand(<object>tensor, (size, *[f.sizes[i] for i in range(f.ndim)]))
    sizes[0], strides[0] = size, 0
    for i in range(f.ndim):
        sizes[i + 1], strides[i + 1] = f.sizes[i], f.strides[i]
    return as_strided(tensor, f.ndim + 1, sizes, strides, offset_of(tensor))


def batch_first(t, dim, size=None):
    """Move the batch dimension to the front; repeat an unbatched tensor ``size`` times, or keep it without ``size``."""
    if dim is None:
        return t if size is None else repeated_first(<PyObject*>t, size)
    return examples_first(<PyObject*>t, dim, 0)
