# cython: language_level=3
"""Pooling of planes. ``LOOPS`` holds the loops (see pooling_types.pxd).

Windows that are regular along a row are computed one tap at a time for a piece of the row, and adjacent channels are
computed together; both are vectorized.
"""
from libc.math cimport INFINITY
from libc.stdint cimport INT64_MIN, int32_t, int64_t
from libc.string cimport memset

from flambeau_tensor.vector_math cimport folded, real

from flambeau_nn._kernels.pooling_types cimport CHANNELS, Pool

ctypedef fused number_t:
    float
    double
    int64_t

ctypedef fused place_t:  # as wide as the elements, so that both are vectorized together
    int32_t
    int64_t

cdef enum:
    PIECE = 128  # windows of a row that are computed at a time
    LANES = 32
    NARROW = 16  # elements of a window along the row up to which taps are processed one by one
    FEW = 64  # number of additions in the dtype of the loop


cdef inline double _divisor(const Pool* p, Py_ssize_t i, Py_ssize_t j, Py_ssize_t k) noexcept nogil:
    """Return the divisor of the sum over a window."""
    if p.divisor:
        return <double>p.divisor
    return <double>(p.weight[0][i] * p.weight[1][j] * p.weight[2][k])


cdef inline number_t _mean(double total, int64_t whole, double divisor, number_t* tag) noexcept nogil:
    if number_t is int64_t:
        return whole // <int64_t>divisor if divisor != 0 else 0
    else:
        return <number_t>(total / divisor) if divisor != 0 else 0


cdef inline number_t _quotient(number_t sum_, number_t divisor) noexcept nogil:
    if number_t is int64_t:
        return sum_ // divisor if divisor != 0 else 0
    else:
        return sum_ / divisor if divisor != 0 else 0


cdef struct Share:  # of the adjacent channels
    Py_ssize_t sample, first, width


cdef inline Share _share(const Pool* p, Py_ssize_t plane) noexcept nogil:
    cdef Share s
    s.sample, s.first = plane // p.shares, plane % p.shares * CHANNELS
    s.width = min(<Py_ssize_t>CHANNELS, p.pixel - s.first)
    return s


cdef inline Py_ssize_t _size(const Pool* p) noexcept nogil:
    return p.size[0] * p.size[1] * p.size[2]


cdef inline Py_ssize_t _count(const Pool* p) noexcept nogil:
    return p.count[0] * p.count[1] * p.count[2]


