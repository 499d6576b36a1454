"""What the loops of pooling and their callers share; see pooling.pyx."""
from libc.stdint cimport int64_t

cdef enum:
    AXES = 3
    CHANNELS = 128  # that are pooled together where they lie beside each other

cdef struct Pool:
    int dims  # spatial dimensions; they are the last of the three axes, the others have one position
    Py_ssize_t planes  # batch times channels; where channels lie beside each other, batch times `shares`
    Py_ssize_t pixel  # the channels of a position where they lie beside each other, or 1
    Py_ssize_t shares  # of at most CHANNELS of them
    Py_ssize_t[AXES] size  # of the input
    Py_ssize_t[AXES] count  # positions of the output
    Py_ssize_t[AXES] step  # between elements of a window
    Py_ssize_t stride, origin  # along the last axis: from one window to the next, and where the first begins
    Py_ssize_t taps  # elements of a window along the last axis; 0: they differ
    Py_ssize_t* begin[AXES]
    Py_ssize_t* end[AXES]
    Py_ssize_t* weight[AXES]  # elements the window counts as
    Py_ssize_t work  # additions for one plane
    Py_ssize_t divisor  # 0: the product of the weights
    bint misplaced  # an index pointed outside its plane
    const void* x
    void* y
    int64_t* indices

ctypedef void (*pooled_t)(Pool* p, Py_ssize_t plane, void* tag) noexcept nogil  # `tag` only says the dtype
