# cython: language_level=3
"""Inner loops of special functions that NumPy lacks: gamma functions, sinc."""
cimport cython
from libc cimport math

from flambeau_tensor._kernels.complex_conversion cimport narrow, wide
from flambeau_tensor._kernels.digamma cimport digamma
from flambeau_tensor._kernels.map_loops cimport BLOCK, complex_t, complexes, map1, map1_checked, map2, real_t, reals
from flambeau_tensor.vector_math cimport fast_log

cdef extern from "<complex.h>" nogil:
    double complex csin(double complex)

cdef double PI = 3.141592653589793


cdef real_t _lgamma(real_t x) noexcept nogil:
    return <real_t>math.lgamma(x)


cdef inline float _quick_lgamma(float x) noexcept nogil:
    """For x > 0, in double precision: a rational function near 1 and 2, Stirling's series from 3."""
    cdef double y = x + 1 if x < <float>0.5 else x, t = y - 1.5, p, d, z, factor, far
    p = -1.7445866430924538e-05
    p = p * t + 0.0007571733853023797
    p = p * t + 0.04077308518992499
    p = p * t + 0.28516333105840636
    p = p * t + 0.6566844552004805
    p = p * t + 0.48312895025106606
    d = 0.01671623308566666
    d = d * t + 0.22347825628152856
    d = d * t + 0.9619415598489498
    d = d * t + 1.6613460116356213
    d = d * t + 1
    p = (y - 1) * (y - 2) * p / d
    factor = y * (y + 1) * (y + 2) * (y + 3) * (y + 4) if y < 8 else 1.0  # the product from y to y + 4
    y = y + 5 if y < 8 else y
    z = 1 / y
    far = (y - 0.5) * fast_log[double](y) - y + 0.9189385332046727
    far += z * (1 / 12.0 - z * z * (1 / 360.0 - z * z * (1 / 1260.0 - z * z / 1680)))
    z = <double>x if x < <float>0.5 else factor
    z = 1.0 if (x >= <float>0.5) & (x < <float>3) else z
    return <float>((p if x < <float>3 else far) - fast_log[double](z) + 0.0)  # avoids -0


cdef inline bint _positive(float x) noexcept nogil:
    return (x > 0) & (x < <float>math.INFINITY)


cdef inline real_t _sinc(real_t x) noexcept nogil:
    """Use the power series of sin(pi r), where r is the distance from the nearest integer, which is exact."""
    cdef double n = math.rint(<double>x), r = x - n, z = r * r, p, sign = 1 + 4 * math.floor(n / 2) - 2 * n
    p = 0
    if real_t is double:
        p = 1.730219245836109e-13
        p = p * z - 1.0518471716932054e-11
        p = p * z + 5.392664662608125e-10
        p = p * z - 2.2948428997269856e-08
        p = p * z + 7.952054001475508e-07
    p = p * z - 2.1915353447830204e-05
    p = p * z + 0.00046630280576761234
    p = p * z - 0.007370430945714348
    p = p * z + 0.08214588661112819
    p = p * z - 0.5992645293207919
    p = p * z + 2.550164039877345
    p = p * z - 5.167712780049969
    p = p * z + 3.141592653589793
    return <real_t>(1.0 if x == 0 else sign * r * p / (PI * x))


cdef inline real_t _digamma(real_t x) noexcept nogil:
    return <real_t>digamma(x)


cdef double[9] BERNOULLI = [1 / 12.0, -1 / 720.0, 1 / 30240.0, -1 / 1209600.0, 1 / 47900160.0,  # B(2k) / (2k)!
                            -691 / 1307674368000.0, 1 / 74724249600.0, -3617 / 10670622842880000.0,
                            43867 / 5109094217170944000.0]


cdef inline double _hurwitz(double s, double q) noexcept nogil:
    """Return the sum of (q + k)**-s over k >= 0, s > 1: terms up to q = 12 + s, then the Euler-Maclaurin formula."""
    cdef double total = 0, term, z, first = 12 + s
    cdef int k
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
        total += BERNOULLI[k] * term
        term = term * (s + 2 * k + 1) * (s + 2 * k + 2) * z
    return total


cdef inline double _hurwitz_below(double s, double q, double sign) noexcept nogil:
    """The same for q < 0 that is not an integer: the sum over all integers without those below q. `sign`: (-1)**s."""
    return _hurwitz(s, q - math.floor(q)) + sign * (_hurwitz(s, math.ceil(q) - q) - _hurwitz(s, 1 - q))