cdef inline void _meeting(const Pool* p, Py_ssize_t tap, Py_ssize_t first, Py_ssize_t last, Py_ssize_t* begin,
                          Py_ssize_t* end) noexcept nogil:
    """Set the range of windows from `first` to `last` of a row whose element `tap` lies in the input."""
    cdef Py_ssize_t at = p.origin + tap * p.step[2], behind = p.size[2] - 1 - at
    begin[0] = max(first, (p.stride - 1 - at) // p.stride if at < 0 else 0)
    end[0] = min(last, behind // p.stride + 1 if behind >= 0 else 0)


cdef inline void _clear(number_t* out, Py_ssize_t n, Py_ssize_t row, Py_ssize_t width) noexcept nogil:
    cdef Py_ssize_t i
    if row == width:
        memset(out, 0, n * row * sizeof(number_t))
    else:
        for i in range(n):
            memset(out + i * row, 0, width * sizeof(number_t))


# --- maxima: the first of equal ones; the last NaN, if there is one ---------------------------------------------------

cdef inline void _take(const number_t* x, Py_ssize_t step, Py_ssize_t begin, Py_ssize_t end, place_t place,
                       place_t apart, number_t* best, place_t* at) noexcept nogil:
    cdef Py_ssize_t q
    cdef number_t v
    cdef bint better
    for q in range(begin, end):
        v = x[q * step]
        better = (v > best[q]) | (v != v)
        best[q] = v if better else best[q]
        at[q] = place + <place_t>q * apart if better else at[q]


cdef inline number_t _lowest(number_t* tag) noexcept nogil:
    if number_t is int64_t:
        return INT64_MIN
    else:
        return -INFINITY


cdef void _maximum_rows(Pool* p, Py_ssize_t plane, number_t* tag, place_t* unused) noexcept nogil:
    cdef const number_t* x = <const number_t*>p.x + plane * _size(p)
    cdef const number_t* row
    cdef number_t* y = <number_t*>p.y + plane * _count(p)
    cdef int64_t* indices = p.indices + plane * _count(p)
    cdef number_t[PIECE] best
    cdef place_t[PIECE] at
    cdef Py_ssize_t i, j, first, last, a, b, c, q, n, begin, end, place, stride = p.stride
    for i in range(p.count[0]):
        for j in range(p.count[1]):
            last = 0
            while last < p.count[2]:
                first, last = last, min(last + PIECE, p.count[2])
                n = last - first
                place = (p.begin[0][i] * p.size[1] + p.begin[1][j]) * p.size[2]
                for q in range(n):
                    best[q], at[q] = _lowest(tag), <place_t>(place + p.begin[2][first + q])
                a = p.begin[0][i]
                while a < p.end[0][i]:
                    b = p.begin[1][j]
                    while b < p.end[1][j]:
                        place = (a * p.size[1] + b) * p.size[2]
                        for c in range(p.taps):
                            _meeting(p, c, first, last, &begin, &end)
                            q = place + p.origin + c * p.step[2] + first * stride
                            row = x + q
                            if stride == 1:  # constants, so that the compiler vectorizes the loops
                                _take(row, 1, begin - first, end - first, <place_t>q, <place_t>1, best, at)
                            elif stride == 2:
                                _take(row, 2, begin - first, end - first, <place_t>q, <place_t>2, best, at)
                            else:
                                _take(row, stride, begin - first, end - first, <place_t>q, <place_t>stride, best, at)
                        b += p.step[1]
                    a += p.step[0]
                for q in range(n):
                    y[q] = best[q]
                for q in range(n):
                    indices[q] = at[q]
                y += n
                indices += n


cdef void _maximum_channels_last(Pool* p, Py_ssize_t plane, number_t* tag, place_t* unused) noexcept nogil:
    cdef Share s = _share(p, plane)
    cdef const number_t* x = <const number_t*>p.x + s.sample * _size(p) * p.pixel + s.first
    cdef number_t* y = <number_t*>p.y + s.sample * _count(p) * p.pixel + s.first
    cdef int64_t* indices = p.indices + s.sample * _count(p) * p.pixel + s.first
    cdef number_t[CHANNELS] best
    cdef place_t[CHANNELS] at
    cdef Py_ssize_t i, j, k, a, b, c, q, place
    for i in range(p.count[0]):
        for j in range(p.count[1]):
            for k in range(p.count[2]):
                place = (p.begin[0][i] * p.size[1] + p.begin[1][j]) * p.size[2] + p.begin[2][k]
                for q in range(s.width):
                    best[q], at[q] = _lowest(tag), <place_t>place
                a = p.begin[0][i]
                while a < p.end[0][i]:
                    b = p.begin[1][j]
                    while b < p.end[1][j]:
                        c = p.begin[2][k]
                        while c < p.end[2][k]:
                            place = (a * p.size[1] + b) * p.size[2] + c
                            _take(x + place * p.pixel, 1, 0, s.width, <place_t>place, <place_t>0, best, at)
                            c += p.step[2]
                        b += p.step[1]
                    a += p.step[0]
                for q in range(s.width):
                    y[q] = best[q]
                for q in range(s.width):
                    indices[q] = at[q]
                y += p.pixel
                indices += p.pixel


cdef void _maximum_windows(Pool* p, Py_ssize_t plane, number_t* tag) noexcept nogil:
    cdef const number_t* x = <const number_t*>p.x + plane * _size(p)
    cdef number_t* y = <number_t*>p.y + plane * _count(p)
    cdef int64_t* indices = p.indices + plane * _count(p)
    cdef Py_ssize_t i, j, k, a, b, c, at, row
    cdef number_t best
    for i in range(p.count[0]):
        for j in range(p.count[1]):
            for k in range(p.count[2]):
                best = _lowest(tag)
                at = (p.begin[0][i] * p.size[1] + p.begin[1][j]) * p.size[2] + p.begin[2][k]
                a = p.begin[0][i]
                while a < p.end[0][i]:
                    b = p.begin[1][j]
                    while b < p.end[1][j]:
                        row = (a * p.size[1] + b) * p.size[2]
                        c = p.begin[2][k]
                        while c < p.end[2][k]:
                            if x[row + c] > best or x[row + c] != x[row + c]:
                                best, at = x[row + c], row + c
                            c += p.step[2]
                        b += p.step[1]
                    a += p.step[0]
                y[0], indices[0] = best, at
                y += 1
                indices += 1


cdef void _maximum(Pool* p, Py_ssize_t plane, number_t* tag) noexcept nogil:
    cdef int32_t narrow = 0
    cdef int64_t wide = 0
    if number_t is float:
        if _size(p) >= 0x7fffffff:
            if p.pixel > 1:
                _maximum_channels_last(p, plane, tag, &wide)
            else:
                _maximum_windows(p, plane, tag)
        elif p.pixel > 1:
            _maximum_channels_last(p, plane, tag, &narrow)
        elif 0 < p.taps <= NARROW and p.count[2] > 1:
            _maximum_rows(p, plane, tag, &narrow)
        else:
            _maximum_windows(p, plane, tag)
    else:
        if p.pixel > 1:
            _maximum_channels_last(p, plane, tag, &wide)
        elif 0 < p.taps <= NARROW and p.count[2] > 1:
            _maximum_rows(p, plane, tag, &wide)
        else:
            _maximum_windows(p, plane, tag)


cdef void _scatter(Pool* p, Py_ssize_t plane, number_t* tag) noexcept nogil:
    """Add the gradient of each maximum to its element."""
    cdef Share s = _share(p, plane)
    cdef Py_ssize_t m = _count(p), n = _size(p), i, q, row = p.pixel
    cdef const number_t* grad = <const number_t*>p.x + s.sample * m * row + s.first
    cdef const int64_t* indices = p.indices + s.sample * m * row + s.first
    cdef number_t* out = <number_t*>p.y + s.sample * n * row + s.first
    _clear(out, n, row, s.width)
    if row == 1:
        for i in range(m):
            if 0 <= indices[i] < n:
                out[indices[i]] += grad[i]
            else:
                p.misplaced = True
        return
    for i in range(m):
        for q in range(s.width):
            if 0 <= indices[i * row + q] < n:
                out[indices[i * row + q] * row + q] += grad[i * row + q]
            else:
                p.misplaced = True


# --- averages ---------------------------------------------------------------------------------------------------------

cdef inline void _add(const number_t* x, Py_ssize_t step, Py_ssize_t begin, Py_ssize_t end,
                      number_t* sums) noexcept nogil:
    cdef Py_ssize_t q
    for q in range(begin, end):
        sums[q] += x[q * step]


cdef void _average_rows(Pool* p, Py_ssize_t plane, number_t* tag) noexcept nogil:
    cdef const number_t* x = <const number_t*>p.x + plane * _size(p)
    cdef const number_t* row
    cdef number_t* y = <number_t*>p.y + plane * _count(p)
    cdef number_t[PIECE] sums
    cdef Py_ssize_t i, j, first, last, a, b, c, q, n, begin, end, whole, stride = p.stride
    for i in range(p.count[0]):
        for j in range(p.count[1]):
            last = 0
            while last < p.count[2]:
                first, last = last, min(last + PIECE, p.count[2])
                n = last - first
                for q in range(n):
                    sums[q] = 0
                for a in range(p.begin[0][i], p.end[0][i]):
                    for b in range(p.begin[1][j], p.end[1][j]):
                        for c in range(p.taps):
                            _meeting(p, c, first, last, &begin, &end)
                            row = x + (a * p.size[1] + b) * p.size[2] + p.origin + c + first * stride
                            if stride == 1:
                                _add(row, 1, begin - first, end - first, sums)
                            elif stride == 2:
                                _add(row, 2, begin - first, end - first, sums)
                            else:
                                _add(row, stride, begin - first, end - first, sums)
                if p.divisor:
                    for q in range(n):
                        y[q] = _quotient(sums[q], <number_t>p.divisor)
                else:
                    whole = p.weight[0][i] * p.weight[1][j]
                    for q in range(n):
                        y[q] = _quotient(sums[q], <number_t>(whole * p.weight[2][first + q]))
                y += n


cdef inline double _total(const real* x, Py_ssize_t n) noexcept nogil:
    """Return the sum of n contiguous numbers."""
    cdef real[LANES] lanes
    cdef Py_ssize_t q = 0, k, stop
    cdef double total = 0
    while q + LANES <= n:
        stop = min(n, q + LANES * FEW)
        for k in range(LANES):
            lanes[k] = 0
        while q + LANES <= stop:
            for k in range(LANES):
                lanes[k] += x[q + k]
            q += LANES
        total += folded(&lanes[0])
    while q < n:
        total += x[q]
        q += 1
    return total


cdef void _average_windows(Pool* p, Py_ssize_t plane, number_t* tag) noexcept nogil:
    cdef const number_t* x = <const number_t*>p.x + plane * _size(p)
    cdef number_t* y = <number_t*>p.y + plane * _count(p)
    cdef const number_t* row
    cdef Py_ssize_t i, j, k, a, b, c, rows, n
    cdef double total
    cdef int64_t whole
    for i in range(p.count[0]):
        for j in range(p.count[1]):
            for k in range(p.count[2]):
                total, whole = 0, 0
                n, rows = p.end[2][k] - p.begin[2][k], p.end[1][j] - p.begin[1][j]
                if n == p.size[2]:  # adjacent rows
                    n, rows = n * rows, 1
                for a in range(p.begin[0][i], p.end[0][i]):
                    for b in range(rows):
                        row = x + (a * p.size[1] + p.begin[1][j] + b) * p.size[2] + p.begin[2][k]
                        if number_t is int64_t:
                            for c in range(n):
                                whole += row[c]
                        else:
                            total += _total(row, n)
                y[0] = _mean(total, whole, _divisor(p, i, j, k), tag)
                y += 1


cdef void _average_channels_last(Pool* p, Py_ssize_t plane, number_t* tag) noexcept nogil:
    cdef Share s = _share(p, plane)
    cdef const number_t* x = <const number_t*>p.x + s.sample * _size(p) * p.pixel + s.first
    cdef number_t* y = <number_t*>p.y + s.sample * _count(p) * p.pixel + s.first
    cdef number_t[CHANNELS] sums
    cdef double[CHANNELS] totals
    cdef int64_t[CHANNELS] wholes
    cdef Py_ssize_t i, j, k, a, b, c, q, added
    cdef double divisor
    for i in range(p.count[0]):
        for j in range(p.count[1]):
            for k in range(p.count[2]):
                added, divisor = 0, _divisor(p, i, j, k)
                for q in range(s.width):
                    sums[q] = 0
                for a in range(p.begin[0][i], p.end[0][i]):
                    for b in range(p.begin[1][j], p.end[1][j]):
                        for c in range(p.begin[2][k], p.end[2][k]):
                            _add(x + ((a * p.size[1] + b) * p.size[2] + c) * p.pixel, 1, 0, s.width, sums)
                            added += 1
                            if added % FEW == 0:
                                _flush(sums, totals, wholes, s.width, added == FEW)
                if added < FEW:
                    for q in range(s.width):
                        y[q] = _quotient(sums[q], <number_t>divisor)
                else:
                    _flush(sums, totals, wholes, s.width, False)
                    for q in range(s.width):
                        y[q] = _mean(totals[q], wholes[q], divisor, tag)
                y += p.pixel


cdef inline void _flush(number_t* sums, double* totals, int64_t* wholes, Py_ssize_t n, bint first) noexcept nogil:
    cdef Py_ssize_t q
    if first:
        for q in range(n):
            totals[q] = wholes[q] = 0
    for q in range(n):
        if number_t is int64_t:
            wholes[q] += sums[q]
        else:
            totals[q] += sums[q]
        sums[q] = 0


cdef void _average(Pool* p, Py_ssize_t plane, number_t* tag) noexcept nogil:
    if p.pixel > 1:
        _average_channels_last(p, plane, tag)
    elif 0 < p.taps <= NARROW and p.count[2] > 1 and \
            p.taps * (p.end[1][0] - p.begin[1][0] + 1) * (p.end[0][0] - p.begin[0][0] + 1) <= 4 * FEW:
        _average_rows(p, plane, tag)
    else:
        _average_windows(p, plane, tag)


cdef void _spread(Pool* p, Py_ssize_t plane, number_t* tag) noexcept nogil:
    """Add the gradient of each average to the elements of its window."""
    cdef Share s = _share(p, plane)
    cdef Py_ssize_t n = _size(p), i, j, k, a, b, c, q, row = p.pixel
    cdef const number_t* grad = <const number_t*>p.x + s.sample * _count(p) * row + s.first
    cdef number_t* out = <number_t*>p.y + s.sample * n * row + s.first
    cdef number_t* to
    cdef number_t[CHANNELS] parts
    cdef number_t part, divisor
    _clear(out, n, row, s.width)
    for i in range(p.count[0]):
        for j in range(p.count[1]):
            for k in range(p.count[2]):
                divisor = <number_t>_divisor(p, i, j, k)
                if row == 1:
                    parts[0] = _quotient(grad[0], divisor)
                else:
                    for q in range(s.width):
                        parts[q] = _quotient(grad[q], divisor)
                part = parts[0]
                grad += row
                for a in range(p.begin[0][i], p.end[0][i]):
                    for b in range(p.begin[1][j], p.end[1][j]):
                        to = out + (a * p.size[1] + b) * p.size[2] * row
                        if row == 1:
                            for c in range(p.begin[2][k], p.end[2][k]):
                                to[c] += part
                        else:
                            for c in range(p.begin[2][k], p.end[2][k]):
                                for q in range(s.width):
                                    to[c * row + q] += parts[q]


def _each(single, double_, whole):
    return {"float32": single, "float64": double_, "int64": whole}


LOOPS = {
    "average": _each(<size_t><void*>_average[float], <size_t><void*>_average[double], <size_t><void*>_average[int64_t]),
    "maximum": _each(<size_t><void*>_maximum[float], <size_t><void*>_maximum[double], <size_t><void*>_maximum[int64_t]),
    "spread": _each(<size_t><void*>_spread[float], <size_t><void*>_spread[double], <size_t><void*>_spread[int64_t]),
    "scatter": _each(<size_t><void*>_scatter[float], <size_t><void*>_scatter[double], <size_t><void*>_scatter[int64_t]),
}
