"""Arguments of eager kernels that programs call."""
from flambeau_compile._geometry cimport Geometry

cdef class Spot:
    cdef int slot
    cdef Py_ssize_t start, nbytes
    cdef Geometry g
    cdef object tensor(self, char* memory, object owner)
    cdef object laid_out(self, object value)

cdef int multiply_matrices(int dtype, int add, Py_ssize_t m, Py_ssize_t n, Py_ssize_t k,
                           const char* a, const char* b, char* c, Py_ssize_t a_row, Py_ssize_t a_col,
                           Py_ssize_t b_row, Py_ssize_t b_col, Py_ssize_t c_row) noexcept with gil
