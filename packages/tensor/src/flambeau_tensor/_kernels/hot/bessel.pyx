# cython: language_level=3
"""Inner loops of Bessel functions, modified Bessel functions and Airy functions: Chebyshev series in double precision.

Modified Bessel functions are split as by Clenshaw (Chebyshev series for mathematical functions, 1962): a series in x up
to a point, and beyond it a series in 1/x after factoring out exponential and root. The Airy function uses the pieces of
Abramowitz and Stegun 10.4. Bessel functions of the first and second kind are the C library's.
"""
from libc cimport math

from flambeau_tensor._kernels.map_loops cimport real_t, reals
from flambeau_tensor._kernels.chebyshev cimport *
from flambeau_tensor.vector_math cimport fast_exp

cdef enum:
    LANES = 32  # elements for which a series is summed together

cdef extern from *:
    """
    #include <math.h>
    #ifdef _MSC_VER
    #define fl_j0 _j0
    #define fl_j1 _j1
    #define fl_y0 _y0
    #define fl_y1 _y1
    #else
    #define fl_j0 j0
    #define fl_j1 j1
    #define fl_y0 y0
    #define fl_y1 y1
    #endif
    """
    double fl_j0(double x) noexcept nogil
    double fl_j1(double x) noexcept nogil
    double fl_y0(double x) noexcept nogil
    double fl_y1(double x) noexcept nogil


# --- first and second kind ------------------------------------------------------------------------------------------

cdef double bessel_j0(double x) noexcept nogil:
    return fl_j0(x)


cdef double bessel_j1(double x) noexcept nogil:
    return fl_j1(x)


cdef double bessel_y0(double x) noexcept nogil:
    return math.NAN if x < 0 else -math.INFINITY if x == 0 else fl_y0(x)


cdef double bessel_y1(double x) noexcept nogil:
    return math.NAN if x < 0 else -math.INFINITY if x == 0 else fl_y1(x)


cdef double spherical_bessel_j0(double x) noexcept nogil:
    if math.isinf(x):
        return 0
    return math.sin(x) / x if x != 0 else 1


# --- modified -------------------------------------------------------------------------------------------------------

cdef double i0e(double x) noexcept nogil:
    x = math.fabs(x)
    if x <= 8:  # exp(-x) I0(x)
        return series(I0_NEAR, 32, x / 4 - 1)
    return series(I0_FAR, 28, 16 / x - 1) / math.sqrt(x)  # sqrt(x) exp(-x) I0(x)


cdef double i1e(double x) noexcept nogil:
    cdef double u = math.fabs(x), w
    if u <= 8:  # exp(-x) I1(x) / x (1 + x / 4)**1.5
        w = 1 + u / 4
        return x * series(I1_NEAR, 32, u / 4 - 1) / (w * math.sqrt(w))
    return math.copysign(series(I1_FAR, 28, 16 / u - 1) / math.sqrt(u), x)  # sqrt(x) exp(-x) I1(x)


cdef inline double _grown(double x, double scaled) noexcept nogil:
    """Return exp(|x|) times a value that was scaled by the inverse, which is below 1."""
    x = math.fabs(x)
    if x < 700:
        return math.exp(x) * scaled
    if x > 720:
        return math.copysign(math.INFINITY, scaled)
    return math.exp(x / 2) * scaled * math.exp(x / 2)


cdef double i0(double x) noexcept nogil:
    return _grown(x, i0e(x))


cdef double i1(double x) noexcept nogil:
    return _grown(x, i1e(x))


cdef inline void _chebyshev(const double* c, int n, const double* t, double* y) noexcept nogil:
    """Sum a series for LANES arguments (Clenshaw's recurrence)."""
    cdef double[LANES] b, before
    cdef double z
    cdef int k, i
    for i in range(LANES):
        b[i] = before[i] = 0
    for k in range(n - 1, 0, -1):
        for i in range(LANES):
            z = 2 * t[i] * b[i] + (c[k] - before[i])
            before[i] = b[i]
            b[i] = z
    for i in range(LANES):
        y[i] = t[i] * b[i] + (c[0] - before[i])


cdef inline int _terms(const double* c, int n, real_t like) noexcept nogil:
    """Return the number of terms that matter: fewer in single precision."""
    if real_t is float:
        while n > 1 and math.fabs(c[n - 1]) < 1e-9 * math.fabs(c[0]):
            n -= 1
    return n


