"""What losses share: how they are reduced, and the sum of what they are."""
from cpython.object cimport PyObject

cdef enum:  # reductions
    NONE = 0
    MEAN = 1
    SUM = 2

cdef int reduction_of(PyObject* slot) except -1
cdef double sum_of(const void* x, Py_ssize_t n, int dtype) noexcept nogil  # of float32 or float64, in double
