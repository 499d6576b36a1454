"""Functions for hot loops: inlined, without branches, so that the compiler vectorizes whatever loop they stand in.

``fast_exp``, ``exp_down`` and ``fast_expm1`` reduce by powers of two, exp(x) = 2^n exp(r) with |r| <= ln(2) / 2 (Cody
and Waite); float32's ``fast_erf`` and ``fast_log1p`` are rational functions fitted for the least relative error. All
are within a few units in the last place, and NaN stays NaN. In float64 erf and log1p are the C library's.
"""
from libc cimport math
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t

cdef extern from * nogil:
    """
    #include <stdint.h>
    #include <string.h>
    static inline float fl_from_bits32(uint32_t i) { float f; memcpy(&f, &i, 4); return f; }
    static inline double fl_from_bits64(uint64_t i) { double f; memcpy(&f, &i, 8); return f; }
    static inline uint32_t fl_bits32(float f) { uint32_t i; memcpy(&i, &f, 4); return i; }
    static inline uint64_t fl_bits64(double f) { uint64_t i; memcpy(&i, &f, 8); return i; }
    """
    float from_bits32 "fl_from_bits32"(uint32_t)
    double from_bits64 "fl_from_bits64"(uint64_t)
    uint32_t bits32 "fl_bits32"(float)
    uint64_t bits64 "fl_bits64"(double)

ctypedef fused real:
    float
    double


cdef inline real _excess(real r) noexcept nogil:
    """exp(r) - 1 for |r| <= ln(2) / 2."""
    cdef real p
    if real is float:
        p = <float>1.3901294e-3  # fitted; the error is 3e-8 of r
        p = p * r + <float>8.3631621e-3
        p = p * r + <float>4.16668536e-2
        p = p * r + <float>1.666657719e-1
        p = p * r + <float>4.999999955e-1
    else:
        p = 1.0 / 6227020800.0  # the Taylor series; its next term is 1e-17 of r
        p = p * r + 1.0 / 479001600
        p = p * r + 1.0 / 39916800
        p = p * r + 1.0 / 3628800
        p = p * r + 1.0 / 362880
        p = p * r + 1.0 / 40320
        p = p * r + 1.0 / 5040
        p = p * r + 1.0 / 720
        p = p * r + 1.0 / 120
        p = p * r + 1.0 / 24
        p = p * r + 1.0 / 6
        p = p * r + 0.5
    return p * r * r + r


cdef inline real fast_exp(real x) noexcept nogil:
    """exp(x): 0 at -infinity, subnormal numbers included."""
    cdef real n, r
    cdef int32_t i, half
    cdef int64_t j, semi
    # Adding 1.5 * 2^23 (2^52) rounds to an integer, which then stands in the low bits.
    # 2^n is applied in two factors: it alone may be out of range where the result is not.
    if real is float:
        x = <float>-105 if x < <float>-105 else x
        x = <float>89 if x > <float>89 else x
        n = x * <float>1.44269504088896341 + <float>12582912
        i = bits32(n) - bits32(<float>12582912)
        n = n - <float>12582912
        r = x - n * <float>0.693145751953125  # ln 2 in two parts: n times the first is exact
        r = r - n * <float>1.42860677e-6
        half = i >> 1
        return (_excess(r) + <float>1) * from_bits32((half + 127) << 23) * from_bits32((i - half + 127) << 23)
    else:
        x = -746.0 if x < -746.0 else x
        x = 710.0 if x > 710.0 else x
        n = x * 1.44269504088896341 + 6755399441055744.0
        j = bits64(n) - bits64(6755399441055744.0)
        n = n - 6755399441055744.0
        r = x - n * 0.693147180369123816490
        r = r - n * 1.90821492927058770002e-10
        semi = j >> 1
        return (_excess(r) + 1.0) * from_bits64((semi + 1023) << 52) * from_bits64((j - semi + 1023) << 52)


cdef inline real exp_down(real x) noexcept nogil:
    """exp(x) for x <= 0, as softmax needs it: 0 where the result would be subnormal."""
    cdef real n, r, p
    if real is float:
        n = x * <float>1.44269504088896341 + <float>12582912
        r = x - (n - <float>12582912) * <float>0.693145751953125
        r = r - (n - <float>12582912) * <float>1.42860677e-6
        p = (_excess(r) + <float>1) * from_bits32((bits32(n) - bits32(<float>12582912) + 127) << 23)
        return 0 if x < <float>-87.33654 else p
    else:
        n = x * 1.44269504088896341 + 6755399441055744.0
        r = x - (n - 6755399441055744.0) * 0.693147180369123816490
        r = r - (n - 6755399441055744.0) * 1.90821492927058770002e-10
        p = (_excess(r) + 1.0) * from_bits64((bits64(n) - bits64(6755399441055744.0) + 1023) << 52)
        return 0 if x < -708.396418532264 else p


