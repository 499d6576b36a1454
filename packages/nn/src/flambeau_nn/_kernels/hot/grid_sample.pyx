# cython: language_level=3
"""Grid sampling.

``LOOPS`` holds the loops (see grid_sample_types.pxd): they compute the elements and weights that contribute to a block
of locations, and then iterate over the channels.
"""
from libc cimport math
from libc.string cimport memset

from flambeau_nn._kernels.grid_sample_types cimport AXES, BILINEAR, BLOCK, NEAREST, REFLECTION, TAPS, ZEROS, Sampled

ctypedef fused real_t:
    float
    double


# --- weights --------------------------------------------------------------------------------------------------------

cdef enum:
    EACH = 4  # maximum number of elements along an axis that contribute to a sample


cdef inline real_t _floor(real_t x) noexcept nogil:
    return math.floorf(x) if real_t is float else math.floor(x)


cdef inline real_t _reflected(real_t x, real_t low, real_t span, real_t* slope) noexcept nogil:
    """Reflect a coordinate at the ends of an axis until it is inside."""
    cdef real_t turns, rest
    cdef bint back
    if span == 0:
        return 0
    x -= low
    slope[0] = <real_t>-1 if x < 0 else <real_t>1
    x = -x if x < 0 else x
    turns = _floor[real_t](x / span)
    rest = x - turns * span
    back = turns - 2 * _floor[real_t](turns / 2) != 0
    slope[0] = -slope[0] if back else slope[0]
    return span - rest + low if back else rest + low


cdef void _move_inside(real_t* x, real_t* slopes, Py_ssize_t m, Py_ssize_t n, const Sampled* s) noexcept nogil:
    """Apply the padding mode to coordinates, and multiply `slopes` by the derivatives."""
    cdef real_t low = <real_t>0 if s.align_corners else <real_t>-0.5, span = <real_t>(n - 1 if s.align_corners else n)
    cdef real_t last = <real_t>(n - 1), v, slope = 1
    cdef bint reflects = s.padding == REFLECTION
    cdef Py_ssize_t p
    if s.padding == ZEROS:
        return
    for p in range(m):
        v = _reflected[real_t](x[p], low, span, &slope) if reflects else x[p]
        slopes[p] *= slope if v > 0 and v < last else 0
        v = v if v < last else last if v >= last else 0
        x[p] = v if v > 0 else 0


cdef inline real_t _inner(real_t t) noexcept nogil:
    """Evaluate the cubic convolution kernel (Keys, 1981), sharpness -0.75, at distances up to 1 from its center."""
    return (<real_t>1.25 * t - <real_t>2.25) * t * t + 1


cdef inline real_t _outer(real_t t) noexcept nogil:
    """Evaluate it at distances between 1 and 2."""
    return ((<real_t>-0.75 * t + <real_t>3.75) * t - 6) * t + 3


cdef inline real_t _inner_slope(real_t t) noexcept nogil:
    return (<real_t>3.75 * t - <real_t>4.5) * t


cdef inline real_t _outer_slope(real_t t) noexcept nogil:
    return (<real_t>-2.25 * t + <real_t>7.5) * t - 6


