"""Convolution with 3 × 3 kernels by Winograd's algorithm; see winograd.pyx."""

from flambeau_nn._kernels.convolution_types cimport Geometry, Planes

cdef enum:
    TILE = 4  # rows and columns of a tile of the result
    PRODUCTS = 36  # elements of a transformed tile

cdef struct Tiled:  # single precision, one group
    Planes source, result  # for the gradient of the weights, without the unknown one
    Py_ssize_t above, left  # zeros around the source
    Py_ssize_t rows, columns  # rows of tiles in all samples; tiles in a row
    Py_ssize_t tile_rows  # of a sample
    # rows of tiles in a group; or, within a row, the number of segments and the tiles of each
    Py_ssize_t tall, segments, wide
    Py_ssize_t groups  # groups of tiles; a thread transforms and multiplies one at a time
    float* weight
    # strides of the weights between channels of result and source, and between taps
    Py_ssize_t of_result, of_source, tap
    bint flipped  # whether the weights are reversed
    const float* bias  # or NULL
    # (PRODUCTS, panels, source channels, panel) transformed weights; (PRODUCTS, panels, result channels, panel) sums
    float* u
    # the source, (PRODUCTS, tiles, channels); for the gradient of the weights (PRODUCTS, panels, tiles, panel)
    float* v
    float* m  # products, or the result's gradient, (PRODUCTS, tiles, channels)
    Py_ssize_t u_apart, v_apart, m_apart  # strides between the PRODUCTS
    Py_ssize_t first, last  # rows of tiles, for the gradient of the weights
    bint infinite  # an element of the result is not finite
    bint failed  # out of memory

ctypedef void (*tiled_t)(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil

# Computes image, values or weights, as `kind` says, if this way is faster; returns whether it did. `channels_last`: the
# memory format of image, values and gradients of weights.
cdef bint in_tiles(const Geometry* g, int kind, Py_ssize_t batch, Py_ssize_t groups, char* image, char* values,
                   char* weight, char* bias, bint channels_last=*) except -1
