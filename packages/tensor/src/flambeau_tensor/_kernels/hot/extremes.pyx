"""The inner loops of extremes and their indices, in the two forms of reductions.pyx."""
from libc.math cimport fabs, fabsf
from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t

from flambeau_tensor.vector_math cimport unaligned

cdef enum:
    LANES = 64  # accumulators per run: enough to hide the latency of a comparison
    SHORT = 256  # up to this length, few accumulators are used, since combining them costs less


# NaN takes precedence over every number.

cdef struct Max:
    double unused
cdef struct Min:
    double unused
cdef struct AbsMax:
    double unused
cdef struct AbsMin:
    double unused

ctypedef fused Extreme:
    Max
    Min
    AbsMax
    AbsMin

ctypedef fused Ordered:
    Max
    Min

ctypedef fused element:
    uint8_t
    int8_t
    int16_t
    int32_t
    int64_t
    float
    double


cdef inline element better(Extreme* op, element a, element b) noexcept nogil:
    if element is float or element is double:
        if Extreme is Max or Extreme is AbsMax:
            return b if (b > a) | (b != b) else a
        else:
            return b if (b < a) | (b != b) else a
    elif Extreme is Max or Extreme is AbsMax:
        return b if b > a else a
    else:
        return b if b < a else a


cdef inline element size(Extreme* op, element x) noexcept nogil:
    if Extreme is Max or Extreme is Min:
        return x
    elif element is float:
        return fabsf(x)
    elif element is double:
        return fabs(x)  # for -0.0, too
    else:
        return -x if x < 0 else x


cdef inline element better_number(Extreme* op, element a, element b) noexcept nogil:
    """The same for operands that are not NaN, in one instruction."""
    if Extreme is Max or Extreme is AbsMax:
        return b if b > a else a
    else:
        return b if b < a else a


cdef inline bint extreme_of_finite(Extreme* op, const element* x, Py_ssize_t n, element* best) noexcept nogil:
    """A faster loop. Returns False if an element is infinite or NaN, because its product with zero is NaN."""
    cdef element[LANES] lanes
    cdef element[LANES] zeros
    cdef Py_ssize_t i = unaligned(<size_t>x, sizeof(element)), k
    for k in range(LANES):
        lanes[k] = size(op, x[k])
        zeros[k] = x[k] * <element>0
    while i + LANES <= n:
        for k in range(LANES):
            lanes[k] = better_number(op, lanes[k], size(op, x[i + k]))
            zeros[k] += x[i + k] * <element>0
        i += LANES
    for k in range(n - i):
        lanes[k] = better_number(op, lanes[k], size(op, x[i + k]))
        zeros[k] += x[i + k] * <element>0
    for k in range(32):
        lanes[k] = better_number(op, lanes[k], lanes[32 + k])
        zeros[k] += zeros[32 + k]
    for k in range(16):
        lanes[k] = better_number(op, lanes[k], lanes[16 + k])
        zeros[k] += zeros[16 + k]
    for k in range(8):
        lanes[k] = better_number(op, lanes[k], lanes[8 + k])
        zeros[k] += zeros[8 + k]
    for k in range(1, 8):
        lanes[0] = better_number(op, lanes[0], lanes[k])
        zeros[0] += zeros[k]
    best[0] = lanes[0]
    return zeros[0] == 0


cdef inline bint extreme_of_short(Extreme* op, const element* x, Py_ssize_t n, element* best) noexcept nogil:
    """Use few accumulators, since combining them costs less; returns False if an element is NaN."""
    cdef element[8] lanes
    cdef Py_ssize_t i = 0, k
    cdef int unordered = 0
    for k in range(8):
        lanes[k] = size(op, x[0])
    while i + 8 <= n:
        for k in range(8):
            lanes[k] = better_number(op, lanes[k], size(op, x[i + k]))
            unordered |= x[i + k] != x[i + k]
        i += 8
    for k in range(n - i):
        lanes[k] = better_number(op, lanes[k], size(op, x[i + k]))
        unordered |= x[i + k] != x[i + k]
    for k in range(4):
        lanes[k] = better_number(op, lanes[k], lanes[4 + k])
    best[0] = better_number(op, better_number(op, lanes[0], lanes[2]), better_number(op, lanes[1], lanes[3]))
    return not unordered


