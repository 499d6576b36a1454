# cython: language_level=3
"""Sums of weighted elements along an axis, and their transpose. ``LOOPS`` holds the loops (resampling_types.pxd)."""
from flambeau_nn._kernels.resampling_types cimport Resampled

ctypedef fused real_t:
    float
    double


cdef void _forward(const Resampled* r, Py_ssize_t begin, Py_ssize_t end, real_t* tag) noexcept nogil:
    """Resample the planes `begin` to `end`."""
    cdef Py_ssize_t a, i, t, q
    cdef real_t total, w
    cdef const real_t* x
    cdef const real_t* row
    cdef real_t* y
    for a in range(begin, end):
        x, y = <const real_t*>r.x + a * r.size * r.inner, <real_t*>r.y + a * r.count * r.inner
        for i in range(r.count):
            if r.inner == 1:
                total = 0
                for t in range(r.taps):
                    total += <real_t>r.weights[i * r.taps + t] * x[r.places[i * r.taps + t]]
                y[i] = total
                continue
            row, w = x + r.places[i * r.taps] * r.inner, <real_t>r.weights[i * r.taps]
            for q in range(r.inner):
                y[i * r.inner + q] = w * row[q]
            for t in range(1, r.taps):
                row, w = x + r.places[i * r.taps + t] * r.inner, <real_t>r.weights[i * r.taps + t]
                for q in range(r.inner):
                    y[i * r.inner + q] += w * row[q]


cdef void _backward(const Resampled* r, Py_ssize_t begin, Py_ssize_t end, real_t* tag) noexcept nogil:
    """Add the gradient (outer, count, inner) to (outer, size, inner)."""
    cdef Py_ssize_t a, i, t, q
    cdef real_t w
    cdef const real_t* x
    cdef real_t* y
    cdef real_t* row
    for a in range(begin, end):
        x, y = <const real_t*>r.x + a * r.count * r.inner, <real_t*>r.y + a * r.size * r.inner
        for q in range(r.size * r.inner):
            y[q] = 0
        for i in range(r.count):
            for t in range(r.taps):
                row, w = y + r.places[i * r.taps + t] * r.inner, <real_t>r.weights[i * r.taps + t]
                for q in range(r.inner):
                    row[q] += w * x[i * r.inner + q]


LOOPS = {
    "forward": {"float32": <size_t><void*>_forward[float], "float64": <size_t><void*>_forward[double]},
    "backward": {"float32": <size_t><void*>_backward[float], "float64": <size_t><void*>_backward[double]},
}
