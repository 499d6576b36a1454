# cython: language_level=3
"""Inner loops of orthogonal polynomials, by three-term recurrences in double precision (DLMF 18.9).

Chebyshev polynomials of higher degree between -1 and 1 use their trigonometric form, Laguerre and Legendre polynomials
of very high degree Bessel functions (DLMF 18.15). Degrees are truncated to integers; negative degrees, and those of
more than 64 bits, give 0.
"""
from libc cimport math

from flambeau_tensor._kernels.map_loops cimport real_t, reals
from flambeau_tensor._kernels.chebyshev cimport each2

cdef enum:
    LOW = 8  # up to this degree, the recurrence is accurate
    MANY = 1 << 20  # from this degree, the leading asymptotic term is accurate, and the recurrence takes too long

cdef extern from "<math.h>" nogil:
    double j0(double) noexcept

ctypedef long long degree_t


cdef inline bint _degree(double n, degree_t* out) noexcept nogil:
    """Convert a degree to an integer; return whether the polynomial exists."""
    if not -1 < n < 9223372036854775808.0:
        return False
    out[0] = <degree_t>n
    return True


cdef inline double _grown(double z) noexcept nogil:
    """The modified Bessel function I0, which replaces J0 outside the interval of a polynomial's zeros."""
    cdef double term = 1, total = 1
    cdef int k = 0
    while term > 1e-17 * total and total < math.INFINITY:
        k += 1
        term *= (z / (2 * k)) * (z / (2 * k))
        total += term
    return total


cdef inline double _recur(double x, double q, degree_t n) noexcept nogil:
    """Evaluate a Chebyshev polynomial; the kinds differ in the polynomial of degree 1, q."""
    cdef double p = 1, r
    cdef degree_t _k
    if n == 0:
        return 1
    for _k in range(1, n):
        r = 2 * x * q - p
        p, q = q, r
        if q != q:
            break
    return q


cdef double chebyshev_t(double x, double degree) noexcept nogil:
    cdef degree_t n = 0
    if not _degree(degree, &n):
        return 0
    if math.fabs(x) == 1:
        return -1 if x < 0 and n % 2 else 1
    if n > LOW and math.fabs(x) < 1:
        return math.cos(n * math.acos(x))
    return _recur(x, x, n)


cdef double chebyshev_u(double x, double degree) noexcept nogil:
    cdef degree_t n = 0
    if not _degree(degree, &n):
        return 0
    if math.fabs(x) == 1:
        return -(n + 1.0) if x < 0 and n % 2 else n + 1.0
    if n > LOW and math.fabs(x) < 1:
        return math.sin((n + 1) * math.acos(x)) / math.sqrt((1 - x) * (1 + x))
    return _recur(x, 2 * x, n)


cdef double chebyshev_v(double x, double degree) noexcept nogil:
    cdef degree_t n = 0
    if not _degree(degree, &n):
        return 0
    if math.fabs(x) == 1:
        return 1 if x > 0 else -(2.0 * n + 1) if n % 2 else 2.0 * n + 1
    if n > LOW and math.fabs(x) < 1:
        return math.cos((n + 0.5) * math.acos(x)) / math.sqrt((1 + x) / 2)
    return _recur(x, 2 * x - 1, n)


cdef double chebyshev_w(double x, double degree) noexcept nogil:
    cdef degree_t n = 0
    if not _degree(degree, &n):
        return 0
    if math.fabs(x) == 1:
        return 2.0 * n + 1 if x > 0 else -1 if n % 2 else 1
    if n > LOW and math.fabs(x) < 1:
        return math.sin((n + 0.5) * math.acos(x)) / math.sqrt((1 - x) / 2)
    return _recur(x, 2 * x + 1, n)


cdef double shifted_chebyshev_t(double x, double degree) noexcept nogil:
    return chebyshev_t(2 * x - 1, degree)


cdef double shifted_chebyshev_u(double x, double degree) noexcept nogil:
    return chebyshev_u(2 * x - 1, degree)


cdef double shifted_chebyshev_v(double x, double degree) noexcept nogil:
    return chebyshev_v(2 * x - 1, degree)


cdef double shifted_chebyshev_w(double x, double degree) noexcept nogil:
    return chebyshev_w(2 * x - 1, degree)


cdef double hermite_h(double x, double degree) noexcept nogil:
    cdef double p = 1, q = 2 * x, r
    cdef degree_t n = 0, k
    if not _degree(degree, &n):
        return 0
    if n == 0:
        return 1
    for k in range(1, n):
        r = 2 * x * q - 2 * k * p
        p, q = q, r
        if q != q:
            break
    return q