cdef inline element extreme_of_medium(Extreme* op, const element* x, Py_ssize_t n) noexcept nogil:
    """For at least 32 elements. The last vector may read elements a second time."""
    cdef element[32] lanes
    cdef Py_ssize_t i = 32, k
    for k in range(32):
        lanes[k] = size(op, x[k])
    while i + 32 <= n:
        for k in range(32):
            lanes[k] = better(op, lanes[k], size(op, x[i + k]))
        i += 32
    for k in range(32):
        lanes[k] = better(op, lanes[k], size(op, x[n - 32 + k]))
    for k in range(16):
        lanes[k] = better(op, lanes[k], lanes[16 + k])
    for k in range(8):
        lanes[k] = better(op, lanes[k], lanes[8 + k])
    for k in range(4):
        lanes[k] = better(op, lanes[k], lanes[4 + k])
    return better(op, better(op, lanes[0], lanes[2]), better(op, lanes[1], lanes[3]))


cdef inline element extreme_of(Extreme* op, const element* x, Py_ssize_t n) noexcept nogil:
    cdef element[LANES] lanes
    cdef element best = size(op, x[0])
    cdef Py_ssize_t i = 0, k
    if n < 32 and extreme_of_short(op, x, n, &best):
        return best
    if 32 <= n <= SHORT:
        return extreme_of_medium(op, x, n)
    if element is float or element is double:
        if n > SHORT and extreme_of_finite(op, x, n, &best):
            return best
        best = size(op, x[0])
    for k in range(LANES):
        lanes[k] = best
    if n > 4 * LANES:
        i = unaligned(<size_t>x, sizeof(element))
        for k in range(i):
            lanes[k] = better(op, lanes[k], size(op, x[k]))
    while i + LANES <= n:
        for k in range(LANES):
            lanes[k] = better(op, lanes[k], size(op, x[i + k]))
        i += LANES
    for k in range(n - i):
        lanes[k] = better(op, lanes[k], size(op, x[i + k]))
    for k in range(32):
        lanes[k] = better(op, lanes[k], lanes[32 + k])
    for k in range(16):
        lanes[k] = better(op, lanes[k], lanes[16 + k])
    for k in range(8):
        lanes[k] = better(op, lanes[k], lanes[8 + k])
    for k in range(1, 8):
        lanes[0] = better(op, lanes[0], lanes[k])
    return lanes[0]


cdef void extreme_along(Extreme* op, const element* x, Py_ssize_t n, element* acc, char* aux,
                        Py_ssize_t seen) noexcept nogil:
    cdef element best = extreme_of(op, x, n)
    acc[0] = better(op, acc[0], best) if seen else best


cdef void extreme_across(Extreme* op, const element* x, Py_ssize_t step, Py_ssize_t n, Py_ssize_t m, element* acc,
                         char* aux, Py_ssize_t seen) noexcept nogil:
    cdef const element* row
    cdef Py_ssize_t i = 0, k
    if seen == 0:
        for k in range(m):
            acc[k] = size(op, x[k])
        i = 1
    while i < n:
        row = <const element*>(<const char*>x + i * step)
        for k in range(m):
            acc[k] = better(op, acc[k], size(op, row[k]))
        i += 1


cdef void extreme_merge(Extreme* op, element* acc, char* aux, Py_ssize_t seen, const element* acc2, const char* aux2,
                        Py_ssize_t more, Py_ssize_t m) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(m):
        acc[k] = better(op, acc[k], acc2[k]) if seen else acc2[k]


# --- extremes and their indices -------------------------------------------------------------------------------------
# The auxiliary is the index of the first of equal elements.

cdef inline bint beats(Ordered* op, element a, element b) noexcept nogil:
    """Whether b, which comes later, replaces a."""
    if element is float or element is double:
        if Ordered is Max:
            return (b > a) | ((b != b) & (a == a))
        else:
            return (b < a) | ((b != b) & (a == a))
    elif Ordered is Max:
        return b > a
    else:
        return b < a


