# cython: language_level=3
"""Inner loops of error functions, and of the normal distribution: areas, their logarithms, and quantiles."""
from libc cimport math

from flambeau_tensor._kernels.map_loops cimport map1_blocks, real_t, reals
from flambeau_tensor._kernels.normal cimport erfcx_upwards, quantile, upper_tail
from flambeau_tensor.vector_math cimport exp_down, fast_erf, fast_log, log1p_of

cdef extern from *:
    """
    #ifdef __GNUC__  /* loops vectorize only if functions are inlined, but compilers avoid inlining many large ones */
    #undef CYTHON_INLINE
    #define CYTHON_INLINE inline __attribute__((always_inline))
    #endif
    """


cdef inline double _erfc_upwards(double x) noexcept nogil:
    """Return erfc(x) for x >= 0 with a relative error of 2e-10, which suffices for floats, without branches."""
    # t exp(p - x**2) with t = 2 / (2 + x) and a polynomial p fitted to the remainder, the form of Shepherd and
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


cdef inline real_t _erf(real_t x) noexcept nogil:
    # Accurate to the last place for floats, too: a series in x^2 up to 1, and 1 - exp of a polynomial beyond.
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
        return upper_tail(x, x, 1)


cdef inline real_t _ndtr(real_t x) noexcept nogil:
    cdef double t = x * -0.7071067811865476, tail
    if real_t is float:
        tail = _erfc_upwards(math.fabs(t)) / 2
        return <float>(1 - tail if t < 0 else tail)
    else:
        return upper_tail(x, t, 0.5) / 2


cdef inline real_t _erfinv(real_t x) noexcept nogil:
    cdef double y = x
    return <real_t>(0.7071067811865476 * quantile(y / 2, (1 - math.fabs(y)) / 2, x))


cdef inline real_t _ndtri(real_t p) noexcept nogil:
    cdef double y = p
    return <real_t>quantile(y - 0.5, 1 - y if y > 0.5 else y, p)


cdef inline real_t _log_ndtr(real_t x) noexcept nogil:
    cdef double y = x, t = y * -0.7071067811865476, u = 0.4 if t < 0.4 else t, tail, above
    tail = fast_log(0.5 * erfcx_upwards(u)) - 0.5 * y * y
    above = log1p_of[double](-0.5 * upper_tail(y, -t, 0.5), 0.0)
    return <real_t>(tail if y < -1 else above)


cdef inline real_t _entr(real_t x) noexcept nogil:
    cdef double y = x, z = -y * fast_log(y)
    z = y if y == 0 else z
    return <real_t>(-math.INFINITY if y < 0 else z)


# --- loops -----------------------------------------------------------------------------------------------------------

cdef void loop_erf(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    map1_blocks[real_t](a, n, s, _erf[real_t])


cdef void loop_erfc(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    map1_blocks[real_t](a, n, s, _erfc[real_t])


cdef void loop_ndtr(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    map1_blocks[real_t](a, n, s, _ndtr[real_t])


cdef void loop_erfinv(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    map1_blocks[real_t](a, n, s, _erfinv[real_t])


cdef void loop_ndtri(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    map1_blocks[real_t](a, n, s, _ndtri[real_t])


cdef void loop_entr(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    map1_blocks[real_t](a, n, s, _entr[real_t])


cdef void loop_log_ndtr(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    map1_blocks[real_t](a, n, s, _log_ndtr[real_t])


LOOPS = {
    "erf": reals(<size_t>&loop_erf[float], <size_t>&loop_erf[double]),
    "erfc": reals(<size_t>&loop_erfc[float], <size_t>&loop_erfc[double]),
    "ndtr": reals(<size_t>&loop_ndtr[float], <size_t>&loop_ndtr[double]),
    "log_ndtr": reals(<size_t>&loop_log_ndtr[float], <size_t>&loop_log_ndtr[double]),
    "erfinv": reals(<size_t>&loop_erfinv[float], <size_t>&loop_erfinv[double]),
    "ndtri": reals(<size_t>&loop_ndtri[float], <size_t>&loop_ndtri[double]),
    "entr": reals(<size_t>&loop_entr[float], <size_t>&loop_entr[double]),
}
