# cython: language_level=3
"""Inner loops of special functions that NumPy has not: error functions, gamma functions, sinc."""
cimport cython
from libc cimport math

from flambeau_tensor._kernels.maps cimport complex_t, map1, real_t

cdef extern from "<complex.h>" nogil:
    double complex csin(double complex)

cdef double PI = 3.141592653589793


cdef inline real_t _erf(real_t x) noexcept nogil:
    return <real_t>math.erf(x)


cdef inline real_t _erfc(real_t x) noexcept nogil:
    return <real_t>math.erfc(x)


cdef inline real_t _lgamma(real_t x) noexcept nogil:
    return <real_t>math.lgamma(x)


cdef inline real_t _sinc(real_t x) noexcept nogil:
    cdef double y = PI * x
    return <real_t>(1.0 if y == 0 else math.sin(y) / y)


cdef inline real_t _erfinv(real_t x) noexcept nogil:
    # Giles' approximation (2010) as a start, then two steps of Newton's method.
    cdef double y = x, w, p, e
    cdef int i
    if not -1 <= y <= 1:
        return <real_t>math.NAN
    if y == 1 or y == -1:
        return <real_t>(math.INFINITY * y)
    w = -math.log((1 - y) * (1 + y))
    if w < 5:
        w -= 2.5
        p = 2.81022636e-08
        p = 3.43273939e-07 + p * w
        p = -3.5233877e-06 + p * w
        p = -4.39150654e-06 + p * w
        p = 0.00021858087 + p * w
        p = -0.00125372503 + p * w
        p = -0.00417768164 + p * w
        p = 0.246640727 + p * w
        p = 1.50140941 + p * w
    else:
        w = math.sqrt(w) - 3
        p = -0.000200214257
        p = 0.000100950558 + p * w
        p = 0.00134934322 + p * w
        p = -0.00367342844 + p * w
        p = 0.00573950773 + p * w
        p = -0.0076224613 + p * w
        p = 0.00943887047 + p * w
        p = 1.00167406 + p * w
        p = 2.83297682 + p * w
    p = p * y
    for i in range(2):
        e = math.erf(p) - y
        p -= e / (1.1283791670955126 * math.exp(-p * p))
    return <real_t>p


cdef inline real_t _digamma(real_t x) noexcept nogil:
    # Reflection below zero, recurrence up to 10, then the asymptotic series (Abramowitz and Stegun, 6.3.18).
    cdef double y = x, shift = 0, z
    if y == 0:
        return <real_t>math.copysign(math.INFINITY, -y)
    if y < 0:
        if y == math.floor(y):
            return <real_t>math.NAN
        shift = -PI / math.tan(PI * y)
        y = 1 - y
    while y < 10:
        shift -= 1 / y
        y += 1
    z = 1 / (y * y)
    return <real_t>(shift + math.log(y) - 0.5 / y - z * (1 / 12.0 - z * (1 / 120.0 - z * (1 / 252.0 - z * (
        1 / 240.0 - z * (1 / 132.0 - z * (691 / 32760.0 - z / 12)))))))


# --- loops -----------------------------------------------------------------------------------------------------------

cdef void loop_erf(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    map1[real_t](a, n, s, _erf[real_t])


cdef void loop_erfc(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    map1[real_t](a, n, s, _erfc[real_t])


cdef void loop_erfinv(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    map1[real_t](a, n, s, _erfinv[real_t])


cdef void loop_lgamma(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    map1[real_t](a, n, s, _lgamma[real_t])


cdef void loop_digamma(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    map1[real_t](a, n, s, _digamma[real_t])


cdef void loop_sinc(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    map1[real_t](a, n, s, _sinc[real_t])


cdef inline complex_t _sinc_complex(complex_t x) noexcept nogil:
    cdef double complex y = 3.141592653589793 * <double complex>x
    if y != 0:
        y = csin(y) / y
    else:
        y = 1
    return <complex_t>y


cdef void loop_sinc_complex(char** a, const Py_ssize_t* n, const Py_ssize_t* s, complex_t* tag) noexcept nogil:
    map1[complex_t](a, n, s, _sinc_complex[complex_t])


cdef dict _reals(size_t f32, size_t f64):
    return {"float32": f32, "float64": f64}


cdef dict _complexes(size_t c64, size_t c128):
    return {"complex64": c64, "complex128": c128}


LOOPS = {
    "erf": _reals(<size_t>&loop_erf[float], <size_t>&loop_erf[double]),
    "erfc": _reals(<size_t>&loop_erfc[float], <size_t>&loop_erfc[double]),
    "erfinv": _reals(<size_t>&loop_erfinv[float], <size_t>&loop_erfinv[double]),
    "lgamma": _reals(<size_t>&loop_lgamma[float], <size_t>&loop_lgamma[double]),
    "digamma": _reals(<size_t>&loop_digamma[float], <size_t>&loop_digamma[double]),
    "sinc": _reals(<size_t>&loop_sinc[float], <size_t>&loop_sinc[double])
    | _complexes(<size_t>&loop_sinc_complex[cython.floatcomplex], <size_t>&loop_sinc_complex[cython.doublecomplex]),
}
