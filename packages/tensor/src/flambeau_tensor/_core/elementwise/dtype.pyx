# cython: language_level=3
"""The sixteen element types, the names of PyTorch's other types, and type promotion.

Promotion follows PyTorch's lattice: bool < integers < floats < complex numbers; uint8 with a signed type promotes to
the next wider signed type, float16 with bfloat16 to float32. The wider unsigned types promote with floats only.
"""
cimport numpy as cnp

from cpython.object cimport PyTypeObject

from flambeau_tensor._core.memory.type_slots cimport FullType
from flambeau_tensor._core.memory.types cimport *

cdef extern from "Python.h":
    void PyType_Modified(PyTypeObject*)

cdef int _default = FLOAT32

_ROWS = (
    # name, itemsize, category, NumPy's type number
    ("bool", 1, CAT_BOOL, cnp.NPY_BOOL),
    ("uint8", 1, CAT_INT, cnp.NPY_UINT8),
    ("int8", 1, CAT_INT, cnp.NPY_INT8),
    ("int16", 2, CAT_INT, cnp.NPY_INT16),
    ("int32", 4, CAT_INT, cnp.NPY_INT32),
    ("int64", 8, CAT_INT, cnp.NPY_INT64),
    ("uint16", 2, CAT_INT, cnp.NPY_UINT16),
    ("uint32", 4, CAT_INT, cnp.NPY_UINT32),
    ("uint64", 8, CAT_INT, cnp.NPY_UINT64),
    ("float16", 2, CAT_FLOAT, cnp.NPY_FLOAT16),
    ("bfloat16", 2, CAT_FLOAT, -1),
    ("float32", 4, CAT_FLOAT, cnp.NPY_FLOAT32),
    ("float64", 8, CAT_FLOAT, cnp.NPY_FLOAT64),
    ("complex32", 4, CAT_COMPLEX, -1),
    ("complex64", 8, CAT_COMPLEX, cnp.NPY_COMPLEX64),
    ("complex128", 16, CAT_COMPLEX, cnp.NPY_COMPLEX128),
)


cdef class DType:
    """An element type, such as ``torch.float32``. Each is a single object; compare with ``is`` or ``==``.

    Raises:
        TypeError: the class is called; only the named dtypes exist.

    >>> torch.ones(1).dtype, torch.float32.itemsize, torch.float32.is_floating_point
    (torch.float32, 4, True)
    """

    def __init__(self):
        raise TypeError("cannot create 'torch.dtype' instances")

    def __repr__(self):
        return "torch." + self.name

    def __reduce__(self):
        return self.name  # found in the module of the class, which has all dtypes

    @property
    def __module__(self):
        return type(self).__module__

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
        return self.id != BOOL and self.id != UINT8 and not UINT16 <= self.id <= UINT64

    def to_complex(self):
        """Return the complex dtype of the same precision."""
        if self.category == CAT_COMPLEX:
            return self
        if self.category != CAT_FLOAT:
            raise RuntimeError(f"Unknown Complex ScalarType for {type_name(self)}")
        return dtype_object(complex_of(self.id))

    def to_real(self):
        """Return the dtype of the real part."""
        return dtype_object(real_of(self.id))


cdef class NamedDType(DType):
    """A dtype of PyTorch that no tensor can have here. Programs compare with it or keep it in tables.

    Operators reject it; other code that reads its number treats it as bytes.
    """

    @property
    def is_floating_point(self):
        return self.name.startswith("float")

    @property
    def is_signed(self):
        if self.name.startswith(("q", "b")):
            raise RuntimeError("isSignedType not supported for quantized types" if "q" in self.name else
                               "Bits types are undefined")
        return self.name.startswith(("int", "float")) and self.name != "float8_e8m0fnu"

    def to_complex(self):
        raise RuntimeError(f"Unknown Complex ScalarType for {self.name.capitalize()}")

    def to_real(self):
        return self


