# cython: language_level=3
"""Conversion of Python numbers to elements of a dtype and back."""
from cpython.bool cimport PyBool_Check
from cpython.complex cimport PyComplex_Check, PyComplex_ImagAsDouble, PyComplex_RealAsDouble
from cpython.float cimport PyFloat_AS_DOUBLE, PyFloat_Check, PyFloat_CheckExact
from cpython.long cimport (
    PyLong_AsLongLongAndOverflow, PyLong_AsUnsignedLongLong, PyLong_Check, PyLong_CheckExact,
)
from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

from flambeau_tensor._core.elementwise.dtype cimport default_complex, default_dtype
from flambeau_tensor._core.elementwise.half_precision cimport bf16_to_float, float_to_bf16, float_to_half, half_to_float
from flambeau_tensor._core.memory.types cimport *


cdef bint is_number(PyObject* obj) noexcept:
    cdef object o = <object>obj
    return PyFloat_CheckExact(o) or PyLong_CheckExact(o) or obj == Py_True or obj == Py_False \
        or type(o) is complex


cdef int _read_unsigned(object o, Scalar* out) except -1:
    cdef unsigned long long value
    try:
        value = PyLong_AsUnsignedLongLong(o)
    except OverflowError:
        raise OverflowError("int too big to convert") from None
    out.i, out.re = <long long>value, <double>value
    return 0


cdef int read_scalar(PyObject* obj, Scalar* out) except -1:
    """Fill ``out`` from a Python or NumPy number."""
    cdef object o = <object>obj
    cdef int overflow = 0
    out.im = 0
    if PyFloat_Check(o):  # includes np.float64
        out.category = CAT_FLOAT
        out.re = PyFloat_AS_DOUBLE(o)
        out.i = 0
    elif PyBool_Check(o):
        out.category = CAT_BOOL
        out.i = obj == Py_True
        out.re = <double>out.i
    elif PyLong_Check(o):
        out.category = CAT_INT
        out.i = PyLong_AsLongLongAndOverflow(o, &overflow)
        out.re = <double>out.i
        if overflow < 0:
            raise OverflowError("int too big to convert")
        if overflow:
            _read_unsigned(o, out)
    elif PyComplex_Check(o):
        out.category = CAT_COMPLEX
        out.re = PyComplex_RealAsDouble(o)
        out.im = PyComplex_ImagAsDouble(o)
        out.i = 0
    elif hasattr(o, "item") and getattr(o, "ndim", 0) == 0:
        o = o.item()
        return read_scalar(<PyObject*>o, out)
    else:
        raise TypeError(f"must be a number, not {type(o).__name__}")
    return 0


cdef tuple _C_NAMES = ("bool", "uint8_t", "int8_t", "int16_t", "int", "int64_t", "uint16_t", "uint32_t", "uint64_t",
                       "at::Half", "at::BFloat16", "float", "double", "c10::complex<at::Half>", "c10::complex<float>",
                       "c10::complex<double>")


cdef str c_name(int dtype):
    return _C_NAMES[dtype]


cdef long long _integer(const Scalar* s, int dtype) except? -1:
    if s.category == CAT_FLOAT:
        if not (-9.3e18 < s.re < 9.3e18):
            raise RuntimeError(f"value cannot be converted to type {c_name(dtype)} without overflow")
        return <long long>s.re
    if s.category == CAT_COMPLEX:
        raise RuntimeError(f"value cannot be converted to type {c_name(dtype)} without overflow")
    if above_signed(s) and dtype != UINT64:
        raise RuntimeError(f"value cannot be converted to type {c_name(dtype)} without overflow")
    return s.i


cdef int store_scalar(const Scalar* s, int dtype, char* dst) except -1:
    """Write ``s`` as one element; raises if it does not fit an integer dtype, as PyTorch does."""
    cdef long long i
    cdef double re = s.re
    if dtype == FLOAT32:
        (<float*>dst)[0] = <float>re
    elif dtype == FLOAT64:
        (<double*>dst)[0] = re
    elif dtype == INT64:
        (<int64_t*>dst)[0] = _integer(s, dtype)
    elif dtype == BOOL:
        (<uint8_t*>dst)[0] = s.re != 0 or s.im != 0
    elif dtype == FLOAT16:
        (<uint16_t*>dst)[0] = float_to_half(<float>re)
    elif dtype == BFLOAT16:
        (<uint16_t*>dst)[0] = float_to_bf16(<float>re)
    elif dtype == COMPLEX64:
        (<float*>dst)[0] = <float>re
        (<float*>dst)[1] = <float>s.im
    elif dtype == COMPLEX128:
        (<double*>dst)[0] = re
        (<double*>dst)[1] = s.im
    elif dtype == COMPLEX32:
        (<uint16_t*>dst)[0] = float_to_half(<float>re)
        (<uint16_t*>dst)[1] = float_to_half(<float>s.im)
    elif dtype == UINT64:
        (<uint64_t*>dst)[0] = <uint64_t>_integer(s, dtype)
    else:
        i = _integer(s, dtype)
        if dtype == UINT8 and -255 <= i <= 255:  # negative numbers wrap around, as in PyTorch
            (<uint8_t*>dst)[0] = <uint8_t>i
        elif dtype == INT8 and -128 <= i <= 127:
            (<int8_t*>dst)[0] = <int8_t>i
        elif dtype == INT16 and -32768 <= i <= 32767:
            (<int16_t*>dst)[0] = <int16_t>i
        elif dtype == INT32 and -2147483648 <= i <= 2147483647:
            (<int32_t*>dst)[0] = <int32_t>i
        elif dtype == UINT16 and -65535 <= i <= 65535:
            (<uint16_t*>dst)[0] = <uint16_t>i
        elif dtype == UINT32 and -4294967295 <= i <= 4294967295:
            (<uint32_t*>dst)[0] = <uint32_t>i
        else:
            raise RuntimeError(f"value cannot be converted to type {c_name(dtype)} without overflow")
    return 0


cdef object load_scalar(int dtype, const char* src):
    """Return one element as a Python number."""
    if dtype == FLOAT32:
        return <double>(<const float*>src)[0]
    if dtype == FLOAT64:
        return (<const double*>src)[0]
    if dtype == INT64:
        return (<const int64_t*>src)[0]
    if dtype == BOOL:
        return (<const uint8_t*>src)[0] != 0
    if dtype == INT32:
        return (<const int32_t*>src)[0]
    if dtype == UINT8:
        return (<const uint8_t*>src)[0]
    if dtype == INT8:
        return (<const int8_t*>src)[0]
    if dtype == INT16:
        return (<const int16_t*>src)[0]
    if dtype == UINT16:
        return (<const uint16_t*>src)[0]
    if dtype == UINT32:
        return (<const uint32_t*>src)[0]
    if dtype == UINT64:
        return (<const uint64_t*>src)[0]
    if dtype == FLOAT16:
        return <double>half_to_float((<const uint16_t*>src)[0])
    if dtype == BFLOAT16:
        return <double>bf16_to_float((<const uint16_t*>src)[0])
    if dtype == COMPLEX64:
        return complex((<const float*>src)[0], (<const float*>src)[1])
    if dtype == COMPLEX32:
        return complex(half_to_float((<const uint16_t*>src)[0]), half_to_float((<const uint16_t*>src)[1]))
    return complex((<const double*>src)[0], (<const double*>src)[1])


cdef int scalar_dtype(int category) noexcept:
    if category == CAT_FLOAT:
        return default_dtype()
    if category == CAT_COMPLEX:
        return default_complex()
    return BOOL if category == CAT_BOOL else INT64
