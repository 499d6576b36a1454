"""Convolution with kernels of 3 × 3 by Winograd's products; see winograd.pyx."""

from flambeau_nn._kernels.convolution_types cimport Geometry, Planes

cdef enum:
    TILE = 4  # rows and columns of a tile of the result
    PRODUCTS = 36  # numbers of a tile that is transformed

cdef struct Tiled:  # single precision, of one group
    Planes source, result  # in the gradient of the weights, what is known of it
    Py_ssize_t above, left  # zeros around the source
    Py_ssize_t rows, columns  # of tiles, through all samples; in a row
    Py_ssize_t tile_rows  # of a sample
    Py_ssize_t tall, segments, wide  # rows of tiles in a group; or, of one row, segments and the tiles of each
    Py_ssize_t groups  # of tiles, that a thread transforms and multiplies at a time
    float* weight
    Py_ssize_t of_result, of_source, tap  # steps in the weights from a channel of these, from a tap
    bint flipped  # the weights are taken backwards
    const float* bias  # or NULL
    # (PRODUCTS, panels, source channels, panel) transformed weights; (PRODUCTS, panels, result channels, panel) sums
    float* u
    float* v  # the source, (PRODUCTS, tiles, channels); in the gradient of the weights (PRODUCTS, panels, tiles, panel)
    float* m  # products, or the result's gradient, (PRODUCTS, tiles, channels)
    Py_ssize_t u_apart, v_apart, m_apart  # from one of the PRODUCTS to the next
    Py_ssize_t first, last  # rows of tiles, in the gradient of the weights
    bint infinite  # a number of the result is not finite
    bint failed  # no memory

ctypedef void (*tiled_t)(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil

# Computes what `kind` says of the three where that is faster, and says whether it has. `channels_last`: the channels of
# image and values lie beside each other, and those of a gradient of weights.
cdef bint in_tiles(const Geometry* g, int kind, Py_ssize_t batch, Py_ssize_t groups, char* image, char* values,
                   char* weight, char* bias, bint channels_last=*) except -1
