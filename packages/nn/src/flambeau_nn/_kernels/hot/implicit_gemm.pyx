# cython: language_level=3
"""Convolution as a product of positions and weights: gathering rows of channels, tiles, packing weights.

``LOOPS`` holds the tasks (see implicit_gemm.pxd); it is empty if this processor or compiler lacks the vector types.
"""
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memset

from flambeau_nn._kernels.convolution_types cimport IMAGE, Geometry, Planes
from flambeau_nn._kernels.implicit_gemm cimport Implicit, apart_of, behind, classes_of, list_taps, meets

cdef extern from "implicit_tiles.h" nogil:
    int FL_HAS_IMPLICIT, FL_LANES, FL_PANEL
    void fl_implicit_sums(Py_ssize_t m, Py_ssize_t taps, const Py_ssize_t* at, const Py_ssize_t* of, Py_ssize_t k,
                          const float* a, Py_ssize_t a_row, const float* b, const float* start, float* c,
                          Py_ssize_t c_row, Py_ssize_t width)
    void fl_implicit_slopes(Py_ssize_t m, int half, Py_ssize_t high, Py_ssize_t wide, const float* a,
                            Py_ssize_t a_high, Py_ssize_t a_wide, const float* b, Py_ssize_t b_high, float* c)
    void fl_turn_in(const float* x, Py_ssize_t step, Py_ssize_t n, Py_ssize_t channels, float* out, Py_ssize_t row,
                    Py_ssize_t wide)
    void fl_turn_out(const float* x, Py_ssize_t row, Py_ssize_t n, Py_ssize_t channels, float* out, Py_ssize_t step)


cdef enum:
    TURNED = 128  # positions of a panel that are transposed at a time


cdef extern from * nogil:
    """
    #if defined(__GNUC__)
    #define fl_expect(p) __builtin_prefetch((p), 1, 2)
    #else
    #define fl_expect(p) ((void)(p))
    #endif
    """
    void fl_expect(const void* p)


cdef inline void _expect(const float* plane, Py_ssize_t step, Py_ssize_t channels, Py_ssize_t n) noexcept nogil:
    """Prefetch the memory of n pixels of some channels before they are written."""
    cdef Py_ssize_t c, q
    for c in range(channels):
        for q in range(0, n + 15, 16):
            fl_expect(plane + c * step + q)


cdef inline void _gather(const Planes* s, const float* plane, Py_ssize_t channels, Py_ssize_t n, float* out,
                         Py_ssize_t row, Py_ssize_t wide) noexcept nogil:
    """Gather n successive pixels of some channels as rows of channels, padded with zeros to `wide`."""
    cdef Py_ssize_t q
    if s.channel != 1:
        fl_turn_in(plane, s.channel, n, channels, out, row, wide)
    elif s.pixel == channels == row:
        memcpy(out, plane, n * channels * sizeof(float))
    else:
        for q in range(n):
            memcpy(out + q * row, plane + q * s.pixel, channels * sizeof(float))
            memset(out + q * row + channels, 0, (wide - channels) * sizeof(float))


cdef inline void _gather_source(const Implicit* w, Py_ssize_t sample, Py_ssize_t channel, Py_ssize_t channels,
                                Py_ssize_t low, Py_ssize_t high, float* out) noexcept nogil:
    """Gather rows `low` to `high`; the border of zeros exists already."""
    cdef const Planes* s = &w.source
    cdef Py_ssize_t y, n = min(s.width, w.wide - w.margin)
    cdef const float* plane = s.at + sample * s.sample + channel * s.channel
    cdef Py_ssize_t stride = 1 if w.kind == IMAGE else w.g.stride[1], reach = w.g.dilation[1] * (w.g.kernel[1] - 1)
    for y in range(low, high):
        if (y + w.g.padding[1]) % stride > reach:  # between windows
            continue
        _gather(s, plane + y * s.width * s.pixel, channels, n, out + ((y - low) * w.wide + w.margin) * w.pixel,
                w.pixel, channels)


cdef inline void _bounds(const Implicit* w, Py_ssize_t top, Py_ssize_t bottom, Py_ssize_t* low,
                         Py_ssize_t* high) noexcept nogil:
    """Set the range of source rows that rows `top` to `bottom` of the result read."""
    cdef bint back = w.kind == IMAGE
    cdef Py_ssize_t y, k, at, classes = classes_of(&w.g, 1, back), apart = apart_of(&w.g, 1, back)
    low[0], high[0] = w.source.height, 0
    for y in range(top, bottom):
        for k in range(w.g.kernel[1]):
            if meets(&w.g, 1, back, k, y % classes, &at):
                at += y // classes * apart
                if 0 <= at < w.source.height:
                    low[0], high[0] = min(low[0], at), max(high[0], at + 1)


