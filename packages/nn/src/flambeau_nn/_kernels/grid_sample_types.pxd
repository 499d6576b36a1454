"""Types shared by the loops of grid sampling and their callers; see grid_sample.pyx."""

cdef enum:
    AXES = 3
    TAPS = 16  # maximum number of elements that a sample is a sum of
    BLOCK = 128  # locations that are processed together

cdef enum:  # modes
    BILINEAR = 0
    NEAREST = 1
    BICUBIC = 2

cdef enum:  # padding modes
    ZEROS = 0
    BORDER = 1
    REFLECTION = 2

cdef struct Sampled:
    int dims, mode, padding
    bint align_corners
    Py_ssize_t channels, places, blocks, plane  # of one sample of the batch; elements of a plane
    Py_ssize_t[AXES] size
    const void* x  # (samples, channels, *size)
    const void* grid  # (samples, places, dims), the last axis first
    void* y  # (samples, channels, places)
    const void* grad  # (samples, channels, places)
    void* x_grad  # or NULL
    void* grid_grad  # or NULL

# Forward on blocks of locations, backward on samples.
ctypedef void (*sampled_t)(void* sampled, Py_ssize_t begin, Py_ssize_t end) noexcept nogil
