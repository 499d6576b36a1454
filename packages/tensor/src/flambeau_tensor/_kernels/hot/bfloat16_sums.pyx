"""Sums of bfloat16, converted to floats in registers, in the two forms of reductions.pyx; its merge serves them."""
from libc.stdint cimport uint16_t

from flambeau_tensor._core.elementwise.half_precision cimport bf16_to_float
from flambeau_tensor.vector_math cimport folded, folded16

cdef enum:
    LANES = 64  # accumulators per run
    BLOCK = 1024  # elements that are summed as floats before they are added to a double


cdef void along(void* op, const uint16_t* x, Py_ssize_t n, double* acc, char* aux, Py_ssize_t seen) noexcept nogil:
    """Sum short blocks as floats, and their sums as doubles."""
    cdef float[LANES] lanes
    cdef double total = 0
    cdef Py_ssize_t i = 0, k, end
    while i + LANES <= n:
        for k in range(LANES):
            lanes[k] = bf16_to_float(x[i + k])
        end = i + min(<Py_ssize_t>BLOCK, (n - i) & ~<Py_ssize_t>(LANES - 1))
        i += LANES
        while i < end:
            for k in range(LANES):
                lanes[k] += bf16_to_float(x[i + k])
            i += LANES
        for k in range(32):
            lanes[k] += lanes[32 + k]
        total += folded(&lanes[0])
    if i < n:
        for k in range(16):
            lanes[k] = 0
        while i + 16 <= n:
            for k in range(16):
                lanes[k] += bf16_to_float(x[i + k])
            i += 16
        for k in range(n - i):
            lanes[k] += bf16_to_float(x[i + k])
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
            acc[k] += (bf16_to_float(a[k]) + bf16_to_float(b[k])) + (bf16_to_float(c[k]) + bf16_to_float(d[k]))
        i += 4
    while i < n:
        a = <const uint16_t*>(<const char*>x + i * step)
        for k in range(m):
            acc[k] += bf16_to_float(a[k])
        i += 1


SUMS = <size_t>&along, <size_t>&across
