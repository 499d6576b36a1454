"""The inner loops of sums and products, which are built for each CPU level; those of extremes are in extremes.pyx.

There are two forms of each: *along* a contiguous run into one accumulator, and *across* rows into as many accumulators
as a row has elements. Sums of floats are accumulated in double precision, those of integers in 64 bits. See
reductions.pxd.
"""
from libc.math cimport fabs, fabsf, pow, sqrt
from libc.stdint cimport uint8_t, uint64_t

from flambeau_tensor.vector_math cimport unaligned

ctypedef double complex complex128

cdef enum:
    LANES = 64  # accumulators per run: enough to hide the latency of an addition
    FEW = 16  # up to this length, one accumulator is used
    SHORT = 256  # up to this length, few accumulators are used, since combining them costs less
    BLOCK = 1024  # elements that are summed as floats before they are added to a double


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

ctypedef fused FloatSumming:  # whose terms are added as floats first
    Sum
    NanSum
    AbsSum

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
    elif op.p == 3:
        return <wide>(fabs(<double>x) * fabs(<double>x) * fabs(<double>x))
    elif op.p == 0.5:
        return <wide>sqrt(fabs(<double>x))
    else:
        return <wide>pow(fabs(<double>x), op.p)


cdef inline float small_term(FloatSumming* op, float x) noexcept nogil:
    if FloatSumming is Sum:
        return x
    elif FloatSumming is NanSum:
        return x if x == x else 0
    else:
        return fabsf(x)


cdef inline wide four_terms(Summing* op, number a, number b, number c, number d, wide like) noexcept nogil:
    """Combine four terms: floats in single precision, since four conversions would cost more than the additions."""
    if number is float and wide is double and (Summing is Sum or Summing is NanSum or Summing is AbsSum):
        return <wide>((small_term(op, a) + small_term(op, b)) + (small_term(op, c) + small_term(op, d)))
    else:
        return combined(op, combined(op, term(op, a, like), term(op, b, like)),
                        combined(op, term(op, c, like), term(op, d, like)))


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


cdef inline void float_sums(FloatSumming* op, const float* x, Py_ssize_t n, Py_ssize_t parts,
                            double* total) noexcept nogil:
    """The most common sums, at the speed of memory: short blocks are summed in float, their sums in double.

    `total` are 16 sums; an element that consists of two parts adds them to sums with even and with odd numbers.
    """
    cdef float[LANES] lanes
    cdef Py_ssize_t i = 0, k, end
    for k in range(16):
        total[k] = 0
    if n > 4 * LANES:
        i = unaligned(<size_t>x, 4 * parts) * parts
        for k in range(i):
            total[k] = small_term(op, x[k])
    while i + LANES <= n:
        for k in range(LANES):
            lanes[k] = small_term(op, x[i + k])
        end = i + min(<Py_ssize_t>BLOCK, (n - i) & ~<Py_ssize_t>(LANES - 1))
        i += LANES
        while i < end:  # the remainder is not added to the lanes, so that they stay in registers
            for k in range(LANES):
                lanes[k] += small_term(op, x[i + k])
            i += LANES
        for k in range(16):
            total[k] += (lanes[k] + lanes[16 + k]) + (lanes[32 + k] + lanes[48 + k])
    while i + 16 <= n:
        for k in range(16):
            total[k] += small_term(op, x[i + k])
        i += 16
    if n >= 16:
        for k in range(16):  # the last elements, without those that were read before
            total[k] += small_term(op, x[n - 16 + k]) if k >= 16 - (n - i) else 0
    else:
        for k in range(n - i):
            total[k] += small_term(op, x[i + k])
    for k in range(8):
        total[k] += total[8 + k]
    for k in range(4):
        total[k] += total[4 + k]


cdef inline double float_sum(FloatSumming* op, const float* x, Py_ssize_t n) noexcept nogil:
    cdef double[16] total
    float_sums(op, x, n, 1, total)
    return total[0] + total[2] + (total[1] + total[3])


cdef inline double short_float_sum(FloatSumming* op, const float* x, Py_ssize_t n) noexcept nogil:
    """The same for up to SHORT elements."""
    cdef float[16] lanes
    cdef Py_ssize_t i = 16, k
    for k in range(16):
        lanes[k] = small_term(op, x[k])
    while i + 16 <= n:
        for k in range(16):
            lanes[k] += small_term(op, x[i + k])
        i += 16
    if i < n:
        for k in range(16):  # the last elements, without those that were read before
            lanes[k] += small_term(op, x[n - 16 + k]) if k >= 16 - (n - i) else 0
    for k in range(8):
        lanes[k] += lanes[8 + k]
    for k in range(4):
        lanes[k] += lanes[4 + k]
    return (<double>lanes[0] + lanes[2]) + (<double>lanes[1] + lanes[3])


cdef void complex_along(Sum* op, const float* x, Py_ssize_t n, double* acc, char* aux, Py_ssize_t seen) noexcept nogil:
    """Sum complex numbers as pairs of floats, of which vectors hold more."""
    cdef double[16] total
    float_sums(op, x, 2 * n, 2, total)
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
    elif number is float and wide is double and (Summing is Sum or Summing is NanSum or Summing is AbsSum):
        a = short_float_sum(op, x, n) if n <= SHORT else float_sum(op, x, n)
    elif n <= SHORT:
        for k in range(16):
            lanes[k] = a
        while i + 16 <= n:
            for k in range(16):
                lanes[k] = combined(op, lanes[k], term(op, x[i + k], a))
            i += 16
        if i < n:
            for k in range(16):  # the last elements, without those that were read before
                lanes[k] = combined(op, lanes[k], term(op, x[n - 16 + k], a)) if k >= 16 - (n - i) else lanes[k]
        for k in range(8):
            lanes[k] = combined(op, lanes[k], lanes[8 + k])
        for k in range(4):
            lanes[k] = combined(op, lanes[k], lanes[4 + k])
        a = combined(op, combined(op, lanes[0], lanes[2]), combined(op, lanes[1], lanes[3]))
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
            acc[k] = combined(op, acc[k], four_terms(op, a[k], b[k], c[k], d[k], like))
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


LOOPS = {
    "sum": _sums(<Sum*>NULL),
    "prod": _sums(<Prod*>NULL),
    "nansum": _sums(<NanSum*>NULL),
    "abs_sum": _sums(<AbsSum*>NULL),
    "square_sum": _sums(<SquareSum*>NULL),
    "power_sum": _sums(<PowerSum*>NULL),
}
LOOPS["nansum"] = LOOPS["sum"] | LOOPS["nansum"]  # integers are never NaN
