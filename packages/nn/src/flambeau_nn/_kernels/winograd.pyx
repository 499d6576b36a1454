# cython: language_level=3
"""Convolution with kernels of 3 × 3, one apart, in single precision, by Winograd's products: tiles of 2 × 2 of the
result take 16 multiplications for each pair of channels in place of 36, and so does the gradient of the weights.

Some rows of tiles at a time are transformed, multiplied in 16 products over the channels (or, for the weights, over the
tiles), and transformed back. Threads share the channels of a transform, and the products. Rounding is that of
direct sums, but for a factor below 4.
"""
from flambeau_nn._kernels.convolved cimport IMAGE, WEIGHTS, Geometry
from flambeau_nn._kernels.winograd cimport PRODUCTS, WIDEST, Tiled, tiled_t
from flambeau_tensor.abi cimport TENSOR_ABI
from flambeau_tensor.compute cimport (
    COMPUTE_ABI, D_FLOAT32, Array, Product, fresh, hold_blas, multiply_here, parallel_for, release_blas,
)

from flambeau_tensor.abi import require
from flambeau_tensor.compute import require as require_compute
from flambeau_tensor.extend import hot

require(TENSOR_ABI, "flambeau-nn")
require_compute(COMPUTE_ABI, "flambeau-nn")

cdef enum:
    CACHE = 1 << 20  # bytes of tiles and their products
    TILES = 128  # that a block has at least, so that products are worth reading the weights
    FEWEST = 24  # channels and features for which transforms are cheap beside the products
    SHARE = 8  # channels

_table = hot("winograd", "flambeau_nn._kernels").LOOPS
cdef tiled_t _weights = <tiled_t><size_t>_table["weights"]
cdef tiled_t _source = <tiled_t><size_t>_table["source"]
cdef tiled_t _result = <tiled_t><size_t>_table["result"]
cdef tiled_t _gradient = <tiled_t><size_t>_table["gradient"]
cdef tiled_t _of_weights = <tiled_t><size_t>_table["of_weights"]

cdef struct _Share:
    Tiled t
    tiled_t transform
    bint of_weights
    float* more  # of a block: its part of the sums `u`


cdef bint in_tiles(const Geometry* g, int kind, Py_ssize_t batch, Py_ssize_t groups, char* image, char* values,
                   char* weight, char* bias) except -1:
    cdef Tiled t
    if g.kernel[0] != 1 or g.kernel[1] != 3 or g.kernel[2] != 3 or g.stride[1] != 1 or g.stride[2] != 1 or \
            g.dilation[1] != 1 or g.dilation[2] != 1 or g.size[0] != 1 or g.count[0] != 1:
        return False
    t.weight, t.bias, t.flipped = <float*>weight, <const float*>bias, kind == IMAGE
    if kind == IMAGE:  # the same with the weights backwards, over values with what is left of the padding
        t.channels, t.features, t.source, t.result = g.features, g.channels, <const float*>values, <float*>image
        t.height, t.width, t.rows, t.columns = g.count[1], g.count[2], g.size[1], g.size[2]
        t.above, t.left = 2 - g.padding[1], 2 - g.padding[2]
    else:
        t.channels, t.features, t.source, t.result = g.channels, g.features, <const float*>image, <float*>values
        t.height, t.width, t.rows, t.columns = g.size[1], g.size[2], g.count[1], g.count[2]
        t.above, t.left = g.padding[1], g.padding[2]
    if min(t.channels, t.features) < FEWEST or t.columns < 4 or t.columns > 2 * WIDEST or \
            batch * t.rows * t.columns < 64 or not (0 <= t.above <= 2 and 0 <= t.left <= 2):
        return False
    t.source_step = groups * t.channels * t.height * t.width
    t.result_step = groups * t.features * t.rows * t.columns
    t.tile_rows, t.tile_columns = (t.rows + 1) // 2, (t.columns + 1) // 2
    _compute(&t, batch, groups, kind == WEIGHTS)
    return True


cdef void _transform(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef _Share* s = <_Share*>context
    cdef Tiled t = s.t
    t.begin, t.end = begin, end
    s.transform(&t)


cdef inline void _transformed(_Share* s, tiled_t transform, Py_ssize_t channels) noexcept nogil:
    s.transform = transform
    parallel_for(channels, SHARE, _transform, s)


cdef void _multiply(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """Products `begin` to `end`: m = u @ v; or of the weights u = m @ v', added to those of the blocks before."""
    cdef _Share* s = <_Share*>context
    cdef Tiled* t = &s.t
    cdef Py_ssize_t k, i, tiles = (t.last - t.first) * t.tile_columns
    cdef char* u
    cdef char* m
    cdef Product p
    p.dtype, p.add, p.m, p.count, p.a_step, p.b_step, p.c_step = D_FLOAT32, False, t.features, 1, 0, 0, 0
    for k in range(begin, end):
        u = <char*>(t.u + k * t.features * t.channels)
        m = <char*>(t.m + k * t.features * tiles)
        p.b = <const char*>(t.v + k * t.channels * tiles)
        if s.of_weights:
            p.n, p.k, p.a, p.c = t.channels, tiles, m, u
            p.a_row, p.a_col, p.b_row, p.b_col, p.c_row = tiles, 1, 1, tiles, t.channels
            if t.first > 0:
                p.c = <char*>(s.more + k * t.features * t.channels)
        else:
            p.n, p.k, p.a, p.c = tiles, t.channels, u, m
            p.a_row, p.a_col, p.b_row, p.b_col, p.c_row = t.channels, 1, tiles, 1, tiles
        multiply_here(&p)
        if p.c != u and p.c != m:
            for i in range(t.features * t.channels):
                (<float*>u)[i] += (<float*>p.c)[i]


cdef object _memory(float** out, Py_ssize_t numbers):
    cdef Array a
    held = fresh(D_FLOAT32, 1, &numbers, &a)
    out[0] = <float*>a.data
    return held


cdef int _compute(const Tiled* sizes, Py_ssize_t batch, Py_ssize_t groups, bint of_weights) except -1:
    """The result, or the gradient of the weights."""
    cdef _Share s
    cdef Tiled* t = &s.t
    cdef Py_ssize_t rows, block, _group
    s.t, s.of_weights = sizes[0], of_weights
    rows = batch * t.tile_rows
    block = CACHE // (PRODUCTS * <Py_ssize_t>sizeof(float) * (t.channels + t.features))
    block = min(rows, max(block, <Py_ssize_t>TILES) // t.tile_columns + 1)
    _held = (_memory(&t.u, PRODUCTS * t.features * t.channels),
             _memory(&t.v, PRODUCTS * t.channels * block * t.tile_columns),
             _memory(&t.m, PRODUCTS * t.features * block * t.tile_columns),
             _memory(&s.more, PRODUCTS * t.features * t.channels if of_weights and rows > block else 0))
    hold_blas()
    with nogil:
        for _group in range(groups):
            if not of_weights:
                _transformed(&s, _weights, t.features)
            t.last = 0
            while t.last < rows:
                t.first, t.last = t.last, min(t.last + block, rows)
                _transformed(&s, _source, t.channels)
                if of_weights:
                    _transformed(&s, _gradient, t.features)
                parallel_for(PRODUCTS, 1, _multiply, &s)
                if not of_weights:
                    _transformed(&s, _result, t.features)
            if of_weights:
                _transformed(&s, _of_weights, t.features)
            t.source += t.channels * t.height * t.width
            t.result += t.features * t.rows * t.columns
            t.weight += t.features * t.channels * 9
            if t.bias != NULL:
                t.bias += t.features
    release_blas()
    return 0
