# cython: language_level=3
"""Elements in other places: reversed, and triangles of matrices."""
from cpython.object cimport PyObject
from libc.string cimport memset

from flambeau_tensor._core.dtype cimport ITEMSIZE
from flambeau_tensor._core.copying cimport copy_elements
from flambeau_tensor._core.layout cimport empty_like
from flambeau_tensor._core.operator cimport Operator, make_kernel
from flambeau_tensor._core.tensor cimport Tensor, empty, read_ints, view_of, wrap_dim
from flambeau_tensor._core.types cimport *


cdef object _flip(Operator op, PyObject** a):  # (self, dims)
    cdef Tensor t = <Tensor>a[0]
    cdef Tensor out
    cdef Py_ssize_t[MAX_NDIM] dims
    cdef Py_ssize_t[MAX_NDIM] strides
    cdef bint[MAX_NDIM] reversed
    cdef int n = read_ints(a[1], dims, MAX_NDIM, b"flip", b"dims"), i, d
    cdef char* first = t.data
    for d in range(t.ndim):
        reversed[d] = False
        strides[d] = t.strides[d]
    for i in range(n):
        d = wrap_dim(dims[i], t.ndim)
        if t.ndim == 0:
            continue
        if reversed[d]:
            raise RuntimeError(f"dim {d} appears multiple times in the list of dims")
        reversed[d] = True
    out = empty_like(t, t.dtype)
    if t.numel == 0:
        return out
    for d in range(t.ndim):
        if reversed[d]:  # backwards from the last element: a view for this copy alone
            first += (t.sizes[d] - 1) * t.strides[d] * ITEMSIZE[t.dtype]
            strides[d] = -t.strides[d]
    copy_elements(out, view_of(t, t.ndim, t.sizes, strides, first))
    return out


cdef object _triangle(Operator op, PyObject** a, bint lower):  # (self, diagonal)
    cdef Tensor t = <Tensor>a[0]
    cdef Tensor out
    cdef Py_ssize_t diagonal = <object>a[1], rows, columns, row, cut, item = ITEMSIZE[t.dtype]
    cdef char* at
    if t.ndim < 2:
        raise RuntimeError(f"{op.name}: input tensor must have at least 2 dimensions")
    out = empty(t.dtype, t.ndim, t.sizes)
    if t.numel == 0:
        return out
    copy_elements(out, t)
    rows, columns = t.sizes[t.ndim - 2], t.sizes[t.ndim - 1]
    diagonal = min(max(diagonal, -rows), columns)  # further out there is nothing
    at = out.data
    for row in range(t.numel // columns):
        cut = row % rows + diagonal
        if lower:  # columns up to the diagonal stay
            cut = min(max(cut + 1, 0), columns)
            memset(at + cut * item, 0, (columns - cut) * item)
        else:
            cut = min(max(cut, 0), columns)
            memset(at, 0, cut * item)
        at += columns * item
    return out


cdef object _tril(Operator op, PyObject** a):
    return _triangle(op, a, True)


cdef object _triu(Operator op, PyObject** a):
    return _triangle(op, a, False)


flip = make_kernel(_flip)
tril = make_kernel(_tril)
triu = make_kernel(_triu)
