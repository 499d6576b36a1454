# cython: language_level=3
"""Transforms of Winograd's convolution F(2 × 2, 3 × 3) (Lavin and Gray, 2016). ``LOOPS`` holds them (see winograd.pxd).

With tiles d of 4 × 4 of the source, 2 apart, and weights g, the result is A'[(G g G') ∘ (B' d B)]A.
"""
from libc.string cimport memcpy, memset

from flambeau_nn._kernels.winograd cimport PRODUCTS, WIDEST, Tiled


cdef enum:
    CHANNELS = 64  # at a time: products lie far apart, often at distances that share their place in the cache


cdef void _weights(const Tiled* t) noexcept nogil:
    """G g G', with G = (1 0 0; ½ ½ ½; ½ -½ ½; 0 0 1)."""
    cdef Py_ssize_t f, c, i, n, first, step = t.features * t.channels
    cdef const float* g
    cdef float[9] w
    cdef float[12] h
    cdef float[PRODUCTS][CHANNELS] u
    for f in range(t.begin, t.end):
        first = 0
        while first < t.channels:
            n = min(t.channels - first, <Py_ssize_t>CHANNELS)
            for c in range(n):
                if t.flipped:
                    g = t.weight + ((first + c) * t.features + f) * 9
                    for i in range(9):
                        w[i] = g[8 - i]
                else:
                    g = t.weight + (f * t.channels + first + c) * 9
                    for i in range(9):
                        w[i] = g[i]
                for i in range(3):
                    h[i] = w[i]
                    h[3 + i] = (w[i] + w[3 + i] + w[6 + i]) * <float>0.5
                    h[6 + i] = (w[i] - w[3 + i] + w[6 + i]) * <float>0.5
                    h[9 + i] = w[6 + i]
                for i in range(4):
                    u[4 * i][c] = h[3 * i]
                    u[4 * i + 1][c] = (h[3 * i] + h[3 * i + 1] + h[3 * i + 2]) * <float>0.5
                    u[4 * i + 2][c] = (h[3 * i] - h[3 * i + 1] + h[3 * i + 2]) * <float>0.5
                    u[4 * i + 3][c] = h[3 * i + 2]
            for i in range(PRODUCTS):
                memcpy(t.u + i * step + f * t.channels + first, &u[i][0], n * sizeof(float))
            first += n


cdef inline void _row(const Tiled* t, const float* plane, Py_ssize_t y, float* out, Py_ssize_t n) noexcept nogil:
    """Row y of a plane with zeros around it, n numbers."""
    cdef Py_ssize_t last = min(n, t.left + t.width)
    if y < 0 or y >= t.height:
        memset(out, 0, n * sizeof(float))
        return
    memset(out, 0, t.left * sizeof(float))
    memcpy(out + t.left, plane + y * t.width, (last - t.left) * sizeof(float))
    memset(out + last, 0, (n - last) * sizeof(float))


cdef void _source(const Tiled* t) noexcept nogil:
    """B' d B, with B' = (1 0 -1 0; 0 1 1 0; 0 -1 1 0; 0 1 0 -1)."""
    cdef float[4][2 * WIDEST + 2] d
    cdef float[4][2 * WIDEST + 2] e
    cdef Py_ssize_t c, row, i, q, y, n = 2 * t.tile_columns + 2, tiles = t.tile_columns
    cdef Py_ssize_t all = (t.last - t.first) * tiles, step = t.channels * all
    cdef const float* plane
    cdef float* v
    for c in range(t.begin, t.end):
        for row in range(t.first, t.last):
            plane = t.source + row // t.tile_rows * t.source_step + c * t.height * t.width
            y = 2 * (row % t.tile_rows) - t.above
            for i in range(4):
                _row(t, plane, y + i, &d[i][0], n)
            for q in range(n):
                e[0][q] = d[0][q] - d[2][q]
                e[1][q] = d[1][q] + d[2][q]
                e[2][q] = d[2][q] - d[1][q]
                e[3][q] = d[1][q] - d[3][q]
            v = t.v + c * all + (row - t.first) * tiles
            for i in range(4):
                for q in range(tiles):
                    v[q] = e[i][2 * q] - e[i][2 * q + 2]
                v += step
                for q in range(tiles):
                    v[q] = e[i][2 * q + 1] + e[i][2 * q + 2]
                v += step
                for q in range(tiles):
                    v[q] = e[i][2 * q + 2] - e[i][2 * q + 1]
                v += step
                for q in range(tiles):
                    v[q] = e[i][2 * q + 1] - e[i][2 * q + 3]
                v += step


