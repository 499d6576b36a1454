"""The inner loops of reductions, which are built for each CPU level.

There are two forms of each: *along* a contiguous run into one accumulator, and *across* rows into as many accumulators
as a row has elements. Sums of floats are accumulated in double precision, those of integers in 64 bits. See
reductions.pxd.
"""
from libc.math cimport fabs, fabsf, pow
from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint64_t

ctypedef double complex complex128

cdef enum:
    LANES = 64  # accumulators per run: enough to hide the latency of an addition
    FEW = 16  # up to this length, one accumulator is used
    SHORT = 256  # up to this length, few accumulators are used, since combining them costs less
    BLOCK = 1024  # elements that are summed as floats before they are added to a double


cdef inline Py_ssize_t unaligned(size_t address, size_t item) noexcept nogil:
    """Return the number of elements before the next cache line; loads that straddle two lines take twice the time."""
    return <Py_ssize_t>((64 - (address & 63)) & 63) // <Py_ssize_t>item


# --- sums, products, sums of powers ---------------------------------------------------------------------------------
# The type of `op` determines the operation; `op` points to its parameters.

cdef struct Sum:
    double unused
cdef struct Prod:
    double unused
cdef struct NanSum:
    double unused
cdef struct AbsSum:
    double unused
cdef struct SquareSum:
    double unused
cdef struct PowerSum:
    double p

ctypedef fused Summing:
    Sum
    Prod
    NanSum
    AbsSum
    SquareSum
    PowerSum

ctypedef fused number:  # integers are unsigned, so that they wrap around
    uint8_t
    uint64_t
    float
    double
    complex128

ctypedef fused wide:
    uint64_t
    double
    complex128


cdef inline wide identity(Summing* op, wide like) noexcept nogil:
    if Summing is Prod:
        return 1
    else:
        return 0


cdef inline wide combined(Summing* op, wide a, wide b) noexcept nogil:
    if Summing is Prod:
        return a * b
    else:
        return a + b


cdef inline wide term(Summing* op, number x, wide like) noexcept nogil:
    if number is complex128 and wide is not complex128:
        return 0  # not used
    elif number is complex128:
        return x  # a cast would make the real part NaN if the imaginary part is infinite
    elif Summing is Sum or Summing is Prod or wide is complex128:
        return <wide>x
    elif Summing is NanSum:
        return <wide>x if x == x else 0
    elif Summing is SquareSum:
        return <wide>x * <wide>x
    elif Summing is AbsSum:
        return <wide>fabs(<double>x)
    else:
        return <wide>pow(fabs(<double>x), op.p)


cdef inline wide sum_folded(Summing* op, wide* lanes) noexcept nogil:
    # Several loops, because the compiler generates straight vector code only for loops of fixed length.
    cdef Py_ssize_t k
    for k in range(32):
        lanes[k] = combined(op, lanes[k], lanes[32 + k])
    for k in range(16):
        lanes[k] = combined(op, lanes[k], lanes[16 + k])
    for k in range(8):
        lanes[k] = combined(op, lanes[k], lanes[8 + k])
    for k in range(4):
        lanes[k] = combined(op, lanes[k], lanes[4 + k])
    return combined(op, combined(op, lanes[0], lanes[2]), combined(op, lanes[1], lanes[3]))


