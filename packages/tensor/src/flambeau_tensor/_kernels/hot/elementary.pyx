# cython: language_level=3
"""Inner loops of elementary functions, without branches, so that the compiler vectorizes them at each level.

float32 is computed in double precision if that is fast enough, with shorter polynomials. All polynomials minimize the
relative error. Arguments are reduced as usual: multiples of pi/2 and of ln 2 are subtracted in parts whose products are
exact (Cody and Waite), and arc functions use their addition formulas. Errors are at most about one unit in the last
place, or two without fused multiply-add (level v2).
"""
from libc cimport math
from libc.stdint cimport int32_t, uint32_t, uint64_t

from flambeau_tensor._kernels.map_loops cimport complexes, map1_blocks, map1_checked, map2_blocks, real_t, reals
from flambeau_tensor.vector_math cimport (
    bits32, bits64, excess_rest, fast_exp, fast_log, fast_log1p, fast_log2, fast_log10, from_bits32, from_bits64,
    fast_tanh, log1p_of,
)

cdef extern from *:
    """
    #ifdef __GNUC__  /* loops vectorize only if functions are inlined, but compilers avoid inlining many large ones */
    #undef CYTHON_INLINE
    #define CYTHON_INLINE inline __attribute__((always_inline))
    #endif
    #ifdef __FMA__
    #define FL_FMA 1
    #else
    #define FL_FMA 0
    #endif
    """
    const bint FMA "FL_FMA"  # whether fused multiply-add is available

cdef double ROUND = 6755399441055744.0  # 1.5 * 2^52: adding it rounds to an integer, stored in the low bits
cdef double LARGEST = 1.7976931348623157e308
cdef double HALF_PI = 1.5707963267948966, HALF_PI_LOW = 6.123233995736766e-17


cdef inline double _quotient(double a, double a_low, double b, double b_low) noexcept nogil:
    """Return (a + a_low) / (b + b_low)."""
    cdef double inverse, q
    if FMA:
        inverse = 1 / b
        q = a * inverse
        return q + (math.fma(-q, b, a) + (a_low - q * b_low)) * inverse
    else:
        q = a / b
        return q + (a_low - q * b_low) / b


# --- exponentials ---------------------------------------------------------------------------------------------------

cdef inline real_t _exp2(real_t x) noexcept nogil:
    cdef real_t n, p, r
    cdef int32_t i, part
    cdef uint64_t j, half
    if real_t is float:
        x = <float>-151 if x < <float>-151 else x
        x = <float>129 if x > <float>129 else x
        n = x + <float>12582912
        i = bits32(n) - bits32(<float>12582912)
        r = (x - (n - <float>12582912)) * <float>0.69314718
        p = excess_rest[float](r)
        part = i >> 1
        r = (p * r * r + r + 1) * from_bits32(<uint32_t>(part + 127) << 23)  # for NaN, any part is correct
        return r * from_bits32(<uint32_t>(i - part + 127) << 23)
    else:
        x = -1076 if x < -1076 else x
        x = 1025 if x > 1025 else x
        n = x + ROUND
        j = bits64(n) - bits64(ROUND) + 2048
        r = (x - (n - ROUND)) * 0.6931471805599453
        half = j >> 1
        return (1 + (r + r * r * _exp_rest(r, x))) * from_bits64((half - 1) << 52) * from_bits64((j - half - 1) << 52)


cdef inline double _exp_rest(double r, real_t like) noexcept nogil:
    """Return (exp(r) - 1 - r) / r^2 for |r| <= ln(2) / 2."""
    cdef double p
    if real_t is float:
        p = 0.00019857726608885599
        p = p * r + 0.0013933686935980626
        p = p * r + 0.0083333609842954169
        p = p * r + 0.041666464724207794
        p = p * r + 0.16666666531071635
        return p * r + 0.50000000134595437
    else:
        return excess_rest[double](r)