cdef void _sums(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """Compute the result. Tasks: (sample, group, block of rows)."""
    cdef Implicit* w = <Implicit*>context
    cdef Planes* s = &w.result
    cdef const Geometry* g = &w.g
    cdef bint back = w.kind == IMAGE, merged = not back and g.dilation[2] == 1 and w.pixel == w.source.channels
    cdef Py_ssize_t task, sample, group, top, bottom, low, high, panel, y, of, f, width, taps, n, pixel
    cdef Py_ssize_t classes = classes_of(g, 2, back), step = apart_of(g, 2, back) * w.pixel
    cdef Py_ssize_t k = w.source.channels * (g.kernel[2] if merged else 1)
    # A result that is not written in place is transposed in pieces, while they are in the nearest cache.
    cdef Py_ssize_t room = w.tall * w.wide * w.pixel, few = max(<Py_ssize_t>1, TURNED // s.width), first = 0
    cdef Py_ssize_t area = 0 if w.channels_last else min(few, w.rows) * s.width
    cdef float* x = <float*>calloc(room + (1 + area) * FL_PANEL, sizeof(float))
    cdef float* start = x + room
    cdef Py_ssize_t* at = <Py_ssize_t*>malloc(2 * g.taps * sizeof(Py_ssize_t))
    cdef Py_ssize_t* weight = at + g.taps
    cdef float* out
    cdef float* plane
    if x == NULL or at == NULL:
        w.failed = True
        free(x)
        free(at)
        return
    for task in range(begin, end):
        top = task % w.blocks * w.rows
        bottom = min(top + w.rows, s.height)
        group, sample = task // w.blocks % w.groups, task // w.blocks // w.groups
        _bounds(w, top, bottom, &low, &high)
        _gather_source(w, sample, group * w.source.channels, w.source.channels, low, high, x)
        for panel in range(w.panels):
            f = panel * FL_PANEL
            width = min(s.channels - f, <Py_ssize_t>FL_PANEL)
            plane = s.at + sample * s.sample + (group * s.channels + f) * s.channel + top * s.width * s.pixel
            out, pixel = start + FL_PANEL, FL_PANEL
            if w.channels_last:
                out, pixel = plane, s.pixel
            if w.bias != NULL:
                memcpy(start, w.bias + group * s.channels + f, width * sizeof(float))
            first = top
            for y in range(top, bottom):
                if not w.channels_last:
                    _expect(plane + (y - top) * s.width, s.channel, width, s.width)
                for of in range(min(classes, s.width)):
                    taps = list_taps(w, y, of, low, merged, w.source.channels * FL_PANEL, at, weight)
                    fl_implicit_sums((s.width - of + classes - 1) // classes, taps, at, weight, k, x, step,
                                     w.packed + (group * w.panels + panel) * g.taps * w.source.channels * FL_PANEL,
                                     start, out + ((y - first) * s.width + of) * pixel, classes * pixel, width)
                if not w.channels_last and (y + 1 - first == few or y + 1 == bottom):
                    n = (y + 1 - first) * s.width
                    fl_turn_out(out, FL_PANEL, n, width, plane + (first - top) * s.width, s.channel)
                    first = y + 1
    free(x)
    free(at)


cdef void _pack(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """Pack the weights. Tasks: (group, panel)."""
    cdef Implicit* w = <Implicit*>context
    cdef Py_ssize_t task, f, width, c, t, taps = w.g.taps, channels = w.source.channels, n = taps * channels
    cdef float* temporary = <float*>malloc(n * FL_PANEL * sizeof(float))
    cdef float* to
    cdef const float* weight
    if temporary == NULL:
        w.failed = True
        return
    for task in range(begin, end):
        f = task % w.panels * FL_PANEL
        width = min(w.result.channels - f, <Py_ssize_t>FL_PANEL)
        weight = w.weight + task // w.panels * n * w.result.channels + f * w.of_result
        to = w.packed + task * n * FL_PANEL
        if w.kind == IMAGE:
            for c in range(channels):
                fl_turn_in(weight + c * w.of_source, taps, taps, width, temporary, FL_PANEL, FL_PANEL)
                for t in range(taps):
                    memcpy(to + (t * channels + c) * FL_PANEL, temporary + t * FL_PANEL, FL_PANEL * sizeof(float))
        else:
            fl_turn_in(weight, n, n, width, temporary, FL_PANEL, FL_PANEL)
            for t in range(taps):
                for c in range(channels):
                    memcpy(to, temporary + (c * taps + t) * FL_PANEL, FL_PANEL * sizeof(float))
                    to += FL_PANEL
    free(temporary)


# --- the gradient of the weights ------------------------------------------------------------------------------------

cdef void _slopes(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """Compute weight gradients. Tasks: (part, group, chunk). Each part sums some samples into its own weights."""
    cdef Implicit* w = <Implicit*>context
    cdef Planes* s = &w.result
    cdef const Geometry* g = &w.g
    cdef Py_ssize_t task, part, group, channel, channels, one, sample, top, bottom, low, high
    cdef Py_ssize_t panel, a, b, f, first, last, shift, r, weights = g.taps * w.source.channels * FL_PANEL
    cdef Py_ssize_t all = w.batch * w.blocks, row = s.width * FL_PANEL, area = w.rows * row
    cdef Py_ssize_t room = w.tall * w.wide * w.pixel
    cdef bint merged = g.dilation[2] == 1 and w.pixel == w.source.channels  # a row of taps reads contiguous numbers
    cdef float* x = <float*>calloc(room + w.panels * area, sizeof(float))
    cdef float* y
    cdef float* sums
    if x == NULL:
        w.failed = True
        return
    for task in range(begin, end):
        channel = task % w.chunks * w.chunk
        channels = min(w.chunk, w.source.channels - channel)
        group, part = task // w.chunks % w.groups, task // w.chunks // w.groups
        sums = w.packed + (part * w.groups + group) * w.panels * weights
        for r in range(w.panels * g.taps):
            memset(sums + (r * w.source.channels + channel) * FL_PANEL, 0, channels * FL_PANEL * sizeof(float))
        for one in range(all * part // w.parts, all * (part + 1) // w.parts):
            sample, top = one // w.blocks, one % w.blocks * w.rows
            bottom = min(top + w.rows, s.height)
            _bounds(w, top, bottom, &low, &high)
            _gather_source(w, sample, group * w.source.channels + channel, channels, low, high, x)
            for panel in range(w.panels):
                f = panel * FL_PANEL
                y = x + room + panel * area
                _gather(s, s.at + sample * s.sample + (group * s.channels + f) * s.channel + top * s.width * s.pixel,
                        min(s.channels - f, <Py_ssize_t>FL_PANEL), (bottom - top) * s.width, y, FL_PANEL, FL_PANEL)
                for a in range(g.kernel[1]):
                    shift = a * g.dilation[1] - g.padding[1]
                    first = max(top, behind(-shift, g.stride[1]))
                    last = min(bottom, behind(w.source.height - shift, g.stride[1]))
                    for b in range((1 if merged else g.kernel[2]) if first < last else 0):
                        fl_implicit_slopes(
                            channels * (g.kernel[2] if merged else 1), s.channels - f <= FL_LANES, last - first,
                            s.width,
                            x + ((first * g.stride[1] + shift - low) * w.wide +
                                 b * g.dilation[2] - g.padding[2] + w.margin) * w.pixel,
                            g.stride[1] * w.wide * w.pixel, g.stride[2] * w.pixel, y + (first - top) * row, row,
                            sums + panel * weights +
                            ((a * g.kernel[2] + b) * w.source.channels + channel) * FL_PANEL)
    free(x)


cdef void _unpack(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """Sum over the parts, in the order of the weights. Tasks: (group, panel)."""
    cdef Implicit* w = <Implicit*>context
    cdef Py_ssize_t task, f, width, c, t, _part, i, taps = w.g.taps, channels = w.source.channels, n = taps * channels
    cdef float* temporary = <float*>malloc(n * FL_PANEL * sizeof(float))
    cdef float* to
    cdef const float* sums
    if temporary == NULL:
        w.failed = True
        return
    for task in range(begin, end):
        f = task % w.panels * FL_PANEL
        width = min(w.result.channels - f, <Py_ssize_t>FL_PANEL)
        for t in range(taps):
            for c in range(channels):
                to = temporary + (t * channels + c if w.channels_last else c * taps + t) * FL_PANEL
                sums = w.packed + (task * n + t * channels + c) * FL_PANEL
                memcpy(to, sums, FL_PANEL * sizeof(float))
                for _part in range(1, w.parts):
                    sums += w.groups * w.panels * n * FL_PANEL
                    for i in range(FL_PANEL):
                        to[i] += sums[i]
        fl_turn_out(temporary, FL_PANEL, n, width, w.weight + task // w.panels * n * w.result.channels + f * n, n)
    free(temporary)


LOOPS = {"pack": <size_t><void*>_pack, "sums": <size_t><void*>_sums, "slopes": <size_t><void*>_slopes,
         "unpack": <size_t><void*>_unpack, "panel": FL_PANEL} if FL_HAS_IMPLICIT else None
