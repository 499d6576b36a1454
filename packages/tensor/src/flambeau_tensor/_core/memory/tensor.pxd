"""The Tensor's layout and the functions that create tensors. Private to this package; other packages use ``abi``."""
from cpython.object cimport PyObject, PyTypeObject

from flambeau_tensor._core.memory.storage cimport Storage
from flambeau_tensor._core.memory.types cimport *

cdef class Tensor:
    cdef Storage storage
    cdef char* data  # address of the first element
    cdef Py_ssize_t numel
    cdef Py_ssize_t* sizes  # both point into inline_dims, or to one malloc'ed block
    cdef Py_ssize_t* strides  # in elements
    cdef int ndim
    cdef int dtype
    cdef unsigned int flags
    cdef int output_nr  # the index among the outputs of grad_fn
    cdef Tensor base  # the tensor that this one is a view of; it is never a view itself
    cdef object grad_fn  # for the autograd package: node, accumulated gradient, and rare data
    cdef object grad
    cdef object meta
    cdef PyObject* accumulator  # released to its owner when the tensor is freed
    cdef Py_ssize_t view_version  # of a view: the storage's version when grad_fn was created
    cdef Py_ssize_t[2 * INLINE_NDIM] inline_dims
    cdef object __weakref__
    cdef PyObject* attributes  # `__dict__`, created on first use

cdef PyTypeObject* TensorType
cdef PyTypeObject* PlainType  # a subclass that all calls treat like Tensor; TensorType if there is none
cdef type SizeType

# --- making tensors -------------------------------------------------------------------------------------------------
cdef Tensor empty(int dtype, int ndim, const Py_ssize_t* sizes)  # contiguous, uninitialized
cdef Tensor empty_strided(int dtype, int ndim, const Py_ssize_t* sizes, const Py_ssize_t* strides)
cpdef int check_read(Tensor t, str what) except -1
cdef Tensor new_tensor()  # an empty object; elsewhere, Tensor.__new__ is torch.Tensor(...)
cdef Tensor view_of(Tensor t, int ndim, const Py_ssize_t* sizes, const Py_ssize_t* strides, char* data)
cdef Tensor alias_of(Tensor t)  # a view with the same geometry
cdef Tensor detached(Tensor t)  # shares elements and version counter, has no history, is not a view
cdef Tensor scalar_tensor(object number, int dtype)
cdef Tensor as_subclass(Tensor t, PyTypeObject* cls)
cdef Tensor result_of(Tensor t, PyTypeObject* cls)  # as_subclass for a new result
cdef int resize(Tensor t, int ndim, const Py_ssize_t* sizes) except -1

# --- geometry -------------------------------------------------------------------------------------------------------
cdef int set_geometry(Tensor t, int ndim, const Py_ssize_t* sizes, const Py_ssize_t* strides) except -1
cdef Py_ssize_t count_elements(int ndim, const Py_ssize_t* sizes) except -1
cdef Py_ssize_t count_bytes(int ndim, const Py_ssize_t* sizes, const Py_ssize_t* strides, Py_ssize_t offset,
                            int dtype) except -1
cdef void contiguous_strides(int ndim, const Py_ssize_t* sizes, Py_ssize_t* strides) noexcept nogil
cdef bint is_dense(Tensor t) noexcept  # without overlaps and gaps, in some order of dimensions
cdef int wrap_dim(Py_ssize_t dim, int ndim) except -1
cdef object size_tuple(int ndim, const Py_ssize_t* sizes)
cdef object plain_tuple(int n, const Py_ssize_t* values)
cdef int read_ints(PyObject* obj, Py_ssize_t* out, int most, const char* func, const char* name) except -1
cdef str shape_str(int ndim, const Py_ssize_t* sizes)

cdef inline bint is_plain(PyObject* o) noexcept:
    return o.ob_type == TensorType or o.ob_type == PlainType

cdef inline bint same_shape(Tensor a, Tensor b) noexcept:
    cdef int i
    if a.ndim != b.ndim:
        return False
    for i in range(a.ndim):
        if a.sizes[i] != b.sizes[i]:
            return False
    return True

cdef Py_ssize_t offset_of(Tensor t) noexcept  # in elements

cdef inline unsigned int grad_flags(Tensor t) noexcept:
    """Return the flags; a view also has those that say that its base has come to require grad or to have a tangent."""
    return t.flags if t.base is None else t.flags | (t.base.flags & (REQUIRES_GRAD | LAYERED))
