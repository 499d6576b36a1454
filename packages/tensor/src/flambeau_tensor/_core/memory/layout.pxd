"""The order of elements in memory: strides of results, and memory formats."""
from cpython.object cimport PyObject

from flambeau_tensor._core.memory.tensor cimport Tensor

cdef enum:  # memory formats
    FORMAT_CONTIGUOUS = 0
    FORMAT_PRESERVE = 1
    FORMAT_CHANNELS_LAST = 2
    FORMAT_CHANNELS_LAST_3D = 3

# All strides are in elements.
cdef void follow_order(int n, Py_ssize_t** strides, int ndim, const Py_ssize_t* shape, Py_ssize_t* out) noexcept nogil
cdef void dense_strides(int ndim, const Py_ssize_t* sizes, const Py_ssize_t* strides, Py_ssize_t* out) noexcept nogil
cdef bint is_channels_last(int ndim, const Py_ssize_t* sizes, const Py_ssize_t* strides) noexcept nogil
cdef int suggested_format(int ndim, const Py_ssize_t* sizes, const Py_ssize_t* strides) noexcept nogil
cdef int format_strides(int format, int ndim, const Py_ssize_t* sizes, Py_ssize_t* out) except -1
cdef int read_format(str func, PyObject* slot) except -2  # -1 for None

# --- tensors
cdef Tensor empty_like(Tensor t, int dtype)  # keeps the order of dimensions
cdef Tensor empty_format(int dtype, int ndim, const Py_ssize_t* sizes, int format)  # uninitialized
cdef Tensor empty_as(Tensor t, int dtype, int format)  # -1 and FORMAT_PRESERVE: like empty_like
cdef int restride(Tensor t, const Py_ssize_t* strides) except -1  # both the old and the new geometry must be dense
