"""Inner loops of reductions with two numbers per result: mean and squared deviations, and log-sum-exp.

They have the same form as those in reductions.pyx.
"""
from libc.math cimport INFINITY, log

from flambeau_tensor.vector_math cimport exp_down, folded, largest, real

cdef enum:
    BLOCK = 1024  # elements that are visited twice while they are in the cache
    ROWS = 32  # the same, for rows


# --- mean and squared deviations ------------------------------------------------------------------------------------
# Accumulator: the mean; auxiliary: the sum of squared deviations from it. Each block, which fits into the cache, takes
# two passes; blocks are joined by the parallel rule of Chan, Golub and LeVeque (1979).

cdef inline void join(double* mean, double* m2, double have, double mean2, double m22, double more) noexcept nogil:
    cdef double total = have + more, delta = mean2 - mean[0]
    m2[0] += m22 + delta * delta * (have * more / total)
    mean[0] += delta * (more / total)


cdef void moments_along(void* params, const real* x, Py_ssize_t n, double* acc, double* aux,
                        Py_ssize_t seen) noexcept nogil:
    cdef double[32] lanes
    cdef double mean, deviations, d
    cdef Py_ssize_t i = 0, j, k, size
    while i < n:
        size = min(<Py_ssize_t>BLOCK, n - i)
        for k in range(32):
            lanes[k] = 0
        j = 0
        while j + 32 <= size:
            for k in range(32):
                lanes[k] += x[j + k]
            j += 32
        for k in range(size - j):
            lanes[k] += x[j + k]
        mean = folded(&lanes[0]) / size
        for k in range(32):
            lanes[k] = 0
        j = 0
        while j + 32 <= size:
            for k in range(32):
                d = <double>x[j + k] - mean
                lanes[k] += d * d
            j += 32
        for k in range(size - j):
            d = <double>x[j + k] - mean
            lanes[k] += d * d
        deviations = folded(&lanes[0])
        if seen == 0:
            acc[0], aux[0] = mean, deviations
        else:
            join(acc, aux, seen, mean, deviations, size)
        seen += size
        i += size
        x += size


cdef void moments_across(void* params, const real* x, Py_ssize_t step, Py_ssize_t n, Py_ssize_t m, double* acc,
                         double* aux, Py_ssize_t seen) noexcept nogil:
    """Welford's recurrence for all columns at once."""
    cdef const real* row
    cdef Py_ssize_t i = 0, k
    cdef double delta, share
    if seen == 0:
        for k in range(m):
            acc[k] = x[k]
            aux[k] = x[k] - x[k]  # 0, or NaN if x is not finite
        i = 1
    while i < n:
        row = <const real*>(<const char*>x + i * step)
        share = 1.0 / (seen + i + 1)
        for k in range(m):
            delta = <double>row[k] - acc[k]
            acc[k] += delta * share
            aux[k] += delta * (<double>row[k] - acc[k])
        i += 1


cdef void moments_merge(void* params, double* acc, double* aux, Py_ssize_t seen, const double* acc2,
                        const double* aux2, Py_ssize_t more, Py_ssize_t m) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(m):
        if seen == 0:
            acc[k], aux[k] = acc2[k], aux2[k]
        else:
            join(&acc[k], &aux[k], seen, acc2[k], aux2[k], more)


# --- log of a sum of exponentials -----------------------------------------------------------------------------------
# Accumulator: the largest element so far; auxiliary: the sum of exp(x - largest).

cdef inline real larger(real a, real b) noexcept nogil:
    return b if (b > a) | (b != b) else a  # NaN wins


cdef inline double shift(double top) noexcept nogil:
    return 0 if top == -INFINITY else top  # -inf minus -inf should be -inf


cdef inline double rescaled(double total, double old, double new) noexcept nogil:
    """Convert a sum relative to `old` to a sum relative to `new`."""
    return 0 if old == -INFINITY else total * exp_down(old - new)