(<FullType*>NamedDType).tp_name = "flambeau_tensor.dtype"
(<FullType*>DType).tp_name = "flambeau_tensor.dtype"  # programs see the type under PyTorch's name
PyType_Modified(<PyTypeObject*>DType)
PyType_Modified(<PyTypeObject*>NamedDType)

_NAMED = (
    "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu", "float4_e2m1fn_x2",
    *(f"{sign}int{bits}" for sign in ("u", "") for bits in range(1, 8)),
    "qint8", "quint8", "qint32", "quint4x2", "quint2x4", "bits1x8", "bits2x4", "bits4x2", "bits8", "bits16",
)

cdef list _objects = []
cdef list _named = []
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
    for name in _NAMED:
        d = NamedDType.__new__(NamedDType)
        d.id, d.name, d.category = UINT8, name, CAT_INT
        d.itemsize = 4 if name == "qint32" else 2 if name == "bits16" else 1
        _named.append(d)
        _by_name[name] = d
    for i in range(NDTYPES):
        for j in range(NDTYPES):
            PROMOTED[i][j] = _promote(i, j)


cdef int complex_of(int d) noexcept nogil:
    return d if CATEGORY[d] == CAT_COMPLEX else COMPLEX32 if d == FLOAT16 else COMPLEX128 if d == FLOAT64 else COMPLEX64


cdef int real_of(int d) noexcept nogil:
    return FLOAT16 if d == COMPLEX32 else FLOAT32 if d == COMPLEX64 else FLOAT64 if d == COMPLEX128 else d


cdef int _promote(int a, int b):
    cdef int lo = min(a, b), hi = max(a, b)
    if a == b:
        return a
    if UINT16 <= lo <= UINT64 or UINT16 <= hi <= UINT64:
        return hi if CATEGORY[hi] == CAT_FLOAT else -1
    if CATEGORY[hi] == CAT_COMPLEX:  # with the higher of the two precisions
        return max(hi, complex_of(lo)) if CATEGORY[lo] >= CAT_FLOAT else hi
    if CATEGORY[hi] == CAT_FLOAT:
        return FLOAT32 if lo == FLOAT16 and hi == BFLOAT16 else hi
    if lo == UINT8:
        return INT16 if hi == INT8 else hi
    return hi


_make()


cdef int refuse_promotion(int a, int b) except -1:
    raise RuntimeError("Promotion for uint16, uint32, uint64 types is not supported, attempted to promote "
                       f"{type_name(dtype_object(a))} and {type_name(dtype_object(b))}")


cdef int family(int dtype) noexcept:
    if UINT16 <= dtype <= UINT64:
        return F_UNSIGNED
    if dtype == COMPLEX32:
        return F_HALF_COMPLEX
    cdef int category = CATEGORY[dtype]
    return F_BOOL if category == CAT_BOOL else F_INT if category == CAT_INT else F_FLOAT if category == CAT_FLOAT \
        else F_COMPLEX


cdef DType dtype_object(int id):
    return <DType>_objects[id]


cdef int dtype_from_npy(int npy_type) except -1:
    cdef int i
    for i in range(NDTYPES):
        if NPY_TYPE[i] == npy_type:
            return i
    if npy_type == cnp.NPY_LONGLONG:
        return INT64
    if npy_type == cnp.NPY_ULONGLONG:
        return UINT64
    if npy_type == cnp.NPY_INT or npy_type == cnp.NPY_LONG:
        return INT32 if npy_type == cnp.NPY_INT else INT64
    cdef object kind = getattr(cnp.PyArray_DescrFromType(npy_type), "type")
    raise TypeError(
        f"can't convert np.ndarray of type {kind.__module__}.{kind.__name__}. The only supported types are: "
        "float64, float32, float16, complex64, complex128, int64, int32, int16, int8, uint64, uint32, uint16, uint8, "
        "and bool."
    )