cdef double hermite_he(double x, double degree) noexcept nogil:
    cdef double p = 1, q = x, r
    cdef degree_t n = 0, k
    if not _degree(degree, &n):
        return 0
    if n == 0:
        return 1
    for k in range(1, n):
        r = x * q - k * p
        p, q = q, r
        if q != q:
            break
    return q


cdef double laguerre_l(double x, double degree) noexcept nogil:
    cdef double p = 1, q = 1 - x, r
    cdef degree_t n = 0, k
    if not _degree(degree, &n):
        return 0
    if n == 0 or x == 0:
        return 1
    if n >= MANY:
        r = math.exp(x / 2)
        return r * j0(math.sqrt((4.0 * n + 2) * x)) if x > 0 else r * _grown(math.sqrt((4.0 * n + 2) * -x))
    for k in range(1, n):
        r = ((2 * k + 1 - x) * q - k * p) / (k + 1)
        p, q = q, r
        if q != q:
            break
    return q


cdef double legendre_p(double x, double degree) noexcept nogil:
    cdef double p = 1, q = x, r
    cdef degree_t n = 0, k
    if not _degree(degree, &n):
        return 0
    if n == 0 or x == 1:
        return 1
    if x == -1:
        return -1 if n % 2 else 1
    if n >= MANY:
        p = -1 if x < 0 and n % 2 else 1
        if math.fabs(x) < 1:
            q = math.acos(math.fabs(x))
            return p * math.sqrt(q / math.sin(q)) * j0((n + 0.5) * q)
        q = math.acosh(math.fabs(x))
        return p * math.sqrt(q / math.sinh(q)) * _grown((n + 0.5) * q)
    for k in range(1, n):
        r = ((2 * k + 1) * x * q - k * p) / (k + 1)
        p, q = q, r
        if q != q:
            break
    return q


# --- loops ----------------------------------------------------------------------------------------------------------

cdef void loop_chebyshev_t(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    each2(a, n, s, chebyshev_t, tag)


cdef void loop_chebyshev_u(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    each2(a, n, s, chebyshev_u, tag)


cdef void loop_chebyshev_v(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    each2(a, n, s, chebyshev_v, tag)


cdef void loop_chebyshev_w(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    each2(a, n, s, chebyshev_w, tag)


cdef void loop_shifted_chebyshev_t(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    each2(a, n, s, shifted_chebyshev_t, tag)


cdef void loop_shifted_chebyshev_u(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    each2(a, n, s, shifted_chebyshev_u, tag)


cdef void loop_shifted_chebyshev_v(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    each2(a, n, s, shifted_chebyshev_v, tag)


cdef void loop_shifted_chebyshev_w(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    each2(a, n, s, shifted_chebyshev_w, tag)


cdef void loop_hermite_h(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    each2(a, n, s, hermite_h, tag)


cdef void loop_hermite_he(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    each2(a, n, s, hermite_he, tag)


cdef void loop_laguerre_l(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    each2(a, n, s, laguerre_l, tag)


cdef void loop_legendre_p(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    each2(a, n, s, legendre_p, tag)


LOOPS = {
    "chebyshev_t": reals(<size_t>&loop_chebyshev_t[float], <size_t>&loop_chebyshev_t[double]),
    "chebyshev_u": reals(<size_t>&loop_chebyshev_u[float], <size_t>&loop_chebyshev_u[double]),
    "chebyshev_v": reals(<size_t>&loop_chebyshev_v[float], <size_t>&loop_chebyshev_v[double]),
    "chebyshev_w": reals(<size_t>&loop_chebyshev_w[float], <size_t>&loop_chebyshev_w[double]),
    "shifted_chebyshev_t": reals(<size_t>&loop_shifted_chebyshev_t[float], <size_t>&loop_shifted_chebyshev_t[double]),
    "shifted_chebyshev_u": reals(<size_t>&loop_shifted_chebyshev_u[float], <size_t>&loop_shifted_chebyshev_u[double]),
    "shifted_chebyshev_v": reals(<size_t>&loop_shifted_chebyshev_v[float], <size_t>&loop_shifted_chebyshev_v[double]),
    "shifted_chebyshev_w": reals(<size_t>&loop_shifted_chebyshev_w[float], <size_t>&loop_shifted_chebyshev_w[double]),
    "hermite_h": reals(<size_t>&loop_hermite_h[float], <size_t>&loop_hermite_h[double]),
    "hermite_he": reals(<size_t>&loop_hermite_he[float], <size_t>&loop_hermite_he[double]),
    "laguerre_l": reals(<size_t>&loop_laguerre_l[float], <size_t>&loop_laguerre_l[double]),
    "legendre_p": reals(<size_t>&loop_legendre_p[float], <size_t>&loop_legendre_p[double]),
}