cdef inline void float_sums(const float* x, Py_ssize_t n, Py_ssize_t parts, double* total) noexcept nogil:
    """The most common sum, at the speed of memory: short blocks are summed in float, their sums in double.

    `total` are 16 sums; an element that consists of two parts adds them to sums with even and with odd numbers.
    """
    cdef float[LANES] lanes
    cdef Py_ssize_t i = 0, k, end
    for k in range(16):
        total[k] = 0
    if n > 4 * LANES:
        i = unaligned(<size_t>x, 4 * parts) * parts
        for k in range(i):
            total[k] = x[k]
    while i + LANES <= n:
        for k in range(LANES):
            lanes[k] = x[i + k]
        end = i + min(<Py_ssize_t>BLOCK, (n - i) & ~<Py_ssize_t>(LANES - 1))
        i += LANES
        while i < end:  # the remainder is not added to the lanes, so that they stay in registers
            for k in range(LANES):
                lanes[k] += x[i + k]
            i += LANES
        for k in range(16):
            total[k] += (lanes[k] + lanes[16 + k]) + (lanes[32 + k] + lanes[48 + k])
    while i + 16 <= n:
        for k in range(16):
            total[k] += x[i + k]
        i += 16
    for k in range(n - i):
        total[k] += x[i + k]
    for k in range(8):
        total[k] += total[8 + k]
    for k in range(4):
        total[k] += total[4 + k]


cdef inline double float_sum(const float* x, Py_ssize_t n) noexcept nogil:
    cdef double[16] total
    float_sums(x, n, 1, total)
    return total[0] + total[2] + (total[1] + total[3])


cdef void complex_along(Sum* op, const float* x, Py_ssize_t n, double* acc, char* aux, Py_ssize_t seen) noexcept nogil:
    """Sum complex numbers as pairs of floats, of which vectors hold more."""
    cdef double[16] total
    float_sums(x, 2 * n, 2, total)
    acc[0] = total[0] + total[2] + (acc[0] if seen else 0)
    acc[1] = total[1] + total[3] + (acc[1] if seen else 0)


cdef void complex_across(Sum* op, const float* x, Py_ssize_t step, Py_ssize_t n, Py_ssize_t m, double* acc, char* aux,
                         Py_ssize_t seen) noexcept nogil:
    sum_across(op, x, step, n, 2 * m, acc, aux, seen)


cdef void sum_along(Summing* op, const number* x, Py_ssize_t n, wide* acc, char* aux, Py_ssize_t seen) noexcept nogil:
    cdef wide[LANES] lanes
    cdef wide a = 0
    cdef Py_ssize_t i = 0, k
    a = identity(op, a)
    if n < FEW:
        for k in range(n):
            a = combined(op, a, term(op, x[k], a))
    elif n <= SHORT:
        for k in range(16):
            lanes[k] = a
        while i + 16 <= n:
            for k in range(16):
                lanes[k] = combined(op, lanes[k], term(op, x[i + k], a))
            i += 16
        for k in range(n - i):
            lanes[k] = combined(op, lanes[k], term(op, x[i + k], a))
        for k in range(8):
            lanes[k] = combined(op, lanes[k], lanes[8 + k])
        for k in range(4):
            lanes[k] = combined(op, lanes[k], lanes[4 + k])
        a = combined(op, combined(op, lanes[0], lanes[2]), combined(op, lanes[1], lanes[3]))
    elif Summing is Sum and number is float and wide is double:
        a = float_sum(x, n)
    else:
        for k in range(LANES):
            lanes[k] = a
        if n > 4 * LANES:
            i = unaligned(<size_t>x, sizeof(number))
            for k in range(i):
                lanes[k] = combined(op, lanes[k], term(op, x[k], a))
        while i + LANES <= n:
            for k in range(LANES):
                lanes[k] = combined(op, lanes[k], term(op, x[i + k], a))
            i += LANES
        for k in range(n - i):
            lanes[k] = combined(op, lanes[k], term(op, x[i + k], a))
        a = sum_folded(op, &lanes[0])
    acc[0] = combined(op, acc[0], a) if seen else a