cdef inline real_t _expm1(real_t x) noexcept nogil:
    cdef double y = x, n, r, low, scale, whole, sum
    y = -60 if y < -60 else y
    if real_t is float:
        y = 90 if y > 90 else y
    else:
        y = 709.9 if y > 709.9 else y  # half of 2^1024 is representable
    n = y * 1.4426950408889634 + ROUND
    scale = from_bits64((bits64(n) - bits64(ROUND) + 1022) << 52)  # half of 2^n
    n = n - ROUND
    whole = y - n * 0.693147180369123816490
    low = n * 1.90821492927058770002e-10
    r = whole - low
    low = (whole - r) - low
    whole = scale - 0.5
    sum = whole + scale * r
    low = scale * (r * r * _exp_rest(r, x) + low) + ((whole - sum) + scale * r)
    sum = 2 * (sum + low)
    return x if math.fabs(y) < 1e-17 else <real_t>sum


cdef inline void _hyperbolic(double u, double* a, double* a_low, double* b, double* b_low, real_t like) noexcept nogil:
    """Compute a quarter of sinh(u) and of cosh(u), for u from 0 to 711.

    With u = n ln 2 + r, sinh(n ln 2) and cosh(n ln 2) are sums of two powers of two, to which the addition formulas are
    applied.
    """
    cdef double n = u * 1.4426950408889634 + ROUND, up, down, r, low, z, s, c, odd, even, tail
    up = from_bits64((bits64(n) - bits64(ROUND) + 1020) << 52)
    down = from_bits64((1020 + bits64(ROUND) - bits64(n)) << 52)
    n = n - ROUND
    down = 0 if n > 60 else down
    s, c = up - down, up + down
    tail = u - n * 0.693147180369123816490
    low = n * 1.90821492927058770002e-10
    r = tail - low
    low = (tail - r) - low
    z = r * r
    if real_t is float:
        odd = 0.00019891059355298431
        odd = odd * z + 0.0083333108683990364
        odd = odd * z + 0.16666666681675774
        even = 2.486796470182446e-5
        even = even * z + 0.0013888838980067878
        even = even * z + 0.041666666786674
        even = even * z + 0.49999999999954918
    else:
        odd = 2.5100459320776203e-8
        odd = odd * z + 2.7557268308636951e-6
        odd = odd * z + 0.00019841269863147694
        odd = odd * z + 0.0083333333333300439
        odd = odd * z + 0.16666666666666667
        even = 2.0918195670328105e-9
        even = even * z + 2.7557263127391029e-7
        even = even * z + 2.4801587336578202e-5
        even = even * z + 0.0013888888888879026
        even = even * z + 0.041666666666666677
        even = even * z + 0.5
    odd = odd * z * r + low
    even = even * z
    tail = c * r + (s * even + c * odd + ((up - s) - down))
    a[0] = s + tail
    a_low[0] = (s - a[0]) + tail
    tail = s * r + (c * even + s * odd + ((up - c) + down))
    b[0] = c + tail
    b_low[0] = (c - b[0]) + tail


cdef inline real_t _sinh(real_t x) noexcept nogil:
    cdef double u = math.fabs(<double>x), v = 711 if u > 711 else u, a, b, low
    _hyperbolic(v, &a, &low, &b, &low, x)
    return x if u < 1e-9 else <real_t>math.copysign(4 * a, <double>x)


cdef inline real_t _cosh(real_t x) noexcept nogil:
    cdef double u = math.fabs(<double>x), a, b, low
    u = 711 if u > 711 else u
    _hyperbolic(u, &a, &low, &b, &low, x)
    return <real_t>(4 * b)


cdef inline real_t _tanh(real_t x) noexcept nogil:
    cdef double u, a, a_low, b, b_low
    if real_t is float:
        return fast_tanh(x)
    else:
        u = math.fabs(x)
        _hyperbolic(30 if u > 30 else u, &a, &a_low, &b, &b_low, x)
        return x if u < 1e-9 else math.copysign(_quotient(a, a_low, b, b_low), x)


cdef inline real_t _atanh(real_t x) noexcept nogil:
    cdef double u = math.fabs(<double>x), rest = 1 - u, low, q, error
    if real_t is float:
        q = 0.5 * fast_log[double]((1 + u) / rest)
        q = u + u * u * u * 0.3333333333333333 if u < 1e-3 else q
    else:
        low = (1 - rest) - u
        q = 2 * u / rest
        error = (math.fma(-q, rest, 2 * u) if FMA else 0.0) - q * low
        error = error / rest if q < math.INFINITY else 0.0
        q = 0.5 * log1p_of[double](q, error)
    return x if u < 1e-9 else <real_t>math.copysign(q, <double>x)


