"""The interface for other compiled packages that define kernels: memory, loops, products, threads.

It complements ``abi.pxd``: tensors are ``PyObject*``, and no layout is shared between packages. Consumers start with

    from flambeau_tensor.compute import require
    require(COMPUTE_ABI, "my_package")

The functions do not check that they receive tensors, since the schema determines the contents of an operator's slots.
"""
from cpython.object cimport PyObject

cdef enum:
    COMPUTE_ABI = 5  # increases with every change of this file

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

cdef struct Array:  # the elements of a tensor; valid until the tensor is changed or freed
    char* data
    Py_ssize_t numel
    const Py_ssize_t* sizes
    const Py_ssize_t* strides  # in elements
    int ndim
    int dtype
    bint contiguous  # and not a conjugate or negative view

# --- memory
cdef void array_of(PyObject* tensor, Array* out) noexcept
cdef object dense(PyObject* tensor, int dtype, Array* out)  # contiguous with this dtype: itself, or a copy to keep
cdef object fresh(int dtype, int ndim, const Py_ssize_t* sizes, Array* out)  # contiguous, uninitialized
cdef object fresh_like(PyObject* tensor, int dtype, Array* out)  # contiguous, with the same sizes
cdef object converted(object tensor, int dtype)  # itself if it has the dtype
cdef object in_format_of(object result, PyObject* tensor)  # `result` in the memory format of `tensor`
cdef object permuted(PyObject* tensor, const int* order)  # a view with permuted dimensions
cdef Py_ssize_t itemsize(int dtype) noexcept nogil
cdef int default_float() noexcept nogil
cdef int begin_write(PyObject* tensor, str function) except -1  # raises for read-only memory
cdef void written(PyObject* tensor) noexcept  # increments the version

# --- arguments
cdef int read_ints(PyObject* slot, Py_ssize_t* out, int most, str function, str name) except -1
cdef double read_float(PyObject* slot) except? -1e300
cdef int wrap_dim(Py_ssize_t dim, int ndim) except -1
cdef str shape_text(int ndim, const Py_ssize_t* sizes)  # "[2, 3]"

# --- loops over elements
# NumPy's signature: addresses of operands, number of elements, and steps in bytes; the result comes last.
ctypedef void (*inner_loop)(char** args, const Py_ssize_t* n, const Py_ssize_t* steps, void* data) noexcept nogil

# Runs the loop over `nin` broadcast tensors and returns a new tensor with dtype `result`. The loop reads and writes
# elements of dtype `compute`; others are converted in blocks. The result has the operands' layout. Large tensors use
# the thread pool.
cdef object elementwise(int nin, PyObject** tensors, int compute, int result, inner_loop loop, void* data)
# Converts n elements from one dtype to another; steps in bytes.
cdef void convert(int source_dtype, const char* source, Py_ssize_t source_step, int target_dtype, char* target,
                  Py_ssize_t target_step, Py_ssize_t n) noexcept nogil

# --- matrix products
cdef struct Product:  # c[m, n] = a[m, k] @ b[k, n], or c += a @ b; `count` products, perhaps in parallel
    int dtype  # any except float16, bfloat16 and bool
    bint add
    Py_ssize_t m, n, k
    const char* a
    const char* b
    char* c
    Py_ssize_t a_row, a_col, b_row, b_col, c_row  # strides in elements; a and b have a stride of 1, as do c's columns
    Py_ssize_t count, a_step, b_step, c_step  # elements between successive products

cdef int multiply(const Product* p) except -1  # needs the GIL; uses BLAS, and the pool if worthwhile
# One product, ignoring `count`, on the calling thread, which may be a thread of the pool. Between the two calls below,
# which need the GIL, BLAS is limited to one thread.
cdef void multiply_here(const Product* p) noexcept nogil
cdef void hold_blas() noexcept
cdef void release_blas() noexcept

# --- work
ctypedef void (*range_task)(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil

# Runs task over [0, n) in ranges of at least `grain` elements, on the pool if that is worthwhile.
cdef void parallel_for(Py_ssize_t n, Py_ssize_t grain, range_task task, void* context) noexcept nogil
cdef int num_threads() noexcept nogil
