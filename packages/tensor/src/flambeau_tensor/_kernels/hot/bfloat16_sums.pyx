"""Sums of bfloat16, converted to floats in registers. The forms of the loops are those of reductions.pyx."""
from libc.stdint cimport uint16_t, uint32_t

from flambeau_tensor.vector_math cimport folded, folded16, from_bits32

cdef enum:
    LANES = 64  # accumulators per run
    BLOCK = 1024  # elements that are summed as floats before they are added to a double


cdef inline float brain(uint16_t x) noexcept nogil:
    return from_bits32(<uint32_t>x << 16)


cdef void along(void* op, const uint16_t* x, Py_ssize_t n, double* acc, char* aux, Py_ssize_t seen) noexcept nogil:
    """Sum short blocks as floats, and their sums as doubles."""
    cdef float[LANES] lanes
    cdef double total = 0
    cdef Py_ssize_t i = 0, k, end
    while i + LANES <= n:
        for k in range(LANES):
            lanes[k] = brain(x[i + k])
        end = i + min(<Py_ssize_t>BLOCK, (n - i) & ~<Py_ssize_t>(LANES - 1))
        i += LANES
        while i < end:
            for k in range(LANES):
                lanes[k] += brain(x[i + k])
            i += LANES
        for k in range(32):
            lanes[k] += lanes[32 + k]
        total += folded(&lanes[0])
    if i < n:
        for k in range(16):
            lanes[k] = 0
        while i + 16 <= n:
            for k in range(16):
                lanes[k] += brain(x[i + k])
            i += 16
        for k in range(n - i):
            lanes[k] += brain(x[i + k])
        total += folded16(&lanes[0])
    acc[0] = total + (acc[0] if seen else 0)


cdef void across(void* op, const uint16_t* x, Py_ssize_t step, Py_ssize_t n, Py_ssize_t m, double* acc, char* aux,
                 Py_ssize_t seen) noexcept nogil:
    cdef const uint16_t* a
    cdef const uint16_t* b
    cdef const uint16_t* c
    cdef const uint16_t* d
    cdef Py_ssize_t i = 0, k
    if seen == 0:
        for k in range(m):
            acc[k] = 0
    while i + 4 <= n:
        a = <const uint16_t*>(<const char*>x + i * step)
        b = <const uint16_t*>(<const char*>a + step)
        c = <const uint16_t*>(<const char*>b + step)
        d = <const uint16_t*>(<const char*>c + step)
        for k in range(m):
            acc[k] += (brain(a[k]) + brain(b[k])) + (brain(c[k]) + brain(d[k]))
        i += 4
    while i < n:
        a = <const uint16_t*>(<const char*>x + i * step)
        for k in range(m):
            acc[k] += brain(a[k])
        i += 1


cdef void merge(void* op, double* acc, char* aux, Py_ssize_t seen, const double* acc2, const char* aux2,
                Py_ssize_t more, Py_ssize_t m) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(m):
        acc[k] = acc2[k] + (acc[k] if seen else 0)


LOOPS = {"sum": {"bfloat16": (<size_t>&along, <size_t>&across, <size_t>&merge, "float64")}}
