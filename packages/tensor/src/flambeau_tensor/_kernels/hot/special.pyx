# cython: language_level=3
"""Inner loops of special functions that NumPy has not: error functions, gamma functions, sinc."""
cimport cython
from libc cimport math

from flambeau_tensor._kernels.complexes cimport narrow, wide
from flambeau_tensor._kernels.digamma cimport digamma
from flambeau_tensor._kernels.maps cimport complex_t, complexes, map1, map1_blocks, map2, real_t, reals
from flambeau_tensor.vector_math cimport bits64, exp_down, fast_erf, from_bits64

cdef extern from "<complex.h>" nogil:
    double complex csin(double complex)

cdef double PI = 3.141592653589793


cdef inline double _erfc_upwards(double x) noexcept nogil:
    """erfc(x) for x >= 0, within 2e-10 of itself: enough for floats, and without branches."""
    # t exp(p - x**2) with t = 2 / (2 + x) and a polynomial fitted to what is missing, the form of Shepherd and
    # Laframboise (1981).
    cdef double t = 2 / (2 + x), s = 2 * t - 1, p
    p = 4.444847583300767e-05
    p = p * s - 0.00012368203565607741
    p = p * s - 8.891545841613155e-05
    p = p * s + 0.0006413854522457376
    p = p * s - 0.00014257413730663643
    p = p * s - 0.002335638372314431
    p = p * s + 0.0017571227371238041
    p = p * s + 0.00882333336742251
    p = p * s - 0.009872412864782295
    p = p * s - 0.046895497860192495
    p = p * s + 0.04734329315109959
    p = p * s + 0.6726432216402173
    p = p * s - 0.6717940839546603
    return t * exp_down[double](p - x * x)


cdef inline double _erf_near(double x) noexcept nogil:
    """erf(x) for |x| < 0.75, within 3e-11 of itself."""
    cdef double z = x * x, p = 9.472998630137287e-05
    p = p * z - 0.0008357356506240078
    p = p * z + 0.005216816649751911
    p = p * z - 0.026864779737759716
    p = p * z + 0.11283778747781001
    p = p * z - 0.3761263845175171
    return (p * z + 1.1283791670697259) * x


cdef inline real_t _erf(real_t x) noexcept nogil:
    # To the last place also in floats: up to 1 a series in x^2, beyond it 1 - exp of a polynomial.
    cdef real_t u, z, p, q
    if real_t is float:
        u = math.fabsf(x)
        z = u * u
        p = <float>7.8537767e-5
        p = p * z - <float>8.0101680e-4
        p = p * z + <float>5.1883248e-3
        p = p * z - <float>2.68538104e-2
        p = p * z + <float>1.12835851e-1
        p = p * z - <float>3.76126258e-1
        p = p * z + <float>1.28379166e-1
        u = <float>4.2 if u > <float>4.2 else u
        q = <float>-1.8868717e-4
        q = q * u + <float>2.9710759e-3
        q = q * u - <float>2.1934844e-2
        q = q * u + <float>1.03315405e-1
        q = q * u + <float>6.3789716e-1
        q = q * u + <float>1.1272428
        q = q * u + <float>3.0260824e-4
        q = 1 - exp_down[float](-q)
        return math.copysignf(u * p + u if u < 1 else q, x)
    else:
        return fast_erf(x)


cdef inline real_t _erfc(real_t x) noexcept nogil:
    cdef double tail
    if real_t is float:
        tail = _erfc_upwards(math.fabs(x))
        return <float>(2 - tail if x < 0 else tail)
    else:
        return math.erfc(x)


cdef inline real_t _ndtr(real_t x) noexcept nogil:
    cdef double t = x * -0.7071067811865476, tail, low
    if real_t is float:
        tail = _erfc_upwards(math.fabs(t)) / 2
        return <float>(1 - tail if t < 0 else tail)
    else:  # what the rounding of x / sqrt(2) changes counts where the density falls steeply
        tail = math.erfc(t)
        if t > 0 and tail > 0:
            low = math.fma(x, -0.7071067811865476, -t) + 4.833646656726457e-17 * x
            tail -= 1.1283791670955126 * math.exp(-t * t) * low
        return tail / 2


cdef inline real_t _lgamma(real_t x) noexcept nogil:
    return <real_t>math.lgamma(x)


cdef inline real_t _sinc(real_t x) noexcept nogil:
    cdef double y = PI * x
    return <real_t>(1.0 if y == 0 else math.sin(y) / y)


