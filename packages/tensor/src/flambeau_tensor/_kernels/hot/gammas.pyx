# cython: language_level=3
"""Inner loops of incomplete gamma functions, exp(x**2) erfc(x) and x log(1 + y), in double precision.

The incomplete gamma functions use the regions and methods of Didonato and Morris (ACM Transactions on Mathematical
Software 12, 1986) and Gil, Segura and Temme (SIAM Journal on Scientific Computing 34, 2012): power series, continued
fraction, and Temme's expansion if the order is large and the argument is near it. exp(x**2) erfc(x) is a series in the
variable of Shepherd and Laframboise (Mathematics of Computation 36, 1981).
"""
from libc cimport math

from flambeau_tensor._kernels.map_loops cimport real_t, reals
from flambeau_tensor._kernels.chebyshev cimport *

cdef enum:
    MOST = 5000  # the maximum number of terms


# --- incomplete gamma functions -------------------------------------------------------------------------------------

cdef inline double _phi(double mu) noexcept nogil:
    """Return mu - log(1 + mu), accurate near zero."""
    cdef double t, w, power, total
    cdef int k
    if math.fabs(mu) > 0.6:
        return mu - math.log1p(mu)
    t = mu / (2 + mu)  # log(1 + mu) = 2 atanh(t)
    w = t * t
    total, power = 0, 1
    for k in range(24):
        total += power / (2 * k + 3)
        power *= w
    return t * (mu - 2 * w * total)


cdef inline double _factor(double a, double x) noexcept nogil:
    """Return x**a exp(-x) / gamma(a + 1)."""
    cdef double y
    if a < 40 and x < 700:
        return math.pow(x, a) * math.exp(-x) / math.tgamma(a + 1)
    if a < 40:
        return math.exp(a * math.log(x) - x - math.lgamma(a + 1))
    y = 1 / a  # by Stirling's series
    y *= 1 / 12.0 - y * y * (1 / 360.0 - y * y * (1 / 1260.0 - y * y / 1680))
    return math.exp(-a * _phi((x - a) / a) - y) / math.sqrt(6.283185307179586 * a)


cdef inline double _lower_series(double a, double x, double small) noexcept nogil:
    """Return P(a, x) by DLMF 8.11.4."""
    cdef double term = 1, total = 1, b = a
    cdef int _k
    for _k in range(MOST):
        b += 1
        term *= x / b
        total += term
        if term <= small * total:
            break
    return min(1.0, total * _factor(a, x))


cdef inline double _upper_series(double a, double x, double small) noexcept nogil:
    """Return Q(a, x) for small a and x, without subtracting two numbers near 1."""
    cdef double term = 1, total = 0, y, part
    cdef int k
    for k in range(1, MOST):
        term *= -x / k
        part = term / (a + k)
        total += part
        if math.fabs(part) <= small * math.fabs(total):
            break
    # log(x**a / gamma(1 + a)); log gamma(1 + a) / a for a in [0, 1.25]
    y = a * (math.log(x) - series(LGAMMA1P, 26, a * 1.6 - 1))
    return -math.expm1(y) - a * math.exp(y) * total


cdef inline double _upper_fraction(double a, double x, double small) noexcept nogil:
    """Return Q(a, x) by DLMF 8.9.2 and Lentz's method."""
    cdef double b = x + 1 - a, c = 1e300, d = 1 / b, h = d, step, n
    cdef int k
    for k in range(1, MOST):
        n = -k * (k - a)
        b += 2
        d = b + n * d
        d = 1 / (1e-300 if d == 0 else d)
        c = b + n / c
        c = 1e-300 if c == 0 else c
        step = c * d
        h *= step
        if math.fabs(step - 1) <= small:
            break
    return h * a * _factor(a, x)


cdef inline double _uniform(double a, double x, bint lower) noexcept nogil:
    """Return P or Q by DLMF 8.12.3 to 8.12.9."""
    cdef double mu = (x - a) / a, phi = _phi(mu), eta = math.copysign(math.sqrt(2 * phi), mu), total = 0, c
    cdef int k, j
    for k in range(9, -1, -1):
        c = 0
        for j in range(19, -1, -1):
            c = c * eta + TEMME[k][j]
        total = total / a + c
    total *= math.exp(-a * phi) / math.sqrt(6.283185307179586 * a)
    if lower:
        return 0.5 * math.erfc(-eta * math.sqrt(a / 2)) - total
    return 0.5 * math.erfc(eta * math.sqrt(a / 2)) + total


cdef inline double _gamma_part(double a, double x, bint lower, double small) noexcept nogil:
    cdef double p
    if not (a >= 0 and x >= 0) or (a == 0 and x == 0) or (math.isinf(a) and math.isinf(x)):
        return math.NAN
    if a == 0 or math.isinf(x):
        return 1 if lower else 0
    if x == 0 or math.isinf(a):
        return 0 if lower else 1
    if a >= 40 and math.fabs(x - a) < 0.4 * a:
        return _uniform(a, x, lower)
    if x <= 1.1 and not lower and (a < x * 1.1 if x > 0.5 else a < -0.4 / math.log(x)):
        return _upper_series(a, x, small)
    if x > 1.1 and x > a:
        p = _upper_fraction(a, x, small)
        return 1 - p if lower else p
    p = _lower_series(a, x, small)
    return p if lower else 1 - p


cdef double igamma(double a, double x) noexcept nogil:
    return _gamma_part(a, x, True, 1e-16)


cdef double igammac(double a, double x) noexcept nogil:
    return _gamma_part(a, x, False, 1e-16)


cdef double single_igamma(double a, double x) noexcept nogil:
    return _gamma_part(a, x, True, 1e-11)


cdef double single_igammac(double a, double x) noexcept nogil:
    return _gamma_part(a, x, False, 1e-11)


# --- error functions ------------------------------------------------------------------------------------------------

cdef double erfcx(double x) noexcept nogil:
    cdef double square, y
    if x < 0:
        if x < -26.7:
            return math.INFINITY
        square = x * x
        y = math.exp(square)
        return 2 * (y + y * math.fma(x, x, -square)) - erfcx(-x)
    if x > 1e8:
        return 0.5641895835477563 / x
    return series(ERFCX, 28, (x - 3.75) / (x + 3.75)) / (1 + 2 * x)  # (1 + 2x) exp(x**2) erfc(x)


# --- logarithms -----------------------------------------------------------------------------------------------------

cdef double xlog1py(double x, double y) noexcept nogil:
    if x == 0 and y == y:
        return 0
    return x * math.log1p(y)


# --- loops ----------------------------------------------------------------------------------------------------------

cdef void loop_erfcx(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    each(a, n, s, erfcx, tag)


cdef void loop_igamma(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    each2(a, n, s, single_igamma if real_t is float else igamma, tag)


cdef void loop_igammac(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    each2(a, n, s, single_igammac if real_t is float else igammac, tag)


cdef void loop_xlog1py(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    each2(a, n, s, xlog1py, tag)


LOOPS = {
    "erfcx": reals(<size_t>&loop_erfcx[float], <size_t>&loop_erfcx[double]),
    "igamma": reals(<size_t>&loop_igamma[float], <size_t>&loop_igamma[double]),
    "igammac": reals(<size_t>&loop_igammac[float], <size_t>&loop_igammac[double]),
    "xlog1py": reals(<size_t>&loop_xlog1py[float], <size_t>&loop_xlog1py[double]),
}
