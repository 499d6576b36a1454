"""Types shared by the loops of pooling and their callers; see pooling.pyx."""
from libc.stdint cimport int64_t

cdef enum:
    AXES = 3
    CHANNELS = 128  # number of adjacent channels that are pooled together

cdef struct Pool:
    int dims  # spatial dimensions, which are the last of the three axes; the others have one position
    Py_ssize_t planes  # batch times channels; with channels last, batch times `shares`
    Py_ssize_t pixel  # with channels last, the channels of a position, otherwise 1
    Py_ssize_t shares  # groups of at most CHANNELS channels
    Py_ssize_t[AXES] size  # of the input
    Py_ssize_t[AXES] count  # positions of the output
    Py_ssize_t[AXES] step  # between elements of a window
    Py_ssize_t stride, origin  # along the last axis: distance between windows, and the start of the first
    Py_ssize_t taps  # elements of a window along the last axis; 0 if they differ
    Py_ssize_t* begin[AXES]
    Py_ssize_t* end[AXES]
    Py_ssize_t* weight[AXES]  # the number of elements that the window counts as
    Py_ssize_t work  # additions for one plane
    Py_ssize_t divisor  # 0: the product of the weights
    bint misplaced  # an index is outside its plane
    const void* x
    void* y
    int64_t* indices

ctypedef void (*pooled_t)(Pool* p, Py_ssize_t plane, void* tag) noexcept nogil  # `tag` only selects the dtype
