# cython: language_level=3
"""Convolution with 3 × 3 kernels and stride 1, in single precision, by Winograd's algorithm.

Tiles of 4 × 4 results take 36 multiplications for each pair of channels instead of 144, and so does the gradient of the
weights.

A thread transforms a group of tiles, multiplies it in 36 products over the channels, and transforms it back, all in its
own part of the cache. For the gradient of the weights, whose products sum over the tiles, threads share the transforms
of some tiles first, and then the products. A result that is not finite is recomputed by the loops that sum directly, so
an infinity stays within the windows that contain it.
"""
from flambeau_nn._kernels.compute_dtype cimport memory
from flambeau_nn._kernels.convolution_types cimport IMAGE, WEIGHTS, Geometry, lay
from flambeau_nn._kernels.winograd cimport PRODUCTS, TILE, Tiled, tiled_t
from flambeau_tensor.abi cimport TENSOR_ABI
from flambeau_tensor.compute cimport COMPUTE_ABI, D_FLOAT32, num_threads, parallel_for

from flambeau_tensor.abi import require
from flambeau_tensor.compute import require as require_compute
from flambeau_tensor.extend import hot

require(TENSOR_ABI, "flambeau-nn")
require_compute(COMPUTE_ABI, "flambeau-nn")

cdef enum:
    CACHE = 1 << 17  # elements of a group of tiles and their products
    LEAST = 28  # minimum number of tiles in a group for which reading the weights pays
    WIDEST = 64  # maximum number of tiles in one row of a group
    BLOCK = 1 << 20  # elements of tiles that are transformed at a time for the gradient of the weights
    FEWEST = 24  # channels and features from which transforms are cheap compared with the products
    LINE = 16  # elements in a cache line

_table = hot("winograd", "flambeau_nn._kernels").LOOPS
cdef tiled_t _weights = <tiled_t><size_t>_table["weights"] if _table else NULL
cdef tiled_t _groups = <tiled_t><size_t>_table["groups"] if _table else NULL
cdef tiled_t _both = <tiled_t><size_t>_table["both"] if _table else NULL
cdef tiled_t _sums = <tiled_t><size_t>_table["sums"] if _table else NULL
cdef tiled_t _of_weights = <tiled_t><size_t>_table["of_weights"] if _table else NULL
cdef Py_ssize_t _lanes = _table["lanes"] if _table else 1


cdef bint in_tiles(const Geometry* g, int kind, Py_ssize_t batch, Py_ssize_t groups, char* image, char* values,
                   char* weight, char* bias, bint channels_last=False) except -1:
    cdef Tiled t
    cdef Py_ssize_t channel, _group
    if _weights == NULL or g.kernel[0] != 1 or g.kernel[1] != 3 or g.kernel[2] != 3 or g.stride[1] != 1 or \
            g.stride[2] != 1 or g.dilation[1] != 1 or g.dilation[2] != 1 or g.size[0] != 1 or g.count[0] != 1:
        return False
    t.weight, t.bias, t.flipped, t.infinite, t.failed = <float*>weight, <const float*>bias, kind == IMAGE, False, False
    channel, t.tap = 9, 1
    if channels_last and kind == WEIGHTS:
        channel, t.tap = 1, g.channels
    if kind == IMAGE:  # the same with reversed weights, over values with the remaining padding
        lay(&t.source, values, g.features, groups, g.count, channels_last)
        lay(&t.result, image, g.channels, groups, g.size, channels_last)
        t.above, t.left = 2 - g.padding[1], 2 - g.padding[2]
        t.of_source, t.of_result = 9 * g.channels, channel
    else:
        lay(&t.source, image, g.channels, groups, g.size, channels_last)
        lay(&t.result, values, g.features, groups, g.count, channels_last)
        t.above, t.left = g.padding[1], g.padding[2]
        t.of_result, t.of_source = 9 * g.channels, channel
    t.tile_rows, t.columns = (t.result.height + TILE - 1) // TILE, (t.result.width + TILE - 1) // TILE
    t.rows = batch * t.tile_rows
    if min(g.channels, g.features) < FEWEST or not (0 <= t.above <= 2 and 0 <= t.left <= 2) or \
            min(t.result.height, t.result.width) < TILE or t.rows * t.columns < 8:
        return False
    for _group in range(groups):
        if kind == WEIGHTS:
            _sum_weights(&t)
        else:
            _compute(&t)
        if t.failed:
            raise MemoryError()
        if t.infinite:
            return False
        t.source.at += t.source.channel * t.source.channels
        t.result.at += t.result.channel * t.result.channels
        t.weight += 9 * g.channels * g.features
        if bias != NULL:
            t.bias += t.result.channels
    return True


