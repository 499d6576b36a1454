"""What the loops of resampling and their callers share."""

cdef struct Resampled:  # along one axis: (outer, size, inner) to (outer, count, inner), or back
    Py_ssize_t size, count, inner
    Py_ssize_t taps  # elements that each one of the result is a sum of
    const Py_ssize_t* places  # (count, taps)
    const double* weights  # likewise
    const void* x
    void* y

ctypedef void (*resampled_t)(const Resampled* r, Py_ssize_t begin, Py_ssize_t end) noexcept nogil
