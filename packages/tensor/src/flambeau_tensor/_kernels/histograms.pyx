# cython: language_level=3
"""Counts of the elements in each of several bins, or sums of their weights."""
from cpython.object cimport PyObject
from libc.math cimport isfinite
from libc.stdint cimport int64_t

from flambeau_tensor._core.elementwise.copying cimport contiguous, fill_elements, to_dtype
from flambeau_tensor._core.elementwise.dtype cimport CATEGORY, dtype_object
from flambeau_tensor._core.call.operator cimport Operator, make_kernel
from flambeau_tensor._core.memory.tensor cimport Tensor, empty, shape_str
from flambeau_tensor._core.memory.types cimport *

from flambeau_tensor._core.elementwise.dtype import type_name
from flambeau_tensor._kernels.factories import check_size


cdef Tensor _zeros(int dtype, int ndim, const Py_ssize_t* sizes):
    cdef Tensor t = empty(dtype, ndim, sizes)
    fill_elements(t, 0)
    return t


cdef object _bincount(Operator op, PyObject** a):
    """Slots: self, weights, minlength."""
    cdef Tensor t = <Tensor>a[0]
    cdef Tensor weights, out
    cdef const int64_t* x
    cdef int dtype
    cdef Py_ssize_t length = <object>a[2], i
    cdef int64_t most = 0
    cdef bint negative = False
    if CATEGORY[t.dtype] >= CAT_FLOAT or t.dtype == BOOL:
        raise NotImplementedError(f"\"bincount_cpu\" not implemented for '{type_name(dtype_object(t.dtype))}'")
    if length < 0:
        raise RuntimeError("minlength should be >= 0")
    if t.ndim == 1 and t.numel == 0:  # for any weights
        return _zeros(INT64, 1, &length)
    t = contiguous(t, INT64)
    x = <const int64_t*>t.data
    for i in range(t.numel):
        most = max(most, x[i])
        negative |= x[i] < 0
    if t.ndim != 1 or negative:
        raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
    if most == <int64_t>(~<size_t>0 >> 1):
        raise RuntimeError(f"maximum value of input overflowed, it should be < {most} but got {most}")
    length = max(length, <Py_ssize_t>most + 1)
    check_size((length,), dtype_object(INT64))
    if a[1] == <PyObject*>None:
        out = _zeros(INT64, 1, &length)
        for i in range(t.numel):
            (<int64_t*>out.data)[x[i]] += 1
        return out
    weights = <Tensor>a[1]
    if weights.ndim != 1 or weights.numel != t.numel:
        raise RuntimeError("weights should be 1-d and have the same length as input")
    if CATEGORY[weights.dtype] == CAT_COMPLEX:
        raise TypeError("bincount(): weights must be real")
    dtype = FLOAT32 if weights.dtype == FLOAT32 else FLOAT64
    weights, out = contiguous(weights, FLOAT64), _zeros(FLOAT64, 1, &length)
    for i in range(t.numel):
        (<double*>out.data)[x[i]] += (<const double*>weights.data)[i]
    return to_dtype(out, dtype)


cdef double _as_stored(object number, int dtype) except? -1:
    """Return a number rounded to a dtype."""
    cdef Tensor t = empty(dtype, 0, NULL)
    fill_elements(t, number)  # raises if the number is too large
    return (<const double*>to_dtype(t, FLOAT64).data)[0]


