"""Python numbers as C values, and back into elements of any dtype."""
from cpython.object cimport PyObject

cdef struct Scalar:
    int category  # CAT_BOOL .. CAT_COMPLEX
    long long i  # of an int from 2**63 on its bits; `re` is then positive
    double re
    double im

cdef inline bint above_signed(const Scalar* s) noexcept:
    """Whether an int needs an unsigned 64 bit number."""
    return s.i < 0 and s.re > 0

cdef int read_scalar(PyObject* obj, Scalar* out) except -1
cdef bint is_number(PyObject* obj) noexcept  # exact bool, int, float, complex: the quick test
cdef int store_scalar(const Scalar* s, int dtype, char* dst) except -1
cdef object load_scalar(int dtype, const char* src)
cdef str c_name(int dtype)  # as C spells it: PyTorch's texts on overflow do
cdef int scalar_dtype(int category) noexcept  # the dtype a bare Python number becomes
