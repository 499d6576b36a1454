"""LAPACK on batches of matrices: a Call is set up once and run for each matrix."""
from cpython.object cimport PyObject

from flambeau_tensor._core.memory.tensor cimport Tensor
from flambeau_tensor._core.memory.types cimport *

ctypedef long long lapack_int  # of the 64-bit interface in NumPy's wheels

ctypedef void (*routine_t)(void** args) noexcept nogil

cdef enum:
    MOST_ARGS = 15
    BLOCKS = 256

cdef struct Call:
    void* function
    PyObject* instead  # a Python function, if NumPy's library lacks the routine
    routine_t own  # replaces the routine unless NULL
    void* args[MOST_ARGS]  # for the first matrix
    Py_ssize_t[MOST_ARGS] steps  # bytes to the argument for the next matrix; 0: shared
    Py_ssize_t[MOST_ARGS] scratch  # bytes of workspace per thread that replace the argument
    int nargs, dtype
    Py_ssize_t work  # the approximate number of multiplications per matrix
    bint failed

# Finds the routine with a name for a dtype; the complex routine may have another name.
cdef int begin(Call* call, str name, int dtype, str complex_name=*) except -1
cdef void add(Call* call, const void* argument, Py_ssize_t step=*) noexcept  # the next argument
cdef void add_scratch(Call* call, Py_ssize_t bytes) noexcept  # the next argument: workspace
cdef void add_workspace(Call* call, lapack_int* size) noexcept  # two arguments: workspace, its requested size
cdef int run(Call* call, Py_ssize_t count) except -1
# LU of one matrix, worthwhile from BLOCKS rows and columns. Returns False if LAPACK is not available.
cdef bint block_lu(int dtype, lapack_int m, lapack_int n, void* a, lapack_int* pivots, lapack_int* info) except -1

# Letters that routines take as options.
cdef const char* UPPER
cdef const char* LOWER
cdef const char* LEFT
cdef const char* RIGHT
cdef const char* AS_IS
cdef const char* TRANSPOSED
cdef const char* ADJOINT
cdef const char* YES
cdef const char* SOME
cdef const char* ALL
cdef const char* UNIT

# --- matrices -------------------------------------------------------------------------------------------------------
cdef Tensor empty_columns(int dtype, int nbatch, const Py_ssize_t* batch, Py_ssize_t rows, Py_ssize_t columns)
cdef Tensor in_columns(Tensor t, int nbatch=*, const Py_ssize_t* batch=*, bint transposed=*)  # a writable copy
cdef Tensor as_int32(Tensor t)
cdef Tensor matrix_transpose(Tensor t)
cdef Tensor zeros_of(int dtype, int ndim, const Py_ssize_t* sizes)
cdef Tensor zero_vectors(int dtype, Tensor a, Py_ssize_t n)
cdef Tensor identities(int dtype, int nbatch, const Py_ssize_t* batch, Py_ssize_t rows, Py_ssize_t columns)
cdef void set_one(char* at, int dtype) noexcept
cdef void clear_triangle(Tensor t, bint upper) noexcept
cdef Py_ssize_t matrix_bytes(Tensor t) noexcept
cdef Py_ssize_t count_matrices(Tensor t, int last=*) noexcept  # or other blocks of the `last` dimensions
cdef int check_matrices(str function, Tensor t, bint square, str name=*) except -1
cdef int check_dtype(str function, Tensor t, str kernel=*) except -1
cdef int check_kernel(str function, Tensor t) except -1
cdef int broadcast_batches(Tensor a, int a_last, Tensor b, int b_last, Py_ssize_t* batch) except -1