cdef inline float _asinh(float x) noexcept nogil:
    cdef double u = math.fabsf(x), z = u * u
    return <float>math.copysign(log1p_of(u + z / (1 + math.sqrt(1 + z)), 0.0) if u < 1e19 else
                                fast_log(u) + 0.6931471805599453, <double>x)


cdef inline float _acosh(float x) noexcept nogil:
    cdef double u = <double>x - 1
    return <float>log1p_of(u + math.sqrt(u * (u + 2)) if not u < 0 else math.NAN, 0.0)


# --- sine, cosine, tangent ------------------------------------------------------------------------------------------

cdef inline bint _moderate(real_t x) noexcept nogil:
    return not math.fabs(<double>x) > 1e6


cdef inline double _reduce(real_t x, double* low, uint64_t* quarter) noexcept nogil:
    """Subtract the nearest multiple of pi/2 from x; return the rest and its error, and the low bits of the multiple."""
    cdef double y = x, n = y * 0.6366197723675814 + ROUND, t, w, r, back
    quarter[0] = bits64(n)
    n = n - ROUND
    t = y - n * 1.5707963267341256142
    w = n * 6.0771005063039659766e-11
    if real_t is float:
        low[0] = 0
        return (t - w) - n * 2.0222662487959507e-21
    else:
        r = t - w
        back = r - t
        w = ((t - (r - back)) - (w + back)) - n * 2.0222662487959507e-21
        t = r + w
        low[0] = (r - t) + w
        return t


cdef inline double _sine_tail(double r, double low, double z, real_t like) noexcept nogil:
    """Return sin(r + low) - r for |r| <= pi / 4; z = r^2."""
    cdef double p
    if real_t is float:
        p = 2.7249096536359807e-6
        p = p * z - 0.000198400795206971
        p = p * z + 0.0083333318590710053
        p = p * z - 0.16666666663802954
        return p * z * r
    else:
        p = 1.5917818710448124e-10
        p = p * z - 2.5051127265957799e-8
        p = p * z + 2.7557316078966353e-6
        p = p * z - 0.00019841269836709021
        p = p * z + 0.0083333333333309119
        p = p * z - 0.16666666666666665
        return p * z * r + low * (1 - 0.5 * z)


cdef inline double _cosine(double r, double low, double z, double* tail, real_t like) noexcept nogil:
    """Return the leading part of cos(r + low), and its tail."""
    cdef double p, half = 0.5 * z, head = 1 - half
    if real_t is float:
        p = 2.454734032030482e-5
        p = p * z - 0.0013888299664179576
        p = p * z + 0.04166666463534854
        tail[0] = p * z * z
    else:
        p = -1.1382475275696871e-11
        p = p * z + 2.0876143977967786e-9
        p = p * z - 2.7557317260082794e-7
        p = p * z + 2.4801587298741564e-5
        p = p * z - 0.001388888888888738
        p = p * z + 0.041666666666666665
        tail[0] = ((1 - head) - half) + (p * z * z - r * low)
    return head


cdef inline real_t _wave(real_t x, uint64_t shift) noexcept nogil:
    """Return the sine of x + shift pi/2."""
    cdef double low, tail, s, c, r, z, y
    cdef uint64_t quarter
    r = _reduce(x, &low, &quarter)
    z = r * r
    quarter = quarter + shift
    s = r + _sine_tail(r, low, z, x)
    c = _cosine(r, low, z, &tail, x)
    y = c + tail if quarter & 1 else s
    return <real_t>from_bits64(bits64(y) ^ ((quarter & 2) << 62))


cdef inline real_t _sin(real_t x) noexcept nogil:
    cdef real_t y = _wave(x, 0)
    return x if math.fabs(<double>x) < 1e-9 else y


cdef inline real_t _cos(real_t x) noexcept nogil:
    return _wave(x, 1)