cdef int _along(const Sampled* s, Py_ssize_t n, const real_t* grid, Py_ssize_t m, real_t* at, real_t* w,
                real_t* dw) noexcept nogil:
    """Compute the elements of an axis that contribute at `m` coordinates between -1 and 1, with their weights.

    Also compute the derivatives of the weights. Each element has a row of BLOCK entries. Return the number of elements.
    """
    cdef real_t[BLOCK] x
    cdef real_t[BLOCK] slopes
    cdef real_t[BLOCK] unused
    cdef real_t factor = <real_t>n / 2, last = <real_t>(n - 1), size = <real_t>n, t
    cdef Py_ssize_t p, i, dims = s.dims
    if s.align_corners:
        factor = last / 2
        for p in range(m):
            x[p] = (grid[p * dims] + 1) / 2 * last
    else:
        for p in range(m):
            x[p] = ((grid[p * dims] + 1) * size - 1) / 2
    for p in range(m):
        slopes[p] = factor
    if s.mode == NEAREST or s.mode == BILINEAR:
        _move_inside[real_t](x, slopes, m, n, s)
    if s.mode == NEAREST:
        for p in range(m):
            at[p], w[p], dw[p] = math.rintf(x[p]) if real_t is float else math.rint(x[p]), 1, 0
        return 1
    if s.mode == BILINEAR:
        for p in range(m):
            at[p] = _floor[real_t](x[p])
            t = x[p] - at[p]
            at[BLOCK + p] = at[p] + 1
            w[p], w[BLOCK + p] = 1 - t, t
            dw[p], dw[BLOCK + p] = -slopes[p], slopes[p]
        return 2
    for p in range(m):
        at[BLOCK + p] = _floor[real_t](x[p])
        t = x[p] - at[BLOCK + p]
        at[p], at[2 * BLOCK + p], at[3 * BLOCK + p] = at[BLOCK + p] - 1, at[BLOCK + p] + 1, at[BLOCK + p] + 2
        w[p], w[BLOCK + p] = _outer[real_t](t + 1), _inner[real_t](t)
        w[2 * BLOCK + p], w[3 * BLOCK + p] = _inner[real_t](1 - t), _outer[real_t](2 - t)
        dw[p], dw[BLOCK + p] = _outer_slope[real_t](t + 1) * factor, _inner_slope[real_t](t) * factor
        dw[2 * BLOCK + p] = -_inner_slope[real_t](1 - t) * factor
        dw[3 * BLOCK + p] = -_outer_slope[real_t](2 - t) * factor
    for i in range(EACH):
        for p in range(m):
            unused[p] = 0
        _move_inside[real_t](at + i * BLOCK, unused, m, n, s)
    return EACH


cdef int _find(const Sampled* s, const real_t* grid, Py_ssize_t m, int* place, real_t* weight,
               real_t* slopes) noexcept nogil:
    """Compute elements (-1: outside) and weights for `m` locations, one row of BLOCK for each tap.

    Return the number of taps. `slopes`: derivatives of the weights with respect to the coordinates of each axis, or
    NULL.
    """
    cdef real_t[AXES * EACH * BLOCK] at
    cdef real_t[AXES * EACH * BLOCK] w
    cdef real_t[AXES * EACH * BLOCK] dw
    cdef int d, j, tap, each = 1, taps = 1, rest, n
    cdef int[AXES] which
    cdef Py_ssize_t p
    cdef real_t size
    cdef const real_t* row
    cdef const real_t* other
    cdef real_t* out
    for d in range(s.dims):
        j = d * EACH * BLOCK
        each = _along[real_t](s, s.size[d], grid + s.dims - 1 - d, m, at + j, w + j, dw + j)
        taps *= each
    for tap in range(taps):
        rest = tap
        for d in range(s.dims - 1, -1, -1):
            which[d] = (d * EACH + rest % each) * BLOCK
            rest //= each
        for d in range(s.dims):
            row, other, n, size = at + which[d], w + which[d], <int>s.size[d], <real_t>s.size[d]
            if d == 0:
                for p in range(m):
                    place[p] = <int>row[p] if row[p] >= 0 and row[p] < size else -1
                    weight[p] = other[p]
            else:
                for p in range(m):
                    place[p] = place[p] * n + <int>row[p] if row[p] >= 0 and row[p] < size and place[p] >= 0 else -1
                    weight[p] *= other[p]
        for d in range(s.dims if slopes != NULL else 0):
            out, row = slopes + (d * TAPS + tap) * BLOCK, dw + which[d]
            for p in range(m):
                out[p] = row[p]
            for j in range(s.dims):
                if j != d:
                    row = w + which[j]
                    for p in range(m):
                        out[p] *= row[p]
        place += BLOCK
        weight += BLOCK
    return taps


# --- loops ----------------------------------------------------------------------------------------------------------

cdef inline real_t _seen(const real_t* x, int place) noexcept nogil:
    cdef real_t v = x[place if place >= 0 else 0]
    return v if place >= 0 else 0