cdef int default_dtype() noexcept nogil:
    return _default


cdef int default_complex() noexcept nogil:
    return complex_of(_default)


def get_default_dtype():
    """Return the dtype of floating point results that are computed from Python numbers or integers.

    >>> torch.get_default_dtype()
    torch.float32
    """
    return dtype_object(_default)


def set_default_dtype(d):
    """Set the default floating point dtype (float16, bfloat16, float32 or float64).

    Raises:
        TypeError: the dtype is not floating point.

    >>> torch.set_default_dtype(torch.float64)
    >>> torch.tensor(1.5).dtype
    torch.float64
    >>> torch.set_default_dtype(torch.float32)
    """
    global _default
    if not isinstance(d, DType):
        raise TypeError("invalid dtype object: only floating-point types are supported as the default type")
    if (<DType> d).category != CAT_FLOAT:
        raise TypeError(f"only floating-point types are supported as the default type, but got {d!r}")
    _default = (<DType> d).id


def promote_types(DType type1 not None, DType type2 not None):
    """Return the smallest dtype to which both promote."""
    return dtype_object(promoted(type1.id, type2.id))


def can_cast(DType from_ not None, DType to not None):
    """Whether PyTorch's casting rules allow storing ``from_`` values as ``to``."""
    return _can_cast(from_.id, to.id)


cdef bint _can_cast(int a, int b) noexcept:
    return CATEGORY[a] <= CATEGORY[b]


cdef dict _TYPE_NAMES = {
    BOOL: "Bool", UINT8: "Byte", INT8: "Char", INT16: "Short", INT32: "Int", INT64: "Long",
    UINT16: "UInt16", UINT32: "UInt32", UINT64: "UInt64", FLOAT16: "Half", BFLOAT16: "BFloat16", FLOAT32: "Float",
    FLOAT64: "Double", COMPLEX32: "ComplexHalf", COMPLEX64: "ComplexFloat", COMPLEX128: "ComplexDouble",
}


cpdef str type_name(DType dtype):
    """Return PyTorch's name of a dtype in error messages, such as ``Float``."""
    return _TYPE_NAMES[dtype.id]


_C_NAMES = ("bool", "unsigned char", "signed char", "short int", "int", "long int", "short unsigned int",
            "unsigned int", "long unsigned int", "c10::Half", "c10::BFloat16", "float", "double",
            "c10::complex<c10::Half>", "c10::complex<float>", "c10::complex<double>")


def c_type_name(int dtype):
    """Return the C++ type of a dtype's elements in PyTorch's messages, such as ``short int``."""
    return _C_NAMES[dtype]


SHORT_NAMES = {  # other names of dtypes in PyTorch's module
    "half": "float16", "float": "float32", "double": "float64", "short": "int16", "int": "int32", "long": "int64",
    "chalf": "complex32", "cfloat": "complex64", "cdouble": "complex128",
}
CONVERSIONS = SHORT_NAMES | {"bfloat16": "bfloat16", "char": "int8", "byte": "uint8", "bool": "bool"}  # methods


def all_dtypes():
    """Return all dtypes, ordered by their numbers."""
    return tuple(_objects)


def refuse_named(o, str name):
    """Raise if `o` is a dtype that no tensor can have."""
    if isinstance(o, NamedDType):
        from flambeau_tensor.not_built import NotBuiltError
        raise NotBuiltError(f"{name}(): tensors of {o!r} are not built")


def named_dtypes():
    """Return the dtypes that exist as names only."""
    return tuple(_named)


def numpy_dtype(DType d not None):
    """Return the NumPy dtype of the same elements (bfloat16 and complex32 have none)."""
    if NPY_TYPE[d.id] < 0:
        raise TypeError(f"Got unsupported ScalarType {type_name(d)}")
    return cnp.PyArray_DescrFromType(NPY_TYPE[d.id])


cnp.import_array()