cdef inline real_t _tan(real_t x) noexcept nogil:
    cdef double low, s, s_low, c, c_low, r, z, y
    cdef uint64_t quarter
    cdef bint turned
    r = _reduce(x, &low, &quarter)
    z = r * r
    s_low = _sine_tail(r, low, z, x)
    c = _cosine(r, low, z, &c_low, x)
    turned = quarter & 1
    if real_t is float:
        s = r + s_low
        c = c + c_low
        y = (-c if turned else s) / (s if turned else c)
    else:
        s = r + s_low
        s_low = (r - s) + s_low
        y = c + c_low
        c_low = (c - y) + c_low
        c = y
        y = _quotient(-c if turned else s, -c_low if turned else s_low, s if turned else c, s_low if turned else c_low)
    return x if math.fabs(<double>x) < 1e-9 else <real_t>y


cdef real_t _slow_sin(real_t x) noexcept nogil:
    return <real_t>math.sin(<double>x)


cdef real_t _slow_cos(real_t x) noexcept nogil:
    return <real_t>math.cos(<double>x)


cdef real_t _slow_tan(real_t x) noexcept nogil:
    return <real_t>math.tan(<double>x)


# --- arc functions --------------------------------------------------------------------------------------------------

cdef inline double _arcsine_rest(double z, real_t like) noexcept nogil:
    """Return asin(s) / s - 1 for z = s^2 <= 1/4."""
    cdef double p
    if real_t is float:
        p = 0.033798242123613409
        p = p * z + 0.017082572691157129
        p = p * z + 0.031115119301462073
        p = p * z + 0.044598125549966143
        p = p * z + 0.075000984679565916
        return z * (p * z + 0.16666666318261524)
    else:
        p = 0.028881676675467601
        p = p * z - 0.015037076593889166
        p = p * z + 0.017522018108373663
        p = p * z + 0.0054120008824618307
        p = p * z + 0.010333650713500983
        p = p * z + 0.011477473783860094
        p = p * z + 0.013971391547615902
        p = p * z + 0.017352380406892142
        p = p * z + 0.022372173480056712
        p = p * z + 0.030381944124678646
        p = p * z + 0.044642857146539586
        p = p * z + 0.074999999999983371
        return z * (p * z + 0.16666666666666668)


cdef inline double _folded(double u, double* low, double* rest, real_t like) noexcept nogil:
    """Return s, its error, and asin(s) - s, where asin(s) = asin(u) for u <= 1/2, else acos(u) = 2 asin(s)."""
    cdef bint far = u > 0.5
    cdef double z = 0.5 * (1 - u) if far else u * u, root = math.sqrt(z), s = root if far else u, short
    rest[0] = s * _arcsine_rest(z, like)
    low[0] = 0
    if real_t is double:
        short = from_bits64(bits64(s) & 0xFFFFFFFF00000000ULL)
        z = (z - short * short) / (s + short) - (s - short)
        low[0] = z if far & (z == z) else 0.0
    return s


cdef inline real_t _asin(real_t x) noexcept nogil:
    cdef double u = math.fabs(<double>x), low, rest, s = _folded(u, &low, &rest, x), head = HALF_PI - 2 * s, y
    y = head + (((HALF_PI - head) - 2 * s) - (2 * (rest + low) - HALF_PI_LOW))
    y = y if u > 0.5 else s + rest
    return <real_t>math.copysign(y, <double>x)


cdef inline real_t _acos(real_t x) noexcept nogil:
    cdef double y = x, u = math.fabs(y), low, rest, s = _folded(u, &low, &rest, x), near, far
    s = math.copysign(s, y)
    rest = math.copysign(rest, y)
    near = HALF_PI - s
    near = near + (((HALF_PI - near) - s) - (rest - HALF_PI_LOW))
    far = 2 * (s + (rest + math.copysign(low, low * y)))
    far = 2 * HALF_PI + (far + 2 * HALF_PI_LOW) if y < 0 else far
    return <real_t>(far if u > 0.5 else near)


