"""Numbers that every compiled module agrees on: dtypes, argument kinds, tensor flags."""
from cpython.object cimport PyObject

cdef extern from "Python.h":  # `<PyObject*>True` would be the C number 1 as a pointer
    PyObject* Py_True
    PyObject* Py_False

cdef enum:
    BOOL = 0
    UINT8 = 1
    INT8 = 2
    INT16 = 3
    INT32 = 4
    INT64 = 5
    UINT16 = 6
    UINT32 = 7
    UINT64 = 8
    FLOAT16 = 9
    BFLOAT16 = 10
    FLOAT32 = 11
    FLOAT64 = 12
    COMPLEX32 = 13
    COMPLEX64 = 14
    COMPLEX128 = 15
    NDTYPES = 16

cdef enum:  # categories of dtypes, in order of promotion
    CAT_BOOL = 0
    CAT_INT = 1
    CAT_FLOAT = 2
    CAT_COMPLEX = 3

cdef enum:  # families of dtypes, as `declaring.Dtypes` has them
    F_BOOL = 1
    F_INT = 2
    F_UNSIGNED = 4
    F_FLOAT = 8
    F_COMPLEX = 16
    F_HALF_COMPLEX = 32

cdef enum:
    MAX_NDIM = 64
    INLINE_NDIM = 5  # sizes and strides up to here live in the Tensor itself
    INLINE_WORDS = 8
    INLINE_BYTES = 64  # 8 * INLINE_WORDS; data up to here lives in the Storage itself
    MAX_ARGS = 24  # arguments of one operator
    MAX_OPERANDS = 6  # tensors that one elementwise loop touches, result included

cdef enum:  # Tensor.flags; the call path ORs them over all arguments and tests once
    REQUIRES_GRAD = 1
    LAYERED = 2  # it is more than its elements: one example of many, or it has a tangent
    CONTIGUOUS = 4
    INFERENCE = 8
    NO_GRAD_VIEW = 16  # a view made while recording was off
    RETAINS_GRAD = 32
    HAS_HOOKS = 64
    VIEW = 128  # has a base
    MULTI_VIEW = 256  # one of several views that one operation returned
    FUNCTION_VIEW = 512  # a view that a custom Function returned
    CONJ = 1024  # a conjugate view: its elements are those in memory, conjugated
    NEG = 2048  # a negative view
    LAZY = CONJ | NEG
    DISPATCH = 4096  # of a class with a `__torch_dispatch__`
    UNLIKE_MEMORY = LAZY | DISPATCH  # kernels do not get it as it is
    ODD_VIEW = NO_GRAD_VIEW | MULTI_VIEW | FUNCTION_VIEW  # may not be written to while recording; views of it neither

cdef enum:  # what a schema's argument takes
    K_TENSOR = 0
    K_TENSORS = 1
    K_INT = 2
    K_INTS = 3
    K_BOOL = 4
    K_FLOAT = 5
    K_SCALAR = 6
    K_DTYPE = 7
    K_STR = 8
    K_SCALARS = 9
    K_ANY = 10
