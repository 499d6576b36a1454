"""Convolution with kernels of 3 × 3 by Winograd's products; see winograd.pyx."""

from flambeau_nn._kernels.convolved cimport Geometry

cdef enum:
    WIDEST = 128  # tiles in a row
    PRODUCTS = 16

cdef struct Tiled:  # single precision, of one group, in tiles of 2 × 2 of the result
    Py_ssize_t channels, features  # of the source, of the result
    Py_ssize_t height, width, rows, columns  # of planes of the source, of the result
    Py_ssize_t above, left  # zeros around the source
    Py_ssize_t tile_rows, tile_columns
    Py_ssize_t source_step, result_step  # from one sample to the next
    const float* source
    float* result  # in the gradient of the weights, what is known of it
    float* weight  # (features, channels, 3, 3), or where `flipped` (channels, features, 3, 3), taken backwards
    const float* bias  # or NULL
    bint flipped
    float* u  # (PRODUCTS, features, channels): weights transformed
    float* v  # (PRODUCTS, channels, tiles): the source, for tile rows `first` to `last`, counted through all samples
    float* m  # (PRODUCTS, features, tiles): the products
    Py_ssize_t first, last
    Py_ssize_t begin, end  # channels or features that a transform is asked for

ctypedef void (*tiled_t)(const Tiled* t) noexcept nogil

# Computes what `kind` says of the three where that is faster, and says whether it has.
cdef bint in_tiles(const Geometry* g, int kind, Py_ssize_t batch, Py_ssize_t groups, char* image, char* values,
                   char* weight, char* bias) except -1
