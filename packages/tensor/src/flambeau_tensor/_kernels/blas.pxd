"""Matrix products on memory: NumPy's BLAS where it can be reached, else the inner loop of ``np.matmul``."""
from flambeau_tensor._core.memory.types cimport *

# c[m, n] = alpha * a[m, k] @ b[k, n] + beta * c, for every index of the batch dimensions.
cdef struct Products:
    int dtype  # of c, and of a and b unless `brain`; anything but float16, bfloat16 and bool
    bint brain  # a and b are bfloat16, c is float32; only where has_brain() says so
    Py_ssize_t m, n, k
    char* a
    char* b
    char* c
    Py_ssize_t a_row, a_col, b_row, b_col, c_row  # strides in elements; c's columns are adjacent
    int nbatch  # batch dimensions
    Py_ssize_t[MAX_NDIM] batch_sizes, a_batch, b_batch, c_batch
    double[2] alpha, beta  # complex; only where has_factors() says so, else 1 and 0
    Py_ssize_t batches, parts
    bint by_columns

# Gives strides of dimensions of size 1 values that BLAS takes; False: the matrix has to be copied first.
cdef bint fits(Py_ssize_t rows, Py_ssize_t cols, Py_ssize_t* row, Py_ssize_t* col) noexcept nogil
cdef bint has_factors(int dtype) noexcept nogil
# Whether bfloat16 matrices of these sizes are multiplied as such, with factors alpha 1 and beta 0 or 1.
cdef bint has_brain(Py_ssize_t m, Py_ssize_t n, Py_ssize_t k) noexcept nogil
cdef int multiply(Products* p) except -1  # holds no tensors: the caller keeps them alive
cdef void multiply_here(Products* p) noexcept nogil  # one product, by this thread; BLAS is held

# The function of that name, without prefix and suffix, in the BLAS's library, which has LAPACK, too; NULL: none.
cdef void* symbol(str name) except? NULL
# BLAS and LAPACK use one thread from here to there, where the calls stand on threads of the pool.
cdef void hold() noexcept
cdef void release() noexcept
