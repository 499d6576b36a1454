"""Conversion of the 32-bit words of a Mersenne Twister to numbers: the number of words per number, their order, and the
transformation are those of PyTorch's CPU generator, so that a seed gives the same numbers.

A uniform float uses the low 24 bits of one word; a uniform double, the low 53 bits of two, high word first. All other
floating point numbers are computed in double precision, except blocks of normal floats.
"""
from libc.math cimport ceil, cos, exp, fabs, fabsf, floor, fma, lgamma, log, log1p, sin, sqrt, sqrtf, tan
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t

from flambeau_tensor._core.elementwise.half_precision cimport bf16_to_float, float_to_bf16, float_to_half, half_to_float
from flambeau_tensor._core.memory.types cimport *
from flambeau_tensor._kernels.random_types cimport STATE_WORDS, Params, Source

cdef extern from * nogil:
    """
    #include <stdint.h>
    #include <string.h>
    static inline uint32_t fl_bits(float f) { uint32_t u; memcpy(&u, &f, 4); return u; }
    static inline float fl_float(uint32_t u) { float f; memcpy(&f, &u, 4); return f; }
    """
    uint32_t fl_bits(float f)
    float fl_float(uint32_t u)

ctypedef fused real:
    float
    double

cdef enum:
    WORDS = 1024  # words that are drawn together

cdef uint64_t LOW_53 = 0x1fffffffffffff
cdef double TWO_PI = 6.283185307179586476925286766559
cdef double PI = 3.141592653589793238462643383280

# The threshold of permutation(): from this length, 32 bits are too few for uniform indices.
cdef Py_ssize_t LARGE_PERMUTATION = 0xffffffff // 20


# --- words and uniform numbers --------------------------------------------------------------------------------------

# The Mersenne Twister MT19937: M. Matsumoto, T. Nishimura, ACM TOMACS 8 (1998) 3.

cdef inline uint32_t twisted(uint32_t upper, uint32_t lower, uint32_t other) noexcept nogil:
    cdef uint32_t joined = (upper & 0x80000000u) | (lower & 0x7fffffffu)
    return other ^ joined >> 1 ^ (0x9908b0dfu & -(lower & 1))


cdef void twist(uint32_t* x) noexcept nogil:
    cdef int i
    for i in range(227):
        x[i] = twisted(x[i], x[i + 1], x[i + 397])
    for i in range(227, 623):
        x[i] = twisted(x[i], x[i + 1], x[i - 227])
    x[623] = twisted(x[623], x[0], x[396])


cdef inline uint32_t tempered(uint32_t x) noexcept nogil:
    x ^= x >> 11
    x ^= x << 7 & 0x9d2c5680u
    x ^= x << 15 & 0xefc60000u
    return x ^ x >> 18


cdef void words(Source* s, uint32_t* out, Py_ssize_t n) noexcept nogil:
    cdef const uint32_t* x
    cdef Py_ssize_t i, k
    while n > 0:
        if s.next == STATE_WORDS:
            twist(s.state)
            s.next = 0
        k = min(n, STATE_WORDS - s.next)
        x = &s.state[s.next]
        for i in range(k):
            out[i] = tempered(x[i])
        s.next += <int>k
        out += k
        n -= k


cdef inline uint32_t word(Source* s) noexcept nogil:
    if s.next == STATE_WORDS:
        twist(s.state)
        s.next = 0
    s.next += 1
    return tempered(s.state[s.next - 1])


cdef inline uint64_t word64(Source* s) noexcept nogil:
    cdef uint64_t high = word(s)
    return high << 32 | word(s)


cdef inline float unit_float(uint32_t word) noexcept nogil:
    return <float>(<int32_t>(word & 0xffffff)) * <float>(1.0 / 0x1000000)


cdef inline double unit_double(uint64_t word) noexcept nogil:
    return <double>(<int64_t>(word & LOW_53)) * 1.1102230246251565e-16


cdef void unit_floats(Source* s, float* out, Py_ssize_t n) noexcept nogil:
    cdef uint32_t[WORDS] raw
    cdef Py_ssize_t i, k
    while n > 0:
        k = min(n, WORDS)
        words(s, raw, k)
        for i in range(k):
            out[i] = unit_float(raw[i])
        out += k
        n -= k


