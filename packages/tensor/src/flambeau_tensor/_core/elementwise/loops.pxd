"""Inner loops, and running a loop over a strided space."""
from flambeau_tensor._core.memory.types cimport *

# NumPy's signature of inner loops, which our loops share.
ctypedef void (*loop_t)(char** args, const Py_ssize_t* dimensions, const Py_ssize_t* strides, void* data) noexcept nogil

cdef struct Space:
    loop_t loop
    void* data
    int nop
    int ndim  # outer dimensions
    Py_ssize_t inner
    Py_ssize_t[MAX_NDIM] sizes
    Py_ssize_t[MAX_OPERANDS][MAX_NDIM] strides  # of the outer dimensions, in bytes
    Py_ssize_t[MAX_OPERANDS] inner_strides
    char* ptrs[MAX_OPERANDS]
    bint converting
    bint constant  # all elements of a row have the same operands
    int[MAX_OPERANDS] have
    int[MAX_OPERANDS] want

# Orders dimensions by the result's strides, merges dimensions if possible, and returns the number of elements.
cdef Py_ssize_t prepare(Space* s, int nop, int ndim, const Py_ssize_t* sizes, Py_ssize_t** strides) noexcept nogil

cdef int run_loop(loop_t loop, void* data, int nop, char** ptrs, int* have, int* want, int ndim,
                  const Py_ssize_t* sizes, Py_ssize_t** strides, bint pure=*) except -1