cdef inline double _polygamma(double y, double n) noexcept nogil:
    # (-1)**(n + 1) n! zeta(n + 1, x) (Abramowitz and Stegun, 6.4.10)
    cdef double s = n + 1, sign = 1 if math.fmod(n, 2) == 1 else -1, total
    if y <= 0 and y == math.floor(y):
        return sign * math.INFINITY
    if y > 0:
        total = _hurwitz(s, y) if y < math.INFINITY else 0
    elif y < 0:
        total = _hurwitz_below(s, y, sign)
    else:
        total = y
    return sign * math.tgamma(s) * total


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
    if s != math.floor(s) or s == math.INFINITY:  # powers of negative numbers are not real
        return <real_t>math.NAN
    return <real_t>_hurwitz_below(s, y, -1 if math.fmod(s, 2) == 1 else 1)


# --- loops -----------------------------------------------------------------------------------------------------------

cdef void loop_lgamma(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    if real_t is float:
        map1_checked[float](a, n, s, _quick_lgamma, _positive, _lgamma[float])
    else:
        map1[real_t](a, n, s, _lgamma[real_t])


cdef void loop_digamma(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    map1[real_t](a, n, s, _digamma[real_t])


cdef void _polygammas(double* x, Py_ssize_t m, int order) noexcept nogil:
    """Compute in place, for positive numbers: integer powers by products, with the same number of terms for all."""
    cdef double[BLOCK] power
    cdef double[BLOCK] inverse
    cdef double[BLOCK] total
    cdef double[9] rest = BERNOULLI
    cdef double size = math.tgamma(<double>(order + 1)) * (1 if order % 2 else -1), z, p
    cdef int s = order + 1, terms = 12 + s, k, _j
    cdef Py_ssize_t i
    p = s
    for k in range(9):
        rest[k] *= p
        p *= (s + 2 * k + 1) * (s + 2 * k + 2)
    for i in range(m):
        total[i] = 0
    for k in range(terms + 1):
        for i in range(m):
            inverse[i] = 1 / (x[i] + k)
            power[i] = inverse[i]
        for _j in range(s - 2):
            for i in range(m):
                power[i] *= inverse[i]
        if k < terms:
            for i in range(m):
                total[i] += power[i] * inverse[i]
    for i in range(m):  # power: one degree lower, after the terms
        z = inverse[i] * inverse[i]
        p = rest[8]
        p = p * z + rest[7]
        p = p * z + rest[6]
        p = p * z + rest[5]
        p = p * z + rest[4]
        p = p * z + rest[3]
        p = p * z + rest[2]
        p = p * z + rest[1]
        p = p * z + rest[0]
        x[i] = size * (total[i] + power[i] * (1.0 / (s - 1) + inverse[i] * 0.5 + z * p))


cdef void loop_polygamma(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    # data: the order
    cdef double order = (<double*>tag)[0]
    cdef double[BLOCK] x
    cdef double y
    cdef Py_ssize_t done = 0, m, i
    while done < n[0]:
        m = min(<Py_ssize_t>BLOCK, n[0] - done)
        for i in range(m):
            x[i] = (<real_t*>(a[0] + (done + i) * s[0]))[0]
        if 1 <= order <= 30:
            _polygammas(x, m, <int>order)
        for i in range(m):
            y = (<real_t*>(a[0] + (done + i) * s[0]))[0]
            if not (1 <= order <= 30 and 1e-9 < y < 1e15):
                x[i] = _polygamma(y, order)
            (<real_t*>(a[1] + (done + i) * s[1]))[0] = <real_t>x[i]
        done += m


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
    "lgamma": reals(<size_t>&loop_lgamma[float], <size_t>&loop_lgamma[double]),
    "digamma": reals(<size_t>&loop_digamma[float], <size_t>&loop_digamma[double]),
    "polygamma": reals(<size_t>&loop_polygamma[float], <size_t>&loop_polygamma[double]),
    "zeta": reals(<size_t>&loop_zeta[float], <size_t>&loop_zeta[double]),
    "sinc": reals(<size_t>&loop_sinc[float], <size_t>&loop_sinc[double])
    | complexes(<size_t>&loop_sinc_complex[cython.floatcomplex], <size_t>&loop_sinc_complex[cython.doublecomplex]),
}
