# cython: language_level=3
"""Layer normalization of rows. ``ROWS`` holds the loops (see normalized.pxd).

Sums are made in the dtype of the loop over blocks that are short enough to lose nothing, and in double over the blocks.
"""
from libc cimport math

from flambeau_tensor.vector_math cimport folded

from flambeau_nn._kernels.normalized cimport Normalized

ctypedef fused real_t:
    float
    double

cdef enum:
    LANES = 32  # accumulators that a row is spread over
    BLOCK = 2048  # elements that are added up in the dtype of the loop
    FLUSH = 64  # rows, likewise


cdef inline double _sum(const real_t* x, Py_ssize_t n) noexcept nogil:
    cdef real_t[LANES] lanes
    cdef double total = 0
    cdef Py_ssize_t i = 0, k, stop
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
    """The sums of x - center and of its squares."""
    cdef real_t[LANES] plain
    cdef real_t[LANES] squares
    cdef real_t v
    cdef Py_ssize_t i = 0, k, stop
    first[0] = second[0] = 0
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
    double center  # the mean as a number of the loop's dtype
    double scale  # one over the standard deviation
    double shift  # what lies between the mean and `center`, times `scale`


cdef inline Moments _moments(const real_t* x, Py_ssize_t n, double eps) noexcept nogil:
    cdef Moments m
    cdef double first, squares, off
    m.center = <real_t>(_sum(x, n) / n)
    _squares(x, <real_t>m.center, n, &first, &squares)
    off = first / n
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
        m = _moments(x, n, d.eps)
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
    """Sums of g w and of g w times the normalized x."""
    cdef real_t[LANES] first
    cdef real_t[LANES] second
    cdef real_t v
    cdef real_t center = <real_t>m.center, scale = <real_t>m.scale, shift = <real_t>m.shift
    cdef Py_ssize_t i = 0, k, stop
    plain[0] = along[0] = 0
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
    """Parts `begin` to `end` of the rows."""
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
            m = _moments(x, n, d.eps)
            _products(g, x, w, &m, n, &plain, &along)
            center, scale, shift = <real_t>m.center, <real_t>m.scale, <real_t>m.shift
            a, b = <real_t>(plain / n), <real_t>(along / n)
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


def _pair(size_t single, size_t double_):
    return {"float32": single, "float64": double_}


ROWS = {
    "layer_norm": _pair(<size_t><void*>_layer_norm[float], <size_t><void*>_layer_norm[double]),
    "layer_norm_backward": _pair(<size_t><void*>_layer_norm_backward[float],
                                 <size_t><void*>_layer_norm_backward[double]),
}
