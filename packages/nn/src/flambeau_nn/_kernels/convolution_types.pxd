"""Types shared by the loops of convolution and their callers.

A convolution relates an *image* to *values*: the value of a feature at a position is a weighted sum over a window of
the image. The input is the image and the result the values, or the reverse if the convolution is transposed.
"""

cdef enum:
    AXES = 3  # if there are fewer, leading axes have size 1

cdef enum:  # what is computed
    VALUES = 0
    IMAGE = 1
    WEIGHTS = 2

cdef struct Geometry:
    Py_ssize_t channels, features  # of the image and of the values, in one group
    Py_ssize_t[AXES] size  # of the image
    Py_ssize_t[AXES] count  # positions
    Py_ssize_t[AXES] kernel
    Py_ssize_t[AXES] stride
    Py_ssize_t[AXES] padding
    Py_ssize_t[AXES] dilation
    Py_ssize_t plane, positions, taps, rows  # products of size, count and kernel; rows = channels * taps

cdef inline void measure(Geometry* g) noexcept:
    """Compute the products."""
    cdef int d
    g.plane, g.positions, g.taps = 1, 1, 1
    for d in range(AXES):
        g.plane *= g.size[d]
        g.positions *= g.count[d]
        g.taps *= g.kernel[d]
    g.rows = g.channels * g.taps

cdef struct Piece:  # a part of the work, on one group and one sample, or on `samples`
    char* image  # (channels, plane)
    char* values  # (features, positions)
    char* weight  # (features, channels, taps)
    # image elements of positions `begin` to `end` for the weights of rows `first` to `last`, with row stride `width`
    char* columns
    Py_ssize_t begin, end, first, last, width
    Py_ssize_t samples, image_step, values_step  # strides between samples

ctypedef void (*convolved_t)(const Geometry* g, const Piece* p) noexcept nogil

cdef struct Planes:  # of one group, in single precision
    float* at
    Py_ssize_t channels, height, width
    Py_ssize_t sample, channel, pixel  # strides

cdef inline void lay(Planes* p, char* at, Py_ssize_t channels, Py_ssize_t groups, const Py_ssize_t* size,
                     bint channels_last) noexcept:
    """Describe the first group; `channels_last`: the memory format."""
    p.at, p.channels, p.height, p.width = <float*>at, channels, size[1], size[2]
    p.sample = groups * channels * size[1] * size[2]
    p.channel, p.pixel = size[1] * size[2], 1
    if channels_last:
        p.channel, p.pixel = 1, groups * channels
