# cython: language_level=3
"""Depthwise convolution of small planes, 16 channels at a time.

The channels are transposed to rows of channels with a border of zeros (depthwise.h), and the results back. ``LOOPS``
holds the tasks (see implicit_gemm.pxd); it is empty if this processor or compiler lacks the vector types.
"""
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memset

from flambeau_nn._kernels.convolution_types cimport IMAGE, Geometry, Planes
from flambeau_nn._kernels.implicit_gemm cimport Implicit, apart_of, behind, classes_of, list_taps

cdef extern from "channel_rows.h" nogil:
    int FL_HAS_TILES
    void fl_turn_in(const float* x, Py_ssize_t step, Py_ssize_t n, Py_ssize_t channels, float* out, Py_ssize_t row,
                    Py_ssize_t wide)
    void fl_turn_out(const float* x, Py_ssize_t row, Py_ssize_t n, Py_ssize_t channels, float* out, Py_ssize_t step)

cdef extern from "depthwise.h" nogil:
    void fl_depthwise_float(Py_ssize_t channels, Py_ssize_t n, Py_ssize_t taps, const Py_ssize_t* at,
                            const float** w, const float* x, Py_ssize_t x_step, const float* start, float* y,
                            Py_ssize_t y_step)
    void fl_depthwise_products(Py_ssize_t high, Py_ssize_t wide, const float* x, Py_ssize_t x_high, Py_ssize_t x_wide,
                               const float* y, float* sum)

cdef enum:
    VECTOR = 16  # channels


cdef inline float* _plane(const Planes* s, Py_ssize_t sample, Py_ssize_t channel) noexcept nogil:
    return s.at + sample * s.sample + channel * s.channel


cdef inline void _gather(const Implicit* w, Py_ssize_t sample, Py_ssize_t channel, Py_ssize_t channels, float* dense,
                         float* x) noexcept nogil:
    """Gather planes of the source; the border of zeros in x exists already."""
    cdef const Planes* s = &w.source
    cdef Py_ssize_t y, n = min(s.width, w.wide - w.margin)
    fl_turn_in(_plane(s, sample, channel), s.channel, s.channel, channels, dense, VECTOR, VECTOR)
    for y in range(s.height):
        memcpy(x + (y * w.wide + w.margin) * VECTOR, dense + y * s.width * VECTOR, n * VECTOR * sizeof(float))


cdef void _sums(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """Compute the result. Tasks: (vector of channels, sample)."""
    cdef Implicit* w = <Implicit*>context
    cdef Planes* s = &w.result
    cdef const Geometry* g = &w.g
    cdef bint back = w.kind == IMAGE
    cdef Py_ssize_t task, sample, channel = -1, channels, y, of, i, k, lists, taps = g.taps
    cdef Py_ssize_t classes = min(classes_of(g, 2, back), s.width), step = apart_of(g, 2, back) * VECTOR
    cdef float[VECTOR] start
    cdef float* x = <float*>calloc(w.source.height * w.wide * VECTOR, sizeof(float))
    cdef float* dense = <float*>malloc((w.source.channel + s.channel + taps) * VECTOR * sizeof(float))
    cdef float* out = dense + w.source.channel * VECTOR
    cdef float* weight = out + s.channel * VECTOR
    cdef Py_ssize_t* count
    cdef Py_ssize_t* at
    cdef const float** by
    lists = s.height * classes
    count = <Py_ssize_t*>malloc(lists * (1 + 2 * taps) * sizeof(Py_ssize_t))
    if x == NULL or dense == NULL or count == NULL:
        w.failed = True
        begin = end
    at = count + lists
    by = <const float**>(at + lists * taps)
    for i in range(lists if begin < end else 0):
        count[i] = list_taps(w, i // classes, i % classes, 0, False, VECTOR, at + i * taps,
                             <Py_ssize_t*>(by + i * taps))
        for k in range(count[i]):
            by[i * taps + k] = weight + (<Py_ssize_t*>(by + i * taps))[k]
    for task in range(begin, end):
        sample = task % w.batch
        if channel != task // w.batch * VECTOR:
            channel = task // w.batch * VECTOR
            channels = min(s.channels - channel, <Py_ssize_t>VECTOR)
            memset(start, 0, sizeof(start))
            if w.bias != NULL:
                memcpy(start, w.bias + channel, channels * sizeof(float))
            fl_turn_in(w.weight + channel * taps, taps, taps, channels, weight, VECTOR, VECTOR)
        _gather(w, sample, channel, channels, dense, x)
        for y in range(s.height):
            for of in range(classes):
                i = y * classes + of
                fl_depthwise_float(VECTOR, (s.width - of + classes - 1) // classes, count[i], at + i * taps,
                                   by + i * taps, x, step, start, out + (y * s.width + of) * VECTOR,
                                   classes * VECTOR)
        fl_turn_out(out, VECTOR, s.channel, channels, _plane(s, sample, channel), s.channel)
    free(x)
    free(dense)
    free(count)


cdef void _slopes(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """Compute the gradient of the weights. Tasks: vectors of channels."""
    cdef Implicit* w = <Implicit*>context
    cdef Planes* s = &w.result
    cdef const Geometry* g = &w.g
    cdef Py_ssize_t task, sample, channel, channels, a, b, first, last, shift, taps = g.taps
    cdef float* x = <float*>calloc(w.source.height * w.wide * VECTOR, sizeof(float))
    cdef float* dense = <float*>malloc((w.source.channel + s.channel + taps) * VECTOR * sizeof(float))
    cdef float* y = dense + w.source.channel * VECTOR
    cdef float* sums = y + s.channel * VECTOR
    if x == NULL or dense == NULL:
        w.failed = True
        begin = end
    for task in range(begin, end):
        channel = task * VECTOR
        channels = min(s.channels - channel, <Py_ssize_t>VECTOR)
        memset(sums, 0, taps * VECTOR * sizeof(float))
        for sample in range(w.batch):
            _gather(w, sample, channel, channels, dense, x)
            fl_turn_in(_plane(s, sample, channel), s.channel, s.channel, channels, y, VECTOR, VECTOR)
            for a in range(g.kernel[1]):
                shift = a * g.dilation[1] - g.padding[1]
                first, last = behind(-shift, g.stride[1]), min(s.height, behind(w.source.height - shift, g.stride[1]))
                for b in range(g.kernel[2] if first < last else 0):
                    fl_depthwise_products(last - first, s.width,
                                          x + ((first * g.stride[1] + shift) * w.wide + b * g.dilation[2] -
                                               g.padding[2] + w.margin) * VECTOR,
                                          g.stride[1] * w.wide * VECTOR, g.stride[2] * VECTOR,
                                          y + first * s.width * VECTOR, sums + (a * g.kernel[2] + b) * VECTOR)
        fl_turn_out(sums, VECTOR, taps, channels, w.weight + channel * taps, taps)
    free(x)
    free(dense)


LOOPS = {"sums": <size_t><void*>_sums, "slopes": <size_t><void*>_slopes} if FL_HAS_TILES else None