cdef inline void _first_kind(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag, int order,
                             bint scaled) noexcept nogil:
    """Compute I0 or I1 in blocks: both series, if both are needed."""
    cdef const double* near_series = &I1_NEAR[0] if order else &I0_NEAR[0]
    cdef const double* far_series = &I1_FAR[0] if order else &I0_FAR[0]
    cdef int near_terms = _terms(near_series, 32, <real_t>0), far_terms = _terms(far_series, 28, <real_t>0), i
    cdef double[LANES] u, t, near, far, sign
    cdef double x, w, e
    cdef Py_ssize_t done = 0, m
    cdef bint any_near, any_far
    while done < n[0]:
        m = min(<Py_ssize_t>LANES, n[0] - done)
        any_near = any_far = False
        for i in range(LANES):
            u[i] = 0
        for i in range(m):
            x = (<real_t*>(a[0] + (done + i) * s[0]))[0]
            u[i], sign[i] = math.fabs(x), math.copysign(1, x) if order else 1
            any_near |= u[i] <= 8
            any_far |= u[i] > 8
        if any_near:
            for i in range(LANES):
                t[i] = (8.0 if u[i] > 8 else u[i]) / 4 - 1
            _chebyshev(near_series, near_terms, t, near)
            if order:
                for i in range(LANES):
                    w = 1 + (8.0 if u[i] > 8 else u[i]) / 4
                    near[i] = u[i] * near[i] / (w * math.sqrt(w))
        if any_far:
            for i in range(LANES):
                t[i] = 16 / (8.0 if u[i] < 8 else u[i]) - 1
            _chebyshev(far_series, far_terms, t, far)
            for i in range(LANES):
                far[i] = far[i] / math.sqrt(8.0 if u[i] < 8 else u[i])
                near[i] = far[i] if not any_near or u[i] > 8 else near[i]
        if not any_near and not any_far:  # NaN only
            for i in range(LANES):
                near[i] = u[i]
        if not scaled:
            for i in range(LANES):
                e = fast_exp[double](u[i] if u[i] < 700 else u[i] / 2)
                near[i] = e * near[i] * (1.0 if u[i] < 700 else e)
                near[i] = <double>math.INFINITY if u[i] > 720 else near[i]
        for i in range(m):
            (<real_t*>(a[1] + (done + i) * s[1]))[0] = <real_t>(u[i] if u[i] != u[i] else sign[i] * near[i])
        done += m


cdef inline double _k0(double x, bint scaled) noexcept nogil:
    cdef double y
    if not x > 0:
        return math.INFINITY if x == 0 else math.NAN
    if x <= 2:  # K0(x) + log(x / 2) I0(x), a function of x**2
        y = series(K0_NEAR, 12, x * x / 2 - 1) - math.log(x / 2) * i0(x)
        return y * math.exp(x) if scaled else y
    y = series(K0_FAR, 26, 4 / x - 1) / math.sqrt(x)  # sqrt(x) exp(x) K0(x)
    return y if scaled else y * math.exp(-x)


cdef inline double _k1(double x, bint scaled) noexcept nogil:
    cdef double y
    if not x > 0:
        return math.INFINITY if x == 0 else math.NAN
    if x <= 2:  # x (K1(x) - log(x / 2) I1(x)), a function of x**2
        y = series(K1_NEAR, 12, x * x / 2 - 1) / x + math.log(x / 2) * i1(x)
        return y * math.exp(x) if scaled else y
    y = series(K1_FAR, 26, 4 / x - 1) / math.sqrt(x)  # sqrt(x) exp(x) K1(x)
    return y if scaled else y * math.exp(-x)


cdef double k0(double x) noexcept nogil:
    return _k0(x, False)


cdef double k1(double x) noexcept nogil:
    return _k1(x, False)


cdef double k0e(double x) noexcept nogil:
    return _k0(x, True)


cdef double k1e(double x) noexcept nogil:
    return _k1(x, True)


# --- Airy's function ------------------------------------------------------------------------------------------------

cdef inline double _zeta(double x, double* low) noexcept nogil:
    """Return 2/3 x**1.5 and its rounding error; it is the argument of exponentials, sines and cosines."""
    cdef double third = 0.6666666666666666  # and 3.7e-17
    cdef double s = math.sqrt(x), product = x * s, z = third * product
    cdef double rest = math.fma(x, s, -product) - x * math.fma(s, s, -x) / (2 * s)
    low[0] = math.fma(third, product, -z) + third * rest + 3.700743415417188e-17 * product
    return z


