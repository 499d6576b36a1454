# cython: language_level=3
"""Distances of a row to many others, which are stored by columns: sums, or maxima, of functions of differences."""
from libc.math cimport fabs, pow, sqrt

from flambeau_tensor._kernels.distances_types cimport *
from flambeau_tensor._kernels.map_loops cimport real_t, reals

cdef enum:
    LANES = 32  # the number of rows that are compared at a time


cdef inline double _more(double total, double d, Order order, double p) noexcept nogil:
    if order == ONE:
        return total + fabs(d)
    if order == TWO:
        return total + d * d
    if order == LARGEST:
        d = fabs(d)
        return d if (d > total) | (d != d) else total
    return total + (d != 0) if order == ZERO else total + pow(fabs(d), p)


cdef inline void _compared(const Job* j, const real_t* a, const real_t* columns, Py_ssize_t count, Order order,
                           double p, real_t* out) noexcept nogil:
    """Compute the distances of `a` to `count` rows, at most LANES."""
    cdef double[LANES] total
    cdef Py_ssize_t d, k
    cdef const real_t* b
    for k in range(LANES):
        total[k] = 0
    for d in range(j.m):
        b = columns + d * j.n2
        if count == LANES:
            for k in range(LANES):
                total[k] = _more(total[k], <double>(a[d] - b[k]), order, p)
        else:
            for k in range(count):
                total[k] = _more(total[k], <double>(a[d] - b[k]), order, p)
    for k in range(count):
        out[k] = <real_t>(sqrt(total[k]) if order == TWO else pow(total[k], 1 / p) if order == OTHER else total[k])


cdef void _rows(const Job* j, Py_ssize_t begin, Py_ssize_t end, real_t* tag) noexcept nogil:
    cdef const real_t* a
    cdef const real_t* columns
    cdef real_t* out
    cdef Py_ssize_t row, first, k, count
    for row in range(begin, end):
        a = <const real_t*>j.x1 + row * j.m
        columns = <const real_t*>j.columns + row // j.n1 * j.n2 * j.m
        first = row + 1 if j.triangle else 0
        out = <real_t*>j.out + (row * (2 * j.n1 - row - 1) // 2 - first if j.triangle else row * j.n2)
        k = first
        while k < j.n2:
            count = min(<Py_ssize_t>LANES, j.n2 - k)
            # a constant order in each call, so that the compiler specializes the loop
            if j.order == TWO:
                _compared(j, a, columns + k, count, TWO, 2, out + k)
            elif j.order == ONE:
                _compared(j, a, columns + k, count, ONE, 1, out + k)
            elif j.order == LARGEST:
                _compared(j, a, columns + k, count, LARGEST, 0, out + k)
            else:
                _compared(j, a, columns + k, count, j.order, j.p, out + k)
            k += count


LOOPS = {"distances": reals(<size_t><void*>_rows[float], <size_t><void*>_rows[double])}
