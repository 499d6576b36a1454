# cython: language_level=3
"""Convolution in elements: columns for a matrix product, and sums over windows without one.

``LOOPS`` holds the loops (see convolution_types.pxd), by element size if they only copy.
"""
from libc.stdint cimport uint64_t
from libc.string cimport memset

from flambeau_nn._kernels.convolution_types cimport Geometry, Piece

ctypedef float complex complex64_t
ctypedef double complex complex128_t

ctypedef fused copied_t:  # elements of 4, 8 and 16 bytes
    float
    double
    complex128_t

ctypedef fused number_t:
    float
    double
    uint64_t  # for int64, as it wraps around
    complex64_t
    complex128_t

cdef enum:
    LANES = 16  # accumulators per row


cdef struct Span:  # the positions of a row for which a tap lies in the image
    Py_ssize_t begin, end
    Py_ssize_t at  # the element that position 0 would read


cdef inline Span _span(const Geometry* g, int axis, Py_ssize_t tap, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef Span s
    cdef Py_ssize_t stride = g.stride[axis], last
    s.at = tap * g.dilation[axis] - g.padding[axis]
    last = g.size[axis] - 1 - s.at
    s.begin, s.end = begin, end
    if stride == 1:
        s.begin, s.end = max(begin, -s.at), min(end, last + 1)
    else:
        if s.at < 0:
            s.begin = max(begin, (stride - 1 - s.at) // stride)
        s.end = min(end, last // stride + 1) if last >= 0 else begin
    if s.begin > end:
        s.begin = end
    if s.end < s.begin:
        s.end = s.begin
    return s


cdef inline Py_ssize_t _row_of(const Geometry* g, Py_ssize_t a, Py_ssize_t b, Py_ssize_t i,
                               Py_ssize_t j) noexcept nogil:
    """Return the row of a channel's plane that taps (a, b) read at positions (i, j); -1 outside."""
    cdef Py_ssize_t outer = i * g.stride[0] - g.padding[0] + a * g.dilation[0]
    cdef Py_ssize_t inner = j * g.stride[1] - g.padding[1] + b * g.dilation[1]
    if outer < 0 or outer >= g.size[0] or inner < 0 or inner >= g.size[1]:
        return -1
    return outer * g.size[1] + inner


# --- columns --------------------------------------------------------------------------------------------------------

cdef void _gather(const Geometry* g, const Piece* p, copied_t* tag) noexcept nogil:
    """Gather the factors of the weights as a matrix: a row for each weight of a feature, a column for each position."""
    cdef Py_ssize_t r, c, tap, a, b, k, i, j, m, n, q, row, at, stride = g.stride[2]
    cdef const copied_t* x
    cdef copied_t* out
    cdef Span s
    for r in range(p.first, p.last):
        c, tap = r // g.taps, r % g.taps
        k, b, a = tap % g.kernel[2], tap // g.kernel[2] % g.kernel[1], tap // (g.kernel[2] * g.kernel[1])
        out = <copied_t*>p.columns + (r - p.first) * p.width
        at = p.begin
        m, j, i = at % g.count[2], at // g.count[2] % g.count[1], at // (g.count[2] * g.count[1])
        while at < p.end:
            n = min(g.count[2] - m, p.end - at)
            row = _row_of(g, a, b, i, j)
            if row < 0:
                memset(out, 0, n * sizeof(copied_t))
            else:
                s = _span(g, 2, k, m, m + n)
                x = <const copied_t*>p.image + c * g.plane + row * g.size[2] + s.at
                for q in range(m, s.begin):
                    out[q - m] = 0
                if stride == 1:
                    for q in range(s.begin, s.end):
                        out[q - m] = x[q]
                else:
                    for q in range(s.begin, s.end):
                        out[q - m] = x[q * stride]
                for q in range(s.end, m + n):
                    out[q - m] = 0
            out += n
            at += n
            m = 0
            j += 1
            if j == g.count[1]:
                j = 0
                i += 1


cdef void _scatter(const Geometry* g, const Piece* p, number_t* tag) noexcept nogil:
    """Add columns to the elements of the image that ``_gather`` reads."""
    cdef Py_ssize_t r, c, tap, a, b, k, i, j, m, n, q, row, at, stride = g.stride[2]
    cdef number_t* x
    cdef const number_t* values
    cdef Span s
    for r in range(p.first, p.last):
        c, tap = r // g.taps, r % g.taps
        k, b, a = tap % g.kernel[2], tap // g.kernel[2] % g.kernel[1], tap // (g.kernel[2] * g.kernel[1])
        values = <const number_t*>p.columns + (r - p.first) * p.width
        at = p.begin
        m, j, i = at % g.count[2], at // g.count[2] % g.count[1], at // (g.count[2] * g.count[1])
        while at < p.end:
            n = min(g.count[2] - m, p.end - at)
            row = _row_of(g, a, b, i, j)
            if row >= 0:
                s = _span(g, 2, k, m, m + n)
                x = <number_t*>p.image + c * g.plane + row * g.size[2] + s.at
                if stride == 1:
                    for q in range(s.begin, s.end):
                        x[q] += values[q - m]
                else:
                    for q in range(s.begin, s.end):
                        x[q * stride] += values[q - m]
            values += n
            at += n
            m = 0
            j += 1
            if j == g.count[1]:
                j = 0
                i += 1


# --- without a matrix product ---------------------------------------------------------------------------------------

cdef inline void _add_five(number_t* y, const number_t* x, Py_ssize_t apart, Py_ssize_t stride, const number_t* w,
                           Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef number_t a = w[0], b = w[1], c = w[2], d = w[3], e = w[4]
    cdef const number_t* x1 = x + apart
    cdef const number_t* x2 = x1 + apart
    cdef const number_t* x3 = x2 + apart
    cdef const number_t* x4 = x3 + apart
    cdef Py_ssize_t q
    for q in range(begin, end):
        y[q] += a * x[q * stride] + b * x1[q * stride] + c * x2[q * stride] + d * x3[q * stride] + e * x4[q * stride]


cdef inline void _add_three(number_t* y, const number_t* x, Py_ssize_t apart, Py_ssize_t stride, const number_t* w,
                            Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef number_t a = w[0], b = w[1], c = w[2]
    cdef const number_t* x1 = x + apart
    cdef const number_t* x2 = x1 + apart
    cdef Py_ssize_t q
    for q in range(begin, end):
        y[q] += a * x[q * stride] + b * x1[q * stride] + c * x2[q * stride]


cdef inline void _add_one(number_t* y, const number_t* x, Py_ssize_t stride, number_t w, Py_ssize_t begin,
                          Py_ssize_t end) noexcept nogil:
    cdef Py_ssize_t q
    for q in range(begin, end):
        y[q] += w * x[q * stride]


cdef inline void _add_within(number_t* y, const number_t* x, Py_ssize_t apart, Py_ssize_t stride, const number_t* w,
                             Py_ssize_t taps, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """Add at positions whose taps all lie in the image, several taps at a time, which saves passes over the values."""
    cdef Py_ssize_t k = 0
    while k < taps:
        if taps - k >= 5:
            _add_five(y, x + k * apart, apart, stride, w + k, begin, end)
            k += 5
        elif taps - k >= 3:
            _add_three(y, x + k * apart, apart, stride, w + k, begin, end)
            k += 3
        else:
            _add_one(y, x + k * apart, stride, w[k], begin, end)
            k += 1


cdef inline void _add_taps(const Geometry* g, number_t* y, const number_t* x, const number_t* w) noexcept nogil:
    """Add to a row of values the contributions of the taps in one row of a window."""
    cdef Py_ssize_t k, stride = g.stride[2], n = g.count[2], apart = g.dilation[2], taps = g.kernel[2], begin, end
    cdef Span s, last
    s, last = _span(g, 2, 0, 0, n), _span(g, 2, taps - 1, 0, n)
    begin, end = s.begin, max(s.begin, last.end)
    if stride == 1:  # constants, so that the compiler vectorizes the loops
        _add_within(y, x + s.at, apart, 1, w, taps, begin, end)
    elif stride == 2:
        _add_within(y, x + s.at, apart, 2, w, taps, begin, end)
    else:
        _add_within(y, x + s.at, apart, stride, w, taps, begin, end)
    for k in range(taps if begin > 0 or end < n else 0):
        s = _span(g, 2, k, 0, n)
        _add_one(y, x + s.at, stride, w[k], s.begin, min(s.end, begin))
        _add_one(y, x + s.at, stride, w[k], max(s.begin, end), s.end)


cdef void _values(const Geometry* g, const Piece* p, number_t* tag) noexcept nogil:
    """Add the values of features `first` to `last`."""
    cdef Py_ssize_t f, c, i, j, a, b, row
    cdef number_t* y
    cdef const number_t* w
    for f in range(p.first, p.last):
        for i in range(g.count[0]):
            for j in range(g.count[1]):
                y = <number_t*>p.values + f * g.positions + (i * g.count[1] + j) * g.count[2]
                for c in range(g.channels):
                    w = <const number_t*>p.weight + (f * g.channels + c) * g.taps
                    for a in range(g.kernel[0]):
                        for b in range(g.kernel[1]):
                            row = _row_of(g, a, b, i, j)
                            if row >= 0:
                                _add_taps(g, y, <const number_t*>p.image + c * g.plane + row * g.size[2],
                                          w + (a * g.kernel[1] + b) * g.kernel[2])


cdef void _image(const Geometry* g, const Piece* p, number_t* tag) noexcept nogil:
    """Add to the channels `first` to `last` of an image the contribution of every value to its window."""
    cdef Py_ssize_t f, c, i, j, a, b, k, q, row, stride = g.stride[2]
    cdef const number_t* y
    cdef const number_t* w
    cdef number_t* x
    cdef number_t v
    cdef Span s
    for c in range(p.first, p.last):
        for f in range(g.features):
            for i in range(g.count[0]):
                for j in range(g.count[1]):
                    y = <const number_t*>p.values + f * g.positions + (i * g.count[1] + j) * g.count[2]
                    for a in range(g.kernel[0]):
                        for b in range(g.kernel[1]):
                            row = _row_of(g, a, b, i, j)
                            if row < 0:
                                continue
                            w = <const number_t*>p.weight + (f * g.channels + c) * g.taps + \
                                (a * g.kernel[1] + b) * g.kernel[2]
                            for k in range(g.kernel[2]):
                                s = _span(g, 2, k, 0, g.count[2])
                                v, x = w[k], <number_t*>p.image + c * g.plane + row * g.size[2] + s.at
                                if stride == 1:
                                    for q in range(s.begin, s.end):
                                        x[q] += v * y[q]
                                else:
                                    for q in range(s.begin, s.end):
                                        x[q * stride] += v * y[q]


cdef inline number_t _dot(const number_t* y, const number_t* x, Py_ssize_t stride, Py_ssize_t n) noexcept nogil:
    cdef number_t[LANES] lanes
    cdef number_t total = 0
    cdef Py_ssize_t q = 0, k
    if n >= LANES:
        for k in range(LANES):
            lanes[k] = 0
        if stride == 1:
            while q + LANES <= n:
                for k in range(LANES):
                    lanes[k] += y[q + k] * x[q + k]
                q += LANES
        else:
            while q + LANES <= n:
                for k in range(LANES):
                    lanes[k] += y[q + k] * x[(q + k) * stride]
                q += LANES
        for k in range(LANES):
            total += lanes[k]
    while q < n:
        total += y[q] * x[q * stride]
        q += 1
    return total


cdef void _weights(const Geometry* g, const Piece* p, number_t* tag) noexcept nogil:
    """Compute the weights of features `first` to `last`: sums over samples and positions of values times image."""
    cdef Py_ssize_t f, c, a, b, k, n, i, j, row
    cdef number_t total
    cdef const number_t* x
    cdef const number_t* y
    cdef number_t* w
    cdef Span s
    for f in range(p.first, p.last):
        for c in range(g.channels):
            w = <number_t*>p.weight + (f * g.channels + c) * g.taps
            for a in range(g.kernel[0]):
                for b in range(g.kernel[1]):
                    for k in range(g.kernel[2]):
                        s = _span(g, 2, k, 0, g.count[2])
                        total = 0
                        for n in range(p.samples):
                            x = <const number_t*>p.image + n * p.image_step + c * g.plane + s.at + \
                                s.begin * g.stride[2]
                            y = <const number_t*>p.values + n * p.values_step + f * g.positions + s.begin
                            for i in range(g.count[0]):
                                for j in range(g.count[1]):
                                    row = _row_of(g, a, b, i, j)
                                    if row >= 0:
                                        total += _dot(y + (i * g.count[1] + j) * g.count[2], x + row * g.size[2],
                                                      g.stride[2], s.end - s.begin)
                        w[0] = total
                        w += 1


# --- helpers for matrix products ------------------------------------------------------------------------------------

cdef void _fill(const Geometry* g, const Piece* p, number_t* tag) noexcept nogil:
    """Fill rows at `values`, with stride `width`, with `end` - `begin` copies of a number each, from `weight` or 0."""
    cdef Py_ssize_t r, q, n = p.end - p.begin
    cdef number_t v = 0
    cdef number_t* out
    for r in range(p.first, p.last):
        out = <number_t*>p.values + r * p.width + p.begin
        if p.weight != NULL:
            v = (<const number_t*>p.weight)[r]
        for q in range(n):
            out[q] = v


cdef void _add(const Geometry* g, const Piece* p, number_t* tag) noexcept nogil:
    """Like ``_fill``, but add."""
    cdef Py_ssize_t r, q, n = p.end - p.begin
    cdef number_t v
    cdef number_t* out
    for r in range(p.first, p.last):
        out = <number_t*>p.values + r * p.width + p.begin
        v = (<const number_t*>p.weight)[r]
        for q in range(n):
            out[q] += v


cdef void _accumulate(const Geometry* g, const Piece* p, number_t* tag) noexcept nogil:
    """Add the matrix of all features and rows `first` to `last` at `columns` to the weights."""
    cdef Py_ssize_t f, r, n = p.last - p.first
    cdef const number_t* source
    cdef number_t* out
    for f in range(g.features):
        source = <const number_t*>p.columns + f * n
        out = <number_t*>p.weight + f * g.rows + p.first
        for r in range(n):
            out[r] += source[r]


cdef void _totals(const Geometry* g, const Piece* p, number_t* tag) noexcept nogil:
    """Set the numbers `first` to `last` at `weight` to sums of rows of `width` numbers at `values`, over samples."""
    cdef Py_ssize_t r, n, q, k
    cdef number_t total
    cdef number_t[LANES] lanes
    cdef const number_t* y
    for r in range(p.first, p.last):
        total = 0
        for n in range(p.samples):
            y = <const number_t*>p.values + n * p.values_step + r * p.width
            for k in range(LANES):
                lanes[k] = 0
            q = 0
            while q + LANES <= p.width:
                for k in range(LANES):
                    lanes[k] += y[q + k]
                q += LANES
            for k in range(p.width - q):
                lanes[k] += y[q + k]
            for k in range(1, LANES):
                lanes[0] += lanes[k]
            total += lanes[0]
        (<number_t*>p.weight)[r] = total


def _each(*loops):
    return dict(zip(("float32", "float64", "int64", "complex64", "complex128"), loops, strict=True))


LOOPS = {
    "gather": _each(<size_t><void*>_gather[float], <size_t><void*>_gather[double], <size_t><void*>_gather[double],
                    <size_t><void*>_gather[double], <size_t><void*>_gather[complex128_t]),
    "scatter": _each(<size_t><void*>_scatter[float], <size_t><void*>_scatter[double], <size_t><void*>_scatter[uint64_t],
                     <size_t><void*>_scatter[complex64_t], <size_t><void*>_scatter[complex128_t]),
    "values": _each(<size_t><void*>_values[float], <size_t><void*>_values[double], <size_t><void*>_values[uint64_t],
                    <size_t><void*>_values[complex64_t], <size_t><void*>_values[complex128_t]),
    "image": _each(<size_t><void*>_image[float], <size_t><void*>_image[double], <size_t><void*>_image[uint64_t],
                   <size_t><void*>_image[complex64_t], <size_t><void*>_image[complex128_t]),
    "weights": _each(<size_t><void*>_weights[float], <size_t><void*>_weights[double], <size_t><void*>_weights[uint64_t],
                     <size_t><void*>_weights[complex64_t], <size_t><void*>_weights[complex128_t]),
    "fill": _each(<size_t><void*>_fill[float], <size_t><void*>_fill[double], <size_t><void*>_fill[uint64_t],
                  <size_t><void*>_fill[complex64_t], <size_t><void*>_fill[complex128_t]),
    "add": _each(<size_t><void*>_add[float], <size_t><void*>_add[double], <size_t><void*>_add[uint64_t],
                 <size_t><void*>_add[complex64_t], <size_t><void*>_add[complex128_t]),
    "accumulate": _each(<size_t><void*>_accumulate[float], <size_t><void*>_accumulate[double],
                        <size_t><void*>_accumulate[uint64_t],
                        <size_t><void*>_accumulate[complex64_t], <size_t><void*>_accumulate[complex128_t]),
    "totals": _each(<size_t><void*>_totals[float], <size_t><void*>_totals[double], <size_t><void*>_totals[uint64_t],
                    <size_t><void*>_totals[complex64_t], <size_t><void*>_totals[complex128_t]),
}