cdef double airy_ai(double x) noexcept nogil:
    cdef double z, low = 0, u, c, s
    if x >= 2:
        if x > 110:
            return 0
        z = _zeta(x, &low)  # 2 sqrt(pi) x**(1/4) exp(z) Ai(x), a function of 1 / z
        return series(AI_RIGHT, 26, 2 * 1.8856180831641267 / z - 1) * math.exp(-z) * (1 - low) / (
            3.5449077018110318 * math.sqrt(math.sqrt(x)))
    if x >= 0:
        return series(AI_RISING, 22, x - 1)
    if x >= -3:
        return series(AI_MIDDLE, 24, x * (2 / 3.0) + 1)
    x = -x
    z = _zeta(x, &low)
    if z == math.INFINITY:
        return 0
    c, s = math.cos(z), math.sin(z)
    if -1e-8 < low < 1e-8:
        c, s = c - low * s, s + low * c
    else:  # the rounding error of z is not negligible as an angle
        u = math.sin(low)
        low = math.cos(low)
        c, s = c * low - s * u, s * low + c * u
    u = 3.4641016151377544 / z
    u = 2 * u * u - 1
    # sqrt(pi) x**(1/4) Ai(-x) = P cos(z - pi / 4) + Q / z sin(z - pi / 4)
    return (series(AI_COS, 28, u) * (c + s) + series(AI_SIN, 36, u) / z * (s - c)) * 0.3989422804014327 \
        / math.sqrt(math.sqrt(x))


# --- loops ----------------------------------------------------------------------------------------------------------

cdef void loop_bessel_j0(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    each(a, n, s, bessel_j0, tag)


cdef void loop_bessel_j1(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    each(a, n, s, bessel_j1, tag)


cdef void loop_bessel_y0(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    each(a, n, s, bessel_y0, tag)


cdef void loop_bessel_y1(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    each(a, n, s, bessel_y1, tag)


cdef void loop_spherical_bessel_j0(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    each(a, n, s, spherical_bessel_j0, tag)


cdef void loop_i0(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    _first_kind(a, n, s, tag, 0, False)


cdef void loop_i0e(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    _first_kind(a, n, s, tag, 0, True)


cdef void loop_i1(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    _first_kind(a, n, s, tag, 1, False)


cdef void loop_i1e(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    _first_kind(a, n, s, tag, 1, True)


cdef void loop_k0(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    each(a, n, s, k0, tag)


cdef void loop_k0e(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    each(a, n, s, k0e, tag)


cdef void loop_k1(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    each(a, n, s, k1, tag)


cdef void loop_k1e(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    each(a, n, s, k1e, tag)


cdef void loop_airy_ai(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    each(a, n, s, airy_ai, tag)


LOOPS = {
    "bessel_j0": reals(<size_t>&loop_bessel_j0[float], <size_t>&loop_bessel_j0[double]),
    "bessel_j1": reals(<size_t>&loop_bessel_j1[float], <size_t>&loop_bessel_j1[double]),
    "bessel_y0": reals(<size_t>&loop_bessel_y0[float], <size_t>&loop_bessel_y0[double]),
    "bessel_y1": reals(<size_t>&loop_bessel_y1[float], <size_t>&loop_bessel_y1[double]),
    "spherical_bessel_j0": reals(<size_t>&loop_spherical_bessel_j0[float], <size_t>&loop_spherical_bessel_j0[double]),
    "i0": reals(<size_t>&loop_i0[float], <size_t>&loop_i0[double]),
    "i0e": reals(<size_t>&loop_i0e[float], <size_t>&loop_i0e[double]),
    "i1": reals(<size_t>&loop_i1[float], <size_t>&loop_i1[double]),
    "i1e": reals(<size_t>&loop_i1e[float], <size_t>&loop_i1e[double]),
    "k0": reals(<size_t>&loop_k0[float], <size_t>&loop_k0[double]),
    "k0e": reals(<size_t>&loop_k0e[float], <size_t>&loop_k0e[double]),
    "k1": reals(<size_t>&loop_k1[float], <size_t>&loop_k1[double]),
    "k1e": reals(<size_t>&loop_k1e[float], <size_t>&loop_k1e[double]),
    "airy_ai": reals(<size_t>&loop_airy_ai[float], <size_t>&loop_airy_ai[double]),
}
