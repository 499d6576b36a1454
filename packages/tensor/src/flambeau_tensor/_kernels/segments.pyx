# cython: language_level=3
"""Reduction of segments of a dimension to one element each. If the call is recorded, it is a composition."""
from cpython.object cimport PyObject
from libc.math cimport INFINITY
from libc.stdint cimport int64_t

from flambeau_tensor._core.elementwise.copying cimport contiguous
from flambeau_tensor._core.elementwise.dtype cimport CATEGORY, dtype_object
from flambeau_tensor._core.call.operator cimport Operator, make_kernel
from flambeau_tensor._core.memory.tensor cimport Tensor, empty, grad_flags, size_tuple
from flambeau_tensor._core.memory.types cimport *
from flambeau_tensor._kernels.map_loops cimport real_t
from flambeau_tensor._kernels.recording cimport recorded

from flambeau_tensor._core.elementwise.dtype import type_name

cdef enum Way:
    SUM
    MEAN
    PROD
    MAX
    MIN

cdef dict _WAYS = {"sum": SUM, "mean": MEAN, "prod": PROD, "max": MAX, "amax": MAX, "min": MIN, "amin": MIN}
cdef object _compose = None


def compose_by(function):
    """Register the composition for calls that may be recorded.

    Its arguments, which have been checked, are (data, reduce, lengths or offsets, whether they are offsets, axis,
    unsafe, initial)."""
    global _compose
    _compose = function


cdef int _check(Tensor data, Tensor given, Py_ssize_t axis, bint lengths) except -1:
    cdef int d
    cdef bint fits = True
    if data.ndim < given.ndim:
        raise RuntimeError(f"segment_reduce(): data has {data.ndim} dimensions and its segments {given.ndim}")
    if axis != given.ndim - 1:
        word = "lengths" if lengths else "offsets"
        raise RuntimeError(f"segment_reduce(): Expected axis to be the last dimension of {word} but got {axis}.")
    if given.dtype != INT64 and given.dtype != INT32:
        raise NotImplementedError("\"_segment_reduce_lengths_cpu_kernel1\" not implemented for "
                                  f"'{type_name(dtype_object(given.dtype))}'")
    if CATEGORY[data.dtype] != CAT_FLOAT:
        raise NotImplementedError(
            f"\"_segment_reduce_cpu\" not implemented for '{type_name(dtype_object(data.dtype))}'")
    for d in range(given.ndim - 1):
        fits = fits and given.sizes[d] == data.sizes[d]
    if not fits:
        raise RuntimeError(f"segment_reduce(): segments of shape {list(size_tuple(given.ndim, given.sizes))} do not "
                           f"fit data of shape {list(size_tuple(data.ndim, data.sizes))}")
    return 0


cdef inline double _more(double total, double x, Way way) noexcept nogil:
    if way <= MEAN:
        return total + x
    if way == PROD:
        return total * x
    return x if x != x or (x > total if way == MAX else x < total) else total


cdef int _check_lengths(const int64_t* lengths, Py_ssize_t count, Py_ssize_t n) except -1:
    cdef Py_ssize_t i, total = 0
    for i in range(count):
        if lengths[i] < 0:
            raise RuntimeError("lengths contains negative value!")
        total += lengths[i]
    if total != n:
        raise RuntimeError("segment_reduce(): Expected all rows of lengths along axis to sum to "
                           "data.size(lengths.dim()-1) when !unsafe.")
    return 0


cdef void _reduce(const real_t* x, real_t* out, const int64_t* ends, bint lengths, Py_ssize_t rows, Py_ssize_t count,
                  Py_ssize_t n, Py_ssize_t rest, Way way, double first, bint given) noexcept nogil:
    cdef Py_ssize_t row, segment, i, k, lo, hi
    cdef double total
    for row in range(rows):
        hi = 0
        for segment in range(count):
            if lengths:
                lo, hi = hi, hi + ends[row * count + segment]
            else:
                lo, hi = ends[row * (count + 1) + segment], ends[row * (count + 1) + segment + 1]
            lo, hi = min(max(lo, 0), n), min(max(hi, 0), n)
            for k in range(rest):
                total = first
                for i in range(lo, hi):
                    total = _more(total, x[(row * n + i) * rest + k], way)
                if way == MEAN:
                    total = total / (max(hi - lo, 1) if given else hi - lo)
                out[(row * count + segment) * rest + k] = <real_t>total


cdef object _segment_reduce(Operator op, PyObject** a):
    """Slots: data, reduce, lengths, indices, offsets, axis, unsafe, initial."""
    cdef Tensor data = <Tensor>a[0]
    cdef Tensor given, out
    cdef bint lengths = a[4] == <PyObject*>None
    cdef Py_ssize_t axis = <object>a[5], rows = 1, rest = 1, count, n, row
    cdef Py_ssize_t[MAX_NDIM] sizes
    cdef Way way
    cdef double first
    cdef int d
    cdef str reduce = <object>a[1]
    if reduce not in _WAYS:
        raise RuntimeError(f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}")
    if a[3] != <PyObject*>None:
        raise RuntimeError("segment_reduce(): indices based reduction is not supported yet.")
    if lengths and a[2] == <PyObject*>None:
        raise RuntimeError("segment_reduce(): Either lengths or offsets must be defined.")
    given = <Tensor>a[2 if lengths else 4]
    axis = axis + data.ndim if axis < 0 else axis
    _check(data, given, axis, lengths)
    if data.dtype != FLOAT32 and data.dtype != FLOAT64 or recorded(grad_flags(data) | grad_flags(given)):
        return _compose(data, reduce, given, not lengths, axis, a[6] == Py_True, <object>a[7])
    way = _WAYS[reduce]
    if a[7] == <PyObject*>None:
        first = 0 if way <= MEAN else 1 if way == PROD else -INFINITY if way == MAX else INFINITY
    else:
        first = <object>a[7]
    data, given = contiguous(data, data.dtype), contiguous(given, INT64)
    n, count = data.sizes[axis], max(given.sizes[axis] - (not lengths), 0)
    for d in range(data.ndim):
        sizes[d] = count if d == axis else data.sizes[d]
        rows *= data.sizes[d] if d < axis else 1
        rest *= data.sizes[d] if d > axis else 1
    if lengths and a[6] != Py_True:
        for row in range(rows):
            _check_lengths(<const int64_t*>given.data + row * count, count, n)
    out = empty(data.dtype, data.ndim, sizes)
    with nogil:
        if data.dtype == FLOAT32:
            _reduce(<const float*>data.data, <float*>out.data, <const int64_t*>given.data, lengths, rows, count, n,
                    rest, way, first, a[7] != <PyObject*>None)
        else:
            _reduce(<const double*>data.data, <double*>out.data, <const int64_t*>given.data, lengths, rows, count, n,
                    rest, way, first, a[7] != <PyObject*>None)
    return out


segment_reduce = make_kernel(_segment_reduce)