cdef void logsumexp_along(void* params, const real* x, Py_ssize_t n, double* acc, double* aux,
                          Py_ssize_t seen) noexcept nogil:
    cdef double[32] lanes
    cdef double top
    cdef real base
    cdef Py_ssize_t i = 0, j, k, size
    if seen == 0:
        acc[0] = -INFINITY
        aux[0] = 0
    while i < n:
        size = min(<Py_ssize_t>BLOCK, n - i)
        top = largest(x, size)
        if top == INFINITY:  # infinity would hide a NaN, which the sum otherwise shows
            for k in range(size):
                top = larger(top, <double>x[k])
        top = larger(acc[0], top)
        aux[0] = rescaled(aux[0], acc[0], top)
        acc[0] = top
        base = <real>shift(top)
        for k in range(32):
            lanes[k] = 0
        j = 0
        while j + 32 <= size:
            for k in range(32):
                lanes[k] += exp_down(x[j + k] - base)
            j += 32
        for k in range(size - j):
            lanes[k] += exp_down(x[j + k] - base)
        aux[0] += folded(&lanes[0])
        i += size
        x += size


cdef void logsumexp_across(void* params, const real* x, Py_ssize_t step, Py_ssize_t n, Py_ssize_t m, double* acc,
                           double* aux, Py_ssize_t seen) noexcept nogil:
    cdef real[BLOCK] top
    cdef real[BLOCK] base
    cdef const real* row
    cdef Py_ssize_t i = 0, j, k, size
    if m > BLOCK:
        logsumexp_across(params, x, step, n, BLOCK, acc, aux, seen)
        logsumexp_across(params, x + BLOCK, step, n, m - BLOCK, acc + BLOCK, aux + BLOCK, seen)
        return
    if seen == 0:
        for k in range(m):
            acc[k] = -INFINITY
            aux[k] = 0
    while i < n:
        size = min(<Py_ssize_t>ROWS, n - i)
        for k in range(m):
            top[k] = <real>acc[k]
        for j in range(size):
            row = <const real*>(<const char*>x + j * step)
            for k in range(m):
                top[k] = larger(top[k], row[k])
        for k in range(m):
            aux[k] = rescaled(aux[k], acc[k], top[k])
            acc[k] = top[k]
            base[k] = <real>shift(top[k])
        for j in range(size):
            row = <const real*>(<const char*>x + j * step)
            for k in range(m):
                aux[k] += exp_down(row[k] - base[k])
        i += size
        x = <const real*>(<const char*>x + size * step)


cdef void logsumexp_merge(void* params, double* acc, double* aux, Py_ssize_t seen, const double* acc2,
                          const double* aux2, Py_ssize_t more, Py_ssize_t m) noexcept nogil:
    cdef Py_ssize_t k
    cdef double top
    for k in range(m):
        if seen == 0:
            acc[k], aux[k] = acc2[k], aux2[k]
        else:
            top = larger(acc[k], acc2[k])
            aux[k] = rescaled(aux[k], acc[k], top) + rescaled(aux2[k], acc2[k], top)
            acc[k] = top


cdef void logsumexp_finish(double* acc, const double* aux, Py_ssize_t n, Py_ssize_t m, double p) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(m):
        if acc[k] != INFINITY:
            acc[k] = shift(acc[k]) + log(aux[k])


# By operation and input dtype: the addresses of the three loops, and the dtype of the accumulators.
LOOPS = {
    "moments": {
        "float32": (<size_t>&moments_along[float], <size_t>&moments_across[float], <size_t>&moments_merge, "float64"),
        "float64": (<size_t>&moments_along[double], <size_t>&moments_across[double], <size_t>&moments_merge,
                    "float64"),
    },
    "logsumexp": {
        "float32": (<size_t>&logsumexp_along[float], <size_t>&logsumexp_across[float], <size_t>&logsumexp_merge,
                    "float64"),
        "float64": (<size_t>&logsumexp_along[double], <size_t>&logsumexp_across[double], <size_t>&logsumexp_merge,
                    "float64"),
    },
}
FINISH = {"logsumexp": <size_t>&logsumexp_finish}
