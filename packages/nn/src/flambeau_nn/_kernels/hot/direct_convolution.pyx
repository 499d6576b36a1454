# cython: language_level=3
"""Convolution in rows of positions: gathering planes, sums over windows, and gradients of weights.

``LOOPS`` holds the tasks (see direct_convolution.pxd); it is empty if this processor or compiler lacks the vector
types.
"""
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memset

from flambeau_nn._kernels.convolution_types cimport AXES
from flambeau_nn._kernels.direct_convolution cimport Grid, Phase, Windows

cdef extern from "window_sums.h" nogil:
    int FL_HAS_WINDOWS, FL_WINDOW_ROWS, FL_WINDOW_SLACK
    int fl_window_tile(Py_ssize_t left)
    void fl_window_rows(int rows, Py_ssize_t n, Py_ssize_t taps, const float* w, const float* x, const Py_ssize_t* at,
                        const float* start, float* out, Py_ssize_t out_row)
    void fl_window_products(Py_ssize_t rows, Py_ssize_t n, Py_ssize_t taps, const float* y, Py_ssize_t y_row,
                            const float* x, const Py_ssize_t* at, float* out, Py_ssize_t out_row)
    void fl_window_copy(float* to, const float* source, Py_ssize_t n)


cdef struct Where:  # the part of a task: samples, and positions along the axis that is split
    Py_ssize_t group, sample, samples, first
    Py_ssize_t[AXES] count


