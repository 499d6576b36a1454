"""The engine of reductions as other kernels use it, and what it and its hot loops agree on."""
from cpython.object cimport PyObject

from flambeau_tensor._core.call.operator cimport Kernel
from flambeau_tensor._core.memory.tensor cimport Tensor
from flambeau_tensor._core.memory.types cimport NDTYPES

# A reduction keeps, for each result, an accumulator and perhaps an auxiliary of eight bytes beside it. Loops add
# elements to these; `seen` elements are in them already (0: they are uninitialised). All runs are contiguous, except
# that the rows of `across_t` lie `step` bytes apart. `params` is the loop's own struct.
ctypedef void (*along_t)(void* params, const char* x, Py_ssize_t n, char* acc, char* aux,
                         Py_ssize_t seen) noexcept nogil
# n rows of m elements: each row adds one element to each of m accumulators.
ctypedef void (*across_t)(void* params, const char* x, Py_ssize_t step, Py_ssize_t n, Py_ssize_t m, char* acc,
                          char* aux, Py_ssize_t seen) noexcept nogil
# Adds m accumulators of another part, which saw `more` elements after these.
ctypedef void (*merge_t)(void* params, char* acc, char* aux, Py_ssize_t seen, const char* acc2, const char* aux2,
                         Py_ssize_t more, Py_ssize_t m) noexcept nogil

ctypedef unsigned long long mask_t
# From accumulators of `count` elements each to results, in place.
ctypedef void (*finish_t)(char* acc, char* aux, Py_ssize_t count, Py_ssize_t m, double p) noexcept nogil

cdef struct Entry:  # how tensors of one dtype are reduced
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
    cdef int dim, keepdim, dtype, p  # slots of arguments, or -1
    cdef object empty, fallback
    cdef str refusal
    cdef readonly str name

# The dimensions that go, as bits; an absent or empty list is all of them unless `none_given`.
cdef mask_t dim_mask(PyObject* dims, int ndim, bint none_given) except? 0
# `dtype`: of the elements as they are reduced and of the result, or -1; `p` goes to loops and finish.
cdef object reduce(Reduction r, str name, Tensor x, PyObject* dims, bint keepdim, int dtype, double p)