cdef void unit_doubles(Source* s, double* out, Py_ssize_t n) noexcept nogil:
    cdef uint32_t[WORDS] raw
    cdef Py_ssize_t i, k
    while n > 0:
        k = min(n, WORDS // 2)
        words(s, raw, 2 * k)
        for i in range(k):
            out[i] = unit_double(<uint64_t>raw[2 * i] << 32 | raw[2 * i + 1])
        out += k
        n -= k


cdef float round_to(float x, int dtype) noexcept nogil:
    if dtype == FLOAT16:
        return half_to_float(float_to_half(x))
    if dtype == BFLOAT16:
        return bf16_to_float(float_to_bf16(x))
    return x


cdef float least_reaching(float end, int dtype) noexcept nogil:
    """Return the smallest float that is at least `end` after both are rounded to `dtype`."""
    cdef float low = end - max(fabsf(end) / 64, <float>1e-6), high = end, middle
    if dtype == FLOAT32:
        return end
    end = round_to(end, dtype)
    high = max(high, end)
    while True:
        middle = low + (high - low) / 2
        if middle <= low or middle >= high:
            return high
        if round_to(middle, dtype) >= end:
            high = middle
        else:
            low = middle


cdef void uniform_float(Source* s, const Params* p, void* result, Py_ssize_t n) noexcept nogil:
    cdef float* out = <float*>result
    cdef float low = <float>p.a, scale = <float>p.b - <float>p.a
    cdef float end = least_reaching(<float>p.b, p.dtype)  # numbers that are rounded up to the open end become `low`
    cdef Py_ssize_t i
    unit_floats(s, out, n)
    if p.dtype == FLOAT32 and p.a == 0 and p.b == 1:
        return
    for i in range(n):
        out[i] = <float>(<double>out[i] * scale + low)  # in a double, the product is exact
        out[i] = low if out[i] >= end else out[i]


cdef void uniform(Source* s, const Params* p, void* result, Py_ssize_t n) noexcept nogil:
    cdef double* out = <double*>result
    cdef double low = p.a, end = p.b, scale = p.b - p.a
    cdef Py_ssize_t i
    unit_doubles(s, out, n)
    if low == 0 and end == 1:
        return
    for i in range(n):
        out[i] = fma(out[i], scale, low)
        if out[i] >= end:
            out[i] = low


# --- normal numbers -------------------------------------------------------------------------------------------------

cdef double next_normal(Source* s) noexcept nogil:
    cdef double angle, radius
    if s.has_normal:
        s.has_normal = False
        return s.normal
    angle = TWO_PI * unit_double(word64(s))
    radius = sqrt(-2 * log1p(-unit_double(word64(s))))
    s.normal = radius * sin(angle)
    s.has_normal = True
    return radius * cos(angle)


cdef void normal(Source* s, const Params* p, void* result, Py_ssize_t n) noexcept nogil:
    cdef double* out = <double*>result
    cdef Py_ssize_t i
    for i in range(n):
        out[i] = fma(next_normal(s), p.b, p.a)


cdef void log_normal(Source* s, const Params* p, void* result, Py_ssize_t n) noexcept nogil:
    cdef double* out = <double*>result
    cdef Py_ssize_t i
    for i in range(n):
        out[i] = exp(fma(next_normal(s), p.b, p.a))


cdef void normal_block(Source* s, const Params* p, void* result, Py_ssize_t n) noexcept nogil:
    """Blocks of 16: uniform numbers 0 to 7 determine the radii, 8 to 15 the angles."""
    cdef double* out = <double*>result
    cdef Py_ssize_t i
    cdef int j
    cdef double radius, angle
    unit_doubles(s, out, n)
    for i in range(0, n, 16):
        for j in range(8):
            radius = sqrt(-2 * log(1 - out[i + j]))
            angle = TWO_PI * out[i + j + 8]
            out[i + j] = fma(radius * cos(angle), p.b, p.a)
            out[i + j + 8] = fma(radius * sin(angle), p.b, p.a)


# Logarithm, sine and cosine as in Cephes (S. L. Moshier, netlib.org/cephes, single precision), with selections instead
# of branches, so that the compiler vectorizes the loop.

cdef inline float log_unit(float x) noexcept nogil:
    """Return ln x for x in (0, 1] that is not subnormal."""
    cdef uint32_t bits = fl_bits(x)
    cdef float m = fl_float((bits & 0x7fffff) | 0x3f000000)  # in [0.5, 1)
    cdef bint low = m < <float>0.70710678118654752
    cdef float e = <float>(<int32_t>(bits >> 23) - 126 - low)
    cdef float y, z
    m = m - 1 + (m if low else <float>0)
    z = m * m
    y = <float>7.0376836292e-2
    y = y * m + <float>-1.1514610310e-1
    y = y * m + <float>1.1676998740e-1
    y = y * m + <float>-1.2420140846e-1
    y = y * m + <float>1.4249322787e-1
    y = y * m + <float>-1.6668057665e-1
    y = y * m + <float>2.0000714765e-1
    y = y * m + <float>-2.4999993993e-1
    y = y * m + <float>3.3333331174e-1
    y = y * m
    y = y * z
    y = y + e * <float>-2.12194440e-4
    y = y - z * <float>0.5
    m = m + y
    return m + e * <float>0.693359375


cdef inline void sin_cos(float x, float* sine, float* cosine) noexcept nogil:
    """Compute sine and cosine for small x >= 0."""
    cdef int32_t octant = (<int32_t>(x * <float>1.27323954473516) + 1) & ~1
    cdef float y = <float>octant
    cdef float z, s, c
    x = x + y * <float>-0.78515625  # pi / 4 in three parts
    x = x + y * <float>-2.4187564849853515625e-4
    x = x + y * <float>-3.77489497744594108e-8
    z = x * x
    c = <float>2.443315711809948e-5
    c = c * z + <float>-1.388731625493765e-3
    c = c * z + <float>4.166664568298827e-2
    c = c * z
    c = c * z
    c = c - z * <float>0.5
    c = c + 1
    s = <float>-1.9515295891e-4
    s = s * z + <float>8.3321608736e-3
    s = s * z + <float>-1.6666654611e-1
    s = s * z
    s = s * x
    s = s + x
    sine[0] = fl_float(fl_bits(c if octant & 2 else s) ^ (<uint32_t>octant & 4) << 29)
    cosine[0] = fl_float(fl_bits(s if octant & 2 else c) ^ (~(<uint32_t>octant - 2) & 4) << 29)


cdef void normal_block_float(Source* s, const Params* p, void* result, Py_ssize_t n) noexcept nogil:
    cdef float* out = <float*>result
    cdef float mean = <float>p.a, std = <float>p.b
    cdef Py_ssize_t i
    cdef int j
    cdef float radius, sine, cosine
    unit_floats(s, out, n)
    for i in range(0, n, 16):
        for j in range(8):
            radius = sqrtf(-2 * log_unit(1 - out[i + j]))
            sin_cos(<float>TWO_PI * out[i + j + 8], &sine, &cosine)
            out[i + j] = radius * cosine * std + mean
            out[i + j + 8] = radius * sine * std + mean


# --- other distributions --------------------------------------------------------------------------------------------

cdef void bernoulli(Source* s, const Params* p, void* result, Py_ssize_t n) noexcept nogil:
    cdef double* out = <double*>result
    cdef double probability = p.a
    cdef Py_ssize_t i
    unit_doubles(s, out, n)
    for i in range(n):
        out[i] = out[i] < probability


cdef inline void choose(Source* s, const real* p, uint8_t* out, Py_ssize_t n) noexcept nogil:
    cdef real[WORDS] unit
    cdef Py_ssize_t i, k
    while n > 0:
        k = min(n, WORDS)
        if real is float:
            unit_floats(s, unit, k)
        else:
            unit_doubles(s, unit, k)
        for i in range(k):
            out[i] = unit[i] < p[i]
        p += k
        out += k
        n -= k


cdef void choose_float(Source* s, const void* p, uint8_t* out, Py_ssize_t n) noexcept nogil:
    choose(s, <const float*>p, out, n)


cdef void choose_double(Source* s, const void* p, uint8_t* out, Py_ssize_t n) noexcept nogil:
    choose(s, <const double*>p, out, n)


cdef void exponential(Source* s, const Params* p, void* result, Py_ssize_t n) noexcept nogil:
    cdef double* out = <double*>result
    cdef double scale = -1 / p.a
    cdef Py_ssize_t i
    unit_doubles(s, out, n)
    for i in range(n):
        out[i] = scale * log1p(-out[i])


cdef void geometric(Source* s, const Params* p, void* result, Py_ssize_t n) noexcept nogil:
    cdef double* out = <double*>result
    cdef double log_failure = log1p(-p.a)
    cdef Py_ssize_t i
    unit_doubles(s, out, n)
    for i in range(n):
        out[i] = ceil(log(out[i]) / log_failure)


cdef void cauchy(Source* s, const Params* p, void* result, Py_ssize_t n) noexcept nogil:
    cdef double* out = <double*>result
    cdef Py_ssize_t i
    unit_doubles(s, out, n)
    for i in range(n):
        out[i] = fma(tan(PI * (out[i] - 0.5)), p.b, p.a)


cdef void poisson(Source* s, const Params* p, void* result, Py_ssize_t n) noexcept nogil:
    """Small rates count the uniform numbers that are multiplied until the product is below exp(-rate). From a rate
    of 10, transformed rejection is used (PTRS: W. Hörmann, Insurance: Mathematics and Economics 12 (1993) 39)."""
    cdef double* out = <double*>result
    cdef double rate = p.a, root = sqrt(rate), u, v, us, product, limit
    cdef double b = 0.931 + 2.53 * root
    cdef double a = 0.02483 * b - 0.059
    cdef double inverse = 1.1239 + 1.1328 / (b - 3.4), squeeze = 0.9277 - 3.6224 / (b - 2)
    cdef int64_t k
    cdef Py_ssize_t i
    for i in range(n):
        k = 0
        if rate >= 10:
            while True:
                u = unit_double(word64(s)) - 0.5
                v = unit_double(word64(s))
                us = 0.5 - fabs(u)
                k = <int64_t>floor((2 * a / us + b) * u + rate + 0.43)
                if us >= 0.07 and v <= squeeze:
                    break
                if k < 0 or (us < 0.013 and v > us):
                    continue
                if log(v) + log(inverse) - log(a / (us * us) + b) <= k * log(rate) - rate - lgamma(<double>k + 1):
                    break
        elif rate != 0:
            limit, product = exp(-rate), unit_double(word64(s))
            while product > limit:
                k += 1
                product *= unit_double(word64(s))
        out[i] = <double>k


# --- integers -------------------------------------------------------------------------------------------------------

cdef void integers(Source* s, const Params* p, void* result, Py_ssize_t n) noexcept nogil:
    cdef int64_t* out = <int64_t*>result
    cdef uint32_t[WORDS] raw
    cdef double modulus = <double>p.modulus, inverse = 1 / modulus, x
    cdef Py_ssize_t i, k
    if p.wide:
        for i in range(n):
            out[i] = <int64_t>((word64(s) % p.modulus if p.modulus else word64(s)) + <uint64_t>p.base)
        return
    while n > 0:
        k = min(n, WORDS)
        words(s, raw, k)
        for i in range(k):
            x = raw[i]
            x -= modulus * floor(x * inverse)  # exact, up to one modulus
            x += modulus if x < 0 else 0
            x -= modulus if x >= modulus else 0
            out[i] = <int64_t>x + p.base
        out += k
        n -= k


cdef void permutation(Source* s, int64_t* out, Py_ssize_t n) noexcept nogil:
    """The Fisher-Yates shuffle; from LARGE_PERMUTATION, its inside-out form with 64-bit words."""
    cdef Py_ssize_t i, j
    if n < LARGE_PERMUTATION:
        for i in range(n):
            out[i] = i
        for i in range(n - 1):
            j = i + word(s) % <uint32_t>(n - i)
            out[i], out[j] = out[j], out[i]
    else:
        for i in range(n):
            j = <Py_ssize_t>(word64(s) % <uint64_t>(i + 1))
            out[i] = out[j]
            out[j] = i


# By distribution and the type of the generated numbers.
LOOPS = {
    "uniform": {"float32": <size_t>&uniform_float, "float64": <size_t>&uniform},
    "normal_block": {"float32": <size_t>&normal_block_float, "float64": <size_t>&normal_block},
    "normal": {"float64": <size_t>&normal},
    "log_normal": {"float64": <size_t>&log_normal},
    "bernoulli": {"float64": <size_t>&bernoulli},
    "choose": {"float32": <size_t>&choose_float, "float64": <size_t>&choose_double},
    "exponential": {"float64": <size_t>&exponential},
    "geometric": {"float64": <size_t>&geometric},
    "cauchy": {"float64": <size_t>&cauchy},
    "poisson": {"float64": <size_t>&poisson},
    "integers": {"int64": <size_t>&integers},
    "permutation": {"int64": <size_t>&permutation},
}
