"""Conversion between Python numbers, C values and elements of any dtype."""
from cpython.object cimport PyObject

cdef struct Scalar:
    int category  # CAT_BOOL .. CAT_COMPLEX
    long long i  # for an int of 2**63 or more, its bits; `re` is then positive
    double re
    double im

cdef inline bint above_signed(const Scalar* s) noexcept:
    """Whether an int needs an unsigned 64-bit integer."""
    return s.i < 0 and s.re > 0

cdef int read_scalar(PyObject* obj, Scalar* out) except -1
cdef bint is_number(PyObject* obj) noexcept  # exactly bool, int, float or complex; a fast check
cdef int store_scalar(const Scalar* s, int dtype, char* dst) except -1
cdef object load_scalar(int dtype, const char* src)
cdef str c_name(int dtype)  # the C name of the dtype, which PyTorch's overflow messages use
cdef int scalar_dtype(int category) noexcept  # the dtype for a Python number without tensors
