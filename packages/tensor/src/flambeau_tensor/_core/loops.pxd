"""Inner loops, and running one over a strided space."""
from flambeau_tensor._core.types cimport *

# NumPy's signature of inner loops; ours have the same.
ctypedef void (*loop_t)(char** args, const Py_ssize_t* dimensions, const Py_ssize_t* strides, void* data) noexcept nogil

cdef enum:
    GIL_FREE = 20000  # elements from which the GIL is released

cdef int run_loop(loop_t loop, void* data, int nop, char** ptrs, int* have, int* want, int ndim,
                  const Py_ssize_t* sizes, Py_ssize_t** strides) except -1
