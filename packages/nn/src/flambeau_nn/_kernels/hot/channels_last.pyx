# cython: language_level=3
"""Depthwise convolution with channels last (depthwise.h). ``LOOPS`` holds the loops, and products with packed matrices.

A row of the result is computed in classes of positions that use the same taps: one class for values, and as many
classes as the stride for the image. Positions of a class whose taps all lie within the source are computed together;
those at the ends are computed one by one.
"""
from libc.stdlib cimport free, malloc

from flambeau_nn._kernels.convolution_types cimport IMAGE, Geometry
from flambeau_nn._kernels.channels_last cimport Depthwise

cdef extern from "depthwise.h" nogil:
    void fl_depthwise_float(Py_ssize_t channels, Py_ssize_t n, Py_ssize_t taps, const Py_ssize_t* at,
                            const float** w, const float* x, Py_ssize_t x_step, const float* start, float* y,
                            Py_ssize_t y_step)
    void fl_depthwise_double(Py_ssize_t channels, Py_ssize_t n, Py_ssize_t taps, const Py_ssize_t* at,
                             const double** w, const double* x, Py_ssize_t x_step, const double* start, double* y,
                             Py_ssize_t y_step)
    void fl_depthwise_slopes_float(Py_ssize_t c, Py_ssize_t last, Py_ssize_t n, const float* x, Py_ssize_t x_step,
                                   const float* y, Py_ssize_t y_step, float* sum)
    void fl_depthwise_slopes_double(Py_ssize_t c, Py_ssize_t last, Py_ssize_t n, const double* x, Py_ssize_t x_step,
                                    const double* y, Py_ssize_t y_step, double* sum)

cdef extern from "packed_products.h" nogil:
    int FL_PANEL_BYTES
    void* fl_packed_float
    void* fl_packed_double
    void* fl_pack_float
    void* fl_pack_double

ctypedef fused real_t:
    float
    double

cdef struct Meeting:  # of a tap with the positions first, first + step, ... of a row of the result
    Py_ssize_t at  # the element of the source that the first position reads
    Py_ssize_t begin, end  # the positions that read an element within the source


cdef inline Py_ssize_t _behind(Py_ssize_t x, Py_ssize_t step) noexcept nogil:
    """Return how many of 0, step, 2 step, ... are below x."""
    return (x + step - 1) // step if x > 0 else 0


cdef inline bint _meet(const Geometry* g, int axis, int kind, Py_ssize_t tap, Py_ssize_t first,
                       Meeting* m) noexcept nogil:
    """Compute where the positions of the class of `first` read the source for a tap; False if they do not use it."""
    cdef Py_ssize_t stride = g.stride[axis], at, size, count
    if kind == IMAGE:
        at = first + g.padding[axis] - tap * g.dilation[axis]
        if at % stride:
            return False
        m.at = at // stride
        size, count = g.count[axis], _behind(g.size[axis] - first, stride)
        m.begin, m.end = max(-m.at, <Py_ssize_t>0), min(size - m.at, count)
    else:
        m.at = tap * g.dilation[axis] - g.padding[axis]
        size, count = g.size[axis], g.count[axis]
        m.begin, m.end = _behind(-m.at, stride), min(_behind(size - m.at, stride), count)
    return m.begin < m.end