cdef void _result(const Tiled* t) noexcept nogil:
    """A' m A, with A' = (1 1 1 0; 0 1 -1 -1)."""
    cdef float[4][WIDEST] s0
    cdef float[4][WIDEST] s1
    cdef float[2 * WIDEST] out
    cdef Py_ssize_t f, row, j, q, y, tiles = t.tile_columns
    cdef Py_ssize_t all = (t.last - t.first) * tiles, step = t.features * all
    cdef const float* m0
    cdef const float* m1
    cdef const float* m2
    cdef const float* m3
    cdef float* plane
    cdef float b = 0
    for f in range(t.begin, t.end):
        if t.bias != NULL:
            b = t.bias[f]
        for row in range(t.first, t.last):
            plane = t.result + row // t.tile_rows * t.result_step + f * t.rows * t.columns
            y = 2 * (row % t.tile_rows)
            m0 = t.m + f * all + (row - t.first) * tiles
            for j in range(4):
                m1, m2, m3 = m0 + 4 * step, m0 + 8 * step, m0 + 12 * step
                for q in range(tiles):
                    s0[j][q] = m0[q] + m1[q] + m2[q]
                    s1[j][q] = m1[q] - m2[q] - m3[q]
                m0 += step
            for q in range(tiles):
                out[2 * q] = s0[0][q] + s0[1][q] + s0[2][q] + b
                out[2 * q + 1] = s0[1][q] - s0[2][q] - s0[3][q] + b
            memcpy(plane + y * t.columns, &out[0], t.columns * sizeof(float))
            if y + 1 < t.rows:
                for q in range(tiles):
                    out[2 * q] = s1[0][q] + s1[1][q] + s1[2][q] + b
                    out[2 * q + 1] = s1[1][q] - s1[2][q] - s1[3][q] + b
                memcpy(plane + (y + 1) * t.columns, &out[0], t.columns * sizeof(float))


# --- the gradient of the weights: G' [Σ (A y A') ∘ (B' d B)] G, with y the tiles of the result's gradient -----------

cdef void _gradient(const Tiled* t) noexcept nogil:
    """A y A'."""
    cdef float[2][2 * WIDEST] y
    cdef float[4][2 * WIDEST] e
    cdef Py_ssize_t f, row, i, q, at, n = 2 * t.tile_columns, tiles = t.tile_columns
    cdef Py_ssize_t all = (t.last - t.first) * tiles, step = t.features * all
    cdef const float* plane
    cdef float* m
    for f in range(t.begin, t.end):
        for row in range(t.first, t.last):
            plane = t.result + row // t.tile_rows * t.result_step + f * t.rows * t.columns
            for i in range(2):
                at = 2 * (row % t.tile_rows) + i
                if at < t.rows:
                    memcpy(&y[i][0], plane + at * t.columns, t.columns * sizeof(float))
                    y[i][n - 1] = y[i][n - 1] if t.columns == n else 0
                else:
                    memset(&y[i][0], 0, n * sizeof(float))
            for q in range(n):
                e[0][q] = y[0][q]
                e[1][q] = y[0][q] + y[1][q]
                e[2][q] = y[0][q] - y[1][q]
                e[3][q] = -y[1][q]
            m = t.m + f * all + (row - t.first) * tiles
            for i in range(4):
                for q in range(tiles):
                    m[q] = e[i][2 * q]
                m += step
                for q in range(tiles):
                    m[q] = e[i][2 * q] + e[i][2 * q + 1]
                m += step
                for q in range(tiles):
                    m[q] = e[i][2 * q] - e[i][2 * q + 1]
                m += step
                for q in range(tiles):
                    m[q] = -e[i][2 * q + 1]
                m += step


cdef void _of_weights(const Tiled* t) noexcept nogil:
    """G' u G."""
    cdef Py_ssize_t f, c, i, j, n, first, step = t.features * t.channels
    cdef float[PRODUCTS][CHANNELS] u
    cdef float[12] h
    cdef float* w
    for f in range(t.begin, t.end):
        first = 0
        while first < t.channels:
            n = min(t.channels - first, <Py_ssize_t>CHANNELS)
            for i in range(PRODUCTS):
                memcpy(&u[i][0], t.u + i * step + f * t.channels + first, n * sizeof(float))
            for c in range(n):
                for j in range(4):
                    h[j] = u[j][c] + (u[4 + j][c] + u[8 + j][c]) * <float>0.5
                    h[4 + j] = (u[4 + j][c] - u[8 + j][c]) * <float>0.5
                    h[8 + j] = (u[4 + j][c] + u[8 + j][c]) * <float>0.5 + u[12 + j][c]
                w = t.weight + (f * t.channels + first + c) * 9
                for i in range(3):
                    w[3 * i] = h[4 * i] + (h[4 * i + 1] + h[4 * i + 2]) * <float>0.5
                    w[3 * i + 1] = (h[4 * i + 1] - h[4 * i + 2]) * <float>0.5
                    w[3 * i + 2] = (h[4 * i + 1] + h[4 * i + 2]) * <float>0.5 + h[4 * i + 3]
            first += n


LOOPS = {"weights": <size_t><void*>_weights, "source": <size_t><void*>_source, "result": <size_t><void*>_result,
         "gradient": <size_t><void*>_gradient, "of_weights": <size_t><void*>_of_weights}
