"""Inner loops that store every partial result: sums, products, extremes with their indices, log-sum-exp.

*Along* loops process contiguous runs, one behind the other. They advance four runs side by side, because a single run
would wait for each addition. (If the length of a run is a power of two, all runs map to the same cache set, which has
room for four input and four output lines.) *Across* loops process rows, for all columns at once. Sums and products are
accumulated in double precision or 64 bits.
"""
from libc.math cimport INFINITY, exp, log1p
from libc.stdint cimport int64_t, uint64_t

ctypedef double complex complex128

cdef struct Sum:
    int unused
cdef struct Prod:
    int unused
cdef struct Max:
    int unused
cdef struct Min:
    int unused
cdef struct LogSumExp:
    int unused

ctypedef fused Folding:
    Sum
    Prod
    LogSumExp

ctypedef fused Ordered:
    Max
    Min

ctypedef fused number:  # integers are unsigned, so that they wrap around
    uint64_t
    float
    double
    complex128

ctypedef fused wide:
    uint64_t
    double
    complex128

ctypedef fused ordered_number:
    int64_t
    float
    double


cdef inline double logaddexp(double a, double b) noexcept nogil:
    cdef double low, high
    if a != a or b != b:
        return a + b
    low, high = (a, b) if a < b else (b, a)
    return high if low == -INFINITY or high == INFINITY else high + log1p(exp(low - high))


cdef inline wide combined(Folding* op, wide a, number x) noexcept nogil:
    if number is complex128 and wide is not complex128:
        return a  # not used
    elif number is complex128:  # a cast would make the real part NaN if the imaginary part is infinite
        return a * x if Folding is Prod else a + x
    elif Folding is Sum:
        return a + <wide>x
    elif Folding is Prod:
        return a * <wide>x
    elif wide is double:
        return logaddexp(a, <wide>x)
    else:
        return a  # not used


cdef inline number stored(number like, wide a) noexcept nogil:
    if wide is complex128 and number is not complex128:
        return like
    elif number is complex128 and wide is complex128:
        return a
    elif number is complex128:
        return like
    else:
        return <number>a


cdef void fold_along(Folding* op, const number* x, number* out, wide* carry, Py_ssize_t n, Py_ssize_t m) noexcept nogil:
    cdef wide[4] a
    cdef Py_ssize_t i, k
    while m >= 4:
        for k in range(4):
            a[k] = carry[0]
        for i in range(n):
            for k in range(4):
                a[k] = combined(op, a[k], x[k * n + i])
                out[k * n + i] = stored(x[0], a[k])
        x += 4 * n
        out += 4 * n
        m -= 4
    while m:
        a[0] = carry[0]
        for i in range(n):
            a[0] = combined(op, a[0], x[i])
            out[i] = stored(x[0], a[0])
        x += n
        out += n
        m -= 1


cdef void fold_across(Folding* op, const number* x, number* out, wide* carry, Py_ssize_t step, Py_ssize_t n,
                      Py_ssize_t m) noexcept nogil:
    cdef const number* row
    cdef number* result
    cdef Py_ssize_t i, k
    for i in range(n):
        row = x + i * step
        result = out + i * step
        for k in range(m):
            carry[k] = combined(op, carry[k], row[k])
            result[k] = stored(row[k], carry[k])


cdef inline bint takes(Ordered* op, ordered_number a, ordered_number b) noexcept nogil:
    """Whether b, which comes later, replaces a: the last of equal elements counts, and NaN always."""
    if Ordered is Max:
        return (b >= a) | (b != b)
    else:
        return (b <= a) | (b != b)


cdef void indexed_along(Ordered* op, const ordered_number* x, ordered_number* out, int64_t* places, Py_ssize_t n,
                        Py_ssize_t m) noexcept nogil:
    cdef ordered_number best
    cdef int64_t at
    cdef Py_ssize_t i
    while m:
        best, at = x[0], 0
        for i in range(n):
            if takes(op, best, x[i]):
                best, at = x[i], i
            out[i] = best
            places[i] = at
        x += n
        out += n
        places += n
        m -= 1


cdef void indexed_across(Ordered* op, const ordered_number* x, ordered_number* out, int64_t* places, Py_ssize_t step,
                         Py_ssize_t n, Py_ssize_t m) noexcept nogil:
    cdef Py_ssize_t i, k
    cdef bint take
    for k in range(m):
        out[k] = x[k]
        places[k] = 0
    for i in range(1, n):
        for k in range(m):
            take = takes(op, out[k], x[step + k])
            out[step + k] = x[step + k] if take else out[k]
            places[step + k] = i if take else places[k]
        x += step
        out += step
        places += step


# By operation and dtype: the along loop and the across loop.
LOOPS = {
    "sum": {"int64": (<size_t>&fold_along[Sum, uint64_t, uint64_t], <size_t>&fold_across[Sum, uint64_t, uint64_t]),
            "float32": (<size_t>&fold_along[Sum, float, double], <size_t>&fold_across[Sum, float, double]),
            "float64": (<size_t>&fold_along[Sum, double, double], <size_t>&fold_across[Sum, double, double]),
            "complex128": (<size_t>&fold_along[Sum, complex128, complex128],
                           <size_t>&fold_across[Sum, complex128, complex128])},
    "prod": {"int64": (<size_t>&fold_along[Prod, uint64_t, uint64_t], <size_t>&fold_across[Prod, uint64_t, uint64_t]),
             "float32": (<size_t>&fold_along[Prod, float, double], <size_t>&fold_across[Prod, float, double]),
             "float64": (<size_t>&fold_along[Prod, double, double], <size_t>&fold_across[Prod, double, double]),
             "complex128": (<size_t>&fold_along[Prod, complex128, complex128],
                            <size_t>&fold_across[Prod, complex128, complex128])},
    "logsumexp": {
        "float32": (<size_t>&fold_along[LogSumExp, float, double], <size_t>&fold_across[LogSumExp, float, double]),
        "float64": (<size_t>&fold_along[LogSumExp, double, double], <size_t>&fold_across[LogSumExp, double, double])},
    "max": {"int64": (<size_t>&indexed_along[Max, int64_t], <size_t>&indexed_across[Max, int64_t]),
            "float32": (<size_t>&indexed_along[Max, float], <size_t>&indexed_across[Max, float]),
            "float64": (<size_t>&indexed_along[Max, double], <size_t>&indexed_across[Max, double])},
    "min": {"int64": (<size_t>&indexed_along[Min, int64_t], <size_t>&indexed_across[Min, int64_t]),
            "float32": (<size_t>&indexed_along[Min, float], <size_t>&indexed_across[Min, float]),
            "float64": (<size_t>&indexed_along[Min, double], <size_t>&indexed_across[Min, double])},
}