cdef inline double _angle(double a, double b, double* low, real_t like) noexcept nogil:
    """Return the angle of the point (b, a) and its error; both are at least 0, and not both 0 or infinite."""
    cdef bint steep = a > 2.414213562373095 * b, middle = a > 0.41421356237309503 * b
    cdef double top = a - b if middle else a, bottom = a + b if middle else b
    cdef double head = 0.5 * HALF_PI if middle else 0.0, tail = 0.5 * HALF_PI_LOW if middle else 0.0
    cdef double t, z, p, sum, inverse
    top, bottom = -b if steep else top, a if steep else bottom
    head, tail = HALF_PI if steep else head, HALF_PI_LOW if steep else tail
    if real_t is float:
        t = top / bottom
        z = t * t
        p = -0.064542080625870404
        p = p * z + 0.10744610258497225
        p = p * z - 0.14264060561939612
        p = p * z + 0.1999954447741488
        p = p * z - 0.33333331784950783
        low[0] = 0
        return head + (t + t * z * p)
    else:
        if FMA:
            inverse = 1 / bottom
            t = top * inverse
            p = math.fma(-t, bottom, top)
            # rounding errors of the sum and the difference
            z = (bottom - a) - b if a > b else (bottom - b) - a
            sum = (a - top) - b if a > b else a - (top + b)
            sum = sum + t * z if middle else 0.0
            p = p + (0.0 if steep else sum)
            z = t * t
            tail = tail + p * inverse * (1 - z)
        else:
            t = top / bottom
            z = t * t
        p = -0.019179398757728941
        p = p * z + 0.039234459446407075
        p = p * z - 0.050855755664571512
        p = p * z + 0.058581791255133718
        p = p * z - 0.066645157241746022
        p = p * z + 0.076921835587291229
        p = p * z - 0.090909045971227102
        p = p * z + 0.11111111015813731
        p = p * z - 0.14285714284674774
        p = p * z + 0.19999999999995568
        p = p * z - 0.3333333333333333
        sum = head + t
        tail = t * z * p + (tail + ((head - sum) + t))
        t = sum + tail
        low[0] = (sum - t) + tail
        return t


cdef inline real_t _atan(real_t x) noexcept nogil:
    cdef double u = math.fabs(<double>x), low
    u = 1e300 if u > 1e300 else u
    return <real_t>math.copysign(_angle(u, 1.0, &low, x), <double>x)


cdef inline real_t _atan2(real_t y, real_t x) noexcept nogil:
    cdef double a = math.fabs(<double>y), b = math.fabs(<double>x), low, angle, scale, back
    cdef double u = LARGEST if a > LARGEST else a, v = LARGEST if b > LARGEST else b
    u = u * (1e-60 if b == math.INFINITY else 1.0)  # negligible compared with the other, or equal to it
    v = v * (1e-60 if a == math.INFINITY else 1.0)
    v = 1 if u + v == 0 else v
    if real_t is double:  # scaled to avoid overflow and subnormal numbers
        scale = 0.125 if u > 1e307 else 1.0
        scale = 0.125 if v > 1e307 else scale
        scale = 1.2676506002282294e30 if u + v < 1e-270 else scale
        u, v = u * scale, v * scale
    angle = _angle(u, v, &low, x)
    if real_t is float:
        back = 2 * HALF_PI - angle
    else:
        back = 2 * HALF_PI - angle
        back = back + (((2 * HALF_PI - back) - angle) + (2 * HALF_PI_LOW - low))
    scale = 2 * HALF_PI if math.copysign(1.0, <double>x) < 0 else 0.0
    angle = back if math.copysign(1.0, <double>x) < 0 else angle
    scale = scale + 0 * a if b == math.INFINITY else angle
    return <real_t>math.copysign(angle if a == math.INFINITY else scale, <double>y)


# --- two operands ---------------------------------------------------------------------------------------------------

cdef inline real_t _larger(real_t x, real_t y, real_t* difference) noexcept nogil:
    """Return the larger one; `difference` is the smaller minus the larger, at most 0."""
    cdef real_t d = x - y, most = x if x > y else y
    d = d if d < 0 else -d
    difference[0] = 0 if x == y else d  # equal infinities have difference 0
    return x if x != x else most


cdef inline real_t _logaddexp(real_t x, real_t y) noexcept nogil:
    cdef real_t d, most = _larger(x, y, &d)
    return most + fast_log1p(fast_exp(d))