cdef void _forward(const Sampled* s, Py_ssize_t begin, Py_ssize_t end, real_t* tag) noexcept nogil:
    """Sample the blocks `begin` to `end`."""
    cdef int[TAPS * BLOCK] place
    cdef real_t[TAPS * BLOCK] weight
    cdef Py_ssize_t b, n, first, m, c, p
    cdef int k, taps
    cdef const real_t* x
    cdef const int* at
    cdef const real_t* w
    cdef real_t* y
    cdef real_t total
    for b in range(begin, end):
        n, first = b // s.blocks, b % s.blocks * BLOCK
        m = min(<Py_ssize_t>BLOCK, s.places - first)
        taps = _find[real_t](s, <const real_t*>s.grid + (n * s.places + first) * s.dims, m, place, weight, NULL)
        for c in range(s.channels):
            x = <const real_t*>s.x + (n * s.channels + c) * s.plane
            y = <real_t*>s.y + (n * s.channels + c) * s.places + first
            if taps == 1:
                for p in range(m):
                    y[p] = _seen[real_t](x, place[p])
                continue
            k = 0
            while k < taps:  # 4, 8 or 16
                at, w = place + k * BLOCK, weight + k * BLOCK
                for p in range(m):
                    total = 0 if k == 0 else y[p]
                    total += _seen[real_t](x, at[p]) * w[p]
                    total += _seen[real_t](x, at[BLOCK + p]) * w[BLOCK + p]
                    total += _seen[real_t](x, at[2 * BLOCK + p]) * w[2 * BLOCK + p]
                    total += _seen[real_t](x, at[3 * BLOCK + p]) * w[3 * BLOCK + p]
                    y[p] = total
                k += 4


cdef void _backward(const Sampled* s, Py_ssize_t begin, Py_ssize_t end, real_t* tag) noexcept nogil:
    """Compute the gradients of the samples `begin` to `end`."""
    cdef int[TAPS * BLOCK] place
    cdef real_t[TAPS * BLOCK] weight
    cdef real_t[AXES * TAPS * BLOCK] slopes
    cdef real_t[AXES * BLOCK] sums
    cdef Py_ssize_t n, first, m, c, p
    cdef int k, d, taps
    cdef bint of_grid = s.grid_grad != NULL
    cdef const real_t* x
    cdef const real_t* g
    cdef const int* at
    cdef const real_t* w
    cdef real_t* gx
    cdef real_t* out
    for n in range(begin, end):
        if s.x_grad != NULL:
            memset(<real_t*>s.x_grad + n * s.channels * s.plane, 0, s.channels * s.plane * sizeof(real_t))
        first = 0
        while first < s.places:
            m = min(<Py_ssize_t>BLOCK, s.places - first)
            taps = _find[real_t](s, <const real_t*>s.grid + (n * s.places + first) * s.dims, m, place, weight,
                                 slopes if of_grid else NULL)
            if of_grid:
                memset(sums, 0, sizeof(sums))
            for c in range(s.channels):
                g = <const real_t*>s.grad + (n * s.channels + c) * s.places + first
                if s.x_grad != NULL:
                    gx = <real_t*>s.x_grad + (n * s.channels + c) * s.plane
                    for k in range(taps):
                        at, w = place + k * BLOCK, weight + k * BLOCK
                        for p in range(m):
                            if at[p] >= 0:
                                gx[at[p]] += w[p] * g[p]
                if of_grid and s.mode != NEAREST:
                    x = <const real_t*>s.x + (n * s.channels + c) * s.plane
                    for k in range(taps):
                        at = place + k * BLOCK
                        _add_slopes[real_t](x, g, at, slopes + k * BLOCK, sums, m, s.dims)
            if of_grid:
                out = <real_t*>s.grid_grad + (n * s.places + first) * s.dims
                for d in range(s.dims):
                    for p in range(m):
                        out[p * s.dims + s.dims - 1 - d] = sums[d * BLOCK + p]
            first += m


cdef inline void _add_slopes(const real_t* x, const real_t* g, const int* at, const real_t* slopes, real_t* sums,
                             Py_ssize_t m, int dims) noexcept nogil:
    """Add the contribution of one tap of one channel to the gradients of the coordinates."""
    cdef Py_ssize_t p
    cdef real_t v
    for p in range(m):
        v = _seen[real_t](x, at[p]) * g[p]
        sums[p] += v * slopes[p]
        sums[BLOCK + p] += v * slopes[TAPS * BLOCK + p]
        if dims == 3:
            sums[2 * BLOCK + p] += v * slopes[2 * TAPS * BLOCK + p]


cdef void _forward_float(void* s, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    _forward[float](<const Sampled*>s, begin, end, NULL)


cdef void _forward_double(void* s, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    _forward[double](<const Sampled*>s, begin, end, NULL)


cdef void _backward_float(void* s, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    _backward[float](<const Sampled*>s, begin, end, NULL)


cdef void _backward_double(void* s, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    _backward[double](<const Sampled*>s, begin, end, NULL)


LOOPS = {
    "forward": {"float32": <size_t>&_forward_float, "float64": <size_t>&_forward_double},
    "backward": {"float32": <size_t>&_backward_float, "float64": <size_t>&_backward_double},
}
