"""DType objects and the promotion table."""
from flambeau_tensor._core.memory.types cimport NDTYPES

cdef class DType:
    cdef readonly int id
    cdef readonly int category
    cdef readonly Py_ssize_t itemsize
    cdef readonly str name

cdef int[NDTYPES] ITEMSIZE
cdef int[NDTYPES] CATEGORY
cdef int[NDTYPES] NPY_TYPE  # NumPy's type number; bfloat16 and complex32 have none, and -1
cdef int[NDTYPES][NDTYPES] PROMOTED  # -1: they do not promote

cdef int refuse_promotion(int a, int b) except -1  # raises

cdef inline int promoted(int a, int b) except -1:
    """The dtype that two dtypes promote to."""
    return PROMOTED[a][b] if PROMOTED[a][b] >= 0 else refuse_promotion(a, b)


cdef DType dtype_object(int id)
cpdef str type_name(DType dtype)  # in errors: "Float"
cdef int family(int dtype) noexcept  # one of F_…, by which declarations name the dtypes that kernels take
cdef int dtype_from_npy(int npy_type) except -1
cdef int default_dtype() noexcept nogil
cdef int default_complex() noexcept nogil
cdef int complex_of(int dtype) noexcept nogil  # of the same precision
cdef int real_of(int dtype) noexcept nogil
