# cython: language_level=3
"""Normalization of rows and channels. ``ROWS`` and ``CHANNELS`` hold the loops (see normalization_types.pxd).

Sums use the dtype of the loop within blocks that are short enough to be accurate, and double across blocks.
"""
from libc cimport math

from flambeau_tensor.vector_math cimport folded, folded16

from flambeau_nn._kernels.normalization_types cimport FACTORS, Channels, Normalized

ctypedef fused real_t:
    float
    double

cdef enum:
    LANES = 32  # accumulators per row
    FEW = 16  # accumulators for short rows, at least this long; the last vector overlaps the one before
    SHORT = 64
    BLOCK = 2048  # elements that are added in the dtype of the loop
    FLUSH = 64  # rows that are added in the dtype of the loop


cdef inline double _sum(const real_t* x, Py_ssize_t n) noexcept nogil:
    cdef real_t[LANES] lanes
    cdef double total = 0
    cdef Py_ssize_t i = 0, k, stop
    if FEW <= n < SHORT:
        for k in range(FEW):
            lanes[k] = x[k]
        i = FEW
        while i + FEW <= n:
            for k in range(FEW):
                lanes[k] += x[i + k]
            i += FEW
        for k in range(FEW):
            lanes[k] += x[n - FEW + k] if k >= FEW - (n - i) else 0
        return folded16(&lanes[0])
    while i < n:
        stop = i + min(<Py_ssize_t>BLOCK, n - i)
        for k in range(LANES):
            lanes[k] = 0
        while i + LANES <= stop:
            for k in range(LANES):
                lanes[k] += x[i + k]
            i += LANES
        for k in range(stop - i):
            lanes[k] += x[i + k]
        total += folded(&lanes[0])
        i = stop
    return total


cdef inline void _squares(const real_t* x, real_t center, Py_ssize_t n, double* first, double* second) noexcept nogil:
    """Compute the sums of x - center and of its squares."""
    cdef real_t[LANES] plain
    cdef real_t[LANES] squares
    cdef real_t v
    cdef Py_ssize_t i = 0, k, stop
    first[0] = second[0] = 0
    if FEW <= n < SHORT:
        for k in range(FEW):
            v = x[k] - center
            plain[k], squares[k] = v, v * v
        i = FEW
        while i + FEW <= n:
            for k in range(FEW):
                v = x[i + k] - center
                plain[k] += v
                squares[k] += v * v
            i += FEW
        for k in range(FEW):
            v = x[n - FEW + k] - center if k >= FEW - (n - i) else 0
            plain[k] += v
            squares[k] += v * v
        first[0], second[0] = folded16(&plain[0]), folded16(&squares[0])
        return
    while i < n:
        stop = i + min(<Py_ssize_t>BLOCK, n - i)
        for k in range(LANES):
            plain[k] = squares[k] = 0
        while i + LANES <= stop:
            for k in range(LANES):
                v = x[i + k] - center
                plain[k] += v
                squares[k] += v * v
            i += LANES
        for k in range(stop - i):
            v = x[i + k] - center
            plain[k] += v
            squares[k] += v * v
        first[0] += folded(&plain[0])
        second[0] += folded(&squares[0])
        i = stop


cdef struct Moments:  # of a row: (x - center) * scale - shift is the normalized x
    double center  # the mean, rounded to the loop's dtype
    double scale  # one over the standard deviation
    double shift  # the difference between the mean and `center`, times `scale`


cdef inline Moments _moments(const real_t* x, Py_ssize_t n, double eps, bint centered) noexcept nogil:
    cdef Moments m
    cdef double first, squares, off
    m.center = <real_t>(_sum(x, n) / n) if centered else 0
    _squares(x, <real_t>m.center, n, &first, &squares)
    off = first / n if centered else 0
    m.scale = 1 / math.sqrt(math.fmax(squares / n - off * off, 0) + eps)
    m.shift = off * m.scale
    return m


cdef void _layer_norm(const Normalized* d, Py_ssize_t begin, Py_ssize_t end, real_t* tag) noexcept nogil:
    cdef Py_ssize_t r, i, n = d.n
    cdef const real_t* x
    cdef const real_t* w = <const real_t*>d.weight
    cdef const real_t* b = <const real_t*>d.bias
    cdef real_t* out
    cdef Moments m
    cdef real_t center, scale, shift
    for r in range(begin, end):
        x, out = <const real_t*>d.x + r * n, <real_t*>d.out + r * n
        m = _moments(x, n, d.eps, d.centered)
        center, scale, shift = <real_t>m.center, <real_t>m.scale, <real_t>m.shift
        if w == NULL:
            for i in range(n):
                out[i] = (x[i] - center) * scale - shift
            if b != NULL:
                for i in range(n):
                    out[i] += b[i]
        elif b == NULL:
            for i in range(n):
                out[i] = ((x[i] - center) * scale - shift) * w[i]
        else:
            for i in range(n):
                out[i] = ((x[i] - center) * scale - shift) * w[i] + b[i]


