# cython: language_level=3
"""Winograd's convolution F(4 × 4, 3 × 3) (Lavin and Gray, 2016).

``LOOPS`` holds its tasks (see winograd.pxd); it is empty if this processor or compiler lacks the vector types.

For tiles d of 6 × 6 of the source, with stride 4, and weights g, the result is A'[(G g G') ∘ (B' d B)]A, and the
gradient of the weights is G'[Σ (A y A') ∘ (B' d B)]G, with y the tiles of the result's gradient. All transforms process
vectors of channels; planes are transposed to rows of channels first, and results back.
"""
from libc.stdint cimport uintptr_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from flambeau_nn._kernels.convolution_types cimport Planes
from flambeau_nn._kernels.winograd cimport PRODUCTS, TILE, Tiled

cdef extern from "winograd_tiles.h" nogil:
    int FL_HAS_WINOGRAD, FL_LANES, FL_PANEL
    void fl_winograd_source(const float* x, Py_ssize_t row, Py_ssize_t pixel, int y0, int y1, int x0, int x1, int lanes,
                            float* v, Py_ssize_t apart)
    void fl_winograd_slopes(const float* y, Py_ssize_t row, Py_ssize_t pixel, int rows, int columns, int lanes,
                            float* m, Py_ssize_t apart)
    void fl_winograd_result(const float* m, Py_ssize_t apart, const float* bias, float* y, Py_ssize_t row,
                            Py_ssize_t pixel, int rows, int columns, int lanes, float* doubt)
    void fl_winograd_weights(const float* w, Py_ssize_t step, float* u, Py_ssize_t apart)
    void fl_winograd_of_weights(const float* u, Py_ssize_t apart, float* w, float* doubt)
    void fl_winograd_product(Py_ssize_t m, int half, Py_ssize_t k, const float* a, Py_ssize_t a_row, Py_ssize_t a_col,
                             const float* panel, float* c, Py_ssize_t c_row, int add)
    void fl_turn_in(const float* x, Py_ssize_t step, Py_ssize_t n, Py_ssize_t channels, float* out, Py_ssize_t row,
                    Py_ssize_t wide)
    void fl_turn_out(const float* x, Py_ssize_t row, Py_ssize_t n, Py_ssize_t channels, float* out, Py_ssize_t step)

cdef enum:
    LINE = 64  # bytes
    MOST = 16  # lanes
    SOME = 32  # channels whose weights are transposed at a time


cdef struct Part:  # tiles of one sample: rows `top` to `bottom`, columns `left` to `right`
    Py_ssize_t sample, top, bottom, left, right
    Py_ssize_t tile  # the index of the first in its group


cdef struct View:  # of some rows and columns of FL_LANES channels
    float* at
    Py_ssize_t top, left, row, pixel
    int lanes


cdef inline Py_ssize_t _vectors(Py_ssize_t channels) noexcept nogil:
    return (channels + FL_LANES - 1) // FL_LANES


cdef inline Py_ssize_t _whole(Py_ssize_t channels) noexcept nogil:
    return _vectors(channels) * FL_LANES


cdef inline bint _next(const Tiled* t, Py_ssize_t* row, Py_ssize_t last, Part* p) noexcept nogil:
    """Set `p` to the tiles of the next sample among rows `row` to `last`; return False at the end."""
    if row[0] >= last:
        return False
    p.tile += (p.bottom - p.top) * (p.right - p.left)
    p.sample, p.top = row[0] // t.tile_rows, row[0] % t.tile_rows
    p.bottom = min(t.tile_rows, p.top + last - row[0])
    row[0] += p.bottom - p.top
    return True


cdef inline Part _start(Py_ssize_t left, Py_ssize_t right) noexcept nogil:
    cdef Part p
    p.tile, p.top, p.bottom, p.left, p.right = 0, 0, 0, left, right
    return p


cdef inline void _turn(const Planes* s, float* x, View* v, Py_ssize_t bottom, Py_ssize_t right, int lanes,
                       bint back) noexcept nogil:
    """Transpose planes at x to the rows of channels of a view, or back."""
    cdef Py_ssize_t y, wide = right - v.left, n = wide, high = bottom - v.top
    cdef float* here
    if wide == s.width:
        n, high = n * high, 1
    for y in range(high):
        here = x + (v.top + y) * s.width + v.left
        if back:
            fl_turn_out(v.at + y * v.row, FL_LANES, n, lanes, here, s.channel)
        else:
            fl_turn_in(here, s.channel, n, lanes, v.at + y * v.row, FL_LANES, FL_LANES)