cdef inline Py_ssize_t find(const element* x, Py_ssize_t n, element wanted) noexcept nogil:
    """Return the first index of a value that occurs; if it is NaN, any NaN matches."""
    cdef Py_ssize_t i = 0, k
    cdef int hits
    while i + 64 <= n:
        hits = 0
        for k in range(64):
            hits |= x[i + k] == wanted if wanted == wanted else x[i + k] != x[i + k]
        if hits:
            break
        i += 64
    while i < n - 1 and not (x[i] == wanted if wanted == wanted else x[i] != x[i]):
        i += 1
    return i


cdef void arg_along(Ordered* op, const element* x, Py_ssize_t n, element* acc, int64_t* aux,
                    Py_ssize_t seen) noexcept nogil:
    cdef element best = extreme_of(op, x, n)
    if seen == 0 or beats(op, acc[0], best):
        acc[0] = best
        aux[0] = seen + find(x, n, best)


cdef void arg_across(Ordered* op, const element* x, Py_ssize_t step, Py_ssize_t n, Py_ssize_t m, element* acc,
                     int64_t* aux, Py_ssize_t seen) noexcept nogil:
    cdef const element* row
    cdef Py_ssize_t i = 0, k
    cdef bint take
    if seen == 0:
        for k in range(m):
            acc[k] = x[k]
            aux[k] = 0
        i = 1
    while i < n:
        row = <const element*>(<const char*>x + i * step)
        for k in range(m):
            take = beats(op, acc[k], row[k])
            acc[k] = row[k] if take else acc[k]
            aux[k] = seen + i if take else aux[k]
        i += 1


cdef void arg_merge(Ordered* op, element* acc, int64_t* aux, Py_ssize_t seen, const element* acc2,
                    const int64_t* aux2, Py_ssize_t more, Py_ssize_t m) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(m):
        if seen == 0 or beats(op, acc[k], acc2[k]):
            acc[k] = acc2[k]
            aux[k] = seen + aux2[k]


# --- the table ------------------------------------------------------------------------------------------------------
# By operation and input dtype: the addresses of the three loops, and the dtype of the accumulators.

cdef tuple _extreme(Extreme* op, element like, str name):
    return (<size_t>&extreme_along[Extreme, element], <size_t>&extreme_across[Extreme, element],
            <size_t>&extreme_merge[Extreme, element], name)


cdef tuple _arg_loop(Ordered* op, element like, str name):
    return (<size_t>&arg_along[Ordered, element], <size_t>&arg_across[Ordered, element],
            <size_t>&arg_merge[Ordered, element], name)


cdef dict _extremes(Ordered* op):
    return {
        "bool": _extreme(op, <uint8_t>0, "bool"), "uint8": _extreme(op, <uint8_t>0, "uint8"),
        "int8": _extreme(op, <int8_t>0, "int8"), "int16": _extreme(op, <int16_t>0, "int16"),
        "int32": _extreme(op, <int32_t>0, "int32"), "int64": _extreme(op, <int64_t>0, "int64"),
        "float32": _extreme(op, <float>0, "float32"), "float64": _extreme(op, <double>0, "float64"),
    }


cdef dict _arg_loops(Ordered* op):
    return {
        "bool": _arg_loop(op, <uint8_t>0, "bool"), "uint8": _arg_loop(op, <uint8_t>0, "uint8"),
        "int8": _arg_loop(op, <int8_t>0, "int8"), "int16": _arg_loop(op, <int16_t>0, "int16"),
        "int32": _arg_loop(op, <int32_t>0, "int32"), "int64": _arg_loop(op, <int64_t>0, "int64"),
        "float32": _arg_loop(op, <float>0, "float32"), "float64": _arg_loop(op, <double>0, "float64"),
    }


LOOPS = {
    "max": _extremes(<Max*>NULL),
    "min": _extremes(<Min*>NULL),
    "abs_max": {"float32": _extreme(<AbsMax*>NULL, <float>0, "float32"),
                "float64": _extreme(<AbsMax*>NULL, <double>0, "float64")},
    "abs_min": {"float32": _extreme(<AbsMin*>NULL, <float>0, "float32"),
                "float64": _extreme(<AbsMin*>NULL, <double>0, "float64")},
    "argmax": _arg_loops(<Max*>NULL),
    "argmin": _arg_loops(<Min*>NULL),
}