cdef inline double _log(double x) noexcept nogil:
    """The logarithm of a normal number, within 1e-10, without branches."""
    cdef unsigned long long bits = bits64(x), shifted = bits - 0x3FE6A09E667F3BCDULL  # from sqrt(1/2) to sqrt(2)
    cdef double exponent = <double><int>(<long long>shifted >> 52)
    cdef double m = from_bits64(bits - (shifted & 0xFFF0000000000000ULL)), z = (m - 1) / (m + 1), w = z * z, p
    p = 1.0 / 11
    p = p * w + 1.0 / 9
    p = p * w + 1.0 / 7
    p = p * w + 1.0 / 5
    p = p * w + 1.0 / 3
    return exponent * 0.6931471805599453 + 2 * z * (p * w + 1)


cdef inline double _erfinv_start(double y, double w) noexcept nogil:
    # Giles' approximation (2010) with w = -log(1 - y**2).
    cdef double a = w - 2.5, b = math.sqrt(w) - 3, p, q
    p = 2.81022636e-08
    p = 3.43273939e-07 + p * a
    p = -3.5233877e-06 + p * a
    p = -4.39150654e-06 + p * a
    p = 0.00021858087 + p * a
    p = -0.00125372503 + p * a
    p = -0.00417768164 + p * a
    p = 0.246640727 + p * a
    p = 1.50140941 + p * a
    q = -0.000200214257
    q = 0.000100950558 + q * b
    q = 0.00134934322 + q * b
    q = -0.00367342844 + q * b
    q = 0.00573950773 + q * b
    q = -0.0076224613 + q * b
    q = 0.00943887047 + q * b
    q = 1.00167406 + q * b
    q = 2.83297682 + q * b
    return (p if w < 5 else q) * y


cdef inline real_t _erfinv(real_t x) noexcept nogil:
    # A start that is right to six digits, and steps of Newton's method: one for floats, two for doubles, above 0.5 on
    # erfc, as erf has not the digits there. Near 1 the start is a poor one: five steps on log(erfc), nearly a parabola.
    cdef double y = x, u = math.fabs(y), p, near, far
    cdef int _step
    if real_t is float:
        p = _erfinv_start(u, -_log((1 - u) * (1 + u)))
        near = u - _erf_near(p)
        far = _erfc_upwards(p) - (1 - u)
        p += (near if p < 0.75 else far) / (1.1283791670955126 * exp_down[double](-p * p))
        p = math.INFINITY if u == 1 else p
        p = math.NAN if u > 1 else p
        return math.copysignf(<float>p, x)
    else:
        if not u < 1:
            return math.copysign(math.INFINITY, y) if u == 1 else math.NAN
        near = -math.log((1 - u) * (1 + u))
        p = _erfinv_start(u, near)
        for _step in range(2 if near < 16 else 5):
            far = math.erfc(p)
            if u < 0.5:
                far = u - math.erf(p)
            elif near < 16:
                far -= 1 - u
            else:
                far *= math.log(far / (1 - u))
            p += far / (1.1283791670955126 * math.exp(-p * p))
        return math.copysign(p, y)


cdef inline real_t _digamma(real_t x) noexcept nogil:
    return <real_t>digamma(x)


cdef inline double _hurwitz(double s, double q) noexcept nogil:
    """The sum of (q + k)**-s over k >= 0, s > 1: terms up to q = 12 + s, then Euler and Maclaurin's formula."""
    cdef double total = 0, term, z, first = 12 + s
    cdef int k
    cdef double[9] rest = [1 / 12.0, -1 / 720.0, 1 / 30240.0, -1 / 1209600.0, 1 / 47900160.0,  # B(2k) / (2k)!
                           -691 / 1307674368000.0, 1 / 74724249600.0, -3617 / 10670622842880000.0,
                           43867 / 5109094217170944000.0]
    while q < first:
        term = math.pow(q, -s)
        total += term
        q += 1
        if term * q <= 1e-17 * total:
            return total
    term = math.pow(q, -s)
    total += term * q / (s - 1) + 0.5 * term
    z = 1 / (q * q)
    term = term * s / q
    for k in range(9):
        total += rest[k] * term
        term = term * (s + 2 * k + 1) * (s + 2 * k + 2) * z
    return total


