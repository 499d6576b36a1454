"""What softmax and logsumexp stand on, inlined into hot loops: exp of numbers that are not positive, and the largest.

exp(x) = 2^n exp(r), n the integer nearest to x / ln 2, and a polynomial for |r| <= ln(2) / 2 (Cody and Waite's
reduction), without branches, so that loops around it vectorize. Within 1 ulp; 0 where the result would be subnormal;
NaN stays NaN.
"""
from libc.stdint cimport int32_t, int64_t

cdef extern from * nogil:
    """
    #include <stdint.h>
    #include <string.h>
    static inline float fl_from_bits32(uint32_t i) { float f; memcpy(&f, &i, 4); return f; }
    static inline double fl_from_bits64(uint64_t i) { double f; memcpy(&f, &i, 8); return f; }
    static inline uint32_t fl_bits32(float f) { uint32_t i; memcpy(&i, &f, 4); return i; }
    static inline uint64_t fl_bits64(double f) { uint64_t i; memcpy(&i, &f, 8); return i; }
    """
    float from_bits32 "fl_from_bits32"(unsigned int)
    double from_bits64 "fl_from_bits64"(unsigned long long)
    unsigned int bits32 "fl_bits32"(float)
    unsigned long long bits64 "fl_bits64"(double)

ctypedef fused real:
    float
    double


cdef inline real exp_down(real x) noexcept nogil:
    """exp(x) for x <= 0."""
    cdef real n, r, p
    # Adding 1.5 * 2^23 (2^52) rounds to an integer, which then stands in the low bits: shifted to the exponent's place
    # they are 2^n, once the bias is added.
    if real is float:
        n = x * <float>1.44269504088896341 + <float>12582912
        r = x - (n - <float>12582912) * <float>0.693145751953125  # ln 2 in two parts: n times the first is exact
        r = r - (n - <float>12582912) * <float>1.42860682e-6
        p = <float>1.3814599e-3  # fitted for the least relative error, 3e-9
        p = p * r + <float>8.3687166e-3
        p = p * r + <float>4.1668389e-2
        p = p * r + <float>1.6666521e-1
        p = p * r + <float>4.9999994e-1
        p = p * r * r + r + <float>1
        p = p * from_bits32((bits32(n) + 127) << 23)
        return 0 if x < <float>-87.33654 else p
    else:
        n = x * 1.44269504088896341 + 6755399441055744.0
        r = x - (n - 6755399441055744.0) * 0.693147180369123816490
        r = r - (n - 6755399441055744.0) * 1.90821492927058770002e-10
        p = 1.0 / 6227020800.0  # the Taylor series; its next term is below 1e-17
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
        p = p * r * r + r + 1.0
        p = p * from_bits64((bits64(n) + 1023) << 52)
        return 0 if x < -708.396418532264 else p


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