cdef inline Py_ssize_t _whole(Py_ssize_t channels, Py_ssize_t lanes) noexcept:
    return (channels + lanes - 1) // lanes * lanes


cdef inline Py_ssize_t _apart(Py_ssize_t numbers) noexcept:
    """Round up to an odd number of cache lines, so that the PRODUCTS arrays do not compete for the same lines."""
    return ((numbers + LINE - 1) // LINE | 1) * LINE


cdef int _compute(Tiled* t) except -1:
    """Compute the result, in groups of tiles."""
    cdef Py_ssize_t channels = _whole(t.source.channels, _lanes), features = _whole(t.result.channels, _lanes)
    cdef Py_ssize_t tiles = max(CACHE // (PRODUCTS * (channels + features)), <Py_ssize_t>LEAST), threads = num_threads()
    tiles = max(tiles, channels * features // (2 * (channels + features)))  # the weights are read for each group
    t.segments = (t.columns + WIDEST - 1) // WIDEST
    t.wide = (t.columns + t.segments - 1) // t.segments
    t.tall = 1
    if t.segments == 1:
        t.groups = max(t.rows * t.columns // tiles, <Py_ssize_t>1)
        if t.groups < 8 * threads:  # the same number for each thread
            t.groups = (t.groups + threads - 1) // threads * threads
        t.tall = max((t.rows + t.groups - 1) // t.groups, <Py_ssize_t>1)
    t.groups = (t.rows + t.tall - 1) // t.tall * t.segments
    t.v_apart, t.m_apart = _apart(t.tall * t.wide * channels), _apart(t.tall * t.wide * features)
    t.u_apart = _apart(_whole(t.result.channels, 2 * _lanes) * t.source.channels)
    _held = memory(D_FLOAT32, PRODUCTS * t.u_apart, <void**>&t.u)
    with nogil:
        parallel_for(features // _lanes, 1, _weights, t)
        parallel_for(t.groups, 1, _groups, t)
    return 0


cdef int _sum_weights(Tiled* t) except -1:
    """Compute the gradient of the weights."""
    cdef Py_ssize_t channels = _whole(t.source.channels, 2 * _lanes), features = _whole(t.result.channels, _lanes)
    cdef Py_ssize_t block = max(BLOCK // (PRODUCTS * (channels + features)), <Py_ssize_t>LEAST * num_threads())
    block = min(max(block // t.columns, <Py_ssize_t>1), t.rows)
    t.tall = max(<Py_ssize_t>LEAST // t.columns, <Py_ssize_t>1)
    t.v_apart, t.m_apart = _apart(block * t.columns * channels), _apart(block * t.columns * features)
    t.u_apart = _apart(channels * t.result.channels)
    _held = (memory(D_FLOAT32, PRODUCTS * t.u_apart, <void**>&t.u),
             memory(D_FLOAT32, PRODUCTS * t.v_apart, <void**>&t.v),
             memory(D_FLOAT32, PRODUCTS * t.m_apart, <void**>&t.m))
    with nogil:
        t.last = 0
        while t.last < t.rows and not t.failed:
            t.first, t.last = t.last, min(t.last + block, t.rows)
            parallel_for(t.last - t.first, 1, _both, t)
            parallel_for(PRODUCTS * channels // (2 * _lanes), 1, _sums, t)
        parallel_for(t.result.channels, 1, _of_weights, t)
    return 0