cdef inline void _gather_row(float* out, const float* x, Py_ssize_t step, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t q
    if step == 1:
        fl_window_copy(out, x, n)
    elif step == 2:  # a constant, so that the compiler vectorizes the loop
        for q in range(n):
            out[q] = x[2 * q]
    else:
        for q in range(n):
            out[q] = x[step * q]


cdef void _gather(const Grid* g, const float* x, const Where* w, int axis, float* out) noexcept nogil:
    """Gather the source into `out`, which is zero-initialized. `w.first` is the first position along the axis."""
    cdef Py_ssize_t c, a, b, k, s, i, j, y, z, shift, begin, end
    cdef Py_ssize_t[AXES] before
    cdef const float* plane
    cdef float* row
    for i in range(AXES):
        before[i] = g.before[i]
    before[axis] -= w.first * g.step[axis]
    for c in range(g.channels):
        for a in range(g.phases[0]):
            for b in range(g.phases[1]):
                for k in range(g.phases[2]):
                    shift = k - before[2]
                    begin = (g.step[2] - 1 - shift) // g.step[2] if shift < 0 else 0
                    end = min(g.length[2], (g.bound[2] - 1 - shift) // g.step[2] + 1 if g.bound[2] > shift else 0)
                    for s in range(w.samples):
                        plane = x + (w.sample + s) * g.sample_step + c * g.channel_step
                        row = out + s * g.length[0] * g.length[1] * g.length[2]
                        for i in range(g.length[0]):
                            z = i * g.step[0] + a - before[0]
                            if z < 0 or z >= g.bound[0]:
                                row += g.length[1] * g.length[2]
                                continue
                            for j in range(g.length[1]):
                                y = j * g.step[1] + b - before[1]
                                if 0 <= y < g.bound[1] and begin < end:
                                    _gather_row(row + begin, plane + (z * g.size[1] + y) * g.size[2] +
                                                begin * g.step[2] + shift, g.step[2], end - begin)
                                row += g.length[2]
                    out += g.apart


cdef inline void _put_row(float* out, const float* x, Py_ssize_t step, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t q
    if step == 1:
        fl_window_copy(out, x, n)
    elif step == 2:
        for q in range(n):
            out[2 * q] = x[q]
    else:
        for q in range(n):
            out[step * q] = x[q]


cdef void _put(const Windows* w, const Where* at, const Phase* phase, Py_ssize_t feature, Py_ssize_t first,
               Py_ssize_t last, const float* x) noexcept nogil:
    """Copy rows `first` to `last` of positions from `x` to the result."""
    cdef const Py_ssize_t* length = &w.source.length[0]
    cdef Py_ssize_t _row, i, j, y, z, begin, end, step = w.step[2], start, behind
    cdef Py_ssize_t[AXES] origin
    cdef float* plane
    for i in range(AXES):
        origin[i] = phase.start[i]
    origin[w.axis] += at.first * w.step[w.axis]
    start = origin[2]
    begin = (step - 1 - start) // step if start < 0 else 0
    behind = w.size[2] - 1 - start
    end = min(at.count[2], behind // step + 1 if behind >= 0 else 0)
    if begin >= end:
        return
    i, j = first // length[1], first % length[1]
    for _row in range(first, last):
        z, y = i % length[0] * w.step[0] + origin[0], j * w.step[1] + origin[1]
        if i % length[0] < at.count[0] and j < at.count[1] and 0 <= z < w.size[0] and 0 <= y < w.size[1]:
            plane = w.result + (at.sample + i // length[0]) * w.result_step + \
                (at.group * w.features + feature) * w.size[0] * w.size[1] * w.size[2]
            _put_row(plane + (z * w.size[1] + y) * w.size[2] + start + begin * step, x + begin, step, end - begin)
        x += length[2]
        j += 1
        if j == length[1]:
            i += 1
            j = 0


cdef void _sums(const Windows* w, const Where* at, const float* x, float* sums) noexcept nogil:
    """Compute the result of a task from the gathered source."""
    cdef const Py_ssize_t* length = &w.source.length[0]
    cdef Py_ssize_t rows = ((at.samples - 1) * length[0] + at.count[0] - 1) * length[1] + at.count[1]
    cdef Py_ssize_t chunk = max(w.chunk // length[2], <Py_ssize_t>1)
    cdef Py_ssize_t first, last, feature, width = (chunk * length[2] + FL_WINDOW_SLACK) // 16 * 16 + 16
    cdef int tile, p, r
    cdef const Phase* phase
    cdef float[8] start
    last = 0
    while last < rows:
        first, last = last, min(last + chunk, rows)
        for p in range(w.phases):
            phase = &w.phase[p]
            feature = 0
            while feature < w.features:
                tile = fl_window_tile(w.features - feature)
                for r in range(tile):
                    start[r] = 0 if w.bias == NULL else w.bias[at.group * w.features + feature + r]
                fl_window_rows(tile, (last - first - 1) * length[2] + at.count[2], phase.taps,
                               w.packed + at.group * w.weights + phase.first + feature * phase.taps,
                               x + first * length[2], phase.at, start, sums, width)
                for r in range(tile):
                    _put(w, at, phase, feature + r, first, last, sums + r * width)
                feature += tile


cdef inline void _find(const Windows* w, Py_ssize_t task, Where* at) noexcept nogil:
    cdef Py_ssize_t rest = task // w.blocks
    cdef int d
    at.first = task % w.blocks * w.block
    at.sample, at.group = rest // w.groups * w.samples, rest % w.groups
    at.samples = min(w.samples, w.batch - at.sample)
    for d in range(AXES):
        at.count[d] = w.count[d]
    at.count[w.axis] = min(w.block, w.count[w.axis] - at.first)


cdef inline const float* _of(const float* x, const Grid* g, Py_ssize_t group) noexcept nogil:
    return x + group * g.channels * g.channel_step


cdef void _results(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """Compute the result. Tasks: (samples, group, block)."""
    cdef Windows* w = <Windows*>context
    cdef Py_ssize_t task
    cdef Py_ssize_t width = (max(w.chunk, w.source.length[2]) + FL_WINDOW_SLACK) // 16 * 16 + 16
    cdef Where at
    cdef float* x = <float*>malloc((w.room + FL_WINDOW_SLACK + FL_WINDOW_ROWS * width) * sizeof(float))
    if x == NULL:
        w.failed = True
        return
    memset(x, 0, (w.room + FL_WINDOW_SLACK) * sizeof(float))
    for task in range(begin, end):
        _find(w, task, &at)
        if w.blocks > 1 and task > begin:
            memset(x, 0, w.room * sizeof(float))
        _gather(&w.source, _of(w.image, &w.source, at.group), &at, w.axis, x)
        _sums(w, &at, x, x + w.room + FL_WINDOW_SLACK)
    free(x)


cdef void _slopes(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """Compute weight gradients. Tasks: (part, group). Each part sums some samples and blocks into its own weights."""
    cdef Windows* w = <Windows*>context
    cdef Py_ssize_t part, group, first, one, n, all = (w.batch + w.samples - 1) // w.samples * w.blocks
    cdef Py_ssize_t row = w.slopes.length[0] * w.slopes.length[1] * w.slopes.length[2]
    cdef Where at
    cdef Grid g = w.slopes
    cdef bint filled = False
    cdef float* x = <float*>calloc(w.room + w.more + 2 * FL_WINDOW_SLACK, sizeof(float))
    cdef float* y
    if x == NULL:
        w.failed = True
        return
    y = x + w.room + FL_WINDOW_SLACK
    for part in range(begin // w.groups, (end - 1) // w.groups + 1):
        first = max(begin - part * w.groups, <Py_ssize_t>0)
        for one in range(all * part // w.parts, all * (part + 1) // w.parts):
            for group in range(first, min(end - part * w.groups, w.groups)):  # groups are consecutive in memory
                _find(w, (one // w.blocks * w.groups + group) * w.blocks + one % w.blocks, &at)
                if filled and (w.blocks > 1 or at.samples < w.samples):
                    memset(x, 0, (w.room + w.more + FL_WINDOW_SLACK) * sizeof(float))
                filled = True
                _gather(&w.source, _of(w.image, &w.source, group), &at, w.axis, x)
                g.bound[w.axis] = at.first + at.count[w.axis]  # positions of the next block stay 0
                _gather(&g, _of(w.given, &g, group), &at, w.axis, y)
                n = (at.samples - 1) * row + ((at.count[0] - 1) * w.slopes.length[1] + at.count[1] - 1) * \
                    w.slopes.length[2] + at.count[2]
                fl_window_products(w.slopes.channels, n, w.phase.taps, y, w.slopes.apart, x, w.phase.at,
                                   w.result + (part * w.groups + group) * w.weights, w.phase.taps)
    free(x)


cdef int _tile(Py_ssize_t left) noexcept nogil:
    """Return the number of features of the next tile, if `left` remain."""
    return fl_window_tile(left)


LOOPS = {"results": <size_t><void*>_results, "slopes": <size_t><void*>_slopes,
         "tile": <size_t><void*>_tile} if FL_HAS_WINDOWS else None
