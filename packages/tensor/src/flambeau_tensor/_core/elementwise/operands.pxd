"""Broadcasting, promotion, and checks of results' memory."""
from cpython.object cimport PyObject

from flambeau_tensor._core.memory.tensor cimport Tensor

cdef int broadcast_shape(int n, PyObject** tensors, Py_ssize_t* shape) except -1  # skips NULL entries
cdef void broadcast_strides(Tensor t, int ndim, const Py_ssize_t* shape, Py_ssize_t* out) noexcept  # in bytes
cdef bint same_sizes(int ndim, const Py_ssize_t* a, const Py_ssize_t* b) noexcept
cdef int promote(int n, PyObject** slots, const int* fixed) except -1
cdef int check_cast(int source, int target) except -1
cdef int check_same_dtype(int source, int target) except -1
cdef int check_writable(str func, Tensor t) except -1
cdef bint result_strides(int n, PyObject** tensors, int ndim, const Py_ssize_t* shape, Py_ssize_t* out) noexcept
cdef bint lie_apart(Tensor a, Tensor b) noexcept  # judged by their storages alone
cdef int check_not_readonly(str func, Tensor t) except -1
cdef int check_overlap(Tensor out, Tensor t) except -1
cdef int warn_expanded(str func, Tensor t, str example) except -1
cdef int check_apart_wholly(Tensor out, Tensor t) except -1
cdef int check_apart(Tensor out, Tensor t) except -1
cdef int check_out_overlap(object out, int n, PyObject** slots) except -1
cdef bint interleaves(Tensor out, Tensor t) noexcept  # whether `t` has to be copied before it is read
cdef Tensor out_tensor(str func, object out, int dtype, int ndim, const Py_ssize_t* shape)  # resized and checked