cdef inline View _view(const Planes* s, Py_ssize_t sample, Py_ssize_t channel, Py_ssize_t top, Py_ssize_t bottom,
                       Py_ssize_t left, Py_ssize_t right, float* room, bint given) noexcept nogil:
    """Return a view of some channels as rows of channels, in place or in `room`; `given`: it is read, not written."""
    cdef View v
    cdef int lanes = <int>min(s.channels - channel, <Py_ssize_t>FL_LANES)
    cdef float* x = s.at + sample * s.sample + channel * s.channel
    v.top, v.left = top, left
    if s.channel == 1:
        v.at, v.row, v.pixel, v.lanes = x + (top * s.width + left) * s.pixel, s.width * s.pixel, s.pixel, lanes
        return v
    v.at, v.pixel, v.row, v.lanes = room, FL_LANES, (right - left) * FL_LANES, FL_LANES
    if given:
        _turn(s, x, &v, bottom, right, lanes, False)
    return v


cdef void _sources(const Tiled* t, Py_ssize_t first, Py_ssize_t last, Py_ssize_t left, Py_ssize_t right, float* v,
                   Py_ssize_t panel_step, Py_ssize_t tile_step, float* room) noexcept nogil:
    """Compute B' d B of the tiles of rows `first` to `last` and columns `left` to `right`."""
    cdef const Planes* s = &t.source
    cdef Py_ssize_t block, c, row, i, j, y, x, x0 = max(TILE * left - t.left, <Py_ssize_t>0)
    cdef Py_ssize_t x1 = min(TILE * right + 2 - t.left, s.width), y0, y1
    cdef Part p
    cdef View seen
    cdef float* to
    for block in range(_vectors(s.channels)):
        c = block * FL_LANES
        row, p = first, _start(left, right)
        while _next(t, &row, last, &p):
            y0, y1 = max(TILE * p.top - t.above, <Py_ssize_t>0), min(TILE * p.bottom + 2 - t.above, s.height)
            seen = _view(s, p.sample, c, y0, y1, x0, x1, room, True)
            to = v + c // FL_PANEL * panel_step + c % FL_PANEL + p.tile * tile_step
            for i in range(p.top, p.bottom):
                y = TILE * i - t.above
                for j in range(left, right):
                    x = TILE * j - t.left
                    fl_winograd_source(seen.at + (y - seen.top) * seen.row + (x - seen.left) * seen.pixel, seen.row,
                                       seen.pixel, <int>max(-y, <Py_ssize_t>0), <int>min(s.height - y, <Py_ssize_t>6),
                                       <int>max(-x, <Py_ssize_t>0), <int>min(s.width - x, <Py_ssize_t>6), seen.lanes,
                                       to, t.v_apart)
                    to += tile_step


cdef void _slopes(const Tiled* t, Py_ssize_t first, Py_ssize_t last, float* m, Py_ssize_t tile_step,
                  float* room) noexcept nogil:
    """Compute A y A' of the tiles of rows `first` to `last`."""
    cdef const Planes* s = &t.result
    cdef Py_ssize_t block, f, row, i, j, y, x
    cdef Part p
    cdef View seen
    cdef float* to
    for block in range(_vectors(s.channels)):
        f = block * FL_LANES
        row, p = first, _start(0, t.columns)
        while _next(t, &row, last, &p):
            seen = _view(s, p.sample, f, TILE * p.top, min(TILE * p.bottom, s.height), 0, s.width, room, True)
            to = m + f + p.tile * tile_step
            for i in range(p.top, p.bottom):
                y = TILE * i
                for j in range(t.columns):
                    x = TILE * j
                    fl_winograd_slopes(seen.at + (y - seen.top) * seen.row + x * seen.pixel, seen.row, seen.pixel,
                                       <int>min(s.height - y, <Py_ssize_t>TILE),
                                       <int>min(s.width - x, <Py_ssize_t>TILE), seen.lanes, to, t.m_apart)
                    to += tile_step