cdef inline real_t _logaddexp2(real_t x, real_t y) noexcept nogil:
    cdef real_t d, most = _larger(x, y, &d), rest
    if real_t is float:
        rest = fast_log1p(fast_exp(d * <float>0.6931471805599453))
    else:
        rest = log1p_of[double](_exp2(d), 0.0)
    rest = rest * <real_t>1.4426950408889634
    return most + (<real_t>1 if d == 0 else rest)  # equal operands: exactly one more


cdef inline real_t _nextafter(real_t x, real_t y) noexcept nogil:
    """Add or subtract one from the bits, which are ordered on either side of zero."""
    cdef bint away = (x < y) == (x > 0)
    cdef uint32_t i, first
    cdef uint64_t j, second
    cdef real_t z
    if real_t is float:
        i = bits32(x)
        i = i + 1 if away else i - 1
        first = (bits32(y) & 0x80000000u) | 1
        z = from_bits32(first if x == 0 else i)
    else:
        j = bits64(x)
        j = j + 1 if away else j - 1
        second = (bits64(y) & 0x8000000000000000ULL) | 1
        z = from_bits64(second if x == 0 else j)
    z = y if x == y else z
    return x + y if (x != x) | (y != y) else z


cdef inline real_t _xlogy(real_t x, real_t y) noexcept nogil:
    """Return x log(y); 0 if x is 0 and y is not NaN."""
    return x * fast_log(<real_t>1 if (x == 0) & (y == y) else y)


cdef inline real_t _hypot(real_t x, real_t y) noexcept nogil:
    cdef double a = math.fabs(<double>x), b = math.fabs(<double>y), most, scale, back, length
    if real_t is double:  # in doubles, squares of floats neither overflow nor underflow
        most = a if a > b else b
        scale = 2.409919865102884e-181 if most > 1e150 else 1.0  # 2^-600
        scale = 4.149515568880993e+180 if most < 1e-140 else scale
        back = 4.149515568880993e+180 if most > 1e150 else 1.0
        back = 2.409919865102884e-181 if most < 1e-140 else back
        a, b = a * scale, b * scale
        length = math.sqrt(a * a + b * b) * back
    else:
        length = math.sqrt(a * a + b * b)
    length = math.INFINITY if a == math.INFINITY else length  # even if the other operand is NaN
    return <real_t>(math.INFINITY if b == math.INFINITY else length)


# --- loops ----------------------------------------------------------------------------------------------------------

