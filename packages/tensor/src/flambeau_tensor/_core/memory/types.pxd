"""Constants that all compiled modules share: dtypes, argument kinds, tensor flags."""
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

cdef enum:  # families of dtypes, the bits of `declaring.Dtypes`
    F_BOOL = 1
    F_INT = 2
    F_UNSIGNED = 4
    F_FLOAT = 8
    F_COMPLEX = 16
    F_HALF_COMPLEX = 32

cdef enum:
    MAX_NDIM = 64
    INLINE_NDIM = 5  # up to this number of dimensions, the Tensor object stores sizes and strides
    INLINE_WORDS = 8
    INLINE_BYTES = 64  # 8 * INLINE_WORDS; up to this size, the Storage object stores the data
    MAX_ARGS = 24  # arguments of one operator
    MAX_OPERANDS = 6  # tensors that an elementwise loop accesses, including the result

cdef enum:  # Tensor.flags; the call path combines the flags of all arguments and tests them once
    REQUIRES_GRAD = 1
    LAYERED = 2  # has layers: it is a batched tensor or has a tangent
    CONTIGUOUS = 4
    INFERENCE = 8
    NO_GRAD_VIEW = 16  # a view that was created while recording was off
    RETAINS_GRAD = 32
    HAS_HOOKS = 64
    VIEW = 128  # has a base
    MULTI_VIEW = 256  # one of several views that one operation returned
    FUNCTION_VIEW = 512  # a view that a custom Function returned
    CONJ = 1024  # a conjugate view: its elements are the conjugates of those in memory
    NEG = 2048  # a negative view
    LAZY = CONJ | NEG
    DISPATCH = 4096  # its class has a `__torch_dispatch__`
    UNLIKE_MEMORY = LAZY | DISPATCH  # kernels cannot read it directly
    ODD_VIEW = NO_GRAD_VIEW | MULTI_VIEW | FUNCTION_VIEW  # it and its views must not be written to while recording

cdef enum:  # the kinds of arguments in a schema
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