cdef bint _results(const Tiled* t, Py_ssize_t first, Py_ssize_t last, Py_ssize_t left, Py_ssize_t right,
                   const float* m, Py_ssize_t tile_step, float* room) noexcept nogil:
    """Compute A' m A, and return whether all of it is finite."""
    cdef const Planes* s = &t.result
    cdef Py_ssize_t block, f, row, i, j, y, x, y1, x1 = min(TILE * right, s.width)
    cdef int k, lanes
    cdef Part p
    cdef View seen
    cdef float[MOST] bias
    cdef float[MOST] doubt
    cdef const float* at
    for k in range(MOST):
        doubt[k] = bias[k] = 0
    for block in range(_vectors(s.channels)):
        f = block * FL_LANES
        lanes = <int>min(s.channels - f, <Py_ssize_t>FL_LANES)
        for k in range(lanes if t.bias != NULL else 0):
            bias[k] = t.bias[f + k]
        row, p = first, _start(left, right)
        while _next(t, &row, last, &p):
            y1 = min(TILE * p.bottom, s.height)
            seen = _view(s, p.sample, f, TILE * p.top, y1, TILE * left, x1, room, False)
            at = m + f + p.tile * tile_step
            for i in range(p.top, p.bottom):
                y = TILE * i
                for j in range(left, right):
                    x = TILE * j
                    fl_winograd_result(at, t.m_apart, bias, seen.at + (y - seen.top) * seen.row +
                                       (x - seen.left) * seen.pixel, seen.row, seen.pixel,
                                       <int>min(s.height - y, <Py_ssize_t>TILE),
                                       <int>min(s.width - x, <Py_ssize_t>TILE), seen.lanes, doubt)
                    at += tile_step
            if s.channel != 1:
                _turn(s, s.at + p.sample * s.sample + f * s.channel, &seen, y1, x1, lanes, True)
    for k in range(MOST):
        if doubt[k] != 0:  # NaN
            return False
    return True


