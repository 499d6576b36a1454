"""Functions for hot loops: inlined, without branches, so that the compiler vectorizes the loops that call them.

``fast_exp``, ``exp_down`` and ``fast_expm1`` reduce by powers of two, exp(x) = 2^n exp(r) with |r| <= ln(2) / 2 (Cody
and Waite); logarithms are split into exponent and mantissa. The remaining polynomials and rational functions minimize
the relative error. All functions are accurate to a few units in the last place, and propagate NaN.
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


cdef inline real excess_rest(real r) noexcept nogil:
    """Return (exp(r) - 1 - r) / r^2 for |r| <= ln(2) / 2."""
    cdef real p
    if real is float:
        p = <float>1.3901294e-3  # fitted; the error is 3e-8 relative to r
        p = p * r + <float>8.3631621e-3
        p = p * r + <float>4.16668536e-2
        p = p * r + <float>1.666657719e-1
        return p * r + <float>4.999999955e-1
    else:
        p = 2.0885946545869274e-9  # fitted; the error is 1e-19 relative to r
        p = p * r + 2.5105272974481367e-8
        p = p * r + 2.7557360120916683e-7
        p = p * r + 2.7557255277624962e-6
        p = p * r + 2.4801587234487611e-5
        p = p * r + 0.00019841269874905169
        p = p * r + 0.0013888888888922878
        p = p * r + 0.0083333333333261156
        p = p * r + 0.041666666666666611
        p = p * r + 0.16666666666666671
        return p * r + 0.5


cdef inline real _excess(real r) noexcept nogil:
    """Return exp(r) - 1 for |r| <= ln(2) / 2."""
    return excess_rest(r) * r * r + r


cdef inline real fast_exp(real x) noexcept nogil:
    """Return exp(x): 0 at -infinity, with correct subnormal results."""
    cdef real n, r
    cdef int32_t i, half
    cdef uint64_t j, semi
    # Adding 1.5 * 2^23 (2^52) rounds to an integer, stored in the low bits. 2^n is applied as two factors, since it may
    # be out of range itself even if the result is not.
    if real is float:
        x = <float>-105 if x < <float>-105 else x
        x = <float>89 if x > <float>89 else x
        n = x * <float>1.44269504088896341 + <float>12582912
        i = bits32(n) - bits32(<float>12582912)
        n = n - <float>12582912
        r = x - n * <float>0.693145751953125  # ln 2 in two parts: n times the first is exact
        r = r - n * <float>1.42860677e-6
        half = i >> 1
        r = (_excess(r) + <float>1) * from_bits32(<uint32_t>(half + 127) << 23)  # for NaN, any half is correct
        return r * from_bits32(<uint32_t>(i - half + 127) << 23)
    else:
        x = -746.0 if x < -746.0 else x
        x = 710.0 if x > 710.0 else x
        n = x * 1.44269504088896341 + 6755399441055744.0
        j = bits64(n) - bits64(6755399441055744.0) + 2048  # positive, since AVX2 has no arithmetic shift of 64 bits
        n = n - 6755399441055744.0
        r = x - n * 0.693147180369123816490
        r = r - n * 1.90821492927058770002e-10
        semi = j >> 1
        return (_excess(r) + 1.0) * from_bits64((semi - 1) << 52) * from_bits64((j - semi - 1) << 52)


cdef inline real exp_down(real x) noexcept nogil:
    """Return exp(x) for x <= 0, as in softmax: 0 if the result would be subnormal."""
    cdef real n, r, p
    if real is float:
        n = x * <float>1.44269504088896341 + <float>12583039  # 127 more than in fast_exp: the exponent's bias
        r = x - (n - <float>12583039) * <float>0.693145751953125
        r = r - (n - <float>12583039) * <float>1.42860677e-6
        p = (_excess(r) + <float>1) * from_bits32(bits32(n) << 23)
        return 0 if x < <float>-87.33654 else p
    else:
        n = x * 1.44269504088896341 + 6755399441055744.0
        r = x - (n - 6755399441055744.0) * 0.693147180369123816490
        r = r - (n - 6755399441055744.0) * 1.90821492927058770002e-10
        p = (_excess(r) + 1.0) * from_bits64((bits64(n) - bits64(6755399441055744.0) + 1023) << 52)
        return 0 if x < -708.396418532264 else p


cdef inline real fast_expm1(real x) noexcept nogil:
    """Return exp(x) - 1, accurate near zero; -1 far below it."""
    cdef real n, r, scale
    if real is float:
        x = <float>-30 if x < <float>-30 else x
        x = <float>88 if x > <float>88 else x
        n = x * <float>1.44269504088896341 + <float>12583039  # as in exp_down
        scale = from_bits32(bits32(n) << 23)
        n = n - <float>12583039
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


cdef inline real fast_sigmoid(real x) noexcept nogil:
    """Return 1 / (1 + exp(-x)), computed as exp(x) / (1 + exp(x)): 0 if the result would be subnormal."""
    cdef real e = exp_down(<real>60 if x > 60 else x)
    return e / (<real>1 + e)


cdef inline float fast_tanh(float x) noexcept nogil:
    """Return tanh(x) = -t / (2 + t) with t = exp(-2 |x|) - 1."""
    cdef float z = math.fabsf(x), n, r, q, scale
    z = <float>9.5 if z > <float>9.5 else z  # the result is 1, to the last place
    z = z + z
    n = <float>12583039 - z * <float>1.44269504088896341  # 127 more: the exponent's bias
    scale = from_bits32(bits32(n) << 23)
    n = n - <float>12583039
    r = -n * <float>0.69314718056 - z  # one part suffices: its error matters only if 2^n is small
    q = _excess(r)
    return math.copysignf((q * scale + (scale - <float>1)) / (q * scale + (scale + <float>1)), x)


# --- logarithms -----------------------------------------------------------------------------------------------------
# x = 2^k m with m from sqrt(1/2) to sqrt(2), and log(1 + f) = f - (f^2 / 2 - s (f^2 / 2 + R)) with s = f / (2 + f): R
# is a series in s^2, and f needs no rounding.

cdef inline real _log_rest(real f, real hfsq) noexcept nogil:
    """Return s (f^2 / 2 + R) for 1 + f between sqrt(1/2) and sqrt(2)."""
    cdef real s = f / (2 + f), z = s * s, p
    if real is float:
        p = <float>0.2958046172
        p = p * z + <float>0.3998876551
        p = p * z + <float>0.6666668509
    else:
        p = 0.14616867434528777
        p = p * z + 0.15331684734964261
        p = p * z + 0.18182890345060981
        p = p * z + 0.22222211116196835
        p = p * z + 0.2857142862610362
        p = p * z + 0.39999999999899182
        p = p * z + 0.66666666666666697
    return s * (hfsq + z * p)


cdef inline real _mantissa(real x, real* exponent) noexcept nogil:
    """Return m and k of x = 2^k m, for positive numbers."""
    cdef real y
    cdef uint32_t i
    cdef uint64_t j
    if real is float:
        y = x * <float>33554432 if x < <float>1.17549435e-38 else x
        i = bits32(y) - 0x3F3504F3u
        exponent[0] = <float>(<int32_t>i >> 23) - (<float>25 if x < <float>1.17549435e-38 else <float>0)
        return from_bits32((i & 0x7FFFFFu) + 0x3F3504F3u)
    else:
        y = x * 18014398509481984.0 if x < 2.2250738585072014e-308 else x
        j = bits64(y) - 0x3FE6A09E667F3BCDULL + 0x3FF0000000000000ULL  # the exponent in the upper bits, above 0
        exponent[0] = from_bits64((j >> 52) | 0x4330000000000000ULL) - 4503599627371519.0
        exponent[0] -= 54.0 if x < 2.2250738585072014e-308 else 0.0
        return from_bits64((j & 0xFFFFFFFFFFFFFULL) + 0x3FE6A09E667F3BCDULL)


cdef inline real _log_edges(real x, real y, real zero) noexcept nogil:
    """Return y, the logarithm of x, corrected if x is not positive or not finite."""
    y = y if x < <real>math.INFINITY else x
    y = <real>math.NAN if x < zero else y
    return <real>-math.INFINITY if x == zero else y


cdef inline real fast_log(real x) noexcept nogil:
    """Return the natural logarithm."""
    cdef real k, f = _mantissa(x, &k) - 1, hfsq = <real>0.5 * f * f, rest = _log_rest(f, hfsq)
    if real is float:
        return _log_edges(x, k * <float>0.693145751953125 - ((hfsq - (rest + k * <float>1.4286068e-6)) - f), 0)
    else:
        return _log_edges(x, k * 0.693147180369123816490 - ((hfsq - (rest + k * 1.90821492927058770002e-10)) - f), 0)


cdef inline real _upper(real x) noexcept nogil:
    """Return x without the lower half of its bits, so that products with short numbers are exact."""
    if real is float:
        return from_bits32(bits32(x) & 0xFFFFF000u)
    else:
        return from_bits64(bits64(x) & 0xFFFFFFFF00000000ULL)


cdef inline real fast_log2(real x) noexcept nogil:
    """Return the logarithm to base 2."""
    cdef real k, f = _mantissa(x, &k) - 1, hfsq = <real>0.5 * f * f
    cdef real high = _upper(f - hfsq), low = (f - high) - hfsq + _log_rest(f, hfsq), top, whole
    if real is float:
        top = high * <float>1.4423828125
        low = low * <float>1.4423828125 + (low + high) * <float>3.1222839e-4
    else:
        top = high * 1.4426946640014648438
        low = low * 1.4426946640014648438 + (low + high) * 3.7688749856360992e-7
    whole = k + top
    return _log_edges(x, whole + (low + ((k - whole) + top)), 0)


cdef inline real fast_log10(real x) noexcept nogil:
    """Return the logarithm to base 10."""
    cdef real k, f = _mantissa(x, &k) - 1, hfsq = <real>0.5 * f * f
    cdef real high = _upper(f - hfsq), low = (f - high) - hfsq + _log_rest(f, hfsq), top, whole, base
    if real is float:
        top = high * <float>0.4342041015625
        low = low * <float>0.4342041015625 + (low + high) * <float>9.0380341e-5 + k * <float>4.605039e-6
        base = k * <float>0.301025390625
    else:
        top = high * 0.43429446220397949219
        low = low * 0.43429446220397949219 + (low + high) * 1.9699272335463629e-8 + k * 3.6942390771589305e-13
        base = k * 0.30102999566361177131
    whole = base + top
    return _log_edges(x, whole + (low + ((base - whole) + top)), 0)


cdef inline real log1p_of(real x, real low) noexcept nogil:
    """Return log(1 + x + low), where low is below the last place of x."""
    cdef real u = 1 + x, v = u - 1, c = ((1 - (u - v)) + (x - v) + low) / u  # the rounding error of the sum
    cdef real k, f = _mantissa(u, &k) - 1, hfsq = <real>0.5 * f * f, rest = _log_rest(f, hfsq), y
    if real is float:
        y = k * <float>0.693145751953125 - ((hfsq - (rest + (k * <float>1.4286068e-6 + c))) - f)
        y = x if math.fabsf(x) < <float>5e-8 else y
    else:
        y = k * 0.693147180369123816490 - ((hfsq - (rest + (k * 1.90821492927058770002e-10 + c))) - f)
        y = x if math.fabs(x) < 1e-16 else y
    return _log_edges(x, y, -1)


cdef inline real fast_log1p(real t) noexcept nogil:
    """Return log(1 + t) for t between 0 and 1."""
    cdef real p, q, s, z
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
        s = t / (2 + t)
        z = s * s
        p = 0.1563691019781116
        p = p * z + 0.074886107511515645
        p = p * z + 0.10846016544570042
        p = p * z + 0.11734168917105603
        p = p * z + 0.13335187384422488
        p = p * z + 0.1538454353398025
        p = p * z + 0.18181819910890262
        p = p * z + 0.22222222198013639
        p = p * z + 0.2857142857160206
        p = p * z + 0.39999999999999516
        p = p * z + 0.66666666666666667
        q = 0.5 * t * t
        return t - (q - s * (q + z * p))


# --- the error function ---------------------------------------------------------------------------------------------

cdef inline real fast_erf(real x) noexcept nogil:
    """Return the error function: for doubles, a series in x^2 up to 1, and 1 - exp of a polynomial beyond."""
    cdef real u, z, p, q, y
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
        y = <float>1 if x > <float>3.9 else y  # beyond 3.9, the result is 1 to the last place
        return <float>-1 if x < <float>-3.9 else y
    else:
        u = math.fabs(x)
        z = u * u
        p = 5.9452366169911769e-11
        p = p * z - 1.1365650794605173e-9
        p = p * z + 1.4657875834955868e-8
        p = p * z - 1.635002461379117e-7
        p = p * z + 1.6460972758245714e-6
        p = p * z - 1.4925593503128811e-5
        p = p * z + 0.00012055331036737971
        p = p * z - 0.00085483269787375744
        p = p * z + 0.0052239776247807807
        p = p * z - 0.026866170645072885
        p = p * z + 0.11283791670954857
        p = p * z - 0.37612638903183748
        p = p * z + 0.12837916709551257
        u = 6.0 if u > 6.0 else u
        q = -1.9401349225905958e-11
        q = q * u + 7.1259498756480458e-10
        q = q * u - 1.1908501727079875e-8
        q = q * u + 1.1840945182176106e-7
        q = q * u - 7.5859816418583453e-7
        q = q * u + 3.0313361669255996e-6
        q = q * u - 4.9749660417137363e-6
        q = q * u - 2.4012256087861898e-5
        q = q * u + 0.00022161187627427681
        q = q * u - 0.00090399806053980465
        q = q * u + 0.0020769456291716905
        q = q * u - 0.00056111932791569302
        q = q * u - 0.018883539434212866
        q = q * u + 0.10264810628715699
        q = q * u + 0.63666344360295789
        q = q * u + 1.1283697156453884
        q = q * u + 9.5100495024976317e-7
        q = 1 - exp_down[double](-q)
        return math.copysign(u * p + u if u < 1 else q, x)


cdef inline real largest(const real* x, Py_ssize_t n) noexcept nogil:
    """Return the largest of n > 0 elements; NaN is ignored, unless it comes first."""
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
    for k in range(32):  # by halves of fixed length, which gives straight vector code
        lanes[k] = lanes[32 + k] if lanes[32 + k] > lanes[k] else lanes[k]
    for k in range(16):
        lanes[k] = lanes[16 + k] if lanes[16 + k] > lanes[k] else lanes[k]
    for k in range(8):
        best = lanes[k] if lanes[k] > best else best
        best = lanes[8 + k] if lanes[8 + k] > best else best
    return best


cdef inline real folded16(real* lanes) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(8):
        lanes[k] += lanes[8 + k]
    for k in range(4):
        lanes[k] += lanes[4 + k]
    return lanes[0] + lanes[2] + (lanes[1] + lanes[3])


cdef inline real folded(real* lanes) noexcept nogil:
    """Return the sum of 32 lanes, pairwise, by halves of fixed length."""
    cdef Py_ssize_t k
    for k in range(16):
        lanes[k] += lanes[16 + k]
    return folded16(lanes)


# --- alignment ------------------------------------------------------------------------------------------------------

cdef inline Py_ssize_t unaligned(size_t address, size_t item) noexcept nogil:
    """Return the number of elements before the next cache line; loads that straddle two lines take twice the time."""
    return <Py_ssize_t>((64 - (address & 63)) & 63) // <Py_ssize_t>item
