# cython: language_level=3
"""Sums and maxima of rows. ``LOOPS`` holds the loops (see bags_types.pxd)."""
from libc.stdint cimport int64_t
from libc.string cimport memset

from flambeau_nn._kernels.bags_types cimport MAX, MEAN, Bags

cdef extern from *:
    void prefetch "__builtin_prefetch"(const void*) noexcept nogil

ctypedef fused real_t:
    float
    double

cdef enum:
    AHEAD = 8  # rows to prefetch


cdef inline void _bounds(const Bags* b, Py_ssize_t bag, Py_ssize_t* begin, Py_ssize_t* end) noexcept nogil:
    """Set the range of indices of a bag."""
    if b.offsets == NULL:
        begin[0], end[0] = bag * b.length, (bag + 1) * b.length
        return
    begin[0] = min(max(b.offsets[bag], <int64_t>0), <int64_t>b.count)
    end[0] = b.offsets[bag + 1] if bag + 1 < b.ends else b.count
    end[0] = min(max(end[0], begin[0]), b.count)


cdef inline void _fetch(const Bags* b, Py_ssize_t at, const real_t* tag) noexcept nogil:
    """Prefetch the beginning of a row of the table."""
    cdef const char* row = <const char*>(<const real_t*>b.table + at * b.columns)
    cdef Py_ssize_t i = 0, n = min(b.columns * <Py_ssize_t>sizeof(real_t), <Py_ssize_t>512)
    while i < n:
        prefetch(row + i)
        i += 64


cdef void _gather(const Bags* b, Py_ssize_t first, Py_ssize_t last, real_t* tag) noexcept nogil:
    """Compute the bags `first` to `last`."""
    cdef Py_ssize_t bag, i, c, begin, end, n
    cdef const real_t* row
    cdef real_t* out
    cdef real_t w
    cdef int64_t* most
    for bag in range(first, last):
        _bounds(b, bag, &begin, &end)
        out, n = <real_t*>b.out + bag * b.columns, 0
        for c in range(b.columns):
            out[c] = 0
        for i in range(begin, end):
            if b.indices[i] == b.padding:
                continue
            row = <const real_t*>b.table + (i if b.picked else b.indices[i]) * b.columns
            if i + AHEAD < b.count and not b.picked:
                _fetch[real_t](b, b.indices[i + AHEAD], row)
            if b.mode == MAX:
                most = b.maximum + bag * b.columns
                for c in range(b.columns):
                    if n == 0 or row[c] > out[c]:
                        out[c], most[c] = row[c], b.indices[i]
            elif b.weights != NULL:
                w = (<const real_t*>b.weights)[i]
                for c in range(b.columns):
                    out[c] += row[c] * w
            else:
                for c in range(b.columns):
                    out[c] += row[c]
            n += 1
        b.size[bag] = n
        if b.mode == MEAN and n > 1:
            w = <real_t>n
            for c in range(b.columns):
                out[c] /= w


cdef void _spread(const Bags* b, Py_ssize_t first, Py_ssize_t last, real_t* tag) noexcept nogil:
    """Compute the gradients of the rows in parts `first` to `last` of the table."""
    cdef Py_ssize_t low = first * b.rows // b.parts, high = last * b.rows // b.parts
    cdef Py_ssize_t bag, i, c, begin, end, n
    cdef int64_t k
    cdef const real_t* g
    cdef real_t* table = <real_t*>b.table_grad
    cdef real_t* row
    cdef real_t w, share
    memset(table + low * b.columns, 0, (high - low) * b.columns * sizeof(real_t))
    for bag in range(b.bags):
        _bounds(b, bag, &begin, &end)
        g, n = <const real_t*>b.grad + bag * b.columns, 0
        for i in range(begin, end):
            n += b.indices[i] != b.padding
        if b.mode == MAX:
            for c in range(b.columns if n else 0):
                k = b.maximum[bag * b.columns + c]
                if low <= k < high:
                    table[k * b.columns + c] += g[c]
            continue
        share = <real_t>1 / n if b.mode == MEAN and n > 1 else 1
        for i in range(begin, end):
            k = b.indices[i]
            if k == b.padding or not low <= k < high:
                continue
            w = share if b.weights == NULL else share * (<const real_t*>b.weights)[i]
            if b.frequency != NULL:
                w /= b.frequency[k]
            row = table + k * b.columns
            for c in range(b.columns):
                row[c] += g[c] * w


cdef void _weigh(const Bags* b, Py_ssize_t first, Py_ssize_t last, real_t* tag) noexcept nogil:
    """Compute the gradients of the weights of bags `first` to `last`."""
    cdef Py_ssize_t bag, i, c, begin, end
    cdef const real_t* g
    cdef const real_t* row
    cdef real_t total
    for bag in range(first, last):
        _bounds(b, bag, &begin, &end)
        g = <const real_t*>b.grad + bag * b.columns
        for i in range(begin, end):
            total = 0
            if b.indices[i] != b.padding:
                row = <const real_t*>b.table + (i if b.picked else b.indices[i]) * b.columns
                for c in range(b.columns):
                    total += g[c] * row[c]
            (<real_t*>b.weights_grad)[i] = total


cdef void _gather_float(void* b, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    _gather[float](<const Bags*>b, begin, end, NULL)


cdef void _gather_double(void* b, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    _gather[double](<const Bags*>b, begin, end, NULL)


cdef void _spread_float(void* b, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    _spread[float](<const Bags*>b, begin, end, NULL)


cdef void _spread_double(void* b, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    _spread[double](<const Bags*>b, begin, end, NULL)


cdef void _weigh_float(void* b, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    _weigh[float](<const Bags*>b, begin, end, NULL)


cdef void _weigh_double(void* b, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    _weigh[double](<const Bags*>b, begin, end, NULL)


LOOPS = {
    "gather": {"float32": <size_t>&_gather_float, "float64": <size_t>&_gather_double},
    "spread": {"float32": <size_t>&_spread_float, "float64": <size_t>&_spread_double},
    "weigh": {"float32": <size_t>&_weigh_float, "float64": <size_t>&_weigh_double},
}
