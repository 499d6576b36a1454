"""Matrix products on memory, by NumPy's BLAS or, if that is not available, by the inner loop of ``np.matmul``."""
from flambeau_tensor._core.memory.types cimport *

# c[m, n] = alpha * a[m, k] @ b[k, n] + beta * c, for every index of the batch dimensions.
cdef struct Products:
    int dtype  # of c, and of a and b unless `brain`; any except float16, bfloat16 and bool
    bint brain  # a and b are bfloat16, c is float32; only if has_brain() returned True
    Py_ssize_t m, n, k
    char* a
    char* b
    char* c
    Py_ssize_t a_row, a_col, b_row, b_col, c_row  # strides in elements; columns of c are adjacent
    int nbatch  # batch dimensions
    Py_ssize_t[MAX_NDIM] batch_sizes, a_batch, b_batch, c_batch
    double[2] alpha, beta  # complex; 1 and 0 unless has_factors()
    Py_ssize_t batches, parts
    bint by_columns

# Changes strides of dimensions of size 1 to values that BLAS accepts. Returns False if the matrix must be copied first.
cdef bint fits(Py_ssize_t rows, Py_ssize_t cols, Py_ssize_t* row, Py_ssize_t* col) noexcept nogil
cdef bint has_factors(int dtype) noexcept nogil
# Return True if bfloat16 matrices of these sizes are multiplied without conversion, for alpha 1 and beta 0 or 1.
cdef bint has_brain(Py_ssize_t m, Py_ssize_t n, Py_ssize_t k) noexcept nogil
cdef int multiply(Products* p) except -1  # the caller keeps the tensors alive
cdef void multiply_here(Products* p) noexcept nogil  # one product on this thread; BLAS is held

# The function with this name, without prefix and suffix, in the library of BLAS, which also has LAPACK. NULL: none.
cdef void* symbol(str name) except? NULL
# Limit BLAS and LAPACK to one thread between these calls, for calls from threads of the pool.
cdef void hold() noexcept
cdef void release() noexcept