cdef void _rows(void* context, Py_ssize_t begin, Py_ssize_t end, real_t* tag) noexcept nogil:
    """Compute rows of the result, counted through all samples."""
    cdef Depthwise* d = <Depthwise*>context
    cdef Geometry* g = &d.g
    cdef bint back = d.kind == IMAGE
    cdef Py_ssize_t high = g.size[1] if back else g.count[1], wide = g.size[2] if back else g.count[2]
    cdef Py_ssize_t tall = g.count[1] if back else g.size[1], source = g.count[2] if back else g.size[2]
    cdef Py_ssize_t classes = g.stride[2] if back else 1, apart = 1 if back else g.stride[2]
    cdef Py_ssize_t row, a, b, k, n, i, q, first, taps, low, up, count, here, channels = d.channels
    cdef const real_t* x
    cdef const real_t* given = <const real_t*>(d.values if back else d.image)
    cdef real_t* y
    cdef real_t* result = <real_t*>(d.image if back else d.values)
    cdef char* memory = <char*>malloc(g.taps * (sizeof(Meeting) + 2 * sizeof(Py_ssize_t) + 2 * sizeof(real_t*)))
    cdef Meeting* m = <Meeting*>memory
    cdef Py_ssize_t* at = <Py_ssize_t*>(m + g.taps)
    cdef Py_ssize_t* some = at + g.taps
    cdef const real_t** w = <const real_t**>(some + g.taps)
    cdef const real_t** of_some = w + g.taps
    cdef Meeting of_row
    if memory == NULL:
        d.failed = True
        return
    for row in range(begin, end):
        n, i = row // high, row % high
        for first in range(min(classes, wide)):
            count = (wide - first + classes - 1) // classes
            taps, low, up = 0, 0, count
            for a in range(g.kernel[1]):
                q = i % g.stride[1] if back else 0  # the class of the row, and its index within the class
                k = i // g.stride[1] if back else i
                if not _meet(g, 1, d.kind, a, q, &of_row) or not of_row.begin <= k < of_row.end:
                    continue
                here = of_row.at + (k if back else k * g.stride[1])
                for b in range(g.kernel[2]):
                    if _meet(g, 2, d.kind, b, first, &m[taps]):
                        at[taps] = ((n * tall + here) * source + m[taps].at) * channels
                        w[taps] = <const real_t*>d.weight + (a * g.kernel[2] + b) * channels
                        low, up = max(low, m[taps].begin), min(up, m[taps].end)
                        taps += 1
            y = result + (row * wide + first) * channels
            up = max(low, up)
            low = min(low, up)
            for q in range(count):
                if low <= q < up:
                    continue
                k = 0
                for b in range(taps):
                    if m[b].begin <= q < m[b].end:
                        some[k], of_some[k] = at[b] + q * apart * channels, w[b]
                        k += 1
                _some(channels, 1, k, some, of_some, given, 0, <const real_t*>d.start, y + q * classes * channels, 0)
            x = given + low * apart * channels
            _some(channels, up - low, taps, at, w, x, apart * channels, <const real_t*>d.start,
                  y + low * classes * channels, classes * channels)
    free(memory)


cdef inline void _some(Py_ssize_t channels, Py_ssize_t n, Py_ssize_t taps, const Py_ssize_t* at, const real_t** w,
                       const real_t* x, Py_ssize_t x_step, const real_t* start, real_t* y,
                       Py_ssize_t y_step) noexcept nogil:
    if real_t is float:
        fl_depthwise_float(channels, n, taps, at, w, x, x_step, start, y, y_step)
    else:
        fl_depthwise_double(channels, n, taps, at, w, x, x_step, start, y, y_step)


cdef void _slopes(void* context, Py_ssize_t begin, Py_ssize_t end, real_t* tag) noexcept nogil:
    """Add to the gradient of the weights of channels `begin` to `end`, which is zero-initialized."""
    cdef Depthwise* d = <Depthwise*>context
    cdef Geometry* g = &d.g
    cdef Py_ssize_t n, i, a, b, z, channels = d.channels
    cdef const real_t* x
    cdef const real_t* y
    cdef real_t* w
    cdef Meeting m
    for n in range(d.batch):
        for i in range(g.count[1]):
            for a in range(g.kernel[1]):
                z = i * g.stride[1] + a * g.dilation[1] - g.padding[1]
                if z < 0 or z >= g.size[1]:
                    continue
                for b in range(g.kernel[2]):
                    if not _meet(g, 2, d.kind, b, 0, &m):
                        continue
                    x = <const real_t*>d.image + ((n * g.size[1] + z) * g.size[2] + m.at +
                                                  m.begin * g.stride[2]) * channels
                    y = <const real_t*>d.values + ((n * g.count[1] + i) * g.count[2] + m.begin) * channels
                    w = <real_t*>d.weight + (a * g.kernel[2] + b) * channels
                    if real_t is float:
                        fl_depthwise_slopes_float(begin, end, m.end - m.begin, x, g.stride[2] * channels, y, channels,
                                                  w)
                    else:
                        fl_depthwise_slopes_double(begin, end, m.end - m.begin, x, g.stride[2] * channels, y, channels,
                                                   w)


# By dtype.
LOOPS = {
    "float32": {"rows": <size_t>&_rows[float], "slopes": <size_t>&_slopes[float], "pack": <size_t>fl_pack_float,
                "multiply_packed": <size_t>fl_packed_float, "panel": FL_PANEL_BYTES // sizeof(float)},
    "float64": {"rows": <size_t>&_rows[double], "slopes": <size_t>&_slopes[double], "pack": <size_t>fl_pack_double,
                "multiply_packed": <size_t>fl_packed_double, "panel": FL_PANEL_BYTES // sizeof(double)},
}