cdef float* _room(Tiled* t, Py_ssize_t numbers, void** held) noexcept nogil:
    """Allocate memory that is aligned to a cache line."""
    held[0] = malloc(numbers * sizeof(float) + LINE)
    if held[0] == NULL:
        t.failed = True
        return NULL
    return <float*>((<uintptr_t>held[0] + LINE - 1) // LINE * LINE)


cdef void _groups(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """Compute the result, in groups of tiles."""
    cdef Tiled* t = <Tiled*>context
    cdef Py_ssize_t group, first, last, left, right, tiles, k, block, f
    cdef Py_ssize_t channels = _whole(t.source.channels), features = _whole(t.result.channels)
    cdef Py_ssize_t area = (TILE * t.tall + 2) * (TILE * t.wide + 2)
    cdef void* held
    cdef float* v = _room(t, PRODUCTS * (t.v_apart + t.m_apart) + area * FL_LANES, &held)
    cdef float* m = v + PRODUCTS * t.v_apart
    cdef float* room = m + PRODUCTS * t.m_apart
    for group in range(begin, end):
        if t.failed or t.infinite:
            break
        first = group // t.segments * t.tall
        last = min(first + t.tall, t.rows)
        left = group % t.segments * t.wide
        right = min(left + t.wide, t.columns)
        tiles = (last - first) * (right - left)
        _sources(t, first, last, left, right, v, FL_PANEL, channels, room)
        for k in range(PRODUCTS):
            for block in range((t.result.channels + FL_PANEL - 1) // FL_PANEL):
                f = block * FL_PANEL
                fl_winograd_product(tiles, t.result.channels - f <= FL_LANES, t.source.channels, v + k * t.v_apart,
                                    channels, 1, t.u + k * t.u_apart + f * t.source.channels, m + k * t.m_apart + f,
                                    features, False)
        if not _results(t, first, last, left, right, m, features, room):
            t.infinite = True
    free(held)


cdef void _weights(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """Compute G g G' for vectors `begin` to `end` of the result's channels."""
    cdef Tiled* t = <Tiled*>context
    cdef Py_ssize_t block, f, lanes, first, c, n
    cdef float[9 * MOST * SOME] g  # of some channels of the source: (channels, taps, lanes)
    cdef float* u
    cdef const float* w
    for block in range(begin, end):
        f = block * FL_LANES
        lanes = min(t.result.channels - f, <Py_ssize_t>FL_LANES)
        u = t.u + f // FL_PANEL * FL_PANEL * t.source.channels + f % FL_PANEL
        first = 0
        while first < t.source.channels:
            n = min(t.source.channels - first, <Py_ssize_t>SOME)
            w = t.weight + f * t.of_result + first * t.of_source
            if t.flipped:
                for c in range(n):
                    fl_turn_in(w + c * t.of_source, t.of_result, 9, lanes, g + c * 9 * FL_LANES, FL_LANES, FL_LANES)
            else:  # the taps of the channels are consecutive
                fl_turn_in(w, t.of_result, 9 * n, lanes, g, FL_LANES, FL_LANES)
            for c in range(n):
                fl_winograd_weights(g + (c * 9 + (8 if t.flipped else 0)) * FL_LANES,
                                    -FL_LANES if t.flipped else FL_LANES, u + (first + c) * FL_PANEL, t.u_apart)
            first += n


# --- the gradient of the weights ------------------------------------------------------------------------------------

cdef void _both(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """Compute the transforms of rows `begin` to `end` of tiles, counted from `first`."""
    cdef Tiled* t = <Tiled*>context
    cdef Py_ssize_t tiles = (t.last - t.first) * t.columns, features = _whole(t.result.channels), row, last
    cdef Py_ssize_t area = (TILE * t.tall + 2) * (TILE * t.columns + 2)
    cdef void* held
    cdef float* room = _room(t, area * FL_LANES, &held)
    row = begin
    while row < end and not t.failed:
        last = min(row + t.tall, end)
        _sources(t, t.first + row, t.first + last, 0, t.columns, t.v + row * t.columns * FL_PANEL, tiles * FL_PANEL,
                 FL_PANEL, room)
        _slopes(t, t.first + row, t.first + last, t.m + row * t.columns * features, features, room)
        row = last
    free(held)


cdef void _sums(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """Add products (number, panel of the source's channels) to those of the previous rows."""
    cdef Tiled* t = <Tiled*>context
    cdef Py_ssize_t task, k, c, tiles = (t.last - t.first) * t.columns, features = _whole(t.result.channels)
    cdef Py_ssize_t panels = (t.source.channels + FL_PANEL - 1) // FL_PANEL
    for task in range(begin, end):
        k, c = task // panels, task % panels * FL_PANEL
        fl_winograd_product(t.result.channels, t.source.channels - c <= FL_LANES, tiles, t.m + k * t.m_apart, 1,
                            features, t.v + k * t.v_apart + c * tiles, t.u + k * t.u_apart + c * t.result.channels,
                            FL_PANEL, t.first > 0)


cdef void _of_weights(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """Compute G' u G for channels `begin` to `end` of the result."""
    cdef Tiled* t = <Tiled*>context
    cdef Py_ssize_t f, block, c, lanes
    cdef int k
    cdef float[9 * MOST] g
    cdef float[MOST] doubt
    cdef float* w
    for k in range(MOST):
        doubt[k] = 0
    for block in range(_vectors(t.source.channels)):
        c = block * FL_LANES
        lanes = min(t.source.channels - c, <Py_ssize_t>FL_LANES)
        for f in range(begin, end):
            fl_winograd_of_weights(t.u + c // FL_PANEL * FL_PANEL * t.result.channels + f * FL_PANEL + c % FL_PANEL,
                                   t.u_apart, g, doubt)
            w = t.weight + f * t.of_result + c * t.of_source
            if t.of_source == 1:
                for k in range(9):
                    memcpy(w + k * t.tap, g + k * FL_LANES, lanes * sizeof(float))
            else:
                fl_turn_out(g, FL_LANES, 9, lanes, w, t.of_source)
    for k in range(MOST):
        if doubt[k] != 0:
            t.infinite = True


LOOPS = {"weights": <size_t><void*>_weights, "groups": <size_t><void*>_groups, "both": <size_t><void*>_both,
         "sums": <size_t><void*>_sums, "of_weights": <size_t><void*>_of_weights,
         "lanes": FL_LANES} if FL_HAS_WINOGRAD else None
