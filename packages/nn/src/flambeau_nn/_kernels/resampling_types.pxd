"""Types shared by the loops of resampling and their callers."""

cdef struct Resampled:  # along one axis: (outer, size, inner) to (outer, count, inner), or back
    Py_ssize_t size, count, inner
    Py_ssize_t taps  # elements that contribute to each result
    const Py_ssize_t* places  # (count, taps)
    const double* weights  # (count, taps)
    const void* x
    void* y

ctypedef void (*resampled_t)(const Resampled* r, Py_ssize_t begin, Py_ssize_t end) noexcept nogil
