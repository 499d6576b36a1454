"""What the loops of sampling at places and their callers share; see grid_sample.pyx."""

cdef enum:
    AXES = 3
    TAPS = 16  # elements that a sample is a sum of, at most
    BLOCK = 128  # places that are worked on together

cdef enum:  # modes
    BILINEAR = 0
    NEAREST = 1
    BICUBIC = 2

cdef enum:  # what is outside
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
    const void* grad  # likewise
    void* x_grad  # or NULL
    void* grid_grad  # or NULL

# Forward for blocks of places, backward for samples.
ctypedef void (*sampled_t)(void* sampled, Py_ssize_t begin, Py_ssize_t end) noexcept nogil