cdef object _histc(Operator op, PyObject** a):
    """Slots: self, bins, min, max, out."""
    cdef Tensor t = <Tensor>a[0]
    cdef Tensor out
    cdef const double* x
    cdef Py_ssize_t bins = <object>a[1], i, at
    cdef double low, high, each
    cdef int dtype = t.dtype
    if CATEGORY[t.dtype] != CAT_FLOAT:
        raise NotImplementedError(f"\"histogram_cpu\" not implemented for '{type_name(dtype_object(t.dtype))}'")
    if bins <= 0:
        raise RuntimeError(f"torch.histogram(): bins must be > 0, but got {bins} for dimension 0")
    if <object>a[2] > <object>a[3]:
        raise RuntimeError("torch.histc: max must be larger than min")
    check_size((bins,), dtype_object(t.dtype))
    low, high = _as_stored(<object>a[2], t.dtype), _as_stored(<object>a[3], t.dtype)
    t = contiguous(t, FLOAT64)
    x = <const double*>t.data
    if low == high and t.numel:
        low = high = x[0]
        for i in range(t.numel):
            if not x[i] >= low and low == low:  # NaN is kept, too
                low = x[i]
            if not x[i] <= high and high == high:
                high = x[i]
    if not (isfinite(low) and isfinite(high)):
        raise RuntimeError(f"torch.histc: range of [{low:g}, {high:g}] is not finite")
    if low == high:
        low, high = low - 1, high + 1
    each = bins / (high - low)
    out = _zeros(INT64, 1, &bins)
    for i in range(t.numel):
        if low <= x[i] <= high:
            # 1e30 - 1 equals 1e30; equal elements go to the middle bin anyway.
            at = <Py_ssize_t>((x[i] - low) * each) if high > low else bins // 2
            (<int64_t*>out.data)[min(at, bins - 1)] += 1
    return to_dtype(out, dtype)


cdef Py_ssize_t _bin(double x, const double* edges, Py_ssize_t count, bint even) noexcept nogil:
    """Return the index of an element's bin, or -1 if there is none; the last bin includes its upper edge."""
    cdef double low = edges[0], high = edges[count]
    cdef Py_ssize_t lo = 0, hi = count + 1, middle
    if not (x >= low and x <= high):
        return -1
    if even:
        # In a dry run, all edges are 0. Rounding may be off by one bin.
        lo = <Py_ssize_t>((x - low) * (count / (high - low))) if high > low else 0
        lo = min(max(lo, 0), count - 1)
        lo = lo - (x < edges[lo])
        lo = lo + (x >= edges[lo + 1])
    else:
        while lo < hi:
            middle = (lo + hi) >> 1
            if edges[middle] <= x:
                lo = middle + 1
            else:
                hi = middle
        lo -= 1
    return min(max(lo, 0), count - 1)


cdef object _cell_counts(Operator op, PyObject** a):
    """Slots: self, edges, weight, density, even."""
    cdef Tensor points = <Tensor>a[0]
    cdef tuple edges = tuple([contiguous(e, FLOAT64) for e in <object>a[1]])
    cdef Tensor weight = None, out, table = contiguous(points, FLOAT64), e
    cdef Py_ssize_t[MAX_NDIM] shape
    cdef Py_ssize_t row, cell, at, rest
    cdef int d, n = len(edges)
    cdef bint even = a[4] == Py_True
    cdef double total = 0, size
    cdef double* counts
    if n > MAX_NDIM or points.ndim != 2 or points.sizes[1] != n or (
            a[2] != <PyObject*>None and (<Tensor>a[2]).numel != points.sizes[0]):
        raise RuntimeError(f"histogram_counts(): {n} lists of edges, for points of shape "
                           f"{shape_str(points.ndim, points.sizes)}")
    for d in range(n):
        shape[d] = (<Tensor>edges[d]).numel - 1
        if shape[d] < 1:
            raise RuntimeError("histogram_counts(): a bin has two edges")
    out = _zeros(FLOAT64, n, shape)
    counts = <double*>out.data
    if a[2] != <PyObject*>None:
        weight = contiguous(<Tensor>a[2], FLOAT64)
    for row in range(table.sizes[0] if n else 0):  # without dimensions there are no cells
        cell = 0
        for d in range(n):
            e = <Tensor>edges[d]
            at = _bin((<const double*>table.data)[row * n + d], <const double*>e.data, shape[d], even)
            cell = -1 if at < 0 or cell < 0 else cell * shape[d] + at
        if cell >= 0:
            counts[cell] += 1 if weight is None else (<const double*>weight.data)[row]
    if a[3] == Py_True:
        for cell in range(out.numel):
            total += counts[cell]
        for cell in range(out.numel):
            size, rest = 1, cell
            for d in range(n - 1, -1, -1):
                e = <Tensor>edges[d]
                at = rest % shape[d]
                size *= (<const double*>e.data)[at + 1] - (<const double*>e.data)[at]
                rest //= shape[d]
            counts[cell] /= total * size
    return to_dtype(out, points.dtype)


bincount, histc, cell_counts = make_kernel(_bincount), make_kernel(_histc), make_kernel(_cell_counts)
