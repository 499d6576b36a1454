"""The interface of the reduction engine for other kernels, and the types that it shares with its hot loops."""
from cpython.object cimport PyObject

from flambeau_tensor._core.call.operator cimport Kernel
from flambeau_tensor._core.memory.tensor cimport Tensor
from flambeau_tensor._core.memory.types cimport NDTYPES

# For each result, a reduction stores an accumulator and optionally eight auxiliary bytes. Loops add elements to them.
# `seen` elements have been added already; if it is 0, the accumulators are uninitialized. All runs are contiguous, but
# the rows of `across_t` are `step` bytes apart. `params` points to the loop's own struct.
ctypedef void (*along_t)(void* params, const char* x, Py_ssize_t n, char* acc, char* aux,
                         Py_ssize_t seen) noexcept nogil
# n rows of m elements; element j of each row is added to accumulator j.
ctypedef void (*across_t)(void* params, const char* x, Py_ssize_t step, Py_ssize_t n, Py_ssize_t m, char* acc,
                          char* aux, Py_ssize_t seen) noexcept nogil
# Adds the m accumulators of another part, which has seen `more` later elements.
ctypedef void (*merge_t)(void* params, char* acc, char* aux, Py_ssize_t seen, const char* acc2, const char* aux2,
                         Py_ssize_t more, Py_ssize_t m) noexcept nogil

ctypedef unsigned long long mask_t
# Converts accumulators of `count` elements each to results, in place.
ctypedef void (*finish_t)(char* acc, char* aux, Py_ssize_t count, Py_ssize_t m, double p) noexcept nogil

cdef struct Entry:  # how to reduce tensors of one dtype
    along_t along
    across_t across
    merge_t merge
    finish_t finish
    int compute  # the dtype that the loops read
    int acc  # the dtype of the accumulators
    int result

cdef class Reduction(Kernel):
    cdef Entry[NDTYPES] entries
    cdef bint values, indices, each, default_float, finishes, skips_nan
    cdef int dim, keepdim, dtype, p  # slots of arguments; -1: none
    cdef object empty, fallback
    cdef str refusal
    cdef readonly str name

# The reduced dimensions, as bits; an absent or empty list means all dimensions, unless `none_given`.
cdef mask_t dim_mask(PyObject* dims, int ndim, bint none_given) except? 0
# `dtype`: the dtype of the reduced elements and of the result, or -1. `p` is passed to loops and finish.
cdef object reduce(Reduction r, str name, Tensor x, PyObject* dims, bint keepdim, int dtype, double p)
