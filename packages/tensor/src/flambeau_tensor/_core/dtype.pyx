# cython: language_level=3
"""The twelve element types, their names and how they promote.

Promotion follows PyTorch's lattice (bool < integers < floats < complex numbers; uint8 with a signed
type goes to the next wider signed one; float16 with bfloat16 to float32).
"""
cimport numpy as cnp

from flambeau_tensor._core.types cimport *

cdef int _default = FLOAT32

_ROWS = (
    # name, itemsize, category, NumPy's type number
    ("bool", 1, CAT_BOOL, cnp.NPY_BOOL),
    ("uint8", 1, CAT_INT, cnp.NPY_UINT8),
    ("int8", 1, CAT_INT, cnp.NPY_INT8),
    ("int16", 2, CAT_INT, cnp.NPY_INT16),
    ("int32", 4, CAT_INT, cnp.NPY_INT32),
    ("int64", 8, CAT_INT, cnp.NPY_INT64),
    ("float16", 2, CAT_FLOAT, cnp.NPY_FLOAT16),
    ("bfloat16", 2, CAT_FLOAT, cnp.NPY_UINT16),
    ("float32", 4, CAT_FLOAT, cnp.NPY_FLOAT32),
    ("float64", 8, CAT_FLOAT, cnp.NPY_FLOAT64),
    ("complex64", 8, CAT_COMPLEX, cnp.NPY_COMPLEX64),
    ("complex128", 16, CAT_COMPLEX, cnp.NPY_COMPLEX128),
)


cdef class DType:
    """An element type, such as ``torch.float32``. There is one object for each; compare with ``is`` or ``==``."""

    def __init__(self):
        raise TypeError("cannot create 'torch.dtype' instances")

    def __repr__(self):
        return "torch." + self.name

    def __reduce__(self):
        return _dtype_by_name, (self.name,)

    def __hash__(self):
        return self.id

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    @property
    def is_floating_point(self):
        return self.category == CAT_FLOAT

    @property
    def is_complex(self):
        return self.category == CAT_COMPLEX

    @property
    def is_signed(self):
        return self.id != BOOL and self.id != UINT8

    def to_complex(self):
        """The complex dtype of the same precision."""
        return dtype_object(COMPLEX128 if self.itemsize == 8 or self.id == COMPLEX128 else COMPLEX64)

    def to_real(self):
        """The dtype of the real part."""
        if self.id == COMPLEX64:
            return dtype_object(FLOAT32)
        return dtype_object(FLOAT64) if self.id == COMPLEX128 else self


cdef list _objects = []
cdef dict _by_name = {}


def _dtype_by_name(str name):
    return _by_name[name]


def _make():
    cdef DType d
    cdef int i, j
    for i, (name, itemsize, category, npy) in enumerate(_ROWS):
        d = DType.__new__(DType)
        d.id, d.name, d.itemsize, d.category = i, name, itemsize, category
        ITEMSIZE[i], CATEGORY[i], NPY_TYPE[i] = itemsize, category, npy
        _objects.append(d)
        _by_name[name] = d
    for i in range(NDTYPES):
        for j in range(NDTYPES):
            PROMOTED[i][j] = _promote(i, j)


cdef int _promote(int a, int b):
    cdef int lo = min(a, b), hi = max(a, b)
    if a == b:
        return a
    if CATEGORY[hi] == CAT_COMPLEX:  # complex128 as soon as either side has double precision
        return COMPLEX128 if hi == COMPLEX128 or lo == FLOAT64 else COMPLEX64
    if CATEGORY[hi] == CAT_FLOAT:
        return FLOAT32 if lo == FLOAT16 and hi == BFLOAT16 else hi
    if lo == UINT8:
        return INT16 if hi == INT8 else hi
    return hi


_make()


cdef DType dtype_object(int id):
    return <DType>_objects[id]


cdef int dtype_from_npy(int npy_type) except -1:
    cdef int i
    for i in range(NDTYPES):
        if NPY_TYPE[i] == npy_type and i != BFLOAT16:
            return i
    if npy_type == cnp.NPY_LONGLONG:
        return INT64
    if npy_type == cnp.NPY_INT or npy_type == cnp.NPY_LONG:
        return INT32 if npy_type == cnp.NPY_INT else INT64
    raise TypeError(
        f"can't convert np.ndarray of type {cnp.PyArray_DescrFromType(npy_type)}. The only supported types are: "
        "float64, float32, float16, complex64, complex128, int64, int32, int16, int8, uint8, and bool."
    )


cdef int default_dtype() noexcept nogil:
    return _default


cdef int default_complex() noexcept nogil:
    return COMPLEX128 if _default == FLOAT64 else COMPLEX64


def get_default_dtype():
    """The dtype that floating point results of Python numbers and integers get."""
    return dtype_object(_default)


def set_default_dtype(DType d not None):
    """Set the default floating point dtype (float16, bfloat16, float32 or float64)."""
    global _default
    if d.category != CAT_FLOAT:
        raise TypeError(f"only floating-point types are supported as the default type, but got {d!r}")
    _default = d.id


def promote_types(DType type1 not None, DType type2 not None):
    """The smallest dtype that both promote to."""
    return dtype_object(PROMOTED[type1.id][type2.id])


def can_cast(DType from_ not None, DType to not None):
    """Whether PyTorch's casting rules allow ``from_`` to be stored into ``to``."""
    return _can_cast(from_.id, to.id)


cdef bint _can_cast(int a, int b) noexcept:
    return CATEGORY[a] <= CATEGORY[b]


cdef dict _TYPE_NAMES = {
    BOOL: "Bool", UINT8: "Byte", INT8: "Char", INT16: "Short", INT32: "Int", INT64: "Long", FLOAT16: "Half",
    BFLOAT16: "BFloat16", FLOAT32: "Float", FLOAT64: "Double", COMPLEX64: "ComplexFloat", COMPLEX128: "ComplexDouble",
}


cpdef str type_name(DType dtype):
    """PyTorch's long-standing name of a dtype in error messages, such as ``Float``."""
    return _TYPE_NAMES[dtype.id]


_C_NAMES = ("bool", "unsigned char", "signed char", "short int", "int", "long int", "c10::Half", "c10::BFloat16",
            "float", "double", "c10::complex<float>", "c10::complex<double>")


def c_type_name(int dtype):
    """The C++ type of a dtype's elements as PyTorch's messages spell it, such as ``short int``."""
    return _C_NAMES[dtype]


def all_dtypes():
    """Every dtype, in order of their numbers."""
    return tuple(_objects)


def numpy_dtype(DType d not None):
    """The NumPy dtype of the same elements (bfloat16 has none)."""
    if d.id == BFLOAT16:
        raise TypeError("Got unsupported ScalarType BFloat16")
    return cnp.PyArray_DescrFromType(NPY_TYPE[d.id])


cnp.import_array()