cdef inline void _products(const real_t* g, const real_t* x, const real_t* w, const Moments* m, Py_ssize_t n,
                           double* plain, double* along) noexcept nogil:
    """Compute the sums of g w and of g w times the normalized x."""
    cdef real_t[LANES] first
    cdef real_t[LANES] second
    cdef real_t v
    cdef real_t center = <real_t>m.center, scale = <real_t>m.scale, shift = <real_t>m.shift
    cdef Py_ssize_t i = 0, k, stop
    plain[0] = along[0] = 0
    if FEW <= n < SHORT:
        for k in range(FEW):
            v = g[k] if w == NULL else g[k] * w[k]
            first[k], second[k] = v, v * ((x[k] - center) * scale - shift)
        i = FEW
        while i + FEW <= n:
            for k in range(FEW):
                v = g[i + k] if w == NULL else g[i + k] * w[i + k]
                first[k] += v
                second[k] += v * ((x[i + k] - center) * scale - shift)
            i += FEW
        i = n - i
        for k in range(FEW):
            v = g[n - FEW + k] if w == NULL else g[n - FEW + k] * w[n - FEW + k]
            v = v if k >= FEW - i else 0
            first[k] += v
            second[k] += v * ((x[n - FEW + k] - center) * scale - shift)
        plain[0], along[0] = folded16(&first[0]), folded16(&second[0])
        return
    while i < n:
        stop = i + min(<Py_ssize_t>BLOCK, n - i)
        for k in range(LANES):
            first[k] = second[k] = 0
        while i + LANES <= stop:
            for k in range(LANES):
                v = g[i + k] if w == NULL else g[i + k] * w[i + k]
                first[k] += v
                second[k] += v * ((x[i + k] - center) * scale - shift)
            i += LANES
        for k in range(stop - i):
            v = g[i + k] if w == NULL else g[i + k] * w[i + k]
            first[k] += v
            second[k] += v * ((x[i + k] - center) * scale - shift)
        plain[0] += folded(&first[0])
        along[0] += folded(&second[0])
        i = stop