cdef inline real fast_expm1(real x) noexcept nogil:
    """exp(x) - 1, precise near zero; -1 far below it."""
    cdef real n, r, scale
    if real is float:
        x = <float>-30 if x < <float>-30 else x
        x = <float>88 if x > <float>88 else x
        n = x * <float>1.44269504088896341 + <float>12582912
        scale = from_bits32((bits32(n) - bits32(<float>12582912) + 127) << 23)
        n = n - <float>12582912
        r = x - n * <float>0.693145751953125
        r = r - n * <float>1.42860677e-6
        return _excess(r) * scale + (scale - <float>1)
    else:
        x = -50.0 if x < -50.0 else x
        x = 709.0 if x > 709.0 else x
        n = x * 1.44269504088896341 + 6755399441055744.0
        scale = from_bits64((bits64(n) - bits64(6755399441055744.0) + 1023) << 52)
        n = n - 6755399441055744.0
        r = x - n * 0.693147180369123816490
        r = r - n * 1.90821492927058770002e-10
        return _excess(r) * scale + (scale - 1.0)


cdef inline real fast_log1p(real t) noexcept nogil:
    """log(1 + t) for t between 0 and 1."""
    cdef real p, q
    if real is float:
        p = <float>-3.2097376192e-4
        p = p * t + <float>9.5479822639e-3
        p = p * t + <float>3.4682587454e-1
        p = p * t + <float>1.2196865801
        p = p * t + <float>1
        q = <float>1.229838587e-1
        q = q * t + <float>8.733361216e-1
        q = q * t + <float>1.71968657
        q = q * t + <float>1
        return t * p / q
    else:
        return math.log1p(t)


cdef inline real fast_erf(real x) noexcept nogil:
    """The error function."""
    cdef real u, p, q, y
    if real is float:
        y = <float>4 if x > <float>4 else x
        y = <float>-4 if x < <float>-4 else y
        u = y * y
        p = <float>-1.2897161313e-8
        p = p * u + <float>4.6273656446e-6
        p = p * u + <float>3.7744340842e-4
        p = p * u + <float>3.8414083953e-3
        p = p * u + <float>5.4261958671e-2
        p = p * u + <float>1.8515567029e-1
        p = p * u + <float>1.1283791692
        q = <float>6.2569553881e-5
        q = q * u + <float>1.3030044496e-3
        q = q * u + <float>1.5438048182e-2
        q = q * u + <float>1.1389570141e-1
        q = q * u + <float>4.9742334842e-1
        q = q * u + <float>1
        y = y * p / q
        y = <float>1 if x > <float>3.9 else y  # where it is, to the last place
        return <float>-1 if x < <float>-3.9 else y
    else:
        return math.erf(x)


cdef inline real largest(const real* x, Py_ssize_t n) noexcept nogil:
    """Of n > 0 elements; NaN is passed over, unless it comes first."""
    cdef real[64] lanes
    cdef real best = x[0]
    cdef Py_ssize_t i = 0, k
    if n < 16:
        for k in range(n):
            best = x[k] if x[k] > best else best
        return best
    for k in range(64):
        lanes[k] = best
    while i + 64 <= n:
        for k in range(64):
            lanes[k] = x[i + k] if x[i + k] > lanes[k] else lanes[k]
        i += 64
    for k in range(n - i):
        lanes[k] = x[i + k] if x[i + k] > lanes[k] else lanes[k]
    for k in range(32):  # by halves of fixed length: straight vector code
        lanes[k] = lanes[32 + k] if lanes[32 + k] > lanes[k] else lanes[k]
    for k in range(16):
        lanes[k] = lanes[16 + k] if lanes[16 + k] > lanes[k] else lanes[k]
    for k in range(8):
        best = lanes[k] if lanes[k] > best else best
        best = lanes[8 + k] if lanes[8 + k] > best else best
    return best


cdef inline real folded(real* lanes) noexcept nogil:
    """The sum of 32 lanes, pairwise, by halves of fixed length."""
    cdef Py_ssize_t k
    for k in range(16):
        lanes[k] += lanes[16 + k]
    for k in range(8):
        lanes[k] += lanes[8 + k]
    for k in range(4):
        lanes[k] += lanes[4 + k]
    return lanes[0] + lanes[2] + (lanes[1] + lanes[3])
