"""The normal distribution and error functions: inline functions without branches, as in vector_math.

exp(x**2) erfc(x) is a polynomial in (x - 2) / (x + 3), the variable of Shepherd and Laframboise (Mathematics of
Computation 36, 1981). Quantiles use the two regions of Wichura (Applied Statistics 37, 1988, AS 241). All polynomials
minimize the relative error. In double precision, errors are within two units in the last place.
"""
from libc cimport math
from libc.stdint cimport uint64_t

from flambeau_tensor._kernels.map_loops cimport real_t
from flambeau_tensor.vector_math cimport bits64, excess_rest, fast_exp, fast_log, from_bits64


cdef inline double erfcx_upwards(double x) noexcept nogil:
    """Return exp(x**2) erfc(x) for x >= 0.4."""
    cdef double u, p
    x = 1e300 if x > 1e300 else x
    u = (x - 2) / (x + 3)
    p = -3.010132186457739e-07
    p = p * u + 1.3918071291255263e-06
    p = p * u - 1.143247467650711e-06
    p = p * u - 3.3374148726489168e-06
    p = p * u + 2.4465789083267855e-06
    p = p * u + 1.1196316976162907e-05
    p = p * u + 1.5938716362688037e-06
    p = p * u - 4.584326388684934e-05
    p = p * u - 3.591896542616807e-05
    p = p * u + 0.00019971235713162844
    p = p * u + 0.0002169845049057736
    p = p * u - 0.0010289782283739437
    p = p * u - 0.0008125372875467341
    p = p * u + 0.006460641356530303
    p = p * u - 0.002898889468583438
    p = p * u - 0.03730330069851896
    p = p * u + 0.12544993689236802
    p = p * u - 0.21995356106549266
    p = p * u + 0.24025958523147609
    p = p * u - 0.140771225523938
    p = p * u - 0.031278276152718755
    p = p * u + 0.625719406960739
    return p / (x + 0.45)


cdef inline double under_bell(double value, double x, double share) noexcept nogil:
    """Return value exp(-share x**2) for |x| < 40 and a power of two `share`, with the square in extended precision."""
    cdef double high = from_bits64(bits64(x) & 0xFFFFFFFF00000000ULL), low = share * (x - high) * (x + high), n, r
    cdef uint64_t j, half
    high = share * high * high
    n = 6755399441055744.0 - high * 1.44269504088896341  # rounded to an integer in the low bits, see fast_exp
    j = bits64(n) - bits64(6755399441055744.0) + 4096
    n = n - 6755399441055744.0
    r = -high - n * 0.693147180369123816490
    r = r - (n * 1.90821492927058770002e-10 + low)
    half = j >> 1
    value += value * (r + r * r * excess_rest(r))
    return value * from_bits64((half - 1025) << 52) * from_bits64((j - half - 1025) << 52)


cdef inline double erf_near(double x) noexcept nogil:
    """Return erf(x) for |x| < 0.5."""
    cdef double z = x * x, p = 1.465767719688891e-06
    p = p * z - 1.4839301888290094e-05
    p = p * z + 0.00012053080678816064
    p = p * z - 0.000854829262662474
    p = p * z + 0.005223977316070162
    p = p * z - 0.026866170629472115
    p = p * z + 0.1128379167091536
    p = p * z - 0.37612638903183365
    return x + x * (p * z + 0.12837916709551256)


cdef inline double upper_tail(double x, double t, double share) noexcept nogil:
    """Return erfc(t) for t**2 = share x**2."""
    cdef double u = math.fabs(t), far, near = 1 - erf_near(t), most = 28.0 if share == 1 else 39.0  # 0 beyond it
    x = math.fabs(x)
    x = most if x > most else x
    far = under_bell(erfcx_upwards(u), x, share)
    far = 2 - far if t < 0 else far
    return near if u < 0.5 else far


cdef inline double quantile_centre(double q, real_t like) noexcept nogil:
    """Return the quantile of the normal distribution at 0.5 + q, for |q| <= 0.425."""
    cdef double z = q * q, v = 0.180625 - z, p, d
    if real_t is float:
        p = -32.91787213044026
        p = p * v + 82.46675699117787
        p = p * v + 288.2831637875472
        p = p * v + 79.55114191218078
        p = p * v + 4.874765930909302
        d = 239.19054342405977
        d = d * v + 142.24155575472767
        d = d * v + 22.343280753213268
        d = d * v + 1.0
    else:
        p = 571.7904355135845
        p = p * v + 36684.37523063023
        p = p * v + 86175.18785884645
        p = p * v + 62197.57420996565
        p = p * v + 19107.91893048135
        p = p * v + 2786.832783158659
        p = p * v + 190.15924466937992
        p = p * v + 4.874765941399952
        d = 19926.3587138818
        d = d * v + 67846.33560462687
        d = d * v + 69771.12935531372
        d = d * v + 31071.520014360965
        d = d * v + 6884.807024098175
        d = d * v + 791.4796182186561
        d = d * v + 45.03321526626797
        d = d * v + 1.0
    return q * 2.5066282746310007 + q * (z * p / d - 1.832857998e-16)


cdef inline double quantile_tail(double w, real_t like) noexcept nogil:
    """Return minus the quantile at exp(-w), for w from 2.5 to 750. Doubles get an extra step of Halley's method."""
    cdef double r = math.sqrt(w) - 1.6, p, d, x, u
    p = 0.002847885017694837
    p = p * r + 0.08530873725716219
    p = p * r + 0.7395123923579013
    p = p * r + 2.497062201418521
    p = p * r + 3.37314173016881
    p = p * r + 1.4234371114777482
    d = 8.936768461971961e-10
    d = d * r + 0.002013602986387129
    d = d * r + 0.057119158139306084
    d = d * r + 0.4370380662489051
    d = d * r + 1.1699800960444793
    d = d * r + 1.0
    x = p / d
    if real_t is double:
        u = 2.5066282746310007 * (0.5 * erfcx_upwards(x * 0.7071067811865476) - fast_exp(0.5 * x * x - w))
        x += u / (1 + 0.5 * x * u)
    return x


cdef inline double quick_log(double x) noexcept nogil:
    """Return the logarithm of a normal number, with an error below 1e-10."""
    cdef uint64_t bits = bits64(x), shifted = bits - 0x3FE6A09E667F3BCDULL  # from sqrt(1/2) to sqrt(2)
    cdef double exponent = <double><int>(<long long>shifted >> 52)
    cdef double m = from_bits64(bits - (shifted & 0xFFF0000000000000ULL)), z = (m - 1) / (m + 1), w = z * z, p
    p = 1.0 / 11
    p = p * w + 1.0 / 9
    p = p * w + 1.0 / 7
    p = p * w + 1.0 / 5
    p = p * w + 1.0 / 3
    return exponent * 0.6931471805599453 + 2 * z * (p * w + 1)


cdef inline double quantile(double q, double tail, real_t like) noexcept nogil:
    """Return the quantile of the normal distribution at 0.5 + q; `tail` = 0.5 - |q|."""
    cdef double centre = quantile_centre(q, like), w, far
    w = -quick_log(tail) if real_t is float else -fast_log(tail)
    w = 2.5 if w < 2.5 else w
    far = math.copysign(quantile_tail(w, like), q)
    far = math.copysign(math.INFINITY, q) if tail == 0 else far
    far = math.NAN if not tail >= 0 else far
    return far if not math.fabs(q) <= 0.425 else centre
