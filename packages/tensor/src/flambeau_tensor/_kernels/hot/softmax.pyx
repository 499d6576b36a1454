"""Inner loops of softmax and log_softmax: along contiguous runs, and across rows for all columns at once.

Data in the cache is visited three times: for the largest element, for the sum of exponentials relative to it, and for
the results. Sums of blocks are accumulated in double precision. NaN and +inf make a run NaN.
"""
from libc.math cimport log

from flambeau_tensor.vector_math cimport exp_down, folded, largest, real

cdef enum:
    COLUMNS = 512  # the maximum number of columns in a call of an across loop

cdef struct Soft:
    int unused
cdef struct LogSoft:
    int unused

ctypedef fused Kind:
    Soft
    LogSoft


cdef void along(Kind* kind, const real* x, real* out, Py_ssize_t n) noexcept nogil:
    cdef real[32] lanes
    cdef real[32] e  # separate from `out`, which might overlap x as far as the compiler knows
    cdef real top = largest(x, n), factor
    cdef double total = 0
    cdef Py_ssize_t i = 0, k
    while i + 32 <= n:  # in blocks of 1024
        for k in range(32):
            lanes[k] = 0
        while i + 32 <= n:
            for k in range(32):
                e[k] = exp_down(x[i + k] - top)
                lanes[k] += e[k]
            if Kind is Soft:
                for k in range(32):
                    out[i + k] = e[k]
            i += 32
            if i % 1024 == 0:
                break
        total += folded(&lanes[0])
    for k in range(n - i):
        e[k] = exp_down(x[i + k] - top)
    for k in range(n - i):
        total += e[k]
    if Kind is Soft:
        for k in range(n - i):
            out[i + k] = e[k]
    if Kind is Soft:
        factor = <real>(1 / total)
        for i in range(n):
            out[i] = out[i] * factor
    else:
        factor = <real>log(total)
        for i in range(n):
            out[i] = x[i] - top - factor


cdef void across(Kind* kind, const real* x, real* out, Py_ssize_t step, Py_ssize_t n, Py_ssize_t m) noexcept nogil:
    """Process n rows of m <= COLUMNS elements, `step` elements apart; the same for `out`."""
    cdef real[COLUMNS] top
    cdef real[COLUMNS] factor
    cdef double[COLUMNS] total
    cdef const real* row
    cdef real* result
    cdef real e
    cdef Py_ssize_t i, k
    for k in range(m):
        top[k] = x[k]
        total[k] = 0
    for i in range(1, n):
        row = x + i * step
        for k in range(m):
            top[k] = row[k] if row[k] > top[k] else top[k]
    for i in range(n):
        row = x + i * step
        result = out + i * step
        for k in range(m):
            e = exp_down(row[k] - top[k])
            if Kind is Soft:
                result[k] = e
            total[k] += e
    for k in range(m):
        factor[k] = <real>(1 / total[k]) if Kind is Soft else <real>log(total[k])
    for i in range(n):
        row = x + i * step
        result = out + i * step
        for k in range(m):
            result[k] = result[k] * factor[k] if Kind is Soft else row[k] - top[k] - factor[k]


# By operation and dtype: the along loop and the across loop.
LOOPS = {
    "softmax": {"float32": (<size_t>&along[Soft, float], <size_t>&across[Soft, float]),
                "float64": (<size_t>&along[Soft, double], <size_t>&across[Soft, double])},
    "log_softmax": {"float32": (<size_t>&along[LogSoft, float], <size_t>&across[LogSoft, float]),
                    "float64": (<size_t>&along[LogSoft, double], <size_t>&across[LogSoft, double])},
}
