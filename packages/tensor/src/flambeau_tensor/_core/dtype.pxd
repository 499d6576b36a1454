"""DType objects and the promotion table."""
from flambeau_tensor._core.types cimport NDTYPES

cdef class DType:
    cdef readonly int id
    cdef readonly int category
    cdef readonly Py_ssize_t itemsize
    cdef readonly str name

cdef int[NDTYPES] ITEMSIZE
cdef int[NDTYPES] CATEGORY
cdef int[NDTYPES][NDTYPES] PROMOTED
cdef int[NDTYPES] NPY_TYPE  # NumPy's type number; bfloat16 has none and shows as uint16

cdef DType dtype_object(int id)
cpdef str type_name(DType dtype)  # in errors: "Float"
cdef int dtype_from_npy(int npy_type) except -1
cdef int default_dtype() noexcept nogil
cdef int default_complex() noexcept nogil
