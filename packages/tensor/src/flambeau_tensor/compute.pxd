"""What other compiled packages need to write kernels of their own: tensors' memory, fresh tensors, threads.

It goes with ``abi.pxd``: tensors are ``PyObject*`` and no layout crosses the border. Consumers start with

    from flambeau_tensor.compute import require
    require(COMPUTE_ABI, "my_package")

Nothing here checks that it gets tensors: an operator's slots hold what its schema says.
"""
from cpython.object cimport PyObject

cdef enum:
    COMPUTE_ABI = 2  # rises with every change of this file

cdef enum:  # Array.dtype
    D_BOOL = 0
    D_UINT8 = 1
    D_INT8 = 2
    D_INT16 = 3
    D_INT32 = 4
    D_INT64 = 5
    D_FLOAT16 = 6
    D_BFLOAT16 = 7
    D_FLOAT32 = 8
    D_FLOAT64 = 9
    D_COMPLEX64 = 10
    D_COMPLEX128 = 11

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

# --- work
ctypedef void (*range_task)(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil

# Runs task over [0, n) in ranges of at least `grain`, on the pool where that is worth it.
cdef void parallel_for(Py_ssize_t n, Py_ssize_t grain, range_task task, void* context) noexcept nogil
cdef int num_threads() noexcept nogil
