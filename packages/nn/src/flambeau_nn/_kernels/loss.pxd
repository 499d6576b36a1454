"""Helpers shared by losses: the reduction, and sums of elements."""
from cpython.object cimport PyObject

cdef enum:  # reductions
    NONE = 0
    MEAN = 1
    SUM = 2

cdef int reduction_of(PyObject* slot) except -1
cdef double sum_of(const void* x, Py_ssize_t n, int dtype) noexcept nogil  # sums float32 or float64 in double