cdef void sum_across(Summing* op, const number* x, Py_ssize_t step, Py_ssize_t n, Py_ssize_t m, wide* acc, char* aux,
                     Py_ssize_t seen) noexcept nogil:
    cdef const number* a
    cdef const number* b
    cdef const number* c
    cdef const number* d
    cdef wide like = 0
    cdef Py_ssize_t i = 0, k
    if seen == 0:
        for k in range(m):
            acc[k] = identity(op, like)
    while i + 4 <= n:  # four rows per access to the accumulators
        a = <const number*>(<const char*>x + i * step)
        b = <const number*>(<const char*>a + step)
        c = <const number*>(<const char*>b + step)
        d = <const number*>(<const char*>c + step)
        for k in range(m):
            acc[k] = combined(op, acc[k], combined(op, combined(op, term(op, a[k], like), term(op, b[k], like)),
                                                   combined(op, term(op, c[k], like), term(op, d[k], like))))
        i += 4
    while i < n:
        a = <const number*>(<const char*>x + i * step)
        for k in range(m):
            acc[k] = combined(op, acc[k], term(op, a[k], like))
        i += 1


cdef void sum_merge(Summing* op, wide* acc, char* aux, Py_ssize_t seen, const wide* acc2, const char* aux2,
                    Py_ssize_t more, Py_ssize_t m) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(m):
        acc[k] = combined(op, acc[k], acc2[k]) if seen else acc2[k]


# --- extremes -------------------------------------------------------------------------------------------------------
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


cdef inline element extreme_of(Extreme* op, const element* x, Py_ssize_t n) noexcept nogil:
    cdef element[LANES] lanes
    cdef element best = size(op, x[0])
    cdef Py_ssize_t i = 0, k, short = LANES if element is float or element is double else SHORT
    if n <= short and extreme_of_short(op, x, n, &best):
        return best
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

cdef dict _sums(Summing* op):
    cdef tuple real_loops = (
        <size_t>&sum_along[Summing, float, double], <size_t>&sum_across[Summing, float, double],
        <size_t>&sum_merge[Summing, double], "float64")
    cdef dict table = {
        "float32": real_loops,
        "float64": (<size_t>&sum_along[Summing, double, double], <size_t>&sum_across[Summing, double, double],
                    <size_t>&sum_merge[Summing, double], "float64"),
    }
    if Summing is Sum or Summing is Prod:
        merge = <size_t>&sum_merge[Summing, uint64_t]
        table["bool"] = table["uint8"] = (<size_t>&sum_along[Summing, uint8_t, uint64_t],
                                          <size_t>&sum_across[Summing, uint8_t, uint64_t], merge, "int64")
        table["int64"] = (<size_t>&sum_along[Summing, uint64_t, uint64_t],
                          <size_t>&sum_across[Summing, uint64_t, uint64_t], merge, "int64")
        if Summing is Sum:
            table["complex64"] = (<size_t>&complex_along, <size_t>&complex_across,
                                  <size_t>&sum_merge[Summing, complex128], "complex128")
        table["complex128"] = (
            <size_t>&sum_along[Summing, complex128, complex128], <size_t>&sum_across[Summing, complex128, complex128],
            <size_t>&sum_merge[Summing, complex128], "complex128")
    return table


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
    "sum": _sums(<Sum*>NULL),
    "prod": _sums(<Prod*>NULL),
    "nansum": _sums(<NanSum*>NULL),
    "abs_sum": _sums(<AbsSum*>NULL),
    "square_sum": _sums(<SquareSum*>NULL),
    "power_sum": _sums(<PowerSum*>NULL),
    "max": _extremes(<Max*>NULL),
    "min": _extremes(<Min*>NULL),
    "abs_max": {"float32": _extreme(<AbsMax*>NULL, <float>0, "float32"),
                "float64": _extreme(<AbsMax*>NULL, <double>0, "float64")},
    "abs_min": {"float32": _extreme(<AbsMin*>NULL, <float>0, "float32"),
                "float64": _extreme(<AbsMin*>NULL, <double>0, "float64")},
    "argmax": _arg_loops(<Max*>NULL),
    "argmin": _arg_loops(<Min*>NULL),
}
LOOPS["nansum"] = LOOPS["sum"] | LOOPS["nansum"]  # integers are never NaN
