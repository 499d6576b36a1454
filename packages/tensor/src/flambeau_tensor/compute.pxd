"""What other compiled packages need to write kernels of their own: memory, loops, products, threads.

It goes with ``abi.pxd``: tensors are ``PyObject*`` and no layout crosses the border. Consumers start with

    from flambeau_tensor.compute import require
    require(COMPUTE_ABI, "my_package")

Nothing here checks that it gets tensors: an operator's slots hold what its schema says.
"""
from cpython.object cimport PyObject

cdef enum:
    COMPUTE_ABI = 5  # rises with every change of this file

cdef enum:  # Array.dtype
    D_BOOL = 0
    D_UINT8 = 1
    D_INT8 = 2
    D_INT16 = 3
    D_INT32 = 4
    D_INT64 = 5
    D_UINT16 = 6
    D_UINT32 = 7
    D_UINT64 = 8
    D_FLOAT16 = 9
    D_BFLOAT16 = 10
    D_FLOAT32 = 11
    D_FLOAT64 = 12
    D_COMPLEX32 = 13
    D_COMPLEX64 = 14
    D_COMPLEX128 = 15

cdef struct Array:  # where a tensor's elements are; valid until the tensor is changed or goes
    char* data
    Py_ssize_t numel
    const Py_ssize_t* sizes
    const Py_ssize_t* strides  # in elements
    int ndim
    int dtype
    bint contiguous  # and no conjugate or negative view

# --- memory
cdef void array_of(PyObject* tensor, Array* out) noexcept
cdef object dense(PyObject* tensor, int dtype, Array* out)  # contiguous and of this dtype: itself, or a copy to keep
cdef object fresh(int dtype, int ndim, const Py_ssize_t* sizes, Array* out)  # contiguous, uninitialised
cdef object fresh_like(PyObject* tensor, int dtype, Array* out)  # contiguous, of the same sizes
cdef object converted(object tensor, int dtype)  # itself where it has the dtype
cdef object in_format_of(object result, PyObject* tensor)  # `result` in the memory format that `tensor` lies in
cdef object permuted(PyObject* tensor, const int* order)  # a view, its dimensions in another order
cdef Py_ssize_t itemsize(int dtype) noexcept nogil
cdef int default_float() noexcept nogil
cdef int begin_write(PyObject* tensor, str function) except -1  # refuses read-only memory
cdef void written(PyObject* tensor) noexcept  # bumps the version

# --- arguments
cdef int read_ints(PyObject* slot, Py_ssize_t* out, int most, str function, str name) except -1
cdef double read_float(PyObject* slot) except? -1e300
cdef int wrap_dim(Py_ssize_t dim, int ndim) except -1
cdef str shape_text(int ndim, const Py_ssize_t* sizes)  # "[2, 3]"

# --- loops over elements
# NumPy's signature: the operands' addresses, how many elements, and the operands' steps in bytes; the result last.
ctypedef void (*inner_loop)(char** args, const Py_ssize_t* n, const Py_ssize_t* steps, void* data) noexcept nogil

# A fresh tensor of dtype `result`: the loop over `nin` tensors, which are broadcast. It reads and writes elements of
# dtype `compute`; what has another dtype is converted in blocks. The result lies as the operands do. Large ones run on
# the pool.
cdef object elementwise(int nin, PyObject** tensors, int compute, int result, inner_loop loop, void* data)
# n elements of one dtype as those of another; steps in bytes.
cdef void convert(int source_dtype, const char* source, Py_ssize_t source_step, int target_dtype, char* target,
                  Py_ssize_t target_step, Py_ssize_t n) noexcept nogil

# --- products of matrices
cdef struct Product:  # c[m, n] = a[m, k] @ b[k, n], or c += a @ b; `count` of them, which may run at the same time
    int dtype  # anything but float16, bfloat16 and bool
    bint add
    Py_ssize_t m, n, k
    const char* a
    const char* b
    char* c
    Py_ssize_t a_row, a_col, b_row, b_col, c_row  # strides in elements: of a and b one is 1; c's columns are adjacent
    Py_ssize_t count, a_step, b_step, c_step  # elements from one product to the next

cdef int multiply(const Product* p) except -1  # with the GIL; by BLAS, and on the pool where that is worth it
# One product, c = a @ b, by the calling thread alone, such as one of the pool's. BLAS is held to one thread meanwhile:
# between the two calls after it, which are made with the GIL.
cdef void multiply_here(const Product* p) noexcept nogil
cdef void hold_blas() noexcept
cdef void release_blas() noexcept

# --- work
ctypedef void (*range_task)(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil

# Runs task over [0, n) in ranges of at least `grain`, on the pool where that is worth it.
cdef void parallel_for(Py_ssize_t n, Py_ssize_t grain, range_task task, void* context) noexcept nogil
cdef int num_threads() noexcept nogil
