# cython: language_level=3
"""View operators that compute arguments and call other view operators."""
from cpython.object cimport PyObject

from flambeau_tensor._core.call.operator cimport Operator, make_kernel
from flambeau_tensor._core.schema.registry cimport find
from flambeau_tensor._core.memory.tensor cimport Tensor, plain_tuple, read_ints, wrap_dim
from flambeau_tensor._core.memory.types cimport *


cdef int _read_dims(str name, PyObject* given, int ndim, Py_ssize_t* dims) except -1:
    """Read dimensions as nonnegative numbers; raises for duplicates."""
    cdef int n = read_ints(given, dims, MAX_NDIM, b"movedim", b"dims"), i
    cdef unsigned long long seen = 0
    cdef bint repeated = False
    for i in range(n):
        dims[i] = wrap_dim(dims[i], ndim)
        repeated |= seen >> dims[i] & 1
        seen |= <unsigned long long>1 << dims[i]
    if repeated:
        raise RuntimeError(f"movedim: repeated dim in `{name}` ({[dims[i] for i in range(n)]})")
    return n


cdef object _movedim(Operator op, PyObject** a):
    """Slots: self, source, destination."""
    cdef Tensor t = <Tensor>a[0]
    cdef Py_ssize_t[MAX_NDIM] source, destination, order
    cdef unsigned long long taken = 0
    cdef int n, i, d, at = 0
    source_given = <object>a[1] if isinstance(<object>a[1], tuple) else (<object>a[1],)
    destination_given = <object>a[2] if isinstance(<object>a[2], tuple) else (<object>a[2],)
    n = len(source_given)
    if n != len(destination_given):
        raise RuntimeError(
            f"movedim: Invalid source or destination dims: source ({list(source_given)} dims) should contain the same "
            f"number of dims as destination ({list(destination_given)} dims)")
    n = _read_dims("source", a[1], t.ndim, source)
    _read_dims("destination", a[2], t.ndim, destination)
    if t.ndim == 0:
        return find("torch.Tensor.view")(t, ())
    for d in range(t.ndim):
        order[d] = -1
    for i in range(n):
        order[destination[i]] = source[i]
        taken |= <unsigned long long>1 << source[i]
    for d in range(t.ndim):
        if order[d] < 0:
            while taken >> at & 1:
                at += 1
            order[d] = at
            at += 1
    return find("torch.permute")(t, plain_tuple(t.ndim, order))


cdef object _unflatten(Operator op, PyObject** a):
    """Slots: self, dim, sizes."""
    cdef Tensor t = <Tensor>a[0]
    cdef Py_ssize_t[MAX_NDIM] sizes
    cdef Py_ssize_t[2 * MAX_NDIM] all_sizes
    cdef int dim, n, i, unknown = 0
    cdef bint negative = False
    if t.ndim == 0:
        raise RuntimeError(
            "unflatten got an unexpected error:\nDimension specified as 0 but tensor has no dimensions")
    dim = wrap_dim(<object>a[1], t.ndim)
    n = read_ints(a[2], sizes, MAX_NDIM, b"unflatten", b"sizes")
    if n == 0:
        raise RuntimeError("unflatten: sizes must be non-empty")
    for i in range(n):
        unknown += sizes[i] == -1
        negative |= sizes[i] < -1
    for i in range(t.ndim - 1 + n):
        all_sizes[i] = t.sizes[i] if i < dim else sizes[i - dim] if i < dim + n else t.sizes[i - n + 1]
    try:
        return find("torch.Tensor.view")(t, plain_tuple(t.ndim - 1 + n, all_sizes))
    except RuntimeError:
        if unknown > 1 or negative:
            raise
        raise RuntimeError(
            f"unflatten: Provided sizes {[sizes[i] for i in range(n)]} don't multiply up to the size of dim {dim} "
            f"({t.sizes[dim]}) in the input tensor") from None


movedim, unflatten = make_kernel(_movedim), make_kernel(_unflatten)