cdef inline void _flush(real_t* short_sums, double* sums, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        sums[i] += short_sums[i]
        short_sums[i] = 0


cdef void _layer_norm_backward(const Normalized* d, Py_ssize_t begin, Py_ssize_t end, real_t* tag) noexcept nogil:
    """Compute the gradients of parts `begin` to `end` of the rows."""
    cdef Py_ssize_t k, r, i, n = d.n
    cdef const real_t* x
    cdef const real_t* g
    cdef const real_t* w = <const real_t*>d.weight
    cdef real_t* out
    cdef real_t* along_rows
    cdef real_t* of_rows
    cdef double* sums
    cdef double plain, along
    cdef Moments m
    cdef real_t center, scale, shift, a, b
    for k in range(begin, end):
        sums = d.sums + 2 * n * k
        along_rows = <real_t*>d.short_sums + 2 * n * k
        of_rows = along_rows + n
        for i in range(2 * n):
            sums[i] = 0
            along_rows[i] = 0
        for r in range(k * d.part, min((k + 1) * d.part, d.rows)):
            x, g, out = <const real_t*>d.x + r * n, <const real_t*>d.grad + r * n, <real_t*>d.grad_x + r * n
            m = _moments(x, n, d.eps, d.centered)
            _products(g, x, w, &m, n, &plain, &along)
            center, scale, shift = <real_t>m.center, <real_t>m.scale, <real_t>m.shift
            a, b = <real_t>(plain / n if d.centered else 0), <real_t>(along / n)
            if w == NULL:
                for i in range(n):
                    out[i] = scale * (g[i] - a - ((x[i] - center) * scale - shift) * b)
            else:
                for i in range(n):
                    out[i] = scale * (g[i] * w[i] - a - ((x[i] - center) * scale - shift) * b)
            for i in range(n):
                along_rows[i] += g[i] * ((x[i] - center) * scale - shift)
            for i in range(n):
                of_rows[i] += g[i]
            if r % FLUSH == 0:
                _flush(along_rows, sums, 2 * n)
        _flush(along_rows, sums, 2 * n)


# --- channels as planes ---------------------------------------------------------------------------------------------

cdef struct Planes:  # that are normalized together
    Py_ssize_t first, step, count


cdef inline Planes _planes(const Channels* d, Py_ssize_t i) noexcept nogil:
    cdef Planes p
    if d.groups == 0:
        p.first, p.step, p.count = i, d.channels, d.samples
    else:
        p.count, p.step = d.channels // d.groups, 1
        p.first = i * p.count
    return p


cdef void _planes_forward(const Channels* d, Py_ssize_t begin, Py_ssize_t end, real_t* tag) noexcept nogil:
    cdef Py_ssize_t i, j, k, at, c, n = d.positions
    cdef const real_t* x
    cdef const real_t* w = <const real_t*>d.weight
    cdef const real_t* b = <const real_t*>d.bias
    cdef real_t* out
    cdef Planes p
    cdef double total, squares, plain, square, off, variance, factor
    cdef real_t center, scale, shift
    for i in range(begin, end):
        p = _planes(d, i)
        total = plain = squares = 0
        for j in range(p.count):
            total += _sum(<const real_t*>d.x + (p.first + j * p.step) * n, n)
        center = <real_t>(total / (p.count * n))
        for j in range(p.count):
            _squares(<const real_t*>d.x + (p.first + j * p.step) * n, center, n, &off, &square)
            plain += off
            squares += square
        off = plain / (p.count * n)
        variance = squares / (p.count * n) - off * off
        variance = 0 if variance < 0 else variance
        d.mean[i], d.variance[i] = center + off, variance
        for j in range(p.count):
            at = p.first + j * p.step
            c = at % d.channels
            factor = 1 / math.sqrt(variance + d.eps)
            factor = factor if w == NULL else factor * w[c]
            scale, shift = <real_t>factor, <real_t>((0 if b == NULL else b[c]) - off * factor)
            x, out = <const real_t*>d.x + at * n, <real_t*>d.out + at * n
            for k in range(n):
                out[k] = (x[k] - center) * scale + shift


cdef void _planes_backward(const Channels* d, Py_ssize_t begin, Py_ssize_t end, real_t* tag) noexcept nogil:
    cdef Py_ssize_t i, j, k, at, n = d.positions
    cdef const real_t* x
    cdef const real_t* g
    cdef const real_t* w = <const real_t*>d.weight
    cdef real_t* out
    cdef Planes p
    cdef Moments m
    cdef double plain, along, v
    cdef real_t center, scale, a, b, weight
    for i in range(begin, end):
        p = _planes(d, i)
        m.center, m.scale = <real_t>d.mean[i], 1 / math.sqrt(d.variance[i] + d.eps)
        m.shift = (d.mean[i] - m.center) * m.scale
        plain = along = 0
        for j in range(p.count):
            at = p.first + j * p.step
            _products[real_t](<const real_t*>d.grad + at * n, <const real_t*>d.x + at * n, NULL, &m, n,
                              &d.sums[2 * at], &d.sums[2 * at + 1])
            v = 1 if w == NULL else w[at % d.channels]
            plain += v * d.sums[2 * at]
            along += v * d.sums[2 * at + 1]
        center, scale = <real_t>m.center, <real_t>m.scale
        plain, along = plain / (p.count * n), along / (p.count * n)
        if d.fixed:
            plain = along = 0
        a, b = <real_t>(plain - m.shift * along), <real_t>along
        for j in range(p.count):
            at = p.first + j * p.step
            weight = 1 if w == NULL else w[at % d.channels]
            x, g, out = <const real_t*>d.x + at * n, <const real_t*>d.grad + at * n, <real_t*>d.grad_x + at * n
            for k in range(n):
                out[k] = scale * (g[k] * weight - a - (x[k] - center) * scale * b)


# --- channels last: `begin` to `end` are parts of rows ----------------------------------------------------------------

cdef inline void _add_rows(const Channels* d, Py_ssize_t part, int what, real_t* tag) noexcept nogil:
    """Add sums per channel: of x (`what` is 0), of x - center and its squares (1), of grad and grad * (x - center)."""
    cdef Py_ssize_t n = d.channels, outer = part // d.parts, share = part % d.parts, r, k
    cdef const real_t* center = <const real_t*>d.factors + outer * FACTORS * n
    cdef const real_t* x
    cdef const real_t* g
    cdef real_t* first = <real_t*>d.short_sums + 2 * n * part
    cdef real_t* second = first + n
    cdef double* sums = d.sums + 2 * n * part
    cdef real_t v
    for k in range(2 * n):
        sums[k] = 0
        first[k] = 0
    for r in range(outer * d.rows + d.rows * share // d.parts, outer * d.rows + d.rows * (share + 1) // d.parts):
        x = <const real_t*>d.x + r * n
        if what == 0:
            for k in range(n):
                first[k] += x[k]
        elif what == 1:
            for k in range(n):
                v = x[k] - center[k]
                first[k] += v
                second[k] += v * v
        else:
            g = <const real_t*>d.grad + r * n
            for k in range(n):
                first[k] += g[k]
                second[k] += g[k] * (x[k] - center[k])
        if r % FLUSH == 0:
            _flush(first, sums, 2 * n)
    _flush(first, sums, 2 * n)


cdef void _rows_sums(const Channels* d, Py_ssize_t begin, Py_ssize_t end, real_t* tag) noexcept nogil:
    cdef Py_ssize_t part
    for part in range(begin, end):
        _add_rows(d, part, 0, tag)


cdef void _rows_squares(const Channels* d, Py_ssize_t begin, Py_ssize_t end, real_t* tag) noexcept nogil:
    cdef Py_ssize_t part
    for part in range(begin, end):
        _add_rows(d, part, 1, tag)


cdef void _rows_products(const Channels* d, Py_ssize_t begin, Py_ssize_t end, real_t* tag) noexcept nogil:
    cdef Py_ssize_t part
    for part in range(begin, end):
        _add_rows(d, part, 2, tag)


cdef void _rows_forward(const Channels* d, Py_ssize_t begin, Py_ssize_t end, real_t* tag) noexcept nogil:
    """Compute (x - center) * scale + shift."""
    cdef Py_ssize_t n = d.channels, part, outer, share, r, k
    cdef const real_t* center
    cdef const real_t* scale
    cdef const real_t* shift
    cdef const real_t* x
    cdef real_t* out
    for part in range(begin, end):
        outer, share = part // d.parts, part % d.parts
        center = <const real_t*>d.factors + outer * FACTORS * n
        scale, shift = center + n, center + 2 * n
        for r in range(outer * d.rows + d.rows * share // d.parts, outer * d.rows + d.rows * (share + 1) // d.parts):
            x, out = <const real_t*>d.x + r * n, <real_t*>d.out + r * n
            for k in range(n):
                out[k] = (x[k] - center[k]) * scale[k] + shift[k]


cdef void _rows_backward(const Channels* d, Py_ssize_t begin, Py_ssize_t end, real_t* tag) noexcept nogil:
    """Compute grad * weight - a - (x - center) * scale * b.

    `weight`, `a` and `b` already contain the scale, and `a` the difference between the mean and `center`.
    """
    cdef Py_ssize_t n = d.channels, part, outer, share, r, k
    cdef const real_t* center
    cdef const real_t* scale
    cdef const real_t* weight
    cdef const real_t* a
    cdef const real_t* b
    cdef const real_t* x
    cdef const real_t* g
    cdef real_t* out
    for part in range(begin, end):
        outer, share = part // d.parts, part % d.parts
        center = <const real_t*>d.factors + outer * FACTORS * n
        scale, weight, a, b = center + n, center + 2 * n, center + 3 * n, center + 4 * n
        for r in range(outer * d.rows + d.rows * share // d.parts, outer * d.rows + d.rows * (share + 1) // d.parts):
            x, g, out = <const real_t*>d.x + r * n, <const real_t*>d.grad + r * n, <real_t*>d.grad_x + r * n
            for k in range(n):
                out[k] = g[k] * weight[k] - a[k] - (x[k] - center[k]) * scale[k] * b[k]


def _pair(size_t single, size_t double_):
    return {"float32": single, "float64": double_}


ROWS = {
    "layer_norm": _pair(<size_t><void*>_layer_norm[float], <size_t><void*>_layer_norm[double]),
    "layer_norm_backward": _pair(<size_t><void*>_layer_norm_backward[float],
                                 <size_t><void*>_layer_norm_backward[double]),
}
CHANNELS = {
    "forward": _pair(<size_t><void*>_planes_forward[float], <size_t><void*>_planes_forward[double]),
    "backward": _pair(<size_t><void*>_planes_backward[float], <size_t><void*>_planes_backward[double]),
    "sums": _pair(<size_t><void*>_rows_sums[float], <size_t><void*>_rows_sums[double]),
    "squares": _pair(<size_t><void*>_rows_squares[float], <size_t><void*>_rows_squares[double]),
    "products": _pair(<size_t><void*>_rows_products[float], <size_t><void*>_rows_products[double]),
    "rows_forward": _pair(<size_t><void*>_rows_forward[float], <size_t><void*>_rows_forward[double]),
    "rows_backward": _pair(<size_t><void*>_rows_backward[float], <size_t><void*>_rows_backward[double]),
}
