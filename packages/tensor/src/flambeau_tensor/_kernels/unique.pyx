# cython: language_level=3
"""Unique elements, or slices along a dimension, and their counts.

Slices are converted to rows of sort keys. A NaN equals no other.
"""
from cpython.object cimport PyObject
from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memcpy, memset

from flambeau_tensor._core.elementwise.copying cimport contiguous
from flambeau_tensor._core.elementwise.dtype cimport CATEGORY, ITEMSIZE, dtype_object
from flambeau_tensor._core.call.operator cimport Operator, make_kernel
from flambeau_tensor._core.memory.tensor cimport Tensor, empty, resize, view_of
from flambeau_tensor._core.memory.types cimport *
from flambeau_tensor._kernels.sorting cimport long_keys, sorting_order

from flambeau_tensor._core.elementwise.dtype import type_name
from flambeau_tensor._core.elementwise.operands import wrapped_dim


cdef struct Rows:
    const uint64_t* keys
    Py_ssize_t m  # keys per row
    uint64_t nan  # the key of NaN, which does not equal itself; 0: none


cdef inline bint _less(const Rows* r, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
    cdef const uint64_t* a = r.keys + i * r.m
    cdef const uint64_t* b = r.keys + j * r.m
    cdef Py_ssize_t k
    for k in range(r.m):
        if a[k] != b[k]:
            return a[k] < b[k]
    return False


cdef inline bint _equal(const Rows* r, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
    cdef const uint64_t* a = r.keys + i * r.m
    cdef const uint64_t* b = r.keys + j * r.m
    cdef Py_ssize_t k
    for k in range(r.m):
        if a[k] != b[k] or (r.nan and a[k] == r.nan):
            return False
    return True


cdef int64_t* _merged(const Rows* r, Py_ssize_t n, int64_t* order, int64_t* room) noexcept nogil:
    """Merge sort the indices of rows; return the one of the two buffers that contains the result."""
    cdef Py_ssize_t width = 1, first, middle, end, i, j, k
    while width < n:
        first = 0
        while first < n:
            middle, end = min(first + width, n), min(first + 2 * width, n)
            i, j = first, middle
            for k in range(first, end):
                if i < middle and (j >= end or not _less(r, order[j], order[i])):
                    room[k] = order[i]
                    i += 1
                else:
                    room[k] = order[j]
                    j += 1
            first = end
        order, room = room, order
        width *= 2
    return order


cdef Py_ssize_t _runs(const Rows* r, Py_ssize_t n, const int64_t* order, int64_t* number,
                      int64_t* first) noexcept nogil:
    """Compute each row's run of equal rows, and the start of each run in `order`; return the number of runs."""
    cdef Py_ssize_t i, count = 0
    for i in range(n):
        if i == 0 or not _equal(r, order[i - 1], order[i]):
            first[count] = i
            count += 1
        number[order[i]] = count - 1
    return count


cdef uint64_t _span(const uint64_t* keys, Py_ssize_t n, uint64_t* least) noexcept nogil:
    """Return the difference between the largest and the smallest key."""
    cdef uint64_t most = keys[0]
    cdef Py_ssize_t i
    least[0] = keys[0]
    for i in range(n):
        least[0] = min(least[0], keys[i])
        most = max(most, keys[i])
    return most - least[0]


cdef Py_ssize_t _counted(const uint64_t* keys, Py_ssize_t n, uint64_t least, Py_ssize_t span, int64_t* times,
                         int64_t* last, int64_t* order, int64_t* number, int64_t* first) noexcept nogil:
    """Compute what _runs does for keys in a short range, without sorting. `order` has an index only at the start of
    each run. `times` are zeros, one per value in the range."""
    cdef Py_ssize_t i, start = 0, count = 0, size
    for i in range(n):
        times[keys[i] - least] += 1
        last[keys[i] - least] = i
    for i in range(span):
        size = times[i]
        if size:
            order[start], first[count], times[i] = last[i], start, count
            start += size
            count += 1
    for i in range(n):
        number[i] = times[keys[i] - least]
    return count


cdef object _distinct(Tensor t, object dim, bint in_order, bint wants_inverse, bint wants_counts):
    cdef Rows r
    cdef Tensor rows, keys, order, room, number, first, counts, times = None, last = None
    cdef uint64_t least = 0, span = 0
    cdef bint counted = False
    cdef Py_ssize_t[MAX_NDIM] sizes, strides
    cdef Py_ssize_t n = t.numel, outer = 1, inner = 1, count, block, i
    cdef int d, axis = -1
    cdef int64_t* places
    if CATEGORY[t.dtype] == CAT_COMPLEX:
        raise NotImplementedError(f"\"unique\" not implemented for '{type_name(dtype_object(t.dtype))}'")
    if dim is None:
        rows = contiguous(t, t.dtype)
    else:  # move the dimension first
        axis = wrapped_dim(dim, t.ndim, False)
        n = sizes[0] = t.sizes[axis]
        strides[0] = t.strides[axis]
        for d in range(t.ndim):
            if d < axis:
                outer *= t.sizes[d]
            elif d > axis:
                inner *= t.sizes[d]
            if d != axis:
                sizes[d + (d < axis)], strides[d + (d < axis)] = t.sizes[d], t.strides[d]
        rows = contiguous(view_of(t, t.ndim, sizes, strides, t.data), t.dtype)
    r.m, block = outer * inner, n * outer * inner
    keys = empty(UINT64, 1, &block)
    r.keys = <const uint64_t*>keys.data
    r.nan = (~<uint64_t>0) >> (64 - 8 * ITEMSIZE[t.dtype]) if CATEGORY[t.dtype] == CAT_FLOAT else 0
    with nogil:
        long_keys(rows.data, block, t.dtype, <uint64_t*>keys.data)
        if axis < 0 and not in_order and n and CATEGORY[t.dtype] <= CAT_INT:
            span = _span(r.keys, n, &least)
            counted = span < 2 * <uint64_t>n
    number, first = empty(INT64, 1, &n), empty(INT64, 1, &n)
    order = empty(INT64, 1, &n) if in_order or r.m != 1 or counted else sorting_order(rows)
    room = empty(INT64, 1, &n)
    if counted:
        block = span + 1
        times = empty(INT64, 1, &block)
        memset(times.data, 0, block * sizeof(int64_t))
        last = empty(INT64, 1, &block)
    places = <int64_t*>order.data
    with nogil:
        if in_order or r.m != 1:
            for i in range(n):
                places[i] = i
        if not in_order and r.m != 1:
            places = _merged(&r, n, places, <int64_t*>room.data)
        if counted:
            count = _counted(r.keys, n, least, block, <int64_t*>times.data, <int64_t*>last.data, places,
                             <int64_t*>number.data, <int64_t*>first.data)
        else:
            count = _runs(&r, n, places, <int64_t*>number.data, <int64_t*>first.data)
    results = [_taken(rows, t, axis, outer, inner * ITEMSIZE[t.dtype], places, <int64_t*>first.data, count)]
    if wants_inverse:
        if axis < 0:
            resize(number, t.ndim, t.sizes)
        results.append(number)
    if wants_counts:
        counts = empty(INT64, 1, &count)
        for i in range(count):
            (<int64_t*>counts.data)[i] = (n if i == count - 1 else (<int64_t*>first.data)[i + 1]) - (
                <int64_t*>first.data)[i]
        results.append(counts)
    return tuple(results) if len(results) > 1 else results[0]


cdef Tensor _taken(Tensor rows, Tensor t, int axis, Py_ssize_t outer, Py_ssize_t bytes, const int64_t* order,
                   const int64_t* first, Py_ssize_t count):
    """Return the first row of each run, along the original dimension."""
    cdef Tensor out
    cdef Py_ssize_t[MAX_NDIM] sizes
    cdef Py_ssize_t i, j
    cdef int d
    for d in range(t.ndim):
        sizes[d] = count if d == axis else t.sizes[d]
    out = empty(t.dtype, 1, &count) if axis < 0 else empty(t.dtype, t.ndim, sizes)
    for i in range(count):
        for j in range(outer):
            memcpy(out.data + (j * count + i) * bytes, rows.data + (order[first[i]] * outer + j) * bytes, bytes)
    return out


cdef object _unique(Operator op, PyObject** a):
    """Slots: self, sorted, return_inverse, return_counts, dim."""
    return _distinct(<Tensor>a[0], <object>a[4], False, a[2] == Py_True, a[3] == Py_True)


cdef object _unique_consecutive(Operator op, PyObject** a):
    """Slots: self, return_inverse, return_counts, dim."""
    return _distinct(<Tensor>a[0], <object>a[3], True, a[1] == Py_True, a[2] == Py_True)


unique, unique_consecutive = make_kernel(_unique), make_kernel(_unique_consecutive)
