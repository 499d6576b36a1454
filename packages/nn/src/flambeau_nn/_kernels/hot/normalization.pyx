# cython: language_level=3
"""Layer normalization of rows. ``ROWS`` holds the loops (see normalized.pxd)."""
from libc cimport math

from flambeau_nn._kernels.normalized cimport Normalized

ctypedef fused real_t:
    float
    double

cdef enum:
    LANES = 16
    FLUSH = 64  # rows that are added up in the dtype of the loop


cdef inline double _sum(const real_t* x, Py_ssize_t n) noexcept nogil:
    cdef real_t[LANES] lanes
    cdef double total = 0
    cdef Py_ssize_t i = 0, j
    if n >= LANES:
        for j in range(LANES):
            lanes[j] = 0
        while n - i >= LANES:
            for j in range(LANES):
                lanes[j] += x[i + j]
            i += LANES
        for j in range(LANES):
            total += lanes[j]
    while i < n:
        total += x[i]
        i += 1
    return total


cdef inline double _squares(const real_t* x, real_t mean, Py_ssize_t n) noexcept nogil:
    """The sum of (x - mean)²."""
    cdef real_t[LANES] lanes
    cdef double total = 0
    cdef Py_ssize_t i = 0, j
    if n >= LANES:
        for j in range(LANES):
            lanes[j] = 0
        while n - i >= LANES:
            for j in range(LANES):
                lanes[j] += (x[i + j] - mean) * (x[i + j] - mean)
            i += LANES
        for j in range(LANES):
            total += lanes[j]
    while i < n:
        total += (x[i] - mean) * (x[i] - mean)
        i += 1
    return total


cdef inline void _moments(const real_t* x, Py_ssize_t n, double eps, real_t* mean, real_t* scale) noexcept nogil:
    """The mean, and one over the standard deviation."""
    mean[0] = <real_t>(_sum(x, n) / n)
    scale[0] = <real_t>(1 / math.sqrt(_squares(x, mean[0], n) / n + eps))


cdef void _layer_norm(const Normalized* d, Py_ssize_t begin, Py_ssize_t end, real_t* tag) noexcept nogil:
    cdef Py_ssize_t r, i, n = d.n
    cdef const real_t* x
    cdef const real_t* w = <const real_t*>d.weight
    cdef const real_t* b = <const real_t*>d.bias
    cdef real_t* out
    cdef real_t mean, scale
    for r in range(begin, end):
        x, out = <const real_t*>d.x + r * n, <real_t*>d.out + r * n
        _moments(x, n, d.eps, &mean, &scale)
        if w == NULL:
            for i in range(n):
                out[i] = (x[i] - mean) * scale
            if b != NULL:
                for i in range(n):
                    out[i] += b[i]
        elif b == NULL:
            for i in range(n):
                out[i] = (x[i] - mean) * scale * w[i]
        else:
            for i in range(n):
                out[i] = (x[i] - mean) * scale * w[i] + b[i]


cdef inline void _products(const real_t* g, const real_t* x, const real_t* w, real_t mean, real_t scale, Py_ssize_t n,
                           double* plain, double* along) noexcept nogil:
    """Sums of g w and of g w times the normalized x."""
    cdef real_t[LANES] first
    cdef real_t[LANES] second
    cdef real_t v
    cdef Py_ssize_t i = 0, j
    plain[0] = along[0] = 0
    for j in range(LANES):
        first[j] = second[j] = 0
    while n - i >= LANES:
        for j in range(LANES):
            v = g[i + j] if w == NULL else g[i + j] * w[i + j]
            first[j] += v
            second[j] += v * (x[i + j] - mean) * scale
        i += LANES
    for j in range(LANES):
        plain[0] += first[j]
        along[0] += second[j]
    while i < n:
        v = g[i] if w == NULL else g[i] * w[i]
        plain[0] += v
        along[0] += v * (x[i] - mean) * scale
        i += 1


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
    cdef real_t mean, scale, a, b
    for k in range(begin, end):
        sums = d.sums + 2 * n * k
        along_rows = <real_t*>d.short_sums + 2 * n * k
        of_rows = along_rows + n
        for i in range(2 * n):
            sums[i] = 0
            along_rows[i] = 0
        for r in range(k * d.part, min((k + 1) * d.part, d.rows)):
            x, g, out = <const real_t*>d.x + r * n, <const real_t*>d.grad + r * n, <real_t*>d.grad_x + r * n
            _moments(x, n, d.eps, &mean, &scale)
            _products(g, x, w, mean, scale, n, &plain, &along)
            a, b = <real_t>(plain / n), <real_t>(along / n)
            if w == NULL:
                for i in range(n):
                    out[i] = scale * (g[i] - a - (x[i] - mean) * scale * b)
            else:
                for i in range(n):
                    out[i] = scale * (g[i] * w[i] - a - (x[i] - mean) * scale * b)
            for i in range(n):
                along_rows[i] += g[i] * (x[i] - mean) * scale
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
