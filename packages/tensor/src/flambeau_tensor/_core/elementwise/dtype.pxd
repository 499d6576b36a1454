"""DType objects and the promotion table."""
from flambeau_tensor._core.memory.types cimport NDTYPES

cdef class DType:
    cdef readonly int id
    cdef readonly int category
    cdef readonly Py_ssize_t itemsize
    cdef readonly str name

cdef int[NDTYPES] ITEMSIZE
cdef int[NDTYPES] CATEGORY
cdef int[NDTYPES] NPY_TYPE  # NumPy's type number; -1 for bfloat16 and complex32, which NumPy lacks
cdef int[NDTYPES][NDTYPES] PROMOTED  # -1: no promotion

cdef int refuse_promotion(int a, int b) except -1  # always raises

cdef inline int promoted(int a, int b) except -1:
    """Return the dtype to which two dtypes promote."""
    return PROMOTED[a][b] if PROMOTED[a][b] >= 0 else refuse_promotion(a, b)


cdef DType dtype_object(int id)
cpdef str type_name(DType dtype)  # the name in errors: "Float"
cdef int family(int dtype) noexcept  # one of F_…, with which declarations list the dtypes of a kernel
cdef int dtype_from_npy(int npy_type) except -1
cdef int default_dtype() noexcept nogil
cdef int default_complex() noexcept nogil
cdef int complex_of(int dtype) noexcept nogil  # with the same precision
cdef int real_of(int dtype) noexcept nogil