cdef void loop_exp(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    map1_blocks[real_t](a, n, s, fast_exp[real_t])


cdef void loop_exp2(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    map1_blocks[real_t](a, n, s, _exp2[real_t])


cdef void loop_expm1(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    map1_blocks[real_t](a, n, s, _expm1[real_t])


cdef void loop_log(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    map1_blocks[real_t](a, n, s, fast_log[real_t])


cdef void loop_log2(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    map1_blocks[real_t](a, n, s, fast_log2[real_t])


cdef void loop_log10(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    map1_blocks[real_t](a, n, s, fast_log10[real_t])


cdef inline real_t _log1p(real_t x) noexcept nogil:
    return log1p_of[real_t](x, <real_t>0)


cdef void loop_log1p(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    map1_blocks[real_t](a, n, s, _log1p[real_t])


cdef void loop_sin(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    map1_checked[real_t](a, n, s, _sin[real_t], _moderate[real_t], _slow_sin[real_t])


cdef void loop_cos(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    map1_checked[real_t](a, n, s, _cos[real_t], _moderate[real_t], _slow_cos[real_t])


cdef void loop_tan(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    map1_checked[real_t](a, n, s, _tan[real_t], _moderate[real_t], _slow_tan[real_t])


cdef void loop_sinh(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    map1_blocks[real_t](a, n, s, _sinh[real_t])


cdef void loop_cosh(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    map1_blocks[real_t](a, n, s, _cosh[real_t])


cdef void loop_tanh(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    map1_blocks[real_t](a, n, s, _tanh[real_t])


cdef void loop_asin(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    map1_blocks[real_t](a, n, s, _asin[real_t])


cdef void loop_acos(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    map1_blocks[real_t](a, n, s, _acos[real_t])


cdef void loop_atan(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    map1_blocks[real_t](a, n, s, _atan[real_t])


cdef void loop_asinh(char** a, const Py_ssize_t* n, const Py_ssize_t* s, float* tag) noexcept nogil:
    map1_blocks[float](a, n, s, _asinh)


cdef void loop_acosh(char** a, const Py_ssize_t* n, const Py_ssize_t* s, float* tag) noexcept nogil:
    map1_blocks[float](a, n, s, _acosh)


cdef void loop_atanh(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    map1_blocks[real_t](a, n, s, _atanh[real_t])


cdef void loop_atan2(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    map2_blocks[real_t](a, n, s, _atan2[real_t])


cdef void loop_angle(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    """Compute the angles of complex numbers, whose parts are the operands."""
    cdef char** parts = [a[0] + sizeof(real_t), a[0], a[1]]
    cdef Py_ssize_t* steps = [s[0], s[0], s[1]]
    map2_blocks[real_t](parts, n, steps, _atan2[real_t])


cdef void loop_hypot(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    map2_blocks[real_t](a, n, s, _hypot[real_t])


cdef void loop_logaddexp(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    map2_blocks[real_t](a, n, s, _logaddexp[real_t])


cdef void loop_logaddexp2(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    map2_blocks[real_t](a, n, s, _logaddexp2[real_t])


cdef void loop_nextafter(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    map2_blocks[real_t](a, n, s, _nextafter[real_t])


cdef void loop_xlogy(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    map2_blocks[real_t](a, n, s, _xlogy[real_t])


LOOPS = {
    "exp": reals(<size_t>&loop_exp[float], <size_t>&loop_exp[double]),
    "exp2": reals(<size_t>&loop_exp2[float], <size_t>&loop_exp2[double]),
    "expm1": reals(<size_t>&loop_expm1[float], <size_t>&loop_expm1[double]),
    "log": reals(<size_t>&loop_log[float], <size_t>&loop_log[double]),
    "log2": reals(<size_t>&loop_log2[float], <size_t>&loop_log2[double]),
    "log10": reals(<size_t>&loop_log10[float], <size_t>&loop_log10[double]),
    "log1p": reals(<size_t>&loop_log1p[float], <size_t>&loop_log1p[double]),
    "sin": reals(<size_t>&loop_sin[float], <size_t>&loop_sin[double]),
    "cos": reals(<size_t>&loop_cos[float], <size_t>&loop_cos[double]),
    "tan": reals(<size_t>&loop_tan[float], <size_t>&loop_tan[double]),
    "sinh": reals(<size_t>&loop_sinh[float], <size_t>&loop_sinh[double]),
    "cosh": reals(<size_t>&loop_cosh[float], <size_t>&loop_cosh[double]),
    "tanh": reals(<size_t>&loop_tanh[float], <size_t>&loop_tanh[double]),
    "arcsin": reals(<size_t>&loop_asin[float], <size_t>&loop_asin[double]),
    "arccos": reals(<size_t>&loop_acos[float], <size_t>&loop_acos[double]),
    "arctan": reals(<size_t>&loop_atan[float], <size_t>&loop_atan[double]),
    "arcsinh": {"float32": <size_t>&loop_asinh},
    "arccosh": {"float32": <size_t>&loop_acosh},
    "arctanh": reals(<size_t>&loop_atanh[float], <size_t>&loop_atanh[double]),
    "angle": complexes(<size_t>&loop_angle[float], <size_t>&loop_angle[double]),
    "arctan2": reals(<size_t>&loop_atan2[float], <size_t>&loop_atan2[double]),
    "hypot": reals(<size_t>&loop_hypot[float], <size_t>&loop_hypot[double]),
    "logaddexp": reals(<size_t>&loop_logaddexp[float], <size_t>&loop_logaddexp[double]),
    "logaddexp2": reals(<size_t>&loop_logaddexp2[float], <size_t>&loop_logaddexp2[double]),
    "nextafter": reals(<size_t>&loop_nextafter[float], <size_t>&loop_nextafter[double]),
    "xlogy": reals(<size_t>&loop_xlogy[float], <size_t>&loop_xlogy[double]),
}