cdef inline double _hurwitz_below(double s, double q, double sign) noexcept nogil:
    """The same for q < 0 that is no integer: over all integers, without those below q. `sign` is (-1)**s."""
    return _hurwitz(s, q - math.floor(q)) + sign * (_hurwitz(s, math.ceil(q) - q) - _hurwitz(s, 1 - q))


cdef inline real_t _polygamma(real_t x, double n) noexcept nogil:
    # (-1)**(n + 1) n! zeta(n + 1, x) (Abramowitz and Stegun, 6.4.10)
    cdef double y = x, s = n + 1, sign = 1 if math.fmod(n, 2) == 1 else -1, total
    if y <= 0 and y == math.floor(y):
        return <real_t>(sign * math.INFINITY)
    if y > 0:
        total = _hurwitz(s, y) if y < math.INFINITY else 0
    elif y < 0:
        total = _hurwitz_below(s, y, sign)
    else:
        total = y
    return <real_t>(sign * math.tgamma(s) * total)


cdef inline real_t _zeta(real_t x, real_t q) noexcept nogil:
    cdef double s = x, y = q
    if not s > 1:
        return <real_t>(math.INFINITY if s == 1 else math.NAN)
    if y > 0:
        if s == math.INFINITY:
            return <real_t>(0 if y > 1 else 1 if y == 1 else math.INFINITY)
        return <real_t>(_hurwitz(s, y) if y < math.INFINITY else 0)
    if y == math.floor(y):
        return <real_t>math.INFINITY
    if s != math.floor(s) or s == math.INFINITY:  # powers of negative numbers
        return <real_t>math.NAN
    return <real_t>_hurwitz_below(s, y, -1 if math.fmod(s, 2) == 1 else 1)


# --- loops -----------------------------------------------------------------------------------------------------------

cdef void loop_erf(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    map1_blocks[real_t](a, n, s, _erf[real_t])


cdef void loop_erfc(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    map1[real_t](a, n, s, _erfc[real_t])


cdef void loop_ndtr(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    map1[real_t](a, n, s, _ndtr[real_t])


cdef void loop_erfinv(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    map1[real_t](a, n, s, _erfinv[real_t])


cdef void loop_lgamma(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    map1[real_t](a, n, s, _lgamma[real_t])


cdef void loop_digamma(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    map1[real_t](a, n, s, _digamma[real_t])


cdef void loop_polygamma(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    # data: the order
    cdef double order = (<double*>tag)[0]
    cdef Py_ssize_t i
    for i in range(n[0]):
        (<real_t*>(a[1] + i * s[1]))[0] = _polygamma[real_t]((<real_t*>(a[0] + i * s[0]))[0], order)


cdef void loop_zeta(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    map2[real_t](a, n, s, _zeta[real_t])


cdef void loop_sinc(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    map1[real_t](a, n, s, _sinc[real_t])


cdef inline complex_t _sinc_complex(complex_t x) noexcept nogil:
    cdef double complex y = 3.141592653589793 * wide(x)
    if y != 0:
        y = csin(y) / y
    else:
        y = 1
    return narrow(y, x)


cdef void loop_sinc_complex(char** a, const Py_ssize_t* n, const Py_ssize_t* s, complex_t* tag) noexcept nogil:
    map1[complex_t](a, n, s, _sinc_complex[complex_t])


LOOPS = {
    "erf": reals(<size_t>&loop_erf[float], <size_t>&loop_erf[double]),
    "erfc": reals(<size_t>&loop_erfc[float], <size_t>&loop_erfc[double]),
    "ndtr": reals(<size_t>&loop_ndtr[float], <size_t>&loop_ndtr[double]),
    "erfinv": reals(<size_t>&loop_erfinv[float], <size_t>&loop_erfinv[double]),
    "lgamma": reals(<size_t>&loop_lgamma[float], <size_t>&loop_lgamma[double]),
    "digamma": reals(<size_t>&loop_digamma[float], <size_t>&loop_digamma[double]),
    "polygamma": reals(<size_t>&loop_polygamma[float], <size_t>&loop_polygamma[double]),
    "zeta": reals(<size_t>&loop_zeta[float], <size_t>&loop_zeta[double]),
    "sinc": reals(<size_t>&loop_sinc[float], <size_t>&loop_sinc[double])
    | complexes(<size_t>&loop_sinc_complex[cython.floatcomplex], <size_t>&loop_sinc_complex[cython.doublecomplex]),
}
